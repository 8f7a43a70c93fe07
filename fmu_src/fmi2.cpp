// The C interface of FMI 2.0 over Instance.

#include "fmu_src/interface/fmi2.h"

#include <cmath>

#include "fmu_src/c_interface.hpp"
#include "fmu_src/co_simulation.hpp"
#include "fmu_src/fast_path.hpp"
#include "fmu_src/resources.hpp"

using namespace mbs;

namespace {

fmi2Status fmi2(Status status) {
  return static_cast<fmi2Status>(status);
}

// The callback struct is only valid while Instantiate runs: its contents are kept.
Logger make_logger(const char* name, const fmi2CallbackFunctions* callbacks, bool on) {
  if (callbacks == nullptr || callbacks->logger == nullptr) return {};
  const auto sink = [name = std::string(name != nullptr ? name : ""), logger = callbacks->logger,
                     environment = callbacks->componentEnvironment](
                        Status status, const char* category, const char* message) {
    logger(environment, name.c_str(), fmi2(status), category, "%s", message);
  };
  return {sink, on};
}

// In C an enumeration may hold any number; reading such a value is undefined in C++.
int number_of(const fmi2Type& type) {
  int number = 0;
  static_assert(sizeof number == sizeof type);
  std::memcpy(&number, &type, sizeof number);
  return number;
}

// The status queries after a step.
template <class Value>
fmi2Status step_status(fmi2Component component, const char* function, fmi2StatusKind asked,
                       fmi2StatusKind known, Value* value, auto answer) {
  constexpr unsigned allowed = step_mode | step_discarded | terminated;
  return fmi2(call(component, function, allowed, [=](Instance& instance) {
    if (asked != known) throw Refusal("this status has no such value", Status::discard);
    receiver(value) = answer(instance);
  }));
}

}  // namespace

// ---- about the library

const char* fmi2GetTypesPlatform() {
  return fmi2TypesPlatform;
}

const char* fmi2GetVersion() {
  return fmi2Version;
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t count,
                               const fmi2String categories[]) {
  return fmi2(call(component, __func__, any_mode, [=](Instance& instance) {
    if (!instance.core.machine.logger().switch_categories(on != fmi2False,
                                                          array(categories, count)))
      throw Refusal("there are unknown log categories, see LogCategories", Status::warning);
  }));
}

// ---- life of an instance

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resource_uri, const fmi2CallbackFunctions* callbacks,
                              fmi2Boolean, fmi2Boolean logging) {
  if (callbacks == nullptr) return nullptr;
  Logger logger;
  try {
    logger = make_logger(name, callbacks, logging != fmi2False);
  } catch (...) {
    return nullptr;
  }
  return instantiate(__func__, name, guid, logger, [&](InstanceRequest& request) {
    const int wanted = number_of(type);
    if (wanted != fmi2ModelExchange && wanted != fmi2CoSimulation)
      throw Refusal("fmuType is " + std::to_string(wanted) +
                    ", neither fmi2ModelExchange (0) nor fmi2CoSimulation (1)");
    request.options.kind = wanted == fmi2ModelExchange ? Kind::model_exchange : Kind::co_simulation;
    request.options.fmi_version = 2;
    if (resource_uri == nullptr || *resource_uri == '\0') return;
    try {
      request.resources = directory_from_uri(resource_uri);
    } catch (const std::runtime_error& error) {
      logger.log(Status::warning, error.what());
    }
  });
}

void fmi2FreeInstance(fmi2Component component) {
  delete static_cast<Instance*>(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start, fmi2Boolean stop_defined,
                               fmi2Real stop) {
  return fmi2(call(component, __func__, instantiated, [=](Instance& instance) {
    instance.set_up(tolerance_defined ? std::optional(tolerance) : std::nullopt, start,
                    stop_defined ? std::optional(stop) : std::nullopt);
  }));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return fmi2(call(component, __func__, instantiated,
                   [](Instance& instance) { instance.enter_initialization(); }));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return fmi2(call(component, __func__, initialization_mode,
                   [](Instance& instance) { instance.exit_initialization(); }));
}

fmi2Status fmi2Terminate(fmi2Component component) {
  return fmi2(call(component, __func__, step_mode | step_discarded | exchanging,
                   [](Instance& instance) { instance.core.machine.enter(terminated); }));
}

fmi2Status fmi2Reset(fmi2Component component) {
  return fmi2(call(component, __func__, any_mode, [](Instance& instance) { instance.reset(); }));
}

// ---- values

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
  return fmi2(get_values(component, __func__, references, count, values, count));
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, fmi2Integer values[]) {
  return fmi2(get_values(component, __func__, references, count, values, count));
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, fmi2Boolean[]) {
  return fmi2(no_values(component, __func__, readable, "Boolean", references, count));
}

fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference references[],
                         size_t count, fmi2String[]) {
  return fmi2(no_values(component, __func__, readable, "String", references, count));
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
  if (set_one_input(component, references, count, values, count)) return fmi2OK;
  return fmi2(set_values(component, __func__, references, count, values, count));
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, const fmi2Integer values[]) {
  return fmi2(set_values(component, __func__, references, count, values, count));
}

fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, const fmi2Boolean[]) {
  return fmi2(no_values(component, __func__, writable, "Boolean", references, count));
}

fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference references[],
                         size_t count, const fmi2String[]) {
  return fmi2(no_values(component, __func__, writable, "String", references, count));
}

// ---- the whole internal state

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return fmi2(get_state(component, __func__, state));
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return fmi2(set_state(component, __func__, state));
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return fmi2(free_state(component, __func__, state));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  return fmi2(state_size(component, __func__, state, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
  return fmi2(write_state(component, __func__, state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  return fmi2(read_state(component, __func__, bytes, size, state));
}

// ---- derivatives

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                        const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count,
                                        const fmi2Real seed[], fmi2Real sensitivity[]) {
  return fmi2(call(component, __func__, differentiable, [=](Instance& instance) {
    instance.derivatives.directional(array(unknowns, unknown_count), array(knowns, known_count),
                                     array(seed, known_count), array(sensitivity, unknown_count));
  }));
}

// ---- model exchange

fmi2Status fmi2EnterEventMode(fmi2Component component) {
  return fmi2(exchange(component, __func__, exchanging,
                       [](Instance& instance) { instance.discrete.enter_event_mode(); }));
}

// One call is enough: events that follow from others at the same time have happened, too.
fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo* info) {
  return fmi2(exchange(component, __func__, event_mode, [=](Instance& instance) {
    receiver(info) = {};
    instance.discrete.update();
    info->terminateSimulation = instance.core.system().events().has_ended() ? fmi2True : fmi2False;
    info->valuesOfContinuousStatesChanged = instance.core.states_changed() ? fmi2True : fmi2False;
    const double time = instance.core.next_time_event();
    info->nextEventTimeDefined = std::isfinite(time) ? fmi2True : fmi2False;
    info->nextEventTime = std::isfinite(time) ? time : 0.0;
  }));
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component) {
  return fmi2(exchange(component, __func__, event_mode, [](Instance& instance) {
    instance.core.machine.enter(continuous_time_mode);
  }));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean,
                                       fmi2Boolean* event_mode_needed, fmi2Boolean* terminate) {
  return fmi2(exchange(component, __func__, continuous_time_mode, [=](Instance& instance) {
    receiver(terminate) = fmi2False;
    receiver(event_mode_needed) = instance.exchange.completed_step() ? fmi2True : fmi2False;
  }));
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time) {
  return fmi2(exchange(component, __func__, exchanging,
                       [=](Instance& instance) { instance.exchange.set_time(time); }));
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real values[], size_t count) {
  return fmi2(exchange(component, __func__, continuous_time_mode, [=](Instance& instance) {
    instance.exchange.set_states(array(values, count));
  }));
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real values[], size_t count) {
  return fmi2(exchange(component, __func__, exchange_readable, [=](Instance& instance) {
    instance.exchange.get_rates(array(values, count));
  }));
}

fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real values[], size_t count) {
  return fmi2(exchange(component, __func__, exchange_readable, [=](Instance& instance) {
    instance.exchange.get_indicators(array(values, count));
  }));
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real values[], size_t count) {
  return fmi2(exchange(component, __func__, exchange_readable, [=](Instance& instance) {
    instance.exchange.get_states(array(values, count));
  }));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real values[],
                                             size_t count) {
  return fmi2(exchange(component, __func__, any_mode, [=](Instance& instance) {
    instance.exchange.get_nominals(array(values, count));
  }));
}

// ---- co-simulation

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component,
                                       const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
  if (set_one_inputs_derivatives(component, references, count, orders, values)) return fmi2OK;
  return fmi2(set_derivatives(component, __func__, references, count, orders, values));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component,
                                        const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[]) {
  return fmi2(call(
      component, __func__, differentiable & ~initialization_mode,
      [=](Instance& instance) {
        instance.variables.get_output_derivatives(array(references, count), array(orders, count),
                                                  array(values, count));
      },
      Kind::co_simulation));
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real step, fmi2Boolean) {
  if (try_step_within(component, time, step)) return fmi2OK;
  return fmi2(call(
      component, __func__, step_mode,
      [=](Instance& instance) { do_step(instance.core, instance.inputs, time, step); },
      Kind::co_simulation));
}

fmi2Status fmi2CancelStep(fmi2Component component) {
  return fmi2(not_provided(component, __func__, "steps are not asynchronous"));
}

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status* value) {
  return step_status(component, __func__, kind, fmi2DoStepStatus, value, [](Instance& instance) {
    return instance.core.machine.is_in(step_discarded) ? fmi2Discard : fmi2OK;
  });
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
  return step_status(component, __func__, kind, fmi2LastSuccessfulTime, value,
                     [](Instance& instance) { return instance.core.time(); });
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind, fmi2Integer*) {
  return fmi2(call(component, __func__, step_mode | step_discarded | terminated, [](Instance&) {
    throw Refusal("this status has no such value", Status::discard);
  }));
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind,
                                fmi2Boolean* value) {
  return step_status(component, __func__, kind, fmi2Terminated, value, [](Instance& instance) {
    return instance.core.system().events().has_ended() ? fmi2True : fmi2False;
  });
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind,
                               fmi2String* value) {
  return step_status(component, __func__, kind, fmi2PendingStatus, value,
                     [](Instance&) { return "no step is under way"; });
}
