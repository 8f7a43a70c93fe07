// Shared by linearize, eigen and statics: the operating point of a model, and the output of
// results.
#pragma once

#include <optional>

#include "engine/contact/equilibrium_on_contacts.hpp"
#include "tools/mbsfmu/command_line.hpp"
#include "tools/mbsfmu/loaded_model.hpp"
#include "tools/report/sheets.hpp"

namespace mbs {

struct ReportOptions {
  std::string format = "text", output;
};
void add_report_options(CLI::App& command, ReportOptions& options);
// Writes to the file, or to standard output without one.
void put_out(const Report& report, const ReportOptions& options);

struct PointOptions {
  std::string file;
  std::vector<std::string> set;
  std::optional<double> time;
  bool statics = false, moving = false;
  ReportOptions report;
};
void add_point_options(CLI::App& command, PointOptions& options);

struct OperatingPoint {
  std::unique_ptr<LoadedModel> loaded;
  Parameters parameters;
  Inputs inputs;
  State x;
  std::string at;  // "at the start, t = 0 s"

  const Equations& equations() const { return *loaded->equations; }
  Context context() const { return {inputs, parameters}; }
  int states() const { return static_cast<int>(loaded->model.states.size()); }
  Contacts contacts() const {
    const IntegratorOptions options = solver_choice(loaded->model.solver).options;
    return Contacts(equations(), context(), options, options.linear);
  }
  Equilibrium find_static_equilibrium() {
    Contacts own = contacts();
    Equilibrium found = mbs::find_static_equilibrium(
        equations(), context(), own, x, {.states = states(), .trims = trims_of(loaded->model)});
    if (!found.trimmed.empty()) parameters = found.parameters;
    return found;
  }
};

// The model read and brought to consistent values: null when it has errors, which have been shown.
// Throws std::runtime_error when there is no such state.
std::unique_ptr<OperatingPoint> load_point(const std::string& file,
                                           const std::vector<std::string>& set);
// Finds the state at the start, after a simulation, or at static equilibrium, by the options.
// Without `moving` a state that is no equilibrium is refused.
std::unique_ptr<OperatingPoint> find_point(const PointOptions& options);

}  // namespace mbs
