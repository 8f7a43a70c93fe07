// The start of a simulation and its values.

#include "engine/simulation/core.hpp"

#include <stdexcept>
#include <utility>

#include "engine/contact/equilibrium_on_contacts.hpp"
#include "engine/equations/start.hpp"

namespace mbs {

Simulation::Simulation(std::shared_ptr<const Equations> equations, SolverChoice solver)
    : equations_(std::move(equations)), solver_(std::move(solver)) {
  give_own_tolerances(*equations_, solver_);
  solver_.options.check(equations_->sizes());
  for (const auto& [output, statistic] : equations_->structure().statistic_outputs) {
    const std::span<const std::string_view> known = Statistics::keywords();
    if (std::find(known.begin(), known.end(), statistic) == known.end())
      throw std::invalid_argument("there is no counter '" + statistic + "' of the integrator");
  }
  reset();
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const SaddleStatistics& Simulation::linear_statistics() const {
  return core_->integrator->linear_statistics();
}

std::string Simulation::describe_solver() const {
  return core_->integrator->describe();
}

void Simulation::reset() {
  core_ = std::make_unique<Core>(*equations_, solver_);
  near_ = core_.get();
}

const State& Simulation::state() const {
  return landed();
}

const Statistics& Simulation::statistics() const {
  return core_->integrator->statistics();
}

double Simulation::parameter(int i) {
  Core& c = *core_;
  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  return c.requested.values[i];
}

void Simulation::set_parameter(int i, double value) {
  core_->requested.values[i] = value;
  core_->derive_pending = true;
  core_->uneventful = never;
  core_->shown &= ~(Core::pendings | Core::pending_tangents);
}

double Simulation::input(int i) const {
  const Core& c = *core_;
  const Setting& setting = c.settings[static_cast<std::size_t>(i)];
  return setting.touched ? setting.to.value : c.unset(i, c.x.t).value;
}

bool Simulation::input_moves(int i) const {
  return core_->moves[static_cast<std::size_t>(i)] != 0;
}

// It may go on as it was set to before.
void Simulation::set_input(int i, double value, double first, double second) {
  Core& c = *core_;
  Setting& setting = c.settings[static_cast<std::size_t>(i)];
  if (c.started && !setting.touched) {
    const Inputs::Jet now = c.unset(i, c.x.t);
    if (now.value == value && now.first == first && now.second == second) {
      if (first == 0.0 && second == 0.0) setting.held = value;
      setting.varies = false;
      return;
    }
    setting.varies = true;
  }
  change_input(i, {value, first, second});
}

// Until the start derivatives stay as they have been set.
void Simulation::set_value_anew(int i, double value) {
  const Core& c = *core_;
  if (c.started || c.exchange.on)
    set_input(i, value);
  else
    change_input(i, {value, c.latest.first[i], c.latest.second[i]});
}

void Simulation::set_derivative_anew(int i, int order, double value) {
  Inputs::Jet to = core_->unset(i, core_->x.t);
  (order == 1 ? to.first : to.second) = value;
  set_input(i, to.value, to.first, to.second);
}

void Simulation::change_input(int i, const Inputs::Jet& to) {
  Core& c = *core_;
  if (!c.exchange.on) {
    Setting& setting = c.settings[static_cast<std::size_t>(i)];
    setting.touched = c.any_touched = true;
    setting.to = to;
    setting.held = std::numeric_limits<double>::quiet_NaN();
    c.shown &= ~(Core::pendings | Core::pending_tangents);
    return;
  }
  const auto is_set = [&](const Inputs& inputs) {
    return inputs.value[i] == to.value && inputs.first[i] == 0.0 && inputs.second[i] == 0.0;
  };
  if (is_set(c.inputs) && is_set(c.latest)) return;
  for (Inputs* inputs : {&c.inputs, &c.latest}) {
    inputs->value[i] = to.value;
    inputs->first[i] = inputs->second[i] = 0.0;
  }
  c.land(c.x.t);
}

InitialReport Simulation::initialise(double t0, double tolerance) {
  Core& c = *core_;
  if (c.started) throw std::logic_error("a simulation that has begun cannot be initialised again");
  c.initialised = c.restart_needed = false;
  c.uneventful = never;
  c.shown = 0;
  c.set_tolerance(tolerance, *equations_, solver_);

  InitialReport report;
  c.derive_pending = false;
  // The search for these begins where it did before: the same start is the same to the bit.
  for (const Trim& trim : solver_.statics ? solver_.trims : std::vector<Trim>{})
    c.requested.values[trim.parameter] = equations_->default_parameters().values[trim.parameter];
  report.message = c.parameter_error = equations_->derive(c.requested);
  if (!report.message.empty()) return report;
  c.parameters = c.requested;
  c.inputs.t0 = t0;
  c.any_touched = c.slopes_end = false;
  for (int i = 0; i < equations_->sizes().u; ++i) {
    Setting& setting = c.settings[static_cast<std::size_t>(i)];
    if (!std::exchange(setting.touched, false)) continue;
    c.inputs.value[i] = setting.to.value;
    c.inputs.first[i] = setting.to.first;
    c.inputs.second[i] = setting.to.second;
  }
  c.latest.t0 = t0;
  c.latest.value = c.inputs.value;
  c.latest.first = c.inputs.first;
  c.latest.second = c.inputs.second;

  c.event_time.setConstant(t0);
  report = make_start(*equations_, c.context(), t0, c.x, {.conditions = solver_.conditions});
  if (report.ok && report.redundant_rows > 0 && report.dropped.empty() &&
      !treats_redundancy(solver_.method)) {
    report.ok = false;
    report.message = "The method '" + solver_.method +
                     "' cannot go on with redundant constraints, there are " +
                     std::to_string(report.redundant_rows) +
                     " of them: take redundancy=\"drop\" instead of \"minimum_norm\", or the "
                     "method radau, extrapolation or midpoint.";
  }
  if (report.ok && solver_.statics) {
    Equilibrium found = find_static_equilibrium(*equations_, c.context(), *c.contacts, c.x,
                                                {.trims = solver_.trims});
    report.ok = found.ok;
    report.message = found.message;
    report.moved_p = std::move(found.moved);
    report.moved_v.clear();
    if (found.ok && !solver_.trims.empty()) c.parameters = c.requested = found.parameters;
    report.trimmed = std::move(found.trimmed);
  }
  if (report.ok) {
    report.message = c.contacts->start(c.x).error;
    report.ok = report.message.empty();
  }
  for (const std::string& notice : c.contacts->report().log) c.notices.push_back({t0, notice});
  c.initialised = report.ok;
  return report;
}

// What is no function of the state.
void Simulation::count_into(Vector& y) const {
  const Core& c = *core_;
  for (const auto& [output, keyword] : equations_->structure().statistic_outputs)
    y[output] = statistics().by_keyword(keyword);
  for (const auto& [output, function, time] : equations_->structure().event_outputs)
    y[output] = time ? c.event_time[function] : c.event_count[function];
}

double Simulation::output(int i) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("outputs need a successful initialise() first");
  if ((c.shown & Core::outputs) == 0) {
    landed();
    {
      const Core::LawsAt left(c.x, law_time());
      equations_->outputs(c.context(), c.x, *c.ws);
    }
    count_into(c.ws->y);
    c.shown |= Core::outputs;
  }
  return c.ws->y[i];
}

}  // namespace mbs
