#pragma once

// One instance of an FMU, the same for every version of FMI. fmi2.cpp and fmi3.cpp only translate
// arguments; each of their functions is one call to one of the parts below, within the guard of the
// state machine. The instance itself owns the life cycle, which concerns all parts.
//
//   state_machine.hpp     which function is allowed when; exceptions become messages and statuses
//   instance_core.hpp     what the parts share: options, model, simulation, experiment
//   input_access.hpp      values and derivatives of inputs, samples within steps
//   variable_access.hpp   getting and setting variables by their references
//   co_simulation.hpp     communication steps
//   discrete_states.hpp   event mode, clocks
//   model_exchange.hpp    continuous states, rates, event indicators
//   derivatives.hpp       directional and adjoint derivatives
//   configuration.hpp     array sizes
//   fast_path.hpp         the calls of small communication steps, short

#include "fmu_src/configuration.hpp"
#include "fmu_src/derivatives.hpp"
#include "fmu_src/discrete_states.hpp"
#include "fmu_src/input_access.hpp"
#include "fmu_src/instance_core.hpp"
#include "fmu_src/model_exchange.hpp"
#include "fmu_src/variable_access.hpp"

namespace mbs {

struct InstanceRequest {
  std::string token;
  std::optional<std::string> resources;  // a directory; absent: none that could be understood
  InstanceOptions options;
};

// A stored state, which FMUState pointers of both versions point to.
struct StoredState {
  std::vector<std::byte> bytes;
};

class Instance {
 public:
  // Throws std::runtime_error when there is no such instance.
  Instance(const InstanceRequest& request, Logger logger)
      : Instance(request, find_packed_model(request.resources, logger), logger) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void set_up(std::optional<double> tolerance, double start, std::optional<double> stop);
  void enter_initialization();
  void exit_initialization();
  void exit_configuration();  // the model of the requested sizes takes the other's place
  void reset();

  // A state that is stored within a step is that of a step which ends there.
  void store(StoredState& state) const;
  void restore(const StoredState& state);  // throws Refusal; then nothing has changed

  InstanceCore core;
  InputAccess inputs;
  ModelExchange exchange;
  DiscreteStates discrete;
  VariableAccess variables;
  Derivatives derivatives;
  Configuration configuration;

 private:
  Instance(const InstanceRequest& request, std::shared_ptr<const PackedModel> packed,
           Logger logger);
  void forget_model();
};

// Throws Refusal unless the bytes are a stored state of this model.
std::span<const std::byte> open_stored(std::span<const std::byte> bytes, const PackedModel& packed);

}  // namespace mbs
