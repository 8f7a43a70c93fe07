// Compiles only if fmi3.h agrees with the official headers; see compare_fmi2.cpp.
#include <fmi3Functions.h>

#include <string_view>
#include <type_traits>

namespace ours {
constexpr std::string_view official_version = fmi3Version;
#undef fmi3Version
#undef fmi3True
#undef fmi3False
#undef fmi3ClockActive
#undef fmi3ClockInactive
#define FMI_TYPES_ONLY
#include "fmu_src/interface/fmi3.h"
static_assert(official_version == fmi3Version);
static_assert(fmi3True && !fmi3False && fmi3ClockActive && !fmi3ClockInactive);

#define SAME_TYPE(name) static_assert(std::is_same_v<name, ::name>)
SAME_TYPE(fmi3Instance);
SAME_TYPE(fmi3InstanceEnvironment);
SAME_TYPE(fmi3FMUState);
SAME_TYPE(fmi3ValueReference);
SAME_TYPE(fmi3Float32);
SAME_TYPE(fmi3Float64);
SAME_TYPE(fmi3Int8);
SAME_TYPE(fmi3UInt8);
SAME_TYPE(fmi3Int16);
SAME_TYPE(fmi3UInt16);
SAME_TYPE(fmi3Int32);
SAME_TYPE(fmi3UInt32);
SAME_TYPE(fmi3Int64);
SAME_TYPE(fmi3UInt64);
SAME_TYPE(fmi3Boolean);
SAME_TYPE(fmi3Char);
SAME_TYPE(fmi3String);
SAME_TYPE(fmi3Byte);
SAME_TYPE(fmi3Binary);
SAME_TYPE(fmi3Clock);
SAME_TYPE(fmi3ClockUpdateCallback);
SAME_TYPE(fmi3IntermediateUpdateCallback);
SAME_TYPE(fmi3LockPreemptionCallback);
SAME_TYPE(fmi3UnlockPreemptionCallback);

#define SAME_VALUE(name) static_assert(static_cast<int>(name) == static_cast<int>(::name))
SAME_VALUE(fmi3OK);
SAME_VALUE(fmi3Warning);
SAME_VALUE(fmi3Discard);
SAME_VALUE(fmi3Error);
SAME_VALUE(fmi3Fatal);
SAME_VALUE(fmi3Independent);
SAME_VALUE(fmi3Constant);
SAME_VALUE(fmi3Fixed);
SAME_VALUE(fmi3Tunable);
SAME_VALUE(fmi3Discrete);
SAME_VALUE(fmi3Dependent);
SAME_VALUE(fmi3IntervalNotYetKnown);
SAME_VALUE(fmi3IntervalUnchanged);
SAME_VALUE(fmi3IntervalChanged);
static_assert(sizeof(fmi3Status) == sizeof(::fmi3Status));
static_assert(sizeof(fmi3DependencyKind) == sizeof(::fmi3DependencyKind));
static_assert(sizeof(fmi3IntervalQualifier) == sizeof(::fmi3IntervalQualifier));

// a function type with our enumeration in place of theirs
static_assert(std::is_same_v<fmi3LogMessageCallback, void (*)(::fmi3InstanceEnvironment, fmi3Status,
                                                              ::fmi3String, ::fmi3String)>);
static_assert(
    std::is_same_v<::fmi3LogMessageCallback,
                   void (*)(::fmi3InstanceEnvironment, ::fmi3Status, ::fmi3String, ::fmi3String)>);
}  // namespace ours

#define FMI3_FUNCTION(result, name, parameters) \
  static_assert(std::is_same_v<result parameters, fmi3##name##TYPE>);
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
