// DoStep: sizes, times, the end of the experiment, derivatives of outputs.
#include <chrono>
#include <cmath>
#include <limits>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Status;
using import::Variable;

bool varied(const import::ModelDescription& d) {
  return d.co_simulation->can_handle_variable_step;
}

void refuses_bad_steps(Trial& trial) {
  for (const double size : {0.0, -trial.grid().step}) {
    const auto instance = trial.started();
    const std::string what = "DoStep by " + import::to_text(size);
    trial.parent().doing(what);
    trial.expect_refused(instance->do_step(trial.grid().start, size).status, what,
                         "answer Error: a step is positive");
  }
}

void refuses_nan(Trial& trial) {
  const auto instance = trial.started();
  trial.parent().doing("DoStep by NaN");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (is_good(instance->do_step(trial.grid().start, nan).status))
    trial.advice("DoStep by NaN answers ok", "answer Error: a step is positive");
}

void starts_anywhere(Trial& trial) {
  const double h = trial.grid().step;
  for (const double start : {trial.grid().start - 2.5 * h, trial.grid().start + 1.5 * h}) {
    const auto instance = trial.instantiate();
    trial.parent().doing("a run from " + import::to_text(start));
    const bool good = is_good(instance->enter_initialization({.start = start})) &&
                      is_good(instance->exit_initialization()) &&
                      is_good(instance->do_step(start, h).status);
    if (!good)
      trial.advice("cannot start at " + import::to_text(start),
                   "the start time is the importer's: it may be any number");
  }
}

void refuses_another_time(Trial& trial) {
  const auto instance = trial.started();
  trial.advance(*instance, 0, 1);
  const double h = trial.grid().step, wrong = trial.grid().time(1) + 0.5 * h;
  trial.parent().doing("DoStep from a time that was not reached");
  if (is_good(instance->do_step(wrong, h).status))
    trial.advice("DoStep from " + import::to_text(wrong) + " is accepted after a step to " +
                     import::to_text(trial.grid().time(1)),
                 "answer Error: what happens between is silently lost");
}

// The importer's clock is a sum of 2e5 steps; it ends at the stop time up to rounding.
void takes_accumulated_times(Trial& trial) {
  constexpr int count = 200'000;
  const auto instance = trial.started();
  const Grid& grid = trial.grid();
  const double h = (grid.end() - grid.start) / count;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  double time = grid.start;
  trial.parent().doing("2e5 steps");
  for (int i = 0; i < count; ++i, time += h) {
    const import::StepResult result = instance->do_step(time, h);
    if (result.terminate) return;
    trial.expect_good(result.status, "with times that are sums of steps, DoStep number " +
                                         std::to_string(i + 1) + " from " + import::to_text(time) +
                                         " by " + import::to_text(h));
    if (i % 256 == 0 && std::chrono::steady_clock::now() > limit) return;
  }
}

void takes_uneven_steps(Trial& trial) {
  const Grid& grid = trial.grid();
  const double span = grid.end() - grid.start;
  {
    const auto instance = trial.started();
    double time = grid.start;
    for (const double fraction : {0.1, 1e-10, 0.003, 0.37, 1e-9, 0.01}) {
      trial.step(*instance, time, fraction * span);
      time += fraction * span;
    }
    trial.outputs(*instance);
  }
  const auto instance = trial.started();
  trial.step(*instance, grid.start, span);
  trial.outputs(*instance);
}

void ends_at_the_stop_time(Trial& trial) {
  const auto instance = trial.instantiate();
  const Grid& grid = trial.grid();
  trial.parent().doing("EnterInitializationMode");
  trial.expect_good(instance->enter_initialization({.start = grid.start, .stop = grid.time(2)}),
                    "EnterInitializationMode");
  trial.expect_good(instance->exit_initialization(), "ExitInitializationMode");
  trial.advance(*instance, 0, 2);
  trial.parent().doing("DoStep past the stop time");
  trial.expect_refused(instance->do_step(grid.time(2), grid.step).status,
                       "DoStep past the stop time", "answer Error");
}

void ignores_the_flag(Trial& trial) {
  std::array<Values, 2> results;
  for (const bool flag : {false, true}) {
    const auto instance = trial.started();
    for (int i = 0; i < trial.grid().count; ++i) {
      const double time = trial.grid().time(i);
      trial.parent().doing("DoStep at " + import::to_text(time));
      trial.expect_good(instance->do_step(time, trial.grid().time(i + 1) - time, flag).status,
                        std::string("DoStep with noSetFMUStatePriorToCurrentPoint = ") +
                            (flag ? "true" : "false"));
    }
    results[flag] = trial.outputs(*instance);
  }
  trial.expect_same(results[1], results[0], "with noSetFMUStatePriorToCurrentPoint = true",
                    "the flag may save memory, it must not change results");
}

bool derives_outputs(const import::ModelDescription& d) {
  return d.co_simulation->max_output_derivative_order > 0;
}

// Every order that is advertised, of every output that has derivatives.
void gives_output_derivatives(Trial& trial) {
  const auto instance = trial.started();
  trial.advance(*instance, 0, 1);
  const auto highest = static_cast<std::int32_t>(
      std::min<std::uint32_t>(trial.capabilities().max_output_derivative_order, 9));
  const std::int32_t none = 0;
  double value = 0;
  const Variable* any = nullptr;
  for (const Variable& output : trial.description().variables) {
    if (!is_scalar_real(output) || output.causality != import::Causality::output ||
        output.variability != import::Variability::continuous || !output.clocks.empty())
      continue;
    any = &output;
    for (std::int32_t order = 1; order <= highest; ++order) {
      const std::string what =
          "derivative " + std::to_string(order) + " of " + in_quotes(output.name);
      value = std::numeric_limits<double>::quiet_NaN();
      trial.parent().doing("reading " + what);
      trial.expect_good(
          instance->get_output_derivatives({&output.reference, 1}, {&order, 1}, {&value, 1}), what);
      if (!std::isfinite(value))
        trial.stop(what + " is " + import::to_text(value),
                   "every order up to maxOutputDerivativeOrder must be delivered");
    }
  }
  if (!any) return;
  trial.parent().doing("reading an output derivative of order 0");
  trial.expect_refused(
      instance->get_output_derivatives({&any->reference, 1}, {&none, 1}, {&value, 1}),
      "an output derivative of order 0", "answer Error: orders begin with 1");
}

}  // namespace

std::vector<TrialEntry> step_trials() {
  return {{"D1", "steps that are not positive", always, refuses_bad_steps},
          {"D1", "a step that is no number", always, refuses_nan, true},
          {"D1", "other start times", always, starts_anywhere, true},
          {"D2", "a wrong communication point", always, refuses_another_time},
          {"D2", "accumulated times", varied, takes_accumulated_times},
          {"D8", "uneven steps", varied, takes_uneven_steps},
          {"D10", "noSetFMUStatePriorToCurrentPoint", always, ignores_the_flag},
          {"L11", "past the stop time", always, ends_at_the_stop_time},
          {"D7", "derivatives of outputs", derives_outputs, gives_output_derivatives}};
}

}  // namespace mbs::check_fmu
