// The C interface of FMI 3.0: getting and setting values. There are variables of type Float64 and
// Int32, and resizable parameters of type UInt64.

#include "fmu_src/interface/fmi3.h"

#include "fmu_src/fmi3_calls.hpp"

using namespace mbs;

namespace {

fmi3Status no_get(fmi3Instance instance, const char* function, const char* type,
                  const fmi3ValueReference* references, size_t count) {
  return fmi3(no_values(instance, function, readable, type, references, count));
}

fmi3Status no_set(fmi3Instance instance, const char* function, const char* type,
                  const fmi3ValueReference* references, size_t count) {
  return fmi3(no_values(instance, function, writable, type, references, count));
}

}  // namespace

fmi3Status fmi3GetFloat32(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float32[], size_t) {
  return no_get(instance, __func__, "Float32", references, reference_count);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float64 values[], size_t count) {
  return fmi3(get_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3GetInt8(fmi3Instance instance, const fmi3ValueReference references[],
                       size_t reference_count, fmi3Int8[], size_t) {
  return no_get(instance, __func__, "Int8", references, reference_count);
}

fmi3Status fmi3GetUInt8(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3UInt8[], size_t) {
  return no_get(instance, __func__, "UInt8", references, reference_count);
}

fmi3Status fmi3GetInt16(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Int16[], size_t) {
  return no_get(instance, __func__, "Int16", references, reference_count);
}

fmi3Status fmi3GetUInt16(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3UInt16[], size_t) {
  return no_get(instance, __func__, "UInt16", references, reference_count);
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Int32 values[], size_t count) {
  return fmi3(get_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3GetUInt32(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3UInt32[], size_t) {
  return no_get(instance, __func__, "UInt32", references, reference_count);
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Int64[], size_t) {
  return no_get(instance, __func__, "Int64", references, reference_count);
}

fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3UInt64 values[], size_t count) {
  return fmi3(call(instance, __func__, readable, [=](Instance& i) {
    i.get_sizes(array(references, reference_count), array(values, count));
  }));
}

fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Boolean[], size_t) {
  return no_get(instance, __func__, "Boolean", references, reference_count);
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3String[], size_t) {
  return no_get(instance, __func__, "String", references, reference_count);
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, size_t[], fmi3Binary[], size_t) {
  return no_get(instance, __func__, "Binary", references, reference_count);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Clock values[]) {
  return fmi3(call(instance, __func__, readable, [=](Instance& i) {
    i.get_clocks(array(references, reference_count), array(values, reference_count));
  }));
}

fmi3Status fmi3SetFloat32(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float32[], size_t) {
  return no_set(instance, __func__, "Float32", references, reference_count);
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float64 values[], size_t count) {
  if (set_one_input(instance, references, reference_count, values, count)) return fmi3OK;
  return fmi3(set_values(instance, __func__, references, reference_count, values, count,
                         writable | intermediate));
}

fmi3Status fmi3SetInt8(fmi3Instance instance, const fmi3ValueReference references[],
                       size_t reference_count, const fmi3Int8[], size_t) {
  return no_set(instance, __func__, "Int8", references, reference_count);
}

fmi3Status fmi3SetUInt8(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3UInt8[], size_t) {
  return no_set(instance, __func__, "UInt8", references, reference_count);
}

fmi3Status fmi3SetInt16(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Int16[], size_t) {
  return no_set(instance, __func__, "Int16", references, reference_count);
}

fmi3Status fmi3SetUInt16(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3UInt16[], size_t) {
  return no_set(instance, __func__, "UInt16", references, reference_count);
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Int32 values[], size_t count) {
  return fmi3(set_values(instance, __func__, references, reference_count, values, count));
}

fmi3Status fmi3SetUInt32(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3UInt32[], size_t) {
  return no_set(instance, __func__, "UInt32", references, reference_count);
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Int64[], size_t) {
  return no_set(instance, __func__, "Int64", references, reference_count);
}

fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3UInt64 values[], size_t count) {
  return fmi3(call(instance, __func__, writable | configuration, [=](Instance& i) {
    i.set_sizes(array(references, reference_count), array(values, count));
  }));
}

fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Boolean[], size_t) {
  return no_set(instance, __func__, "Boolean", references, reference_count);
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3String[], size_t) {
  return no_set(instance, __func__, "String", references, reference_count);
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const size_t[], const fmi3Binary[], size_t) {
  return no_set(instance, __func__, "Binary", references, reference_count);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, const fmi3Clock[]) {
  return fmi3(call(instance, __func__, writable,
                   [=](Instance& i) { i.refuse_clocks(array(references, reference_count)); }));
}
