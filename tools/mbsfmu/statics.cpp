// mbsfmu statics: the static equilibrium of a model.

#include <cmath>
#include <memory>

#include "engine/analysis/modes.hpp"
#include "tools/mbsfmu/operating_point.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> set;
  ReportOptions report;
};

Sheet values(const std::string& name, const std::string& what,
             const std::vector<std::string>& names, const Vector& x, Eigen::Index count) {
  Sheet sheet{name, what, {"name", "value"}, {}};
  for (Eigen::Index i = 0; i < count; ++i)
    sheet.rows.push_back({names[static_cast<std::size_t>(i)], x[i]});
  return sheet;
}

std::string stability(const OperatingPoint& point) {
  try {
    const LinearSystem system =
        linearise(point.equations(), point.context(), point.x, {.states = point.states()});
    for (const Mode& mode : find_modes(system))
      if (mode.eigenvalue.real() > 1e-4 * (1.0 + std::abs(mode.eigenvalue.imag())))
        return "unstable: small deviations grow";
    return "stable: no mode grows";
  } catch (const std::runtime_error& error) {
    return std::string("unknown: ") + error.what();
  }
}

int statics(const Options& options) {
  const auto point = load_point(options.file, options.set);
  if (!point) return failed;
  const Equations& equations = point->equations();
  const Equilibrium found = point->find_static_equilibrium();
  if (!found.ok) throw std::runtime_error(options.file + ": " + found.message);

  const Structure& names = equations.structure();
  Report report;
  report.title = point->loaded->model.name + ", static equilibrium";
  report.facts = {{"iterations", double(found.iterations)},
                  {"relaxations", double(found.relaxations)},
                  {"residual force", found.residual},
                  {"stability", stability(*point)}};
  Sheet moved{"moved", "from the assembled start", {"name", "from", "to"}, {}};
  for (const Movement& one : found.moved) moved.rows.push_back({one.name, one.from, one.to});
  Sheet trimmed{"parameters", "found", {"name", "from", "to"}, {}};
  for (const Movement& one : found.trimmed) trimmed.rows.push_back({one.name, one.from, one.to});
  const auto ws = equations.make_workspace();
  ws->y.setZero();
  equations.outputs(point->context(), point->x, *ws);
  Sheet outputs{"outputs", "in SI", {"name", "value"}, {}};
  for (std::size_t i = 0; i < point->loaded->model.outputs.size(); ++i)
    outputs.rows.push_back(
        {point->loaded->model.outputs[i].name, ws->y[static_cast<Eigen::Index>(i)]});
  report.sheets = {moved, values("positions", "", names.p_names, point->x.p, point->x.p.size()),
                   values("states", "", names.r_names, point->x.r, point->states()),
                   values("multipliers", "of the constraints", names.lambda_names, point->x.lambda,
                          point->x.lambda.size()),
                   outputs};
  if (!trimmed.rows.empty()) report.sheets.insert(report.sheets.begin() + 1, trimmed);
  put_out(report, options.report);
  return success;
}

}  // namespace

void add_statics(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "statics", "the static equilibrium of a model", statics);
  command->add_option("model", options->file, "the model, *.mbs.xml")->required();
  command->add_option("--set", options->set, "name=value of a parameter or input; may be repeated");
  add_report_options(*command, options->report);
  command->footer(
      "Starts from the assembled configuration, with Newton's method damped by the model's "
      "inertia,\n"
      "and with relaxation where that does not converge. Exact initial values are a start like "
      "any\n"
      "other. Simulations and FMUs start there with <init method=\"statics\"/> in the model.\n"
      "Example: mbsfmu statics truck.mbs.xml");
}

}  // namespace mbs
