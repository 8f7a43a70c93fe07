// mbsfmu: multibody models as self-contained co-simulation FMUs. One file a subcommand.

#include "tools/mbsfmu/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App program{
      "mbsfmu turns a multibody model (*.mbs.xml) into a self-contained co-simulation FMU.\n"
      "\n"
      "  mbsfmu check    crane.mbs.xml             is the model right?\n"
      "  mbsfmu simulate crane.mbs.xml             what does it do? (CSV)\n"
      "  mbsfmu interpolate crane.mbsd --step 0.1  values between, from 'simulate --dump'\n"
      "  mbsfmu statics | linearize | eigen | energy crane.mbs.xml\n"
      "                                            equilibrium, A B C D, modes, balance of energy\n"
      "  mbsfmu build    crane.mbs.xml             the FMU: crane.fmu\n"
      "  mbsfmu check    crane.fmu                 does an FMU keep the rules of the standard?\n"
      "  mbsfmu simulate crane.fmu --set F=10      run any FMU (2.0 or 3.0 co-simulation)\n"
      "\n"
      "Models to start from are in model_templates/. The model language is described in\n"
      "engine/model/generated/manual.md. 'mbsfmu SUBCOMMAND --help' shows the options of one.\n",
      "mbsfmu"};
  program.require_subcommand(1);
  program.set_version_flag("--version", "mbsfmu " MBSFMU_VERSION);
  program.failure_message([](const CLI::App* app, const CLI::Error& error) {
    return "mbsfmu: " + std::string(error.what()) + "\n'" + app->get_name() +
           " --help' shows what is understood\n";
  });

  int exit_code = mbs::success;
  for (const mbs::AddCommand add :
       {mbs::add_build, mbs::add_check, mbs::add_info, mbs::add_simulate, mbs::add_interpolate,
        mbs::add_statics, mbs::add_linearize, mbs::add_eigen, mbs::add_energy})
    add(program, exit_code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? mbs::success : mbs::wrong_usage;
  }
  return exit_code;
}
