#include "tools/mbsfmu/operating_point.hpp"

#include <cstdio>
#include <stdexcept>

#include "engine/analysis/linearise.hpp"
#include "engine/base/text.hpp"
#include "engine/equations/start.hpp"
#include "engine/simulation/solver_choice.hpp"
#include "tools/report/output_file.hpp"

namespace mbs {

void add_report_options(CLI::App& command, ReportOptions& options) {
  command.add_option("--format", options.format, "text, json or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  command.add_option("-o,--output", options.output, "the file to write (default: the terminal)");
}

void put_out(const Report& report, const ReportOptions& options) {
  const ReportFormat format = options.format == "json"  ? ReportFormat::json
                              : options.format == "csv" ? ReportFormat::csv
                                                        : ReportFormat::text;
  const std::string text = render(report, format);
  if (options.output.empty())
    std::fputs(text.c_str(), stdout);
  else
    write_file(options.output, text);
}

void add_point_options(CLI::App& command, PointOptions& options) {
  command.add_option("model", options.file, "the model, *.mbs.xml")->required();
  command.add_option("--set", options.set,
                     "name=value of a parameter or input, e.g. --set F='2 kN'; may be repeated");
  CLI::Option* time = command.add_option(
      "--time", options.time, "simulate to this time first, in s (default: at the start)");
  command.add_flag("--statics", options.statics, "at static equilibrium")->excludes(time);
  command.add_flag("--moving", options.moving,
                   "allow a state that is no equilibrium: the result holds for that instant, and A "
                   "with its eigenvalues is then that of the coordinates chosen, other ones have "
                   "others");
  add_report_options(command, options.report);
}

std::unique_ptr<OperatingPoint> load_point(const std::string& file,
                                           const std::vector<std::string>& set) {
  if (is_fmu(file))
    throw std::runtime_error("'" + file + "' is an FMU: this analysis needs the model file");
  Diagnostics diagnostics;
  auto point = std::make_unique<OperatingPoint>();
  point->loaded = load_model(file, set, diagnostics);
  show(diagnostics);
  if (!point->loaded) return nullptr;
  const Equations& equations = point->equations();
  point->parameters = equations.default_parameters();
  if (const std::string wrong = equations.derive(point->parameters); !wrong.empty())
    throw std::runtime_error(wrong);
  point->inputs = equations.default_inputs(point->parameters);
  for (const auto& [index, value] : point->loaded->inputs) point->inputs.value[index] = value;
  const double start = point->loaded->model.solver.start_time;
  point->inputs.t0 = start;
  const InitialReport report = make_start(equations, point->context(), start, point->x,
                                          {.conditions = conditions_of(point->loaded->model)});
  if (!report.ok)
    throw std::runtime_error(file + ": the model cannot be assembled: " + report.text());
  Contacts contacts = point->contacts();
  if (const std::string wrong = contacts.start(point->x).error; !wrong.empty())
    throw std::runtime_error(file + ": " + wrong);
  point->at = "at the start, t = " + number_text(start) + " s";
  return point;
}

namespace {

void simulate_to(OperatingPoint& point, double time) {
  CoSimulationDriver simulation = point.loaded->simulation();
  const InitialReport report = simulation.initialise(point.loaded->model.solver.start_time);
  if (!report.ok) throw std::runtime_error("the model cannot be assembled: " + report.text());
  if (time > simulation.time()) simulation.advance(time);
  if (simulation.time() < time)
    throw std::runtime_error(simulation.system().events().end_message());
  point.x = simulation.state();
  const auto ws = point.equations().make_workspace();
  const auto solver = point.equations().make_solver("auto");
  if (!solve_accelerations(point.equations(), point.context(), point.x, *ws, *solver))
    throw std::runtime_error("the accelerations at t = " + number_text(time) +
                             " s are not determined");
  point.at = "at t = " + number_text(time) + " s";
}

}  // namespace

std::unique_ptr<OperatingPoint> find_point(const PointOptions& options) {
  auto point = load_point(options.file, options.set);
  if (!point) return nullptr;
  if (options.time) {
    simulate_to(*point, *options.time);
  } else if (options.statics || point->loaded->model.init_method == "statics") {
    const Equilibrium found = point->find_static_equilibrium();
    if (!found.ok) throw std::runtime_error(options.file + ": " + found.message);
    point->at = "at static equilibrium";
  }
  if (options.moving) return point;
  const std::string moves =
      unrest(point->equations(), point->context(), point->x, 1e-6, point->states());
  if (!moves.empty())
    throw std::runtime_error(options.file + ": " + point->at +
                             " the model is not in equilibrium: " + moves +
                             ". Use --statics to find one, or --moving when that instant is meant");
  return point;
}

}  // namespace mbs
