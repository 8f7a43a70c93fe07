// Compiles only if fmi2.h agrees with the official headers: the same types and enumerators (ours in
// a namespace apart from theirs), and our list of functions restates theirs with their types.
#include <fmi2Functions.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ours {
constexpr std::string_view official_platform = fmi2TypesPlatform;
constexpr std::string_view official_version = fmi2Version;
#undef fmi2TypesPlatform
#undef fmi2Version
#undef fmi2True
#undef fmi2False
#define FMI_TYPES_ONLY
#include "fmu_src/interface/fmi2.h"
static_assert(official_platform == fmi2TypesPlatform && official_version == fmi2Version);
static_assert(fmi2True == 1 && fmi2False == 0);

#define SAME_TYPE(name) static_assert(std::is_same_v<name, ::name>)
SAME_TYPE(fmi2Component);
SAME_TYPE(fmi2ComponentEnvironment);
SAME_TYPE(fmi2FMUstate);
SAME_TYPE(fmi2ValueReference);
SAME_TYPE(fmi2Real);
SAME_TYPE(fmi2Integer);
SAME_TYPE(fmi2Boolean);
SAME_TYPE(fmi2Char);
SAME_TYPE(fmi2String);
SAME_TYPE(fmi2Byte);
SAME_TYPE(fmi2CallbackAllocateMemory);
SAME_TYPE(fmi2CallbackFreeMemory);

#define SAME_VALUE(name) static_assert(static_cast<int>(name) == static_cast<int>(::name))
SAME_VALUE(fmi2OK);
SAME_VALUE(fmi2Warning);
SAME_VALUE(fmi2Discard);
SAME_VALUE(fmi2Error);
SAME_VALUE(fmi2Fatal);
SAME_VALUE(fmi2Pending);
SAME_VALUE(fmi2ModelExchange);
SAME_VALUE(fmi2CoSimulation);
SAME_VALUE(fmi2DoStepStatus);
SAME_VALUE(fmi2PendingStatus);
SAME_VALUE(fmi2LastSuccessfulTime);
SAME_VALUE(fmi2Terminated);
static_assert(sizeof(fmi2Status) == sizeof(::fmi2Status));
static_assert(sizeof(fmi2Type) == sizeof(::fmi2Type));
static_assert(sizeof(fmi2StatusKind) == sizeof(::fmi2StatusKind));

// a function type with our enumeration in place of theirs
static_assert(
    std::is_same_v<fmi2CallbackLogger, void (*)(::fmi2ComponentEnvironment, ::fmi2String,
                                                fmi2Status, ::fmi2String, ::fmi2String, ...)>);
static_assert(
    std::is_same_v<::fmi2CallbackLogger, void (*)(::fmi2ComponentEnvironment, ::fmi2String,
                                                  ::fmi2Status, ::fmi2String, ::fmi2String, ...)>);
static_assert(std::is_same_v<fmi2StepFinished, void (*)(::fmi2ComponentEnvironment, fmi2Status)>);
static_assert(
    std::is_same_v<::fmi2StepFinished, void (*)(::fmi2ComponentEnvironment, ::fmi2Status)>);

#define SAME_MEMBER(type, name)                                   \
  static_assert(offsetof(type, name) == offsetof(::type, name) && \
                sizeof(type::name) == sizeof(::type::name))
SAME_MEMBER(fmi2CallbackFunctions, logger);
SAME_MEMBER(fmi2CallbackFunctions, allocateMemory);
SAME_MEMBER(fmi2CallbackFunctions, freeMemory);
SAME_MEMBER(fmi2CallbackFunctions, stepFinished);
SAME_MEMBER(fmi2CallbackFunctions, componentEnvironment);
static_assert(sizeof(fmi2CallbackFunctions) == sizeof(::fmi2CallbackFunctions));
SAME_MEMBER(fmi2EventInfo, newDiscreteStatesNeeded);
SAME_MEMBER(fmi2EventInfo, terminateSimulation);
SAME_MEMBER(fmi2EventInfo, nominalsOfContinuousStatesChanged);
SAME_MEMBER(fmi2EventInfo, valuesOfContinuousStatesChanged);
SAME_MEMBER(fmi2EventInfo, nextEventTimeDefined);
SAME_MEMBER(fmi2EventInfo, nextEventTime);
static_assert(sizeof(fmi2EventInfo) == sizeof(::fmi2EventInfo));
}  // namespace ours

#define FMI2_FUNCTION(result, name, parameters) \
  static_assert(std::is_same_v<result parameters, fmi2##name##TYPE>);
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
