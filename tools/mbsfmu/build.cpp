// mbsfmu build: a model file becomes an FMU.

#include <cstdio>
#include <memory>

#include "tools/export/build_fmu.hpp"
#include "tools/mbsfmu/command_line.hpp"

namespace mbs {
namespace {

struct Options {
  std::string model, output, version = "2.0", naming = "flat";
  std::vector<std::string> set;
  bool flat = false, clocks = false, reference = false, quiet = false;
};

int build(const Options& options) {
  BuildRequest request;
  request.model = options.model;
  request.version = options.version == "3.0" ? import::FmiVersion::fmi3 : import::FmiVersion::fmi2;
  request.output = options.output;
  request.style = {options.flat, options.naming == "structured"};
  request.clocks = options.clocks;
  for (const std::string& text : options.set) {
    const auto [name, value] = split_assignment(text);
    request.overrides.push_back({name, value});
  }
  request.reference = options.reference;
  if (!options.quiet)
    request.say = [](const std::string& line) { std::printf("%s\n", line.c_str()); };

  Diagnostics diagnostics;
  const bool built = build_fmu(request, diagnostics);
  show(diagnostics);
  if (!built) std::fprintf(stderr, "no FMU was written\n");
  return built ? success : failed;
}

}  // namespace

void add_build(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "build", "make an FMU from a model file", build);
  command->add_option("model", options->model, "the model, *.mbs.xml")->required();
  command->add_option("-o,--output", options->output,
                      "the FMU to write (default: the model's file name, .fmu, here)");
  command->add_option("--fmi", options->version, "version of the standard: 2.0 or 3.0")
      ->check(CLI::IsMember({"2.0", "3.0"}))
      ->capture_default_str();
  command->add_flag("--flat", options->flat,
                    "FMI 3.0: scalars phi[1], phi[2], ... instead of arrays (FMI 2.0 has no "
                    "others)");
  command
      ->add_option("--naming", options->naming,
                   "variableNamingConvention: flat, or structured, where dots and indices show a "
                   "tree of variables (some tools make buses of it)")
      ->check(CLI::IsMember({"flat", "structured"}))
      ->capture_default_str();
  command->add_flag("--reference", options->reference,
                    "put the results of the default experiment into the FMU (layered standard "
                    "fmi-ls-ref), which 'check' compares with; runs it twice");
  command->add_option("--set", options->set,
                      "name=value of a structural parameter, e.g. --set N=32, or of the solver, "
                      "e.g. --set solver.method=midpoint; may be repeated");
  command->add_flag("--clocks", options->clocks,
                    "FMI 3.0: a triggered output clock NAME.clock for each event and contact; the "
                    "importer then has to know event mode");
  command->add_flag("-q,--quiet", options->quiet, "print nothing but errors");
  command->footer(
      "The FMU needs nothing at the receiver: no solver, no library, no licence. A build that "
      "fails\n"
      "writes nothing and leaves an older FMU as it was.\n"
      "Example: mbsfmu build model_templates/slider_crank/slider_crank.mbs.xml --fmi 3.0");
}

}  // namespace mbs
