// One interface to run an FMU of any version of FMI with any importer: for co-simulation, and for
// model exchange where the FMU has both. open_fmu() is the importer of this project, the tests have
// a second one.
//
//   auto fmu = open_fmu("crane.fmu");
//   auto instance = fmu->instantiate({.name = "crane"});
//   instance->enter_initialization({.start = 0, .stop = 10});
//   instance->exit_initialization();
//   while (...) result = instance->do_step(time, step);
//
// Calls return the FMU's status; only loading and instantiating throw (ImportError).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/import/archive.hpp"
#include "tools/import/model_description.hpp"

namespace mbs::import {

// The status codes of the standards, in their order.
enum class Status { ok, warning, discard, error, fatal, pending };

std::string_view to_text(Status status);
inline bool is_good(Status status) {
  return status == Status::ok || status == Status::warning;
}

struct LogMessage {
  Status status = Status::ok;
  std::optional<std::string> category;  // none: the FMU passed a null pointer
  std::string text;
};

using References = std::span<const ValueReference>;
using Bytes = std::vector<std::uint8_t>;
using State = void*;  // a state saved by the FMU

struct IntermediateUpdate {
  double time = 0;
  bool set_requested = false, get_allowed = false, step_finished = false, can_return_early = false;
};
// May return a time, to request an early return there.
using IntermediateCallback = std::function<std::optional<double>(const IntermediateUpdate&)>;

struct InstanceOptions {
  std::string name = "instance";
  bool logging = false;
  bool model_exchange = false;  // instead of co-simulation
  // FMI 3 alone, as all that follow but the token
  bool event_mode = false;
  bool early_return = false;
  std::vector<ValueReference> intermediate_variables = {};
  IntermediateCallback intermediate_update = {};
  std::optional<std::string> token = {};  // another one than the model description's, for tests
};

struct Experiment {
  double start = 0;
  std::optional<double> stop = {};
  std::optional<double> tolerance = {};
};

struct StepResult {
  Status status = Status::ok;
  double time = 0;  // the last time that the FMU reached
  bool early_return = false;
  bool event_needed = false;  // FMI 3: enter event mode
  bool terminate = false;     // the FMU wants the simulation to end
};

struct DiscreteUpdate {
  Status status = Status::ok;
  bool needed_again = false;
  bool terminate = false;
  bool nominals_changed = false, states_changed = false;
  std::optional<double> next_event;
};

// The result of fmi2CompletedIntegratorStep and of its counterpart in FMI 3.
struct CompletedStep {
  Status status = Status::ok;
  bool event_needed = false;  // enter event mode
  bool terminate = false;
};

// The kinds of access to an instance. Functions that its version of FMI does not have return
// Status::error.
class LifeCycle {
 public:
  virtual Status set_debug_logging(bool on, const std::vector<std::string>& categories) = 0;
  virtual std::vector<LogMessage> messages() const = 0;

  // FMI 2: fmi2SetupExperiment and fmi2EnterInitializationMode.
  virtual Status enter_initialization(const Experiment& experiment) = 0;
  virtual Status exit_initialization() = 0;
  virtual Status terminate() = 0;
  virtual Status reset() = 0;
  virtual Status enter_configuration_mode() = 0;
  virtual Status exit_configuration_mode() = 0;

  // FMI 2: in model exchange alone.
  virtual Status enter_event_mode() = 0;
  virtual DiscreteUpdate update_discrete_states() = 0;
  virtual Status enter_step_mode() = 0;
};

// Scalars and arrays: as many values as all elements of the variables together.
class VariableAccess {
 public:
  virtual Status get_real(References references, std::span<double> values,
                          VariableType type = VariableType::float64) = 0;
  virtual Status set_real(References references, std::span<const double> values,
                          VariableType type = VariableType::float64) = 0;
  // Every whole type, enumerations, booleans and clocks.
  virtual Status get_integer(VariableType type, References references,
                             std::span<std::int64_t> values) = 0;
  virtual Status set_integer(VariableType type, References references,
                             std::span<const std::int64_t> values) = 0;
  // Strings, and binaries by their bytes.
  virtual Status get_text(VariableType type, References references,
                          std::span<std::string> values) = 0;
  virtual Status set_text(VariableType type, References references,
                          std::span<const std::string> values) = 0;
};

class ModelExchange {
 public:
  // 0 where the FMU does not give them.
  virtual std::size_t state_count() = 0;
  virtual std::size_t indicator_count() = 0;
  virtual Status enter_continuous_time_mode() = 0;
  virtual Status set_time(double time) = 0;
  virtual Status set_continuous_states(std::span<const double> values) = 0;
  virtual Status get_continuous_states(std::span<double> values) = 0;
  virtual Status get_state_derivatives(std::span<double> values) = 0;
  virtual Status get_event_indicators(std::span<double> values) = 0;
  virtual Status get_nominals(std::span<double> values) = 0;
  virtual CompletedStep completed_integrator_step(bool no_state_before_here = true) = 0;
};

class StoredStates {
 public:
  // A state that is not null is overwritten by get_state; free_state makes it null.
  virtual Status get_state(State& state) = 0;
  virtual Status set_state(State state) = 0;
  virtual Status free_state(State& state) = 0;
  virtual Status serialize(State state, Bytes& bytes) = 0;
  virtual Status deserialize(std::span<const std::uint8_t> bytes, State& state) = 0;
};

class Derivatives {
 public:
  virtual Status directional_derivative(References unknowns, References knowns,
                                        std::span<const double> seed,
                                        std::span<double> sensitivity) = 0;
  virtual Status adjoint_derivative(References unknowns, References knowns,
                                    std::span<const double> seed,
                                    std::span<double> sensitivity) = 0;
  virtual Status set_input_derivatives(References references, std::span<const std::int32_t> orders,
                                       std::span<const double> values) = 0;
  virtual Status get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                        std::span<double> values) = 0;
};

// A live instance; freed with the object.
class Instance : public LifeCycle,
                 public VariableAccess,
                 public ModelExchange,
                 public StoredStates,
                 public Derivatives {
 public:
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  virtual ~Instance() = default;

  virtual StepResult do_step(double time, double step, bool no_state_before_here = true) = 0;
};

// An FMU unpacked, its description read, its library found. Outlives its instances.
class Fmu {
 public:
  Fmu() = default;
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;
  virtual ~Fmu() = default;

  virtual const ModelDescription& description() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
  // Throws ImportError with the FMU's own messages when it refuses.
  virtual std::unique_ptr<Instance> instantiate(const InstanceOptions& options = {}) = 0;
};

// Loads with the importer of this project. Throws ImportError.
std::unique_ptr<Fmu> open_fmu(const std::filesystem::path& file, const ArchiveLimits& limits = {});

// Loads an unpacked FMU from a folder, which is not removed.
std::unique_ptr<Fmu> load_fmu(ModelDescription description, std::filesystem::path folder);

// The first steps of both importers: unpacks, reads the description and requires a usable
// co-simulation interface.
struct UnpackedFmu {
  TemporaryFolder folder;
  ModelDescription description;
};
UnpackedFmu unpack_fmu(const std::filesystem::path& file, const ArchiveLimits& limits = {});

// The description alone, without unpacking the rest. Throws ImportError, also for its `problems`.
ModelDescription read_description(const std::filesystem::path& file,
                                  const ArchiveLimits& limits = {});

// All elements of one variable.
Status get_value(Instance& instance, const Variable& variable, std::size_t count, Value& value);
Status set_value(Instance& instance, const Variable& variable, const Value& value);

}  // namespace mbs::import
