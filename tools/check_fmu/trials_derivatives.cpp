// Partial derivatives: where they are declared they must be given, be linear, be zero outside of
// the model structure and equal the slopes of the values; adjoint ones are the transpose. Elsewhere
// they must be refused.
#include <algorithm>
#include <optional>
#include <utility>

#include "tools/check_fmu/derivatives.hpp"

namespace mbs::check_fmu {
namespace {

using import::Instance;
using import::Interface;
using import::Status;
using import::ValueReference;
using import::Variable;

// ---- reaching a mode

// A small distance from the start values, which often lie at kinks and in the middle of dead zones.
bool shift_inputs(const Equations& equations, Instance& instance) {
  constexpr double shift = 1e-3;
  const Block& knowns = equations.knowns;
  for (std::size_t i = 0; i < knowns.variables.size(); ++i) {
    const Variable& variable = *knowns.variables[i];
    if (equations.state[knowns.first[i]]) continue;
    std::vector<double> values(knowns.first[i + 1] - knowns.first[i]);
    if (!is_good(instance.get_real({&variable.reference, 1}, values))) return false;
    for (double& value : values) {
      const double by = shift * size_of(variable, value);
      if (is_within(variable, value + by))
        value += by;
      else if (is_within(variable, value - by))
        value -= by;
    }
    if (!is_good(instance.set_real({&variable.reference, 1}, values))) return false;
  }
  return true;
}

// A point of model exchange.
struct Place {
  double time;
  std::vector<double> states;
};

// The point that a run of co-simulation reaches after a few steps: its states are consistent, as
// those of a mechanism must be. Nothing where the FMU does not give them.
std::optional<Place> place_of_run(Trial& trial, const Equations& equations) {
  constexpr int most_steps = 4;
  const Grid& grid = trial.grid();
  const int steps = std::min(most_steps, grid.count);
  Place place{grid.time(steps), std::vector<double>(equations.state_count)};
  const auto instance = trial.started();
  for (int i = 0; i < steps; ++i) {
    trial.parent().doing("DoStep at " + import::to_text(grid.time(i)));
    const auto result = instance->do_step(grid.time(i), grid.time(i + 1) - grid.time(i));
    if (!is_good(result.status) || result.terminate) return std::nullopt;
  }
  trial.parent().doing("reading states");
  if (!is_good(instance->get_real(equations.states, place.states))) return std::nullopt;
  return place;
}

bool go_to(Trial& trial, const Place& place, Instance& instance) {
  trial.parent().doing("setting states in continuous-time mode");
  return is_good(instance.set_time(place.time)) &&
         is_good(instance.set_continuous_states(place.states));
}

bool reach_continuous_time(Trial& trial, Instance& instance) {
  constexpr int most = 100;
  import::DiscreteUpdate update;
  update.needed_again = true;
  for (int i = 0; i < most && update.needed_again; ++i) {
    trial.parent().doing("the update of discrete states in model exchange");
    update = instance.update_discrete_states();
    if (!is_good(update.status)) return false;
    if (update.terminate) throw Trial::Stopped{};
  }
  trial.parent().doing("EnterContinuousTimeMode");
  return is_good(instance.enter_continuous_time_mode());
}

// False when a call fails.
bool reach(Trial& trial, const Equations& equations, Mode mode, bool is_shifted,
           Instance& instance) {
  const Grid& grid = trial.grid();
  trial.parent().doing("EnterInitializationMode");
  if (!is_good(instance.enter_initialization({.start = grid.start, .stop = grid.stop})))
    return false;
  trial.parent().doing("setting inputs in initialization mode");
  if (is_shifted && !shift_inputs(equations, instance)) return false;
  if (mode == Mode::initialization) return true;
  trial.parent().doing("ExitInitializationMode");
  if (!is_good(instance.exit_initialization())) return false;
  if (mode == Mode::continuous_time) return reach_continuous_time(trial, instance);
  trial.parent().doing("DoStep at " + import::to_text(grid.start));
  const import::StepResult result = instance.do_step(grid.start, grid.time(1) - grid.start);
  if (result.terminate) throw Trial::Stopped{};
  return is_good(result.status);
}

// False when there are no derivatives off the start values: then they are tried at these.
bool derive_at(Trial& trial, const Equations& equations, Mode mode, bool is_shifted) {
  const bool is_exchange = mode == Mode::continuous_time;
  std::optional<Place> place;
  if (is_exchange && is_shifted) {
    place = place_of_run(trial, equations);
    if (!place) return false;
  }
  const auto instance = trial.instantiate({.model_exchange = is_exchange});
  if (!reach(trial, equations, mode, is_shifted, *instance)) {
    if (is_shifted) return false;
    trial.stop("cannot be brought to where it has derivatives, " + std::string(to_text(mode)),
               "the start values are good for that");
  }
  if (is_exchange && instance->state_count() != equations.state_count)
    trial.stop("has " + std::to_string(instance->state_count()) +
                   " continuous states, but the model structure lists the derivatives of " +
                   std::to_string(equations.state_count),
               "list all of them");
  if (place && !go_to(trial, *place, *instance)) return false;
  Derivatives derivatives(trial, equations, mode, *instance);
  if (!derivatives.read()) return false;
  const std::string wrong = derivatives.derive();
  if (!wrong.empty()) {
    if (is_shifted) return false;
    const std::string advice = "the description declares it";
    mode == Mode::initialization ? trial.advice(wrong, advice) : trial.error(wrong, advice);
    return true;
  }
  derivatives.check_linear();
  derivatives.check_structure();
  if (interface_in(trial.description(), mode).provides_adjoint_derivatives)
    derivatives.check_adjoint();
  derivatives.check_slopes();
  return true;
}

void derive(Trial& trial, Mode mode) {
  const Equations equations(trial.description(), mode);
  if (equations.unknowns.size() == 0 || equations.columns.empty() || equations.has_too_many_states)
    return;
  if (!derive_at(trial, equations, mode, true)) derive_at(trial, equations, mode, false);
}

void derives_at_start(Trial& trial) {
  derive(trial, Mode::initialization);
}
void derives_after_step(Trial& trial) {
  derive(trial, Mode::step);
}
void derives_in_exchange(Trial& trial) {
  derive(trial, Mode::continuous_time);
}

// ---- calls that must be refused

// One unknown and one known, with the numbers of elements that are passed to the FMU.
struct Arguments {
  ValueReference unknown = 0, known = 0;
  std::size_t unknown_size = 1, known_size = 1;
};

class Refusals {
 public:
  Refusals(Trial& trial, Mode mode, bool is_adjoint)
      : trial_(trial), mode_(mode), is_adjoint_(is_adjoint) {}

  // False: it is not refused, which is reported.
  bool expect(const Arguments& arguments, const std::string& how, const std::string& advice) {
    const std::string what = name() + how;
    const Status status = call(arguments, what);
    trial_.expect_refused(status, what, advice);
    return !is_good(status);
  }

  // In FMI 2 the importer has to avoid such calls.
  void expect_undeclared(const Arguments& arguments) {
    const std::string what =
        name() + (mode_ == Mode::step ? "that is not declared for co-simulation"
                                      : "that is not declared for model exchange");
    const std::string advice = "answer Error, or declare it";
    const Status status = call(arguments, what);
    if (!trial_.subject().is_fmi2())
      trial_.expect_refused(status, what, advice);
    else if (is_good(status))
      trial_.advice(what + " answers " + std::string(to_text(status)), advice);
  }

  void expect_of_counts(const Arguments& good) {
    for (const bool is_seed : {false, true})
      for (const bool is_more : {false, true}) {
        Arguments bad = good;
        (is_seed == is_adjoint_ ? bad.unknown_size : bad.known_size) += is_more ? 1 : -1;
        if (!expect(bad,
                    std::string("with one value too ") + (is_more ? "many" : "few") + " in the " +
                        (is_seed ? "seed" : "result"),
                    "nSeed and nSensitivity are the numbers of all elements: answer Error"))
          return;
      }
  }

 private:
  std::string name() const {
    return is_adjoint_ ? "the adjoint derivative " : "the directional derivative ";
  }

  // With an instance of its own: after an error only little is allowed. There is room for more
  // elements than are announced.
  Status call(const Arguments& arguments, const std::string& what) {
    const auto instance = trial_.instantiate({.model_exchange = mode_ == Mode::continuous_time});
    trial_.initialize(*instance);
    if (mode_ == Mode::continuous_time && !reach_continuous_time(trial_, *instance))
      throw Trial::Stopped{};
    std::size_t in = arguments.known_size, out = arguments.unknown_size;
    if (is_adjoint_) std::swap(in, out);
    const std::vector<double> seed(in + 1, 1.0);
    std::vector<double> result(out + 1, 0.0);
    trial_.parent().doing(what);
    const auto derivative =
        is_adjoint_ ? &Instance::adjoint_derivative : &Instance::directional_derivative;
    return (instance.get()->*derivative)({&arguments.unknown, 1}, {&arguments.known, 1},
                                         {seed.data(), in}, {result.data(), out});
  }

  Trial& trial_;
  Mode mode_;
  bool is_adjoint_;
};

void refuses_derivatives(Trial& trial, Mode mode) {
  const Equations equations(trial.description(), mode);
  const Block &unknowns = equations.unknowns, &knowns = equations.knowns;
  const Variable* any = trial.find([](const Variable& v) { return is_scalar_real(v); });
  const bool has_some = unknowns.size() > 0 && knowns.size() > 0;
  if (!has_some && !any) return;
  const Arguments good = has_some ? Arguments{unknowns.references[0], knowns.references[0],
                                              unknowns.first[1], knowns.first[1]}
                                  : Arguments{any->reference, any->reference};
  const Interface& declared = interface_in(trial.description(), mode);
  for (const bool is_adjoint : {false, true}) {
    if (is_adjoint && trial.subject().is_fmi2()) continue;
    Refusals refusals(trial, mode, is_adjoint);
    if (!(is_adjoint ? declared.provides_adjoint_derivatives
                     : declared.provides_directional_derivatives)) {
      refusals.expect_undeclared(good);
      continue;
    }
    if (!has_some) continue;
    const std::string advice = "answer Error and log which value reference";
    Arguments bad = good;
    bad.unknown = trial.unused_reference();
    refusals.expect(bad, "of a value reference that does not exist", advice);
    bad = good;
    bad.known = trial.unused_reference();
    refusals.expect(bad, "by a value reference that does not exist", advice);
    if (!trial.subject().is_fmi2()) refusals.expect_of_counts(good);
  }
}

void refuses_after_start(Trial& trial) {
  refuses_derivatives(trial, Mode::step);
}
void refuses_in_exchange(Trial& trial) {
  refuses_derivatives(trial, Mode::continuous_time);
}

bool steps_with_derivatives(const import::ModelDescription& d) {
  return d.co_simulation->provides_directional_derivatives;
}
bool exchanges_with_derivatives(const import::ModelDescription& d) {
  return has_exchange(d) && d.model_exchange->provides_directional_derivatives;
}
// If co-simulation declares the same, the code is the same and is tried there.
bool exchanges_otherwise(const import::ModelDescription& d) {
  if (!has_exchange(d)) return false;
  const Interface &cs = *d.co_simulation, &me = *d.model_exchange;
  return me.provides_directional_derivatives != cs.provides_directional_derivatives ||
         me.provides_adjoint_derivatives != cs.provides_adjoint_derivatives;
}

}  // namespace

std::vector<TrialEntry> derivative_trials() {
  return {
      {"D12", "derivatives in initialization", steps_with_derivatives, derives_at_start},
      {"D12", "derivatives after a step", steps_with_derivatives, derives_after_step},
      {"D12", "derivatives in model exchange", exchanges_with_derivatives, derives_in_exchange},
      {"D15", "derivatives that are refused", always, refuses_after_start},
      {"D15", "derivatives refused in model exchange", exchanges_otherwise, refuses_in_exchange}};
}

}  // namespace mbs::check_fmu
