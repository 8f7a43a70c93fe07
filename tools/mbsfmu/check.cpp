// mbsfmu check: errors of a model, violations of the standard by an FMU.

#include <cmath>
#include <cstdio>
#include <memory>

#include "tools/check_fmu/check_fmu.hpp"
#include "tools/mbsfmu/command_line.hpp"
#include "tools/mbsfmu/loaded_model.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file;
  bool no_run = false;
  double time_limit = 20.0;
  std::vector<std::string> set;
};

int check_model(const Options& options) {
  Diagnostics diagnostics;
  const auto loaded = load_model(options.file, options.set, diagnostics);
  show(diagnostics);
  if (!loaded) return failed;

  const Model& model = loaded->model;
  CoSimulationDriver simulation = loaded->simulation();
  const InitialReport report = simulation.initialise(model.solver.start_time);
  if (!report.ok) {
    std::fprintf(stderr, "%s: error: the model cannot be assembled: %s\n", options.file.c_str(),
                 report.text().c_str());
    return failed;
  }
  std::printf("%s: no errors; %d bodies, %d degrees of freedom\n", options.file.c_str(),
              static_cast<int>(model.bodies.size()),
              loaded->equations->sizes().v - loaded->equations->sizes().lambda +
                  contact_rows(loaded->equations->structure()));
  std::printf("coordinates: %s\n", loaded->coordinates.c_str());
  std::printf("%s", report.text().c_str());
  return success;
}

int check_archive(const Options& options) {
  int errors = 0, advice = 0;
  const check_fmu::Options to_check{
      .run =
          options.no_run ? check_fmu::Options::Run::nothing : check_fmu::Options::Run::everything,
      .time_limit = std::chrono::milliseconds(std::lround(1000.0 * options.time_limit))};
  for (const auto& finding : check_fmu::check_fmu(options.file, to_check)) {
    std::fprintf(stderr, "%s\n", check_fmu::to_text(finding).c_str());
    ++(finding.severity == check_fmu::Severity::error ? errors : advice);
  }
  if (errors + advice == 0)
    std::printf("%s: no findings\n", options.file.c_str());
  else
    std::fprintf(stderr, "%d error%s, %d piece%s of advice\n", errors, errors == 1 ? "" : "s",
                 advice, advice == 1 ? "" : "s");
  return errors == 0 ? success : failed;
}

int check(const Options& options) {
  return is_fmu(options.file) ? check_archive(options) : check_model(options);
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "check", "check a model file or an FMU", check);
  command->add_option("file", options->file, "a model (*.mbs.xml) or an FMU (*.fmu)")->required();
  command->add_option("--set", options->set, "name=value of a parameter or input of a model");
  command->add_flag("--no-run", options->no_run,
                    "do not load an FMU's library: nothing of its code runs");
  command
      ->add_option("--time-limit", options->time_limit,
                   "seconds of processor time, or of waiting, of one trial of an FMU (20)")
      ->check(CLI::Range(0.1, 86400.0));
  command->footer(
      "A model is read, assembled and brought to consistent initial values; all errors are shown\n"
      "with file, line and column. An FMU, ours or another's, is checked against rules of the FMI\n"
      "standards (tools/check_fmu/rules.md); each finding ends with the rule's id. Errors break "
      "the\n"
      "standard, advice is about what importers are known to stumble over. The library of this\n"
      "platform is loaded and tried: life cycle, reset, several instances, steps of all sizes,\n"
      "saved states, partial derivatives, wrong and null arguments, each in a process of its own\n"
      "that may crash without harm, but with your rights. Use --no-run for an FMU that you do not "
      "trust.");
}

}  // namespace mbs
