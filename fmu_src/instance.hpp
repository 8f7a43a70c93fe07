#pragma once

// One instance of an FMU, the same for every version of FMI: variables, state machine, logger and a
// Simulation. fmi2.cpp and fmi3.cpp only translate arguments.
//
// Every function of the C interface goes through call(): it checks that the function is allowed in
// the present phase, runs, and turns whatever is thrown into a message and a status. A call that is
// refused has changed nothing and the instance stays usable, except where the standard says that it
// cannot: a call in the wrong phase, a failed initialisation and a failed step lead to `failed`.

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulation/simulation.hpp"
#include "fmu_src/logger.hpp"
#include "fmu_src/packed_model.hpp"
#include "fmu_src/sampled_inputs.hpp"

namespace mbs {

// Bits, for masks of what is allowed.
enum Phase : unsigned {
  instantiated = 1u,
  initialization = 2u,
  stepping = 4u,
  step_discarded = 8u,  // FMI 2: the last step was not completed
  terminated = 16u,
  failed = 32u,
  in_events = 64u,         // event mode: what happens at one time
  continuous_time = 128u,  // model exchange: the importer integrates
  intermediate = 256u,     // in a callback within a step
  configuration = 512u,    // sizes of the model are set
  any_phase = 1023u
};

enum class Kind : unsigned char { co_simulation, model_exchange };

// The call cannot be carried out; nothing has changed.
struct Refusal : std::runtime_error {
  explicit Refusal(const std::string& why, Status s = Status::error)
      : std::runtime_error(why), status(s) {}
  Status status;
};

// A stored state; what FMUState pointers of both versions point to.
struct StoredState {
  std::vector<std::byte> bytes;
};

struct InstanceRequest {
  std::string token;
  std::optional<std::string> resources;  // a directory; absent: none that could be understood
  int fmi_version = 2;
  Kind kind = Kind::co_simulation;
  bool event_mode = false;    // the importer handles events in event mode ...
  bool early_return = false;  // ... and steps may end at them
  // FMI 3: at the integrator's steps within a step. Answers with a time to end there.
  std::function<std::optional<double>(double time, bool may_end)> intermediate_update;
};

// How a step ended, apart from its status and last_time().
struct StepEnd {
  bool event = false;  // event mode is needed
  bool early = false;  // before the point that was asked for
};

class Instance {
 public:
  // Throws std::runtime_error when there is no such instance.
  Instance(const InstanceRequest& request, Logger logger);

  const VariableTable& variables() const { return packed_->variables; }
  Logger& logger() { return logger_; }

  // `kind`: of the instance, for functions of one kind alone.
  template <class Body>
  Status call(const char* function, unsigned allowed, Body&& body,
              std::optional<Kind> kind = {}) noexcept {
    if ((kind && *kind != kind_) || (phase_ & allowed) == 0) return not_now(function, kind);
    try {
      body();
      return std::exchange(outcome_, Status::ok);
    } catch (...) {
      return report_exception(function);
    }
  }

  // All of the following are bodies of call().
  void enter_configuration();
  void exit_configuration();  // the model of the sizes that have been set takes the other's place
  void set_up(std::optional<double> tolerance, double start, std::optional<double> stop);
  void enter_initialization();
  void exit_initialization();
  void terminate() { phase_ = terminated; }
  void reset();

  // What references of arrays stand for (arrays.hpp); valid until the next call with this `use`.
  std::span<const std::uint32_t> scalars(std::span<const std::uint32_t> references, int use = 0);
  template <class T>  // double or std::int32_t; references of scalars, here and below
  void get(std::span<const std::uint32_t> references, std::span<T> values);
  template <class T>
  void set(std::span<const std::uint32_t> references, std::span<const T> values);
  // The short way of most calls between steps: one input, and a value that it may have. False: go
  // the other.
  bool set_one_input(std::uint32_t reference, double value) {
    const std::uint32_t k = reference - first_input_;
    if (k >= bounds_.size() || (phase_ & (stepping | continuous_time)) == 0) return false;
    const int i = static_cast<int>(k);
    if (sampled_.has(i)) return false;
    if (simulation_->holds_input(i, value)) return true;
    if (!(value >= bounds_[k].least && value <= bounds_[k].largest)) return false;
    simulation_->set_input_value(i, value);
    return true;
  }
  // The first derivative, or the first and the second.
  bool set_one_inputs_derivatives(std::uint32_t reference, double first, const double* second) {
    const std::uint32_t k = reference - first_input_;
    if (k >= bounds_.size() || phase_ != stepping) return false;
    const double sum = std::abs(first) + (second != nullptr ? std::abs(*second) : 0.0);
    if (!std::isfinite(sum) ||
        !simulation_->set_input_derivatives(static_cast<int>(k), first, second))
      return false;
    ramps_ = ramps_ || sum != 0.0;
    return true;
  }
  // Resizable parameters, by their references as arrays.
  void get_sizes(std::span<const std::uint32_t> references, std::span<std::uint64_t> values) const;
  void set_sizes(std::span<const std::uint32_t> references, std::span<const std::uint64_t> values);
  // For a type of which there are no variables.
  void no_such_variables(std::span<const std::uint32_t> references, const char* type) const;
  // The n-th derivative of inputs at the present time, for the next step alone: FMI 2.0 sets inputs
  // and their derivatives with respect to the beginning of a communication step. An input that is
  // not set again stays where the step took it.
  void set_input_derivatives(std::span<const std::uint32_t> references, std::span<const int> orders,
                             std::span<const double> values);

  // Derivatives of outputs and rates with respect to inputs and states, in FMI 3.0 to real
  // parameters and time as well, with the states held; in initialisation mode those of start
  // values, with the whole start that follows.
  void directional_derivative(std::span<const std::uint32_t> unknowns,
                              std::span<const std::uint32_t> knowns, std::span<const double> seed,
                              std::span<double> sensitivity);
  void adjoint_derivative(std::span<const std::uint32_t> unknowns,
                          std::span<const std::uint32_t> knowns, std::span<const double> seed,
                          std::span<double> sensitivity);
  // With respect to time; order 1 or 2.
  void output_derivatives(std::span<const std::uint32_t> references, std::span<const int> orders,
                          std::span<double> values);

  // Most small steps lead to a point within what is known. False: it takes do_step().
  bool coast(double time, double step) {
    const double end = time + step;
    if (phase_ != stepping || (stop_time_ && end > *stop_time_) ||
        !simulation_->coast(end, time, 1e-9 * step))
      return false;
    if (ramps_) end_ramps();
    return true;
  }
  StepEnd do_step(double time, double step);
  void enter_event_mode();
  // Everything that is due at this time happens. True: clocks tick with what else happened then,
  // and it takes another call to end that.
  bool update_discrete_states();
  void get_clocks(std::span<const std::uint32_t> references, std::span<bool> ticks) const;
  void refuse_clocks(std::span<const std::uint32_t> references) const;  // outputs all of them
  void enter_step_mode() { phase_ = stepping; }
  double next_time_event() const { return simulation_->next_time_event(); }

  // Where the last step ended, and whether it was completed.
  double last_time() const { return simulation_->time(); }
  // An event of the model has ended the simulation.
  bool ended() const { return simulation_->has_ended(); }
  Status last_step() const { return phase_ == step_discarded ? Status::discard : Status::ok; }

  // Model exchange: x = (p, v, r).
  void enter_continuous_time() { phase_ = continuous_time; }
  void set_time(double time);
  void set_states(std::span<const double> values);
  void get_states(std::span<double> values);
  void get_rates(std::span<double> values);
  void get_nominals(std::span<double> values);
  void get_indicators(std::span<double> values);
  int state_count() const { return simulation_->exchange_size(); }
  int indicator_count() const { return packed_->equations->sizes().phi; }
  // True: event mode is needed.
  bool completed_step();
  bool states_changed() const { return simulation_->states_changed(); }

  // Within a step: as if it ended there.
  void store(StoredState& state) const;
  void recall(const StoredState& state);
  // Throws Refusal unless the bytes are a stored state of this model.
  void check_stored(std::span<const std::byte> bytes) const;

 private:
  void expect_count(std::size_t given, int wanted) const;
  Status not_now(const char* function, std::optional<Kind> kind) noexcept;
  Status report_exception(const char* function) noexcept;
  void warn(const std::string& message);
  const Variable& variable(std::uint32_t reference, ValueType type) const;
  double value_of(const Variable& variable);
  void check_derivative(std::span<const std::uint32_t> unknowns,
                        std::span<const std::uint32_t> knowns);
  const Variable& known(std::uint32_t reference) const;
  int place_of(const Variable& known) const;
  struct Known {
    const Variable* variable;
    int place;         // of (p, v, r, u); -1: something else
    bool by_starting;  // what depends on it is found by starting again
  };
  template <class Use>
  void derivative_column(const Known& known, const Use& use);
  bool derived_from_starts(const Variable& known) const;
  void start_column(const Variable& known, std::span<double> column);
  double start_value(Simulation& started, const Variable& variable) const;
  Simulation::At derived_at() const;
  template <class Fill>
  void fill_in_order(const std::vector<int> ExchangeArrays::*order, std::span<double> values,
                     const Fill& fill);
  const Simulation::Preview* pending();  // null: what is set is in force, or has to wait
  double computed(const Variable& variable);
  void hold_counters();
  void check_settable(const Variable& variable, double value) const;
  void put_input(int i, double value);
  template <class T>
  void set_some_states(std::span<const std::uint32_t> references, std::span<const T> values);
  void ensure_initialised();
  void need_values();  // those of the start in initialisation mode
  // Derivatives of inputs are for one step.
  void end_ramps() {
    ramps_ = false;
    simulation_->end_slopes();
  }
  void advance(double end);
  void refuse_step(double time, double step, double now) const;
  void log_events();

  const Variable& size_parameter(std::uint32_t reference) const;
  std::vector<double> sizes() const;
  void check_sizes(const std::vector<double>& sizes) const;  // a stored state may say anything
  struct Sized {
    std::shared_ptr<const PackedModel> packed;
    std::unique_ptr<Simulation> simulation;
  };
  // Throws Refusal when there is no such model.
  Sized with_sizes(const std::vector<double>& sizes) const;
  void take(Sized sized);

  std::shared_ptr<const PackedModel> packed_;
  std::shared_ptr<const PackedModel> original_;  // with the sizes that the FMU was made with
  Logger logger_;
  int fmi_version_;
  Kind kind_;
  std::function<std::optional<double>(double, bool)> intermediate_update_;
  bool event_mode_, early_return_;
  bool clocks_;           // the FMU has them
  bool exchange_arrays_;  // the same; states and indicators come in their order
  std::unique_ptr<Simulation> simulation_;

  // Of inputs, whose references follow each other; none in FMUs whose references are all of arrays.
  struct Bounds {
    double least, largest;  // finite
  };
  std::uint32_t first_input_ = 0;
  std::vector<Bounds> bounds_;
  unsigned phase_ = instantiated;
  Status outcome_ = Status::ok;  // of the call that runs: ok or warning
  double start_time_, tolerance_ = 0.0;
  std::optional<double> stop_time_;
  bool initialised_ = false;    // initial values belong to the present parameters and inputs
  std::string initial_report_;  // of the last computation, until it is logged
  bool ramps_ = false;          // derivatives of inputs have been set, for the next step
  SampledInputs sampled_;       // those that are set within steps
  // Of check_derivative(): the knowns, and which of (p', v', r', y) the unknowns are; -1: none.
  std::vector<Known> knowns_;
  std::vector<int> rows_;
  std::vector<std::uint32_t> unknowns_;  // that rows_ are of
  bool of_start_ = false;                // they may be start values ...
  bool starts_asked_ = false;            // ... and some are
  bool exact_ = true;                    // the knowns are inputs and states alone
  std::vector<double> column_, sums_;    // buffers
  std::unique_ptr<Simulation> trial_;    // of starts beside that of the instance
  std::vector<int> happened_;            // functions, in the last update_discrete_states()
  // With event mode discrete outputs change in it alone: the integrator's counters, in the order of
  // Structure::statistic_outputs, as they were then.
  Vector counters_;
  std::array<std::vector<std::uint32_t>, 2> scalars_;  // buffers
  std::vector<double> wanted_sizes_;                   // in configuration mode
  std::vector<double> unordered_;  // a buffer: states or indicators in the order of the equations
};

}  // namespace mbs
