/* FMI 2.0: what can be wrong there and not in defects3.c, and some of that again. */
#include <signal.h>

#include "defect.h"
#include "fmu_src/interface/fmi2.h"

#define fmi2GetTypesPlatform good_GetTypesPlatform
#define fmi2Instantiate good_Instantiate
#define fmi2Reset good_Reset
#define fmi2DoStep good_DoStep
#define fmi2SetFMUstate good_SetFMUstate
#define fmi2GetReal good_GetReal
#define fmi2SetReal good_SetReal
#include "tests/tools/import/tiny/tiny_fmi2.c"
#undef fmi2GetTypesPlatform
#undef fmi2Instantiate
#undef fmi2Reset
#undef fmi2DoStep
#undef fmi2SetFMUstate
#undef fmi2GetReal
#undef fmi2SetReal
#include "jacobian.h"

const char* fmi2GetTypesPlatform(void) {
  return has("platform") ? "other" : good_GetTypesPlatform();
}

static const fmi2CallbackFunctions* lent_callbacks;
static enum { OTHER, EVENTS, CONTINUOUS } exchange_mode; /* of model exchange */

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resource_uri, const fmi2CallbackFunctions* callbacks,
                              fmi2Boolean visible, fmi2Boolean logging) {
  lent_callbacks = callbacks;
  if (has("needs-two-slashes") && resource_uri && strncmp(resource_uri, "file://", 7) != 0)
    return NULL;
  if (has("callbacks-not-checked") && !callbacks) raise(SIGSEGV);
  exchange_mode = OTHER;
  if (type == fmi2ModelExchange && derives()) {
    type = fmi2CoSimulation;
    exchange_mode = EVENTS;
  }
  return good_Instantiate(name, type, guid, resource_uri, callbacks, visible, logging);
}

fmi2Status fmi2Reset(fmi2Component component) {
  if (has("reset-crashes")) raise(SIGSEGV);
  return has("reset-does-nothing") ? fmi2OK : good_Reset(component);
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real step,
                      fmi2Boolean no_state_before_here) {
  if (has("mute-discard")) return fmi2Discard;
  const fmi2Status status = good_DoStep(component, time, step, no_state_before_here);
  if (has("other-time")) ((Instance*)component)->data.time = time;
  return status;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  const TinyData before = ((Instance*)component)->data;
  const fmi2Status status = good_SetFMUstate(component, state);
  if (has("state-without-speed")) ((Instance*)component)->data.v = before.v;
  return status;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
  /* the importer's structure instead of a copy of it */
  if (has("callbacks-not-copied")) ((Instance*)component)->callbacks = *lent_callbacks;
  if (!derives() || !references || !values)
    return good_GetReal(component, references, count, values);
  fmi2Status status = fmi2OK;
  for (size_t i = 0; i < count && status == fmi2OK; ++i) {
    if (references[i] == ACCELERATION)
      values[i] = acceleration(&((Instance*)component)->data);
    else
      status = good_GetReal(component, &references[i], 1, &values[i]);
  }
  return status;
}

/* ---- model exchange */

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
  TinyData* data = &((Instance*)component)->data;
  const bool is_state =
      count == 1 && references && (references[0] == TINY_X || references[0] == TINY_V);
  if (exchange_mode != CONTINUOUS || !is_state || has("jacobian-states-together"))
    return good_SetReal(component, references, count, values);
  *(references[0] == TINY_X ? &data->x : &data->v) = values[0];
  return fmi2OK;
}

fmi2Status fmi2EnterEventMode(fmi2Component component) {
  if (has("jacobian-one-event") && exchange_mode == EVENTS)
    return fail(component, "it is event mode");
  exchange_mode = EVENTS;
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo* info) {
  TinyData* data = &((Instance*)component)->data;
  memset(info, 0, sizeof *info);
  if (data->next_tick <= data->time) tiny_tick(data);
  info->nextEventTimeDefined = fmi2True;
  info->nextEventTime = data->next_tick;
  return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component) {
  (void)component;
  exchange_mode = CONTINUOUS;
  return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time) {
  ((Instance*)component)->data.time = time;
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean no_state_before_here,
                                       fmi2Boolean* event_mode, fmi2Boolean* terminate) {
  (void)component, (void)no_state_before_here;
  *event_mode = *terminate = fmi2False;
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real states[], size_t count) {
  TinyData* data = &((Instance*)component)->data;
  if (count != 2) return fail(component, "there are two states");
  data->x = states[0];
  data->v = states[1];
  return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real states[], size_t count) {
  const TinyData* data = &((Instance*)component)->data;
  if (count != 2) return fail(component, "there are two states");
  states[0] = data->x;
  states[1] = data->v;
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real derivatives[], size_t count) {
  const TinyData* data = &((Instance*)component)->data;
  if (count != 2) return fail(component, "there are two states");
  derivatives[0] = data->v;
  derivatives[1] = acceleration(data);
  return fmi2OK;
}

/* ---- derivatives */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                        const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count,
                                        const fmi2Real seed[], fmi2Real sensitivity[]) {
  Instance* self = component;
  return multiply(&self->data, unknowns, unknown_count, knowns, known_count, seed, sensitivity,
                  false)
             ? fmi2OK
             : fail(self, "no such derivative");
}
