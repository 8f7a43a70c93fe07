// Model exchange: a run with a simple integrator, the explicit midpoint rule, and its events.
// States that events change must be declared with reinit. Then calls that FMI 2 allows in the
// modes, though importers rarely make them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "tools/check_fmu/equations.hpp"
#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Variable;
using Vector = std::vector<double>;

constexpr int most_updates = 100;
constexpr double parts = 1000;  // of the default experiment, after a beginning in shorter steps
constexpr std::size_t most_tried = 8;
constexpr std::size_t most_numbers = 100'000;  // a description may have any
constexpr double shortest = 1e-3;              // of a step, over changes of an indicator's sign

// Ends where a call fails: an explicit integrator may reach states without derivatives.
class Run {
 public:
  explicit Run(Trial& trial) : trial_(trial), t_(trial.grid().start) {
    const import::ModelDescription& d = trial.description();
    for (const import::Unknown& unknown : d.structure.derivatives) {
      if (!unknown.variable) continue;
      const Variable& derivative = d.variables[*unknown.variable];
      const auto state = derivative.derivative ? d.position(*derivative.derivative) : std::nullopt;
      const std::size_t count = element_count(d, derivative).value_or(0);
      if (!state || count > most_numbers - states_.size()) {
        states_.clear();
        return;
      }
      states_.insert(states_.end(), count, &d.variables[*state]);
    }
    is_reported_.resize(states_.size());
  }

  void go() {
    if (!start()) return;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (double part = 1; t_ < trial_.grid().stop && std::chrono::steady_clock::now() < limit;) {
      const Vector x = x_, z = z_;
      const double t = t_;
      const double next =
          std::max(t, std::min({t + part * step(), trial_.grid().stop, next_event_}));
      if (!step_to(next)) return;
      const bool crossed = !std::ranges::equal(z, z_, {}, is_positive, is_positive);
      if (crossed && part > shortest) {
        part /= 2;
        t_ = t, x_ = x, z_ = z;
        if (!go_to(t_, x_)) return;
        continue;
      }
      trial_.parent().doing("CompletedIntegratorStep");
      const import::CompletedStep completed = instance_->completed_integrator_step();
      if (!is_good(completed.status) || completed.terminate) return;
      if (!completed.event_needed && !crossed && t_ < next_event_) continue;
      if (!enter_events()) return;
      part = 1;
    }
    enter_events();  // which importers may at any time
  }

  void try_modes() {
    if (!start()) return;
    for (std::size_t i = 0; i < std::min(most_tried, states_.size()); ++i) {
      trial_.parent().doing("setting " + in_quotes(states_[i]->name) + " in continuous-time mode");
      const import::Status status = instance_->set_real({&states_[i]->reference, 1}, {&x_[i], 1});
      if (!is_good(status))
        trial_.stop(
            "the state " + in_quotes(states_[i]->name) +
                " cannot be set in continuous-time mode: " + std::string(import::to_text(status)),
            "SetReal of continuous states is allowed there (FMI 2.0.5, 3.2.3)");
    }
    for (const char* where : {"continuous-time mode", "event mode"}) {
      const std::string what = "EnterEventMode in " + std::string(where);
      trial_.parent().doing(what);
      trial_.expect_good(instance_->enter_event_mode(), what);
    }
  }

 private:
  // In continuous-time mode.
  bool start() {
    instance_ = trial_.instantiate({.model_exchange = true});
    trial_.initialize(*instance_);
    const std::size_t indicators = instance_->indicator_count();
    if (states_.empty() || instance_->state_count() != states_.size() || indicators > most_numbers)
      return false;
    x_.resize(states_.size());
    z_.resize(indicators);
    return handle_events();
  }

  double step() const {
    const Grid& grid = trial_.grid();
    return std::max(grid.step / 4, t_ < grid.end() ? 0.0 : (grid.stop - grid.start) / parts);
  }

  static bool is_positive(double z) { return z > 0; }

  bool go_to(double t, const Vector& x) {
    trial_.parent().doing("setting states in continuous-time mode");
    return is_good(instance_->set_time(t)) && is_good(instance_->set_continuous_states(x));
  }
  bool rates(Vector& dx) {
    trial_.parent().doing("reading derivatives in continuous-time mode");
    dx.resize(x_.size());
    return is_good(instance_->get_state_derivatives(dx)) &&
           std::ranges::all_of(dx, [](double rate) { return std::isfinite(rate); });
  }
  bool indicators() {
    trial_.parent().doing("reading event indicators in continuous-time mode");
    return z_.empty() || is_good(instance_->get_event_indicators(z_));
  }

  bool step_to(double next) {
    const double h = next - t_;
    Vector dx, middle = x_;
    if (!rates(dx)) return false;
    for (std::size_t i = 0; i < x_.size(); ++i) middle[i] += h / 2 * dx[i];
    if (!go_to(t_ + h / 2, middle) || !rates(dx)) return false;
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx[i];
    t_ = next;
    return go_to(t_, x_) && indicators();
  }

  bool enter_events() {
    trial_.parent().doing("EnterEventMode in model exchange");
    return is_good(instance_->enter_event_mode()) && handle_events();
  }

  bool handle_events() {
    if (!is_good(instance_->get_continuous_states(x_))) return false;
    const Vector before = x_;
    import::DiscreteUpdate update;
    update.needed_again = true;
    for (int i = 0; i < most_updates && update.needed_again; ++i) {
      trial_.parent().doing("the update of discrete states in model exchange");
      update = instance_->update_discrete_states();
      if (!is_good(update.status) || update.terminate) return false;
    }
    next_event_ = update.next_event.value_or(std::numeric_limits<double>::infinity());
    if (!is_good(instance_->get_continuous_states(x_))) return false;
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (x_[i] != before[i]) report_missing_reinit(i);
    trial_.parent().doing("EnterContinuousTimeMode");
    return is_good(instance_->enter_continuous_time_mode()) && indicators();
  }

  void report_missing_reinit(std::size_t i) {
    const Variable& state = *states_[i];
    if (state.reinit.value_or(false) || is_reported_[i]) return;
    for (std::size_t k = 0; k < states_.size(); ++k) is_reported_[k] |= states_[k] == &state;
    trial_.report("M18").error(
        state.line,
        in_quotes(state.name) + " is changed by an event at " + import::to_text(t_) +
            " but does not say so",
        "write reinit=\"true\": importers may take it that other states stay as they are");
  }

  Trial& trial_;
  std::unique_ptr<import::Instance> instance_;
  std::vector<const Variable*> states_;  // that each element is of
  std::vector<char> is_reported_;
  double t_, next_event_ = std::numeric_limits<double>::infinity();
  Vector x_, z_;
};

void marks_what_events_set(Trial& trial) {
  Run(trial).go();
}

void allows_in_modes(Trial& trial) {
  Run(trial).try_modes();
}

bool exchanges_in_fmi2(const import::ModelDescription& d) {
  return fmi2_only(d) && has_exchange(d);
}

}  // namespace

std::vector<TrialEntry> exchange_trials() {
  return {{"M18", "events in model exchange", has_exchange, marks_what_events_set},
          {"L16", "calls in the modes of model exchange", exchanges_in_fmi2, allows_in_modes}};
}

}  // namespace mbs::check_fmu
