/* FMI 3.0: the functions of the tiny FMU, each with what can be wrong in it. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "defect.h"
#include "fmu_src/interface/fmi3.h"

#define fmi3GetVersion good_GetVersion
#define fmi3InstantiateCoSimulation good_Instantiate
#define fmi3FreeInstance good_FreeInstance
#define fmi3EnterInitializationMode good_EnterInitializationMode
#define fmi3ExitInitializationMode good_ExitInitializationMode
#define fmi3UpdateDiscreteStates good_UpdateDiscreteStates
#define fmi3Reset good_Reset
#define fmi3GetFloat64 good_GetFloat64
#define fmi3SetFloat64 good_SetFloat64
#define fmi3GetUInt64 good_GetUInt64
#define fmi3SetUInt64 good_SetUInt64
#define fmi3SetString good_SetString
#define fmi3GetString good_GetString
#define fmi3DoStep good_DoStep
#define fmi3GetFMUState good_GetFMUState
#define fmi3SetFMUState good_SetFMUState
#define fmi3FreeFMUState good_FreeFMUState
#define fmi3SerializeFMUState good_SerializeFMUState
#define fmi3DeserializeFMUState good_DeserializeFMUState
#define fmi3GetOutputDerivatives good_GetOutputDerivatives
#include "tests/tools/import/tiny/tiny_fmi3.c"
#undef fmi3GetVersion
#undef fmi3InstantiateCoSimulation
#undef fmi3FreeInstance
#undef fmi3EnterInitializationMode
#undef fmi3ExitInitializationMode
#undef fmi3UpdateDiscreteStates
#undef fmi3Reset
#undef fmi3GetFloat64
#undef fmi3SetFloat64
#undef fmi3GetUInt64
#undef fmi3SetUInt64
#undef fmi3SetString
#undef fmi3GetString
#undef fmi3DoStep
#undef fmi3GetFMUState
#undef fmi3SetFMUState
#undef fmi3FreeFMUState
#undef fmi3SerializeFMUState
#undef fmi3DeserializeFMUState
#undef fmi3GetOutputDerivatives
#include "jacobian.h"

static void* volatile leaked;
static bool has_failed;        /* defects "...-after-errors" */
static int instances;          /* defect "counts-instances" */
static fmi3String lent_string; /* defect "keeps-strings" */

/* An array and its size, for descriptions that have them. */
enum { SIZE = 30, TRACK = 31, DEFAULT_SIZE = 2, MOST_SIZE = 8 };
static size_t track_size;
static double track[MOST_SIZE];

static void crash(void) {
  raise(SIGSEGV);
}

static void ignore(int number) {
  (void)number;
}

const char* fmi3GetVersion(void) {
  return has("version") ? "3.1" : good_GetVersion();
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update) {
  if (has("crash")) crash();
  if (has("exit")) exit(0);
  if (has("name-not-checked") && !name) name = "no name";
  if (has("token-not-checked") && !token) token = TINY_TOKEN;
  if (has("takes-any-token") && token) token = TINY_TOKEN;
  if (has("needs-logger")) log(environment, fmi3OK, "logStatusError", "hello");
  if (has("logs-undeclared") && logging && log) log(environment, fmi3OK, "logDetails", "hello");
  if (has("logs-when-off") && log) log(environment, fmi3OK, "logStatusError", "hello");
  if (has("resources-needed") && !resource_path) crash();
  if (has("resources-with-slash") && resource_path &&
      resource_path[strlen(resource_path) - 1] != '/')
    return NULL;
  if (has("folder")) (void)!chdir("/");
  if (has("locale")) setlocale(LC_ALL, "C.UTF-8");
  if (has("rounding")) fesetround(FE_UPWARD);
  if (has("signals")) signal(SIGUSR1, ignore);
  if (has("prints")) puts("hello");
  if (has("writes-here")) fclose(fopen("log.txt", "w"));
  if (has("writes-resources") && resource_path) {
    char path[512];
    snprintf(path, sizeof path, "%s/cache", resource_path);
    FILE* file = fopen(path, "w");
    if (file) fclose(file);
  }
  ++instances;
  track_size = DEFAULT_SIZE;
  for (int i = 0; i < MOST_SIZE; ++i) track[i] = i + 1;
  if (has("leaks-instances")) leaked = malloc(500);
  Instance* instance = good_Instantiate(name, token, resource_path, visible, logging,
                                        event_mode_used, early_return_allowed, intermediate,
                                        intermediate_count, environment, log, update);
  if (instance && has("other-environment")) instance->environment = instance;
  if (instance && has("no-initialization")) instance->phase = TINY_ENDED;
  if (instance && has("steps-uninitialized")) instance->phase |= TINY_STEPPING;
  return instance;
}

void fmi3FreeInstance(fmi3Instance instance) {
  if (has("free-null") && !instance) crash();
  --instances;
  good_FreeInstance(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
  return good_EnterInitializationMode(instance, tolerance_defined, tolerance, start,
                                      stop_defined && !has("no-stop-time"), stop);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  const fmi3Status status = good_ExitInitializationMode(instance);
  has_failed = status == fmi3Error;
  if (has("starts-with-nan")) ((Instance*)instance)->data.x = NAN;
  return status;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* update_needed,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* states_changed, fmi3Boolean* next_event_defined,
                                    fmi3Float64* next_event) {
  TinyData* data = &((Instance*)instance)->data;
  const bool is_due = data->next_tick <= data->time;
  const fmi3Status status =
      good_UpdateDiscreteStates(instance, update_needed, terminate, nominals_changed,
                                states_changed, next_event_defined, next_event);
  if (has("updates-for-ever")) *update_needed = true;
  if (derives()) {
    *next_event_defined = true;
    *next_event = data->next_tick;
  }
  if (has("jacobian-reinit") && is_due) {
    data->v += 1;
    *states_changed = true;
  }
  return status;
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  Instance* self = instance;
  const TinyData before = self->data;
  if (has("reset-crashes")) crash();
  if (has("reset-hangs"))
    for (;;) pause();
  if (has("reset-refused")) return fail(self, "no reset");
  const fmi3Status status = good_Reset(instance);
  if (has("reset-does-nothing")) self->data = before;
  if (has("reset-keeps-parameters")) self->data.k = before.k;
  if (has("reset-keeps-states")) self->data.v = before.v;
  return status;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, fmi3Float64 values[], size_t count) {
  Instance* self = instance;
  if (has("null-arrays")) *(volatile double*)values = 0;
  if (references && references[0] == TRACK) {
    if (count != (has("sizes-stay") ? DEFAULT_SIZE : track_size)) return fail(self, "another size");
    memcpy(values, track, count * sizeof *values);
    return fmi3OK;
  }
  if (derives() && references && values && reference_count == count) {
    fmi3Status status = fmi3OK;
    for (size_t i = 0; i < count && status == fmi3OK; ++i) {
      if (references[i] == ACCELERATION)
        values[i] = acceleration(&self->data);
      else
        status = good_GetFloat64(instance, &references[i], 1, &values[i], 1);
    }
    return status;
  }
  if (has("any-reference") && references && references[0] > 1000) return fmi3OK;
  if (has("logs-errors-when-off") && references && references[0] > 1000 && self->log)
    self->log(self->environment, fmi3Error, "logStatusError", "no such Float64");
  if (has("unreadable") && self->phase == TINY_ENDED) return fail(self, "not now");
  if (has("mute-after-errors") && has_failed) return fail(self, "not now");
  if (has("any-count") && count != 1) return fmi3OK;
  const fmi3Status status = good_GetFloat64(instance, references, reference_count, values, count);
  if (has("hidden-dependency") && references && references[0] == TINY_X &&
      self->phase == TINY_INITIALIZING)
    values[0] += self->data.u;
  if (has("shared-state") && references && references[0] == TINY_X) values[0] += instances;
  if (has("address") && references && references[0] == TINY_X)
    values[0] += 1e-12 * (double)(uintptr_t)instance;
  return status;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t reference_count, const fmi3Float64 values[], size_t count) {
  Instance* self = instance;
  if (has("sets-outputs") && references[0] == TINY_X) return fmi3OK;
  if (references && references[0] == TRACK) {
    if (count != track_size) return fail(self, "another size");
    memcpy(track, values, count * sizeof *values);
    return fmi3OK;
  }
  if (has("late-inputs") && self->phase == TINY_NEW) return fail(self, "not now");
  if (has("fixed-settable") && references[0] == TINY_X0) return fmi3OK;
  if (has("not-tunable") && self->phase == TINY_STEPPING) return fail(self, "not now");
  return good_SetFloat64(instance, references, reference_count, values, count);
}

fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3UInt64 values[], size_t count) {
  if (!references || references[0] != SIZE)
    return good_GetUInt64(instance, references, reference_count, values, count);
  values[0] = track_size;
  return fmi3OK;
}

fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3UInt64 values[], size_t count) {
  if (!references || references[0] != SIZE)
    return good_SetUInt64(instance, references, reference_count, values, count);
  if (has("one-size-alone") || values[0] > MOST_SIZE) return fail(instance, "not that size");
  track_size = values[0];
  return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return has("no-configuration") ? fail(instance, "no configuration mode") : fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  (void)instance;
  return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, const fmi3String values[], size_t count) {
  lent_string = values[0];
  return good_SetString(instance, references, reference_count, values, count);
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t reference_count, fmi3String values[], size_t count) {
  const fmi3Status status = good_GetString(instance, references, reference_count, values, count);
  if (has("keeps-strings") && lent_string) values[0] = lent_string;
  return status;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step,
                      fmi3Boolean no_state_before_here, fmi3Boolean* event_needed,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* last_time) {
  Instance* self = instance;
  const bool first = self->phase == TINY_STEPPING && self->data.time == time;
  if (has("step-hangs"))
    for (;;) pause();
  if (has("step-fails")) return fail(self, "no step");
  if (has("strict-time") && self->data.time != 0 && time != step * floor(time / step + 0.5))
    return fail(self, "the time is no multiple of the step");
  if (has("no-tiny-step") && step < 1e-8 && step > 0) return fail(self, "the step is too small");
  if (has("any-step") && step <= 0) return fmi3OK;
  if (has("nan-step") && isnan(step)) return fmi3OK;
  if (has("any-time")) time = self->data.time;
  const bool chatters = has("chatters") && self->early_return_allowed && step > 1e-6;
  if (chatters) step = 1e-6;
  const fmi3Status status = good_DoStep(instance, time, step, no_state_before_here, event_needed,
                                        terminate, early_return, last_time);
  if (has("other-end")) *last_time += 1e-9;
  if (has("other-time")) self->data.time = time;
  if (has("returns-nan") && first) self->data.x = NAN;
  if (has("minds-the-flag") && no_state_before_here) self->data.x += 1e-9;
  if (has("always-early") || chatters) *early_return = true;
  if (has("returns-beyond") && self->early_return_allowed) {
    *early_return = true;
    *last_time = time + 2 * step;
  }
  if (has("always-events")) *event_needed = true;
  if (has("changes-discrete")) self->data.count += 1;
  if ((has("late-update") || has("update-goes-back")) && self->update) {
    bool requested = false;
    double wanted = 0;
    self->update(self->environment, has("late-update") ? time + 2 * step : time, false, true, true,
                 false, &requested, &wanted);
  }
  return status;
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  if (has("state-always-new") || has("state-leaks")) *state = NULL;
  if (has("state-none")) return fmi3OK;
  if (has("no-state-after-errors") && has_failed) return fail(instance, "not now");
  return good_GetFMUState(instance, state);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  Instance* self = instance;
  const TinyData before = self->data;
  if (has("state-refused")) return fail(self, "no state");
  const fmi3Status status = good_SetFMUState(instance, state);
  if (has("state-without-speed")) self->data.v = before.v;
  if (has("state-without-time")) self->data.time = before.time;
  if (has("state-spoilt")) ((TinyData*)state)->x += 1;
  return status;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  const fmi3FMUState before = *state;
  if (has("free-state-null") && !before) crash();
  const fmi3Status status = good_FreeFMUState(instance, state);
  if (has("state-not-null")) *state = before;
  return status;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  if (has("serialize-crashes")) crash();
  const fmi3Status status = good_SerializeFMUState(instance, state, bytes, size);
  if (has("serializes-pointers")) {
    TinyData pointer;
    memcpy(&pointer, bytes, sizeof pointer);
    pointer.v = (double)(uintptr_t)instance;
    tiny_pack(&pointer, bytes);
  }
  return status;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  if (has("takes-half-states") && size != tiny_bytes()) return good_GetFMUState(instance, state);
  if (has("takes-altered-states") && size == tiny_bytes()) {
    *state = malloc(sizeof(TinyData));
    memcpy(*state, bytes, sizeof(TinyData));
    return fmi3OK;
  }
  return good_DeserializeFMUState(instance, bytes, size, state);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t reference_count, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t count) {
  if (has("no-derivative")) return fmi3OK;
  if (has("derivative-0") && orders[0] == 0) return fmi3OK;
  return good_GetOutputDerivatives(instance, references, reference_count, orders, values, count);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                        size_t reference_count, fmi3Clock values[]) {
  (void)instance;
  (void)references;
  if (has("clock-unreadable")) return fmi3Error;
  for (size_t i = 0; i < reference_count; ++i) values[i] = has("clock-ticks-on");
  return fmi3OK;
}

/* ---- derivatives, and model exchange to look at them */

static bool has_counts(size_t seed, size_t seed_wanted, size_t result, size_t result_wanted) {
  return has("jacobian-any-count") || (seed == seed_wanted && result == result_wanted);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[],
                                        size_t known_count, const fmi3Float64 seed[],
                                        size_t seed_count, fmi3Float64 sensitivity[],
                                        size_t count) {
  Instance* self = instance;
  return has_counts(seed_count, known_count, count, unknown_count) &&
                 multiply(&self->data, unknowns, unknown_count, knowns, known_count, seed,
                          sensitivity, false)
             ? fmi3OK
             : fail(self, "no such derivative");
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t unknown_count, const fmi3ValueReference knowns[],
                                    size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                    fmi3Float64 sensitivity[], size_t count) {
  Instance* self = instance;
  return has_counts(seed_count, unknown_count, count, known_count) &&
                 multiply(&self->data, unknowns, unknown_count, knowns, known_count, seed,
                          sensitivity, true)
             ? fmi3OK
             : fail(self, "no such derivative");
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                          fmi3String resource_path, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  return fmi3InstantiateCoSimulation(name, token, resource_path, visible, logging, true, false,
                                     NULL, 0, environment, log, NULL);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return has("jacobian-no-exchange") ? fail(instance, "no model exchange") : fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  ((Instance*)instance)->data.time = time;
  return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_state_before_here,
                                       fmi3Boolean* event_mode, fmi3Boolean* terminate) {
  (void)instance, (void)no_state_before_here;
  *event_mode = *terminate = false;
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t count) {
  const TinyData* data = &((Instance*)instance)->data;
  if (count != 2) return fail(instance, "there are two states");
  derivatives[0] = data->v;
  derivatives[1] = acceleration(data);
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* count) {
  (void)instance;
  *count = has("jacobian-state-count") ? 3 : 2;
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t count) {
  const TinyData* data = &((Instance*)instance)->data;
  if (count != 2) return fail(instance, "there are two states");
  states[0] = data->x;
  states[1] = data->v;
  return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[],
                                   size_t count) {
  TinyData* data = &((Instance*)instance)->data;
  if (count != 2) return fail(instance, "there are two states");
  data->x = states[0];
  data->v = states[1];
  return fmi3OK;
}
