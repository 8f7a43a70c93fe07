#include "tools/import/simulate.hpp"

#include <algorithm>

#include "tools/import/simulate_plan.hpp"

namespace mbs::import {
namespace {

constexpr int most_event_iterations = 1000;
constexpr int most_standing_returns = 1000;

// One run. Each method stores the first bad status in the result, after which nothing more happens.
class Run {
 public:
  Run(Fmu& fmu, const SimulateOptions& options)
      : options_(options),
        plan_(fmu.description(), options),
        event_mode_(options.event_mode && plan_.description.co_simulation->has_event_mode) {
    result_.names = plan_.column_names;
    InstanceOptions instance_options;
    instance_options.logging = options.logging;
    instance_options.event_mode = event_mode_;
    instance_options.early_return =
        event_mode_ && plan_.description.co_simulation->might_return_early;
    instance_ = fmu.instantiate(instance_options);
  }

  SimulateResult run() {
    if (initialize()) {
      record();
      for (std::size_t i = 0; i < plan_.grid.count && go_on(); ++i) {
        advance_to(plan_.grid.point(i + 1));
        if (options_.progress) options_.progress(time_);
      }
      if (result_.status != Status::error && result_.status != Status::fatal)
        check(instance_->terminate(), "terminate");
    }
    result_.messages = instance_->messages();
    return std::move(result_);
  }

 private:
  bool go_on() const { return is_good(result_.status) && !result_.terminated; }

  bool check(Status status, const std::string& call) {
    if (is_good(status)) {
      if (status == Status::warning && result_.status == Status::ok) result_.status = status;
      return true;
    }
    result_.status = status;
    result_.failure =
        call + " at time " + to_text(time_) + " answered " + std::string(to_text(status));
    return false;
  }

  bool fail(std::string what) {
    result_.status = Status::error;
    result_.failure = std::move(what);
    return false;
  }

  bool set_start_values(const std::vector<StartValue>& values) {
    return std::all_of(values.begin(), values.end(), [this](const StartValue& start) {
      return check(set_value(*instance_, *start.variable, start.value),
                   "setting '" + start.variable->name + "'");
    });
  }

  bool configure() {
    if (plan_.structural.empty()) return true;
    return check(instance_->enter_configuration_mode(), "entering configuration mode") &&
           set_start_values(plan_.structural) &&
           check(instance_->exit_configuration_mode(), "leaving configuration mode");
  }

  bool initialize() {
    time_ = plan_.grid.start;
    const std::optional<double> tolerance = options_.tolerance ? options_.tolerance
                                            : plan_.description.default_experiment
                                                ? plan_.description.default_experiment->tolerance
                                                : std::nullopt;
    if (!configure() || !set_start_values(plan_.start_values) ||
        !check(instance_->enter_initialization({plan_.grid.start, plan_.grid.stop, tolerance}),
               "entering initialization") ||
        !set_inputs(true, true) ||
        !check(instance_->exit_initialization(), "leaving initialization"))
      return false;
    return !event_mode_ ||
           (update_discrete_states() && check(instance_->enter_step_mode(), "entering step mode"));
  }

  bool set_inputs(bool continuous, bool discrete) {
    for (Input& input : plan_.inputs) {
      if (!(input.is_continuous ? continuous : discrete)) continue;
      Value value = input_value(options_.inputs, input, time_);
      if (same_bits(value, input.last)) continue;
      if (!check(set_value(*instance_, *input.variable, value),
                 "setting '" + input.variable->name + "'"))
        return false;
      input.last = std::move(value);
    }
    return true;
  }

  bool discrete_input_changes() const {
    return std::any_of(plan_.inputs.begin(), plan_.inputs.end(), [this](const Input& input) {
      return !input.is_continuous &&
             !same_bits(input_value(options_.inputs, input, time_), input.last);
    });
  }

  // Iterates until the FMU needs no further update, and reads the time of its next event.
  bool update_discrete_states() {
    for (int i = 0; i < most_event_iterations; ++i) {
      const DiscreteUpdate update = instance_->update_discrete_states();
      if (!check(update.status, "updating discrete states")) return false;
      next_event_ = update.next_event;
      if (update.terminate) result_.terminated = true;
      if (!update.needed_again || update.terminate) return true;
    }
    return fail("the event at time " + to_text(time_) + " does not converge in " +
                std::to_string(most_event_iterations) + " iterations");
  }

  // The last row holds the values before the event; one more is added for those after it.
  bool handle_event() {
    ++result_.events;
    if (!check(instance_->enter_event_mode(), "entering event mode") || !set_inputs(true, true) ||
        !update_discrete_states())
      return false;
    if (!result_.terminated && !check(instance_->enter_step_mode(), "entering step mode"))
      return false;
    record();
    return go_on();
  }

  bool prepare_inputs() {
    if (event_mode_ && discrete_input_changes()) return handle_event();
    return set_inputs(true, !event_mode_);
  }

  void advance_to(double target) {
    int standing = 0;
    while (time_ < target && go_on()) {
      if (!prepare_inputs()) return;
      const double before = time_;
      const bool event_due = event_mode_ && next_event_ && *next_event_ < target;
      const double end = event_due ? std::max(*next_event_, time_) : target;
      bool event = end <= time_;
      if (!event) {
        if (!step_to(end, event)) return;
        event = event || (event_due && time_ >= end);
        record();
      }
      if (event && event_mode_ && go_on() && !handle_event()) return;
      standing = time_ > before ? 0 : standing + 1;
      if (standing > most_standing_returns) {
        fail("the FMU returned " + std::to_string(standing) + " times without leaving time " +
             to_text(time_));
        return;
      }
    }
  }

  bool step_to(double end, bool& event) {
    const StepResult step = instance_->do_step(time_, end - time_);
    ++result_.steps;
    event = step.event_needed;
    if (step.status == Status::discard && step.terminate) {  // FMI 2's way to end
      time_ = step.time;
      result_.terminated = true;
      return true;
    }
    if (!check(step.status, "a step of " + to_text(end - time_))) return false;
    if (step.early_return) {
      ++result_.early_returns;
      if (!(step.time >= time_ && step.time <= end))
        return fail("the FMU returned early at time " + to_text(step.time) +
                    ", outside of the step from " + to_text(time_) + " to " + to_text(end));
    }
    // A simulation that ends itself does so at the time that the FMU reports, also where steps must
    // not return early.
    const bool ends = step.terminate && step.time >= time_ && step.time < end;
    time_ = step.early_return || ends ? step.time : end;
    if (step.terminate) result_.terminated = true;
    return true;
  }

  void record() {
    Reals row;
    for (const Column& column : plan_.columns) {
      Value value;
      if (!check(get_value(*instance_, *column.variable, column.count, value),
                 "getting '" + column.variable->name + "'"))
        return;
      if (const auto* reals = std::get_if<Reals>(&value)) {
        row.insert(row.end(), reals->begin(), reals->end());
      } else {
        for (const std::int64_t integer : std::get<Integers>(value))
          row.push_back(static_cast<double>(integer));
      }
    }
    result_.times.push_back(time_);
    result_.rows.push_back(std::move(row));
  }

  const SimulateOptions& options_;
  Plan plan_;
  const bool event_mode_;
  std::unique_ptr<Instance> instance_;
  double time_ = 0;
  std::optional<double> next_event_;
  SimulateResult result_;
};

}  // namespace

SimulateResult simulate(Fmu& fmu, const SimulateOptions& options) {
  return Run(fmu, options).run();
}

}  // namespace mbs::import
