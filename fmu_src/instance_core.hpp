#pragma once

// Shared by all parts of an instance: the options of its instantiation, its state machine, the
// model with a simulation of it, and the experiment.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/model_exchange_driver.hpp"
#include "fmu_src/packed_model.hpp"
#include "fmu_src/state_machine.hpp"

namespace mbs {

struct InstanceOptions {
  int fmi_version = 2;
  Kind kind = Kind::co_simulation;
  bool event_mode_used = false;       // the importer handles events in event mode ...
  bool early_return_allowed = false;  // ... and steps may end at them
  // FMI 3.0: called at the integrator's steps within a communication step. It may return a time at
  // which to end there.
  std::function<std::optional<double>(double time, bool may_end)> intermediate_update;
};

// A model with certain array sizes and one of the drivers for it, by the kind of the instance.
struct SimulatedModel {
  std::shared_ptr<const PackedModel> packed;
  std::unique_ptr<CoSimulationDriver> co_simulation;
  std::unique_ptr<ModelExchangeDriver> model_exchange;

  // body(driver), for what both drivers have.
  template <class Body>
  decltype(auto) with_driver(const Body& body) const {
    return co_simulation ? body(*co_simulation) : body(*model_exchange);
  }
};
SimulatedModel simulate(std::shared_ptr<const PackedModel> packed, const InstanceOptions& options);

struct Experiment {
  double start = 0.0;
  std::optional<double> stop;
  double tolerance = 0.0;    // 0: that of the model
  bool initialized = false;  // initial values belong to the present parameters and inputs
  std::string report;        // of the last initialization, until it is logged
};

class InstanceCore {
 public:
  InstanceCore(const InstanceOptions& instance_options, SimulatedModel model, Logger logger)
      : options(instance_options), machine(options.kind, std::move(logger)) {
    replace_model(std::move(model));
    experiment.start = packed().model.solver.start_time;
  }

  const PackedModel& packed() const { return *model_.packed; }
  const VariableTable& variables() const { return packed().variables; }
  const Structure& structure() const { return packed().equations->structure(); }
  const Sizes& sizes() const { return packed().equations->sizes(); }
  const SimulatedModel& model() const { return model_; }
  CoSimulationDriver& co_simulation() const { return *model_.co_simulation; }
  ModelExchangeDriver& model_exchange() const { return *model_.model_exchange; }
  HybridSystem& system() const {
    return model_.with_driver([](auto& driver) -> HybridSystem& { return driver.system(); });
  }
  double time() const { return system().time(); }
  // The next one that is known in advance; infinity: there is none.
  double next_time_event() const {
    const HybridSystem& now = system();
    return now.equations().next_time(now.context(), system().state()).t;
  }
  // Whether the last update of discrete states has changed continuous states.
  bool states_changed() const {
    return model_.model_exchange != nullptr && model_.model_exchange->states_changed();
  }
  void replace_model(SimulatedModel model) { model_ = std::move(model); }
  bool has(const std::shared_ptr<const PackedModel>& packed) const {
    return model_.packed == packed;
  }

  // Computes consistent initial values unless they are there. Throws Refusal.
  void ensure_initialized();
  // Throws Refusal where there are no values yet.
  void need_values();
  // The values that follow from settings in event mode which are not in force yet; nullptr: there
  // are no such settings, or they have to wait. In event mode importers iterate over algebraic
  // loops and see at once what they set; between steps it is for the next one: reading outputs
  // before that is forbidden (FMI 2.0.5 4.2.4, FMI 3.0.2 4.2.1), and what the step has computed
  // stays. Throws Refusal.
  Preview* pending() const;
  // Logs the events since the last call.
  void log_events();

  const InstanceOptions options;
  StateMachine machine;
  Experiment experiment;

 private:
  SimulatedModel model_;
};

// Throws Refusal unless both counts agree.
void expect_count(std::size_t count, std::size_t expected);

// The scalar of this reference. Throws Refusal where there is none, or one of another type.
const Variable& find_variable(const VariableTable& table, std::uint32_t reference, ValueType type);

// The place of an input or a continuous state in (p, v, r, u); -1: it is something else.
int place_of(const Variable& variable, const Sizes& n);

// Component i of (p, v, r).
double continuous_state(const State& x, Eigen::Index i);

// Runs an evaluation that may fail for these states and inputs but succeed for others: a failure of
// the solver becomes a Refusal with status Discard.
template <class Body>
void evaluate(const Body& body) {
  try {
    body();
  } catch (const SolverFailure& failure) {
    throw Refusal(failure.what(), Status::discard);
  }
}

}  // namespace mbs
