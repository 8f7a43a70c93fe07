// The C interface of FMI 3.0 over Instance.

#include "fmu_src/interface/fmi3.h"

#include <cmath>

#include "fmu_src/c_interface.hpp"
#include "fmu_src/co_simulation.hpp"
#include "fmu_src/fast_path.hpp"

using namespace mbs;

namespace {

fmi3Status fmi3(Status status) {
  return static_cast<fmi3Status>(status);
}

constexpr const char* no_clocks = "this FMU has no clocks with intervals";

Logger make_logger(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, bool on) {
  if (log == nullptr) return {};
  return {[environment, log](Status status, const char* category, const char* message) {
            log(environment, fmi3(status), category, message);
          },
          on};
}

// Refuses kinds of instances that this FMU does not support.
fmi3Instance refuse(const char* function, const char* why, fmi3InstanceEnvironment environment,
                    fmi3LogMessageCallback log, bool on) noexcept {
  try {
    make_logger(environment, log, on).log(Status::error, std::string(function) + ": " + why);
  } catch (...) {
  }
  return nullptr;
}

template <class Prepare>
fmi3Instance make(const char* function, fmi3String name, fmi3String token, fmi3String resource_path,
                  bool logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                  Prepare&& prepare) noexcept {
  Logger logger;
  try {
    logger = make_logger(environment, log, logging);
  } catch (...) {
    return nullptr;
  }
  return instantiate(function, name, token, logger, [&](InstanceRequest& request) {
    request.options.fmi_version = 3;
    if (resource_path != nullptr && *resource_path != '\0') request.resources = resource_path;
    prepare(request);
  });
}

}  // namespace

// A function that this FMU does not provide, with the types of its further arguments.
#define MBS_NOT_PROVIDED(name, why, ...)                      \
  fmi3Status fmi3##name(fmi3Instance instance, __VA_ARGS__) { \
    return fmi3(not_provided(instance, __func__, why));       \
  }

// ---- about the library

const char* fmi3GetVersion() {
  return fmi3Version;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[]) {
  return fmi3(call(instance, __func__, any_mode, [=](Instance& i) {
    if (!i.core.machine.logger().switch_categories(on, array(categories, count)))
      throw Refusal("there are unknown log categories, see LogCategories", Status::warning);
  }));
}

// ---- life of an instance

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                          fmi3String resource_path, fmi3Boolean,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  return make(__func__, name, token, resource_path, logging, environment, log,
              [](InstanceRequest& request) { request.options.kind = Kind::model_exchange; });
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean, fmi3Boolean logging,
    fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed, const fmi3ValueReference[],
    size_t, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback intermediate_update) {
  return make(__func__, name, token, resource_path, logging, environment, log,
              [=](InstanceRequest& request) {
                request.options.event_mode_used = event_mode_used;
                request.options.early_return_allowed = early_return_allowed;
                if (intermediate_update == nullptr) return;
                request.options.intermediate_update = [=](double time,
                                                          bool may_end) -> std::optional<double> {
                  fmi3Boolean wanted = false;
                  fmi3Float64 end = time;
                  intermediate_update(environment, time, true, true, true, may_end, &wanted, &end);
                  return wanted ? std::optional(end) : std::nullopt;
                };
              });
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                               fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  return refuse(__func__, "this FMU is for co-simulation, not for scheduled execution", environment,
                log, logging);
}

void fmi3FreeInstance(fmi3Instance instance) {
  delete static_cast<Instance*>(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
  return fmi3(call(instance, __func__, instantiated, [=](Instance& i) {
    i.set_up(tolerance_defined ? std::optional(tolerance) : std::nullopt, start,
             stop_defined ? std::optional(stop) : std::nullopt);
    i.enter_initialization();
  }));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return fmi3(
      call(instance, __func__, initialization_mode, [](Instance& i) { i.exit_initialization(); }));
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return fmi3(call(instance, __func__, step_mode | continuous_time_mode,
                   [](Instance& i) { i.discrete.enter_event_mode(); }));
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  return fmi3(call(instance, __func__, step_mode | exchanging,
                   [](Instance& i) { i.core.machine.enter(terminated); }));
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  return fmi3(call(instance, __func__, any_mode, [](Instance& i) { i.reset(); }));
}

// ---- dependencies that change with the structure

MBS_NOT_PROVIDED(GetNumberOfVariableDependencies, "this FMU has no dependencies per element",
                 fmi3ValueReference, size_t*)
MBS_NOT_PROVIDED(GetVariableDependencies, "this FMU has no dependencies per element",
                 fmi3ValueReference, size_t[], fmi3ValueReference[], size_t[], fmi3DependencyKind[],
                 size_t)

// ---- the whole internal state

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return fmi3(get_state(instance, __func__, state));
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  return fmi3(set_state(instance, __func__, state));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return fmi3(free_state(instance, __func__, state));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  return fmi3(state_size(instance, __func__, state, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  return fmi3(write_state(instance, __func__, state, bytes, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  return fmi3(read_state(instance, __func__, bytes, size, state));
}

// ---- derivatives

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[],
                                        size_t known_count, const fmi3Float64 seed[],
                                        size_t seed_count, fmi3Float64 sensitivity[],
                                        size_t sensitivity_count) {
  return fmi3(call(instance, __func__, differentiable, [=](Instance& i) {
    i.derivatives.directional(i.variables.scalars(array(unknowns, unknown_count)),
                              i.variables.scalars(array(knowns, known_count), 1),
                              array(seed, seed_count), array(sensitivity, sensitivity_count));
  }));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t unknown_count, const fmi3ValueReference knowns[],
                                    size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                    fmi3Float64 sensitivity[], size_t sensitivity_count) {
  return fmi3(call(instance, __func__, differentiable, [=](Instance& i) {
    i.derivatives.adjoint(i.variables.scalars(array(unknowns, unknown_count)),
                          i.variables.scalars(array(knowns, known_count), 1),
                          array(seed, seed_count), array(sensitivity, sensitivity_count));
  }));
}

// ---- structural parameters

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return fmi3(call(instance, __func__, any_mode, [](Instance& i) { i.configuration.enter(); }));
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return fmi3(call(instance, __func__, any_mode, [](Instance& i) { i.exit_configuration(); }));
}

// ---- clocks

MBS_NOT_PROVIDED(GetIntervalDecimal, no_clocks, const fmi3ValueReference[], size_t, fmi3Float64[],
                 fmi3IntervalQualifier[])
MBS_NOT_PROVIDED(GetIntervalFraction, no_clocks, const fmi3ValueReference[], size_t, fmi3UInt64[],
                 fmi3UInt64[], fmi3IntervalQualifier[])
MBS_NOT_PROVIDED(GetShiftDecimal, no_clocks, const fmi3ValueReference[], size_t, fmi3Float64[])
MBS_NOT_PROVIDED(GetShiftFraction, no_clocks, const fmi3ValueReference[], size_t, fmi3UInt64[],
                 fmi3UInt64[])
MBS_NOT_PROVIDED(SetIntervalDecimal, no_clocks, const fmi3ValueReference[], size_t,
                 const fmi3Float64[])
MBS_NOT_PROVIDED(SetIntervalFraction, no_clocks, const fmi3ValueReference[], size_t,
                 const fmi3UInt64[], const fmi3UInt64[])
MBS_NOT_PROVIDED(SetShiftDecimal, no_clocks, const fmi3ValueReference[], size_t,
                 const fmi3Float64[])
MBS_NOT_PROVIDED(SetShiftFraction, no_clocks, const fmi3ValueReference[], size_t,
                 const fmi3UInt64[], const fmi3UInt64[])

// ---- event mode

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return fmi3(not_provided(instance, __func__, "discrete states cannot be evaluated on trial"));
}

// One call is enough: events that follow from others at the same time have happened, too. Clocks
// that tick with these can be read before another call.
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* again,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* states_changed, fmi3Boolean* next_defined,
                                    fmi3Float64* next) {
  for (fmi3Boolean* flag : {again, terminate, nominals_changed, states_changed, next_defined})
    if (flag != nullptr) *flag = false;
  return fmi3(call(instance, __func__, event_mode, [=](Instance& i) {
    for (fmi3Boolean* flag : {again, terminate, nominals_changed, states_changed, next_defined})
      receiver(flag);
    receiver(next) = 0.0;
    *again = i.discrete.update();
    *terminate = i.core.system().events().has_ended();
    *states_changed = i.core.states_changed();
    const double time = i.core.next_time_event();
    *next_defined = std::isfinite(time);
    if (*next_defined) *next = time;
  }));
}

// ---- model exchange

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return fmi3(exchange(instance, __func__, event_mode,
                       [](Instance& i) { i.core.machine.enter(continuous_time_mode); }));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean,
                                       fmi3Boolean* event_mode_needed, fmi3Boolean* terminate) {
  return fmi3(exchange(instance, __func__, continuous_time_mode, [=](Instance& i) {
    receiver(terminate) = false;
    receiver(event_mode_needed) = i.exchange.completed_step();
  }));
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  return fmi3(
      exchange(instance, __func__, exchanging, [=](Instance& i) { i.exchange.set_time(time); }));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 values[],
                                   size_t count) {
  return fmi3(exchange(instance, __func__, continuous_time_mode,
                       [=](Instance& i) { i.exchange.set_states(array(values, count)); }));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 values[],
                                             size_t count) {
  return fmi3(exchange(instance, __func__, exchange_readable,
                       [=](Instance& i) { i.exchange.get_rates(array(values, count)); }));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 values[], size_t count) {
  return fmi3(exchange(instance, __func__, exchange_readable,
                       [=](Instance& i) { i.exchange.get_indicators(array(values, count)); }));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 values[], size_t count) {
  return fmi3(exchange(instance, __func__, exchange_readable,
                       [=](Instance& i) { i.exchange.get_states(array(values, count)); }));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 values[],
                                             size_t count) {
  return fmi3(exchange(instance, __func__, any_mode,
                       [=](Instance& i) { i.exchange.get_nominals(array(values, count)); }));
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* count) {
  return fmi3(exchange(instance, __func__, any_mode, [=](Instance& i) {
    receiver(count) = static_cast<size_t>(i.exchange.indicator_count());
  }));
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* count) {
  return fmi3(exchange(instance, __func__, any_mode, [=](Instance& i) {
    receiver(count) = static_cast<size_t>(i.exchange.state_count());
  }));
}

// ---- co-simulation

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return fmi3(call(
      instance, __func__, event_mode, [](Instance& i) { i.core.machine.enter(step_mode); },
      Kind::co_simulation));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t reference_count, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t count) {
  return fmi3(call(
      instance, __func__, differentiable & ~initialization_mode,
      [=](Instance& i) {
        i.variables.get_output_derivatives(array(references, reference_count),
                                           array(orders, reference_count), array(values, count));
      },
      Kind::co_simulation));
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step, fmi3Boolean,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_time) {
  // These values are defined after an error, too.
  for (fmi3Boolean* flag : {event_needed, terminate, early_return})
    if (flag != nullptr) *flag = false;
  if (instance != nullptr && last_time != nullptr)
    *last_time = static_cast<Instance*>(instance)->core.time();
  if (event_needed && terminate && early_return && last_time &&
      try_step_within(instance, time, step)) {
    *last_time = static_cast<Instance*>(instance)->core.time();
    return fmi3OK;
  }
  return fmi3(call(
      instance, __func__, step_mode,
      [=](Instance& i) {
        for (fmi3Boolean* flag : {event_needed, terminate, early_return}) receiver(flag);
        receiver(last_time);
        const StepEnd end = do_step(i.core, i.inputs, time, step);
        *last_time = i.core.time();
        *terminate = i.core.system().events().has_ended();
        *event_needed = end.event;
        *early_return = end.early;
      },
      Kind::co_simulation));
}

// ---- scheduled execution

MBS_NOT_PROVIDED(ActivateModelPartition, "this FMU is not for scheduled execution",
                 fmi3ValueReference, fmi3Float64)
