/* FMI 2.0 over tiny.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_src/interface/fmi2.h"
#include "tiny.h"

typedef struct {
  TinyData data;
  int phase;
  double stop;
  fmi2CallbackFunctions callbacks;
  char name[64];
  bool logging;
} Instance;

static fmi2Status fail(Instance* instance, const char* message) {
  if (instance->logging)
    instance->callbacks.logger(instance->callbacks.componentEnvironment, instance->name, fmi2Error,
                               "logStatusError", "%s", message);
  return fmi2Error;
}

static bool enter(Instance* instance, int phases) {
  if (instance->phase & phases) return true;
  fail(instance, "the call is not allowed now");
  return false;
}

const char* fmi2GetTypesPlatform(void) {
  return fmi2TypesPlatform;
}
const char* fmi2GetVersion(void) {
  return fmi2Version;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resource_uri, const fmi2CallbackFunctions* callbacks,
                              fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible;
  if (!callbacks || !callbacks->logger || !name || !*name || !guid || type != fmi2CoSimulation)
    return NULL;
  if (strcmp(guid, TINY_TOKEN) != 0 || !resource_uri || strncmp(resource_uri, "file:", 5) != 0) {
    callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
                      "guid %s or resources %s are wrong", guid, resource_uri);
    return NULL;
  }
  Instance* instance = calloc(1, sizeof *instance);
  if (!instance) return NULL;
  tiny_reset(&instance->data);
  instance->phase = TINY_NEW;
  instance->stop = INFINITY;
  instance->callbacks = *callbacks;
  instance->logging = logging;
  strncpy(instance->name, name, sizeof instance->name - 1);
  return instance;
}

void fmi2FreeInstance(fmi2Component component) {
  free(component);
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t count,
                               const fmi2String categories[]) {
  (void)count, (void)categories;
  ((Instance*)component)->logging = on;
  return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start, fmi2Boolean stop_defined,
                               fmi2Real stop) {
  (void)tolerance_defined, (void)tolerance;
  Instance* instance = component;
  if (!enter(instance, TINY_NEW)) return fmi2Error;
  instance->stop = stop_defined ? stop : INFINITY;
  instance->data.time = start;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  if (!enter(component, TINY_NEW)) return fmi2Error;
  ((Instance*)component)->phase = TINY_INITIALIZING;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  Instance* instance = component;
  if (!enter(instance, TINY_INITIALIZING)) return fmi2Error;
  instance->phase = TINY_STEPPING;
  tiny_start(&instance->data, instance->data.time);
  return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component) {
  if (!enter(component, TINY_STEPPING)) return fmi2Error;
  ((Instance*)component)->phase = TINY_ENDED;
  return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component) {
  tiny_reset(&((Instance*)component)->data);
  ((Instance*)component)->phase = TINY_NEW;
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
  Instance* instance = component;
  if (!references || !values) return fail(instance, "a null array");
  for (size_t i = 0; i < count; ++i) {
    const double* real = tiny_real(&instance->data, references[i]);
    if (!real) return fail(instance, "no such Real");
    values[i] = *real;
  }
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i) {
    double* real = tiny_real(&instance->data, references[i]);
    if (!real || references[i] == TINY_X || !tiny_can_set(instance->phase, references[i]))
      return fail(instance, "no Real that can be set now");
    *real = values[i];
  }
  return fmi2OK;
}

static int32_t* whole(TinyData* data, fmi2ValueReference reference) {
  if (reference == TINY_COUNT) return &data->count;
  if (reference == TINY_TICKING) return &data->ticking;
  return reference == TINY_MODE ? &data->mode : NULL;
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, fmi2Integer values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i) {
    const int32_t* value = whole(&instance->data, references[i]);
    if (!value) return fail(instance, "no such Integer");
    values[i] = *value;
  }
  return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, fmi2Boolean values[]) {
  return fmi2GetInteger(component, references, count, values);
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, const fmi2Integer values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i) {
    int32_t* value = whole(&instance->data, references[i]);
    if (!value || references[i] == TINY_COUNT || !tiny_can_set(instance->phase, references[i]))
      return fail(instance, "no Integer to set");
    *value = values[i];
  }
  return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference references[],
                          size_t count, const fmi2Boolean values[]) {
  return fmi2SetInteger(component, references, count, values);
}

fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference references[],
                         size_t count, fmi2String values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i) {
    if (references[i] != TINY_LABEL) return fail(instance, "no such String");
    values[i] = instance->data.label;
  }
  return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference references[],
                         size_t count, const fmi2String values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i)
    if (references[i] != TINY_LABEL || !tiny_can_set(instance->phase, references[i]) ||
        !tiny_set_label(&instance->data, values[i]))
      return fail(instance, "no such String, or too long");
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real step,
                      fmi2Boolean no_state_before_here) {
  (void)no_state_before_here;
  Instance* instance = component;
  if (!enter(instance, TINY_STEPPING)) return fmi2Error;
  if (!tiny_can_step(&instance->data, time, step, instance->stop))
    return fail(instance, "the step must be positive, begin where the last ended, end before stop");
  tiny_advance(&instance->data, time + step, false);
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  if (!*state) *state = malloc(sizeof(TinyData));
  if (!*state) return fmi2Error;
  memcpy(*state, &((Instance*)component)->data, sizeof(TinyData));
  return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  memcpy(&((Instance*)component)->data, state, sizeof(TinyData));
  return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  (void)component;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  (void)component, (void)state;
  *size = tiny_bytes();
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
  if (size != tiny_bytes()) return fail(component, "a state of another size");
  tiny_pack(state, bytes);
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  TinyData data;
  if (!tiny_unpack(&data, bytes, size)) return fail(component, "no state of this FMU");
  if (!*state) *state = malloc(sizeof data);
  if (!*state) return fmi2Error;
  memcpy(*state, &data, sizeof data);
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component,
                                        const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[]) {
  Instance* instance = component;
  for (size_t i = 0; i < count; ++i) {
    if (orders[i] != 1 || (references[i] != TINY_X && references[i] != TINY_V))
      return fail(instance, "no such derivative");
    const TinyData* data = &instance->data;
    values[i] = references[i] == TINY_X ? data->v : data->u - data->k * data->x;
  }
  return fmi2OK;
}
