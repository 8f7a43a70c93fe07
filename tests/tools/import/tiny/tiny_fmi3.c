/* FMI 3.0 over tiny.h, with event mode and early return at the ticks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_src/interface/fmi3.h"
#include "tiny.h"

typedef struct {
  TinyData data;
  int phase;
  double stop;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  fmi3IntermediateUpdateCallback update;
  bool logging, event_mode_used, early_return_allowed;
} Instance;

static fmi3Status fail(Instance* instance, const char* message) {
  if (instance->logging && instance->log)
    instance->log(instance->environment, fmi3Error, "logStatusError", message);
  return fmi3Error;
}

static bool enter(Instance* instance, int phases) {
  if (instance->phase & phases) return true;
  fail(instance, "the call is not allowed now");
  return false;
}

const char* fmi3GetVersion(void) {
  return fmi3Version;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update) {
  (void)resource_path, (void)visible, (void)intermediate, (void)intermediate_count;
  if (!name || !*name || !token) return NULL;
  if (strcmp(token, TINY_TOKEN) != 0) {
    if (log) log(environment, fmi3Error, "logStatusError", "the instantiation token is wrong");
    return NULL;
  }
  Instance* instance = calloc(1, sizeof *instance);
  if (!instance) return NULL;
  tiny_reset(&instance->data);
  instance->phase = TINY_NEW;
  instance->stop = INFINITY;
  instance->environment = environment;
  instance->log = log;
  instance->update = update;
  instance->logging = logging;
  instance->event_mode_used = event_mode_used;
  instance->early_return_allowed = early_return_allowed;
  return instance;
}

void fmi3FreeInstance(fmi3Instance instance) {
  free(instance);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[]) {
  (void)count, (void)categories;
  ((Instance*)instance)->logging = on;
  return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
  (void)tolerance_defined, (void)tolerance;
  Instance* self = instance;
  if (!enter(self, TINY_NEW)) return fmi3Error;
  self->phase = TINY_INITIALIZING;
  self->stop = stop_defined ? stop : INFINITY;
  self->data.time = start;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  Instance* self = instance;
  if (!enter(self, TINY_INITIALIZING)) return fmi3Error;
  self->phase = TINY_STEPPING;
  tiny_start(&self->data, self->data.time);
  return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return ((Instance*)instance)->event_mode_used ? fmi3OK : fail(instance, "no event mode");
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* update_needed,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* states_changed, fmi3Boolean* next_event_defined,
                                    fmi3Float64* next_event) {
  TinyData* data = &((Instance*)instance)->data;
  if (data->next_tick <= data->time) tiny_tick(data);
  *update_needed = *terminate = *nominals_changed = *states_changed = *next_event_defined = false;
  *next_event = 0;
  return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return ((Instance*)instance)->event_mode_used ? fmi3OK : fail(instance, "no event mode");
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  if (!enter(instance, TINY_STEPPING)) return fmi3Error;
  ((Instance*)instance)->phase = TINY_ENDED;
  return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  tiny_reset(&((Instance*)instance)->data);
  ((Instance*)instance)->phase = TINY_NEW;
  return fmi3OK;
}

/* The place of `*count` doubles; null if there is no such variable. */
static double* reals(TinyData* data, fmi3ValueReference reference, size_t* count) {
  *count = reference == TINY_WEIGHTS ? 3 : 1;
  return reference == TINY_WEIGHTS ? data->weights : tiny_real(data, reference);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float64 values[], size_t count) {
  if (!references || !values) return fail(instance, "a null array");
  size_t used = 0;
  for (size_t i = 0; i < reference_count; ++i) {
    size_t length;
    const double* source = reals(&((Instance*)instance)->data, references[i], &length);
    if (!source || used + length > count)
      return fail(instance, "no such Float64, or too few values");
    memcpy(values + used, source, length * sizeof *source);
    used += length;
  }
  return used == count ? fmi3OK : fail(instance, "too many values");
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float64 values[], size_t count) {
  size_t used = 0;
  for (size_t i = 0; i < reference_count; ++i) {
    size_t length;
    double* target = reals(&((Instance*)instance)->data, references[i], &length);
    if (!target || references[i] == TINY_X || used + length > count ||
        !tiny_can_set(((Instance*)instance)->phase, references[i]))
      return fail(instance, "no Float64 that can be set, or too few values");
    memcpy(target, values + used, length * sizeof *target);
    used += length;
  }
  return used == count ? fmi3OK : fail(instance, "too many values");
}

fmi3Status fmi3GetFloat32(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float32 values[], size_t count) {
  if (reference_count != 1 || count != 1 || references[0] != TINY_SINGLE)
    return fail(instance, "no such Float32");
  values[0] = ((Instance*)instance)->data.single;
  return fmi3OK;
}

fmi3Status fmi3SetFloat32(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float32 values[], size_t count) {
  if (!enter(instance, TINY_CONFIGURABLE)) return fmi3Error;
  if (reference_count != 1 || count != 1 || references[0] != TINY_SINGLE)
    return fail(instance, "no such Float32");
  ((Instance*)instance)->data.single = values[0];
  return fmi3OK;
}

/* One variable of each whole type, at its own place; Int32 and Int64 have one more. */
#define WHOLE(type, index, other, place)                                                      \
  fmi3Status fmi3Get##type(fmi3Instance instance, const fmi3ValueReference references[],      \
                           size_t reference_count, fmi3##type values[], size_t count) {       \
    const TinyData* data = &((Instance*)instance)->data;                                      \
    if (reference_count != count) return fail(instance, "not as many values as variables");   \
    for (size_t i = 0; i < count; ++i) {                                                      \
      if (references[i] != TINY_WHOLE + index && references[i] != other)                      \
        return fail(instance, "no such " #type);                                              \
      values[i] = (fmi3##type)(references[i] == other ? data->place : data->whole[index]);    \
    }                                                                                         \
    return fmi3OK;                                                                            \
  }                                                                                           \
  fmi3Status fmi3Set##type(fmi3Instance instance, const fmi3ValueReference references[],      \
                           size_t reference_count, const fmi3##type values[], size_t count) { \
    TinyData* data = &((Instance*)instance)->data;                                            \
    if (!enter(instance, TINY_CONFIGURABLE)) return fmi3Error;                                \
    if (reference_count != count) return fail(instance, "not as many values as variables");   \
    for (size_t i = 0; i < count; ++i) {                                                      \
      if (references[i] == TINY_COUNT ||                                                      \
          (references[i] != TINY_WHOLE + index && references[i] != other))                    \
        return fail(instance, "no " #type " that can be set");                                \
      if (references[i] == other)                                                             \
        data->place = (int32_t)values[i];                                                     \
      else                                                                                    \
        data->whole[index] = (int64_t)values[i];                                              \
    }                                                                                         \
    return fmi3OK;                                                                            \
  }

enum { NONE = 1000 };
WHOLE(Int8, 0, NONE, count)
WHOLE(UInt8, 1, NONE, count)
WHOLE(Int16, 2, NONE, count)
WHOLE(UInt16, 3, NONE, count)
WHOLE(Int32, 4, TINY_COUNT, count)
WHOLE(UInt32, 5, NONE, count)
WHOLE(Int64, 6, TINY_MODE, mode)
WHOLE(UInt64, 7, NONE, count)

fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Boolean values[], size_t count) {
  if (reference_count != 1 || count != 1 || references[0] != TINY_TICKING)
    return fail(instance, "no such Boolean");
  values[0] = ((Instance*)instance)->data.ticking != 0;
  return fmi3OK;
}

fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Boolean values[], size_t count) {
  if (!enter(instance, TINY_CONFIGURABLE)) return fmi3Error;
  if (reference_count != 1 || count != 1 || references[0] != TINY_TICKING)
    return fail(instance, "no such Boolean");
  ((Instance*)instance)->data.ticking = values[0];
  return fmi3OK;
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3String values[], size_t count) {
  if (reference_count != 1 || count != 1 || references[0] != TINY_LABEL)
    return fail(instance, "no such String");
  values[0] = ((Instance*)instance)->data.label;
  return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3String values[], size_t count) {
  if (!enter(instance, TINY_CONFIGURABLE)) return fmi3Error;
  if (reference_count != 1 || count != 1 || references[0] != TINY_LABEL ||
      !tiny_set_label(&((Instance*)instance)->data, values[0]))
    return fail(instance, "no such String, or too long");
  return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, size_t sizes[], fmi3Binary values[],
                         size_t count) {
  if (reference_count != 1 || count != 1 || references[0] != TINY_BLOB)
    return fail(instance, "no such Binary");
  sizes[0] = ((Instance*)instance)->data.blob_size;
  values[0] = ((Instance*)instance)->data.blob;
  return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const size_t sizes[], const fmi3Binary values[],
                         size_t count) {
  if (!enter(instance, TINY_CONFIGURABLE)) return fmi3Error;
  TinyData* data = &((Instance*)instance)->data;
  if (reference_count != 1 || count != 1 || references[0] != TINY_BLOB ||
      sizes[0] > sizeof data->blob)
    return fail(instance, "no such Binary, or too long");
  data->blob_size = sizes[0];
  memset(data->blob, 0, sizeof data->blob);
  memcpy(data->blob, values[0], sizes[0]);
  return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step,
                      fmi3Boolean no_state_before_here, fmi3Boolean* event_needed,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* last_time) {
  (void)no_state_before_here;
  Instance* self = instance;
  *event_needed = *terminate = *early_return = false;
  *last_time = time;
  if (!enter(self, TINY_STEPPING)) return fmi3Error;
  if (!tiny_can_step(&self->data, time, step, self->stop))
    return fail(instance, "the step must be positive, begin where the last ended, end before stop");
  const double end = time + step;
  const bool stop_at_tick = self->event_mode_used && self->early_return_allowed;
  TinyStep result = tiny_advance(&self->data, end, stop_at_tick);
  *last_time = result.time;
  *event_needed = result.tick_due;
  *early_return = result.time < end;
  if (self->update) {
    bool requested = false;
    double wanted = 0;
    self->update(self->environment, result.time, false, true, true, false, &requested, &wanted);
  }
  return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  if (!*state) *state = malloc(sizeof(TinyData));
  if (!*state) return fmi3Error;
  memcpy(*state, &((Instance*)instance)->data, sizeof(TinyData));
  return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  memcpy(&((Instance*)instance)->data, state, sizeof(TinyData));
  return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  (void)instance;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  (void)instance, (void)state;
  *size = tiny_bytes();
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  if (size != tiny_bytes()) return fail(instance, "a state of another size");
  tiny_pack(state, bytes);
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  TinyData data;
  if (!tiny_unpack(&data, bytes, size)) return fail(instance, "no state of this FMU");
  if (!*state) *state = malloc(sizeof data);
  if (!*state) return fmi3Error;
  memcpy(*state, &data, sizeof data);
  return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t reference_count, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t count) {
  Instance* self = instance;
  if (reference_count != 1 || count != 1 || orders[0] != 1 ||
      (references[0] != TINY_X && references[0] != TINY_V))
    return fail(self, "no such derivative");
  values[0] = references[0] == TINY_X ? self->data.v : self->data.u - self->data.k * self->data.x;
  return fmi3OK;
}
