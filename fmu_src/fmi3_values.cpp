// The C interface of FMI 3.0: getting and setting values. There are variables of type Float64 and
// Int32, and resizable parameters of type UInt64.

#include "fmu_src/interface/fmi3.h"

#include "fmu_src/c_interface.hpp"
#include "fmu_src/fast_path.hpp"

using namespace mbs;

namespace {

fmi3Status fmi3(Status status) {
  return static_cast<fmi3Status>(status);
}

}  // namespace

// The functions of a type without variables: only calls without references succeed.
#define MBS_NO_VARIABLES_OF(Type)                                                             \
  fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference references[],      \
                           size_t reference_count, fmi3##Type[], size_t) {                    \
    return fmi3(no_values(instance, __func__, readable, #Type, references, reference_count)); \
  }                                                                                           \
  fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference references[],      \
                           size_t reference_count, const fmi3##Type[], size_t) {              \
    return fmi3(no_values(instance, __func__, writable, #Type, references, reference_count)); \
  }

MBS_NO_VARIABLES_OF(Float32)
MBS_NO_VARIABLES_OF(Int8)
MBS_NO_VARIABLES_OF(UInt8)
MBS_NO_VARIABLES_OF(Int16)
MBS_NO_VARIABLES_OF(UInt16)
MBS_NO_VARIABLES_OF(UInt32)
MBS_NO_VARIABLES_OF(Int64)
MBS_NO_VARIABLES_OF(Boolean)
MBS_NO_VARIABLES_OF(String)
#undef MBS_NO_VARIABLES_OF

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, size_t[], fmi3Binary[], size_t) {
  return fmi3(no_values(instance, __func__, readable, "Binary", references, reference_count));
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const size_t[], const fmi3Binary[], size_t) {
  return fmi3(no_values(instance, __func__, writable, "Binary", references, reference_count));
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float64 values[], size_t count) {
  return fmi3(get_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float64 values[], size_t count) {
  if (set_one_input(instance, references, reference_count, values, count)) return fmi3OK;
  return fmi3(set_values(instance, __func__, references, reference_count, values, count,
                         writable | intermediate_update_mode));
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Int32 values[], size_t count) {
  return fmi3(get_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Int32 values[], size_t count) {
  return fmi3(set_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3UInt64 values[], size_t count) {
  return fmi3(call(instance, __func__, readable, [=](Instance& i) {
    i.configuration.get(array(references, reference_count), array(values, count));
  }));
}

fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3UInt64 values[], size_t count) {
  return fmi3(call(instance, __func__, writable | configuration_mode, [=](Instance& i) {
    i.configuration.set(array(references, reference_count), array(values, count));
  }));
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Clock values[]) {
  return fmi3(call(instance, __func__, readable, [=](Instance& i) {
    i.discrete.get_clocks(array(references, reference_count), array(values, reference_count));
  }));
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Clock[]) {
  return fmi3(call(instance, __func__, writable, [=](Instance& i) {
    i.discrete.refuse_clocks(array(references, reference_count));
  }));
}
