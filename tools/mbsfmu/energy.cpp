// mbsfmu energy: the balance of energy over a simulation,
//
//   drift = T + V - T_0 - V_0 - W - E,   W = int v.(f - G^T lambda) + V' dt
//
// where W is the work of all forces without a part in the potential V: dampers, drives, inputs,
// friction; E is the energy that impacts and other events have added (negative: removed). V' is the
// derivative of V along p' = Z v, a central difference of fourth order. The integral is by Gauss's
// rule with three points between outputs; drift is the error of the integrator.

#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "tools/mbsfmu/operating_point.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> set;
  std::optional<double> start, stop, step;
  double tolerance = 0.0;
  ReportOptions report;
};

class Balance {
 public:
  Balance(OperatingPoint& point, CoSimulationDriver& simulation)
      : point_(point),
        simulation_(simulation),
        ws_(point.equations().make_workspace()),
        solver_(point.equations().make_solver("auto")) {}

  Equations::Energy energy() { return energy_of(simulation_.state()); }

  double power() {
    const Equations& equations = point_.equations();
    State x = simulation_.state();
    if (!solve_accelerations(equations, point_.context(), x, *ws_, *solver_))
      throw std::runtime_error("the accelerations at t = " + number_text(x.t) +
                               " s are not determined");
    const double of_forces = x.v.dot(ws_->f) - (ws_->G * x.v).dot(x.lambda);
    Vector z;
    equations.apply_Z(point_.context(), x, x.v, z);
    const Vector& scale = equations.structure().p_scale;
    const double largest = z.size() > 0 ? z.cwiseAbs().cwiseQuotient(scale).maxCoeff() : 0.0;
    if (largest == 0.0) return of_forces;
    const double h = 1e-3 / largest;
    const Vector p = x.p;
    double slope = 0.0;
    for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      x.p = p + steps * h * z;
      slope += weight / (12.0 * h) * energy_of(x).potential;
    }
    return of_forces + slope;
  }

 private:
  Equations::Energy energy_of(const State& x) {
    const auto energy = point_.equations().energy(point_.context(), x, *ws_);
    if (!std::isfinite(energy.kinetic) || !std::isfinite(energy.potential))
      throw std::runtime_error("the energy at t = " + number_text(x.t) +
                               " s is not a finite number");
    return energy;
  }

  OperatingPoint& point_;
  CoSimulationDriver& simulation_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
};

int energy(const Options& options) {
  const auto point = load_point(options.file, options.set);
  if (!point) return failed;
  const SolverSettings& settings = point->loaded->model.solver;
  const double begin = options.start.value_or(settings.start_time);
  const double end = options.stop.value_or(settings.stop_time);
  double step = options.step.value_or(settings.output_step);
  if (!(step > 0.0)) step = (end - begin) / 500.0;
  if (!(end > begin)) throw std::runtime_error("the stop time is not after the start time");
  CoSimulationDriver simulation = point->loaded->simulation();
  const InitialReport start = simulation.initialise(begin, options.tolerance);
  if (!start.ok) throw std::runtime_error("the model cannot be assembled: " + start.text());

  Balance balance(*point, simulation);
  Sheet sheet{"energy",
              "in J",
              {"time [s]", "kinetic", "potential", "total", "work without potential",
               "energy from events", "drift"},
              {}};
  const auto first = balance.energy();
  double work = 0.0, by_events = 0.0, worst = 0.0, largest = 0.0;
  const auto total = [&] {
    const auto now = balance.energy();
    return now.kinetic + now.potential;
  };
  const auto advance = [&](double to) {
    while (simulation.system().events().end_message().empty() && simulation.time() < to) {
      simulation.advance(to, CoSimulationDriver::Events::stop);
      while (simulation.system().events().end_message().empty() &&
             simulation.system().events().is_due()) {
        const double before = total();
        simulation.apply_discrete_changes();
        by_events += total() - before;
      }
    }
  };
  const auto add_row = [&] {
    const auto now = balance.energy();
    const double sum = now.kinetic + now.potential;
    const double drift = sum - first.kinetic - first.potential - work - by_events;
    worst = std::max(worst, std::abs(drift));
    largest =
        std::max({largest, now.kinetic, std::abs(now.potential - first.potential), std::abs(work)});
    sheet.rows.push_back(
        {simulation.time(), now.kinetic, now.potential, sum, work, by_events, drift});
  };
  add_row();
  const double offset = std::sqrt(0.6) / 2.0;
  const std::array<std::pair<double, double>, 3> gauss{
      {{0.5 - offset, 5.0 / 18.0}, {0.5, 8.0 / 18.0}, {0.5 + offset, 5.0 / 18.0}}};
  ProgressLine progress("energy", begin, end);
  const long count = std::max(1L, std::lround((end - begin) / step));
  for (long k = 0; k < count && simulation.system().events().end_message().empty(); ++k) {
    const double from = begin + (end - begin) * double(k) / double(count);
    const double to = begin + (end - begin) * double(k + 1) / double(count);
    for (const auto& [place, weight] : gauss) {
      advance(from + place * (to - from));
      if (!simulation.system().events().end_message().empty()) break;
      work += weight * (to - from) * balance.power();
    }
    if (!simulation.system().events().end_message().empty()) break;
    advance(to);
    add_row();
    progress.at(to);
  }
  Report report;
  report.title = point->loaded->model.name + ", balance of energy by " +
                 simulation.step().integrator().describe();
  report.facts = {{"largest drift [J]", worst},
                  {"relative to the energy in motion", largest > 0.0 ? worst / largest : 0.0}};
  const std::string end_message = simulation.system().events().end_message();
  if (!end_message.empty()) report.facts.push_back({"ended", end_message});
  report.sheets = {sheet};
  put_out(report, options.report);
  return success;
}

}  // namespace

void add_energy(CLI::App& program, int& exit_code) {
  const auto [command, options] = add_subcommand(
      program, exit_code, "energy", "the balance of energy over a simulation of a model", energy);
  command->add_option("model", options->file, "the model, *.mbs.xml")->required();
  command->add_option("--set", options->set,
                      "name=value of a parameter or input, or of the solver; may be repeated");
  command->add_option("--start", options->start, "start time in s");
  command->add_option("--stop", options->stop, "stop time in s");
  command->add_option("--step", options->step, "distance of rows in s");
  command->add_option("--tolerance", options->tolerance, "relative tolerance of the integrator");
  add_report_options(*command, options->report);
  command->footer(
      "Kinetic and potential energy, the work of all forces without a potential (dampers, drives,\n"
      "inputs, friction), the energy from impacts and other events, and the drift, which is the "
      "error\n"
      "of the integrator. Make --step smaller when forces jump, since their work is a sum over "
      "points\n"
      "between rows.\n"
      "Example: mbsfmu energy crane.mbs.xml --tolerance 1e-8");
}

}  // namespace mbs
