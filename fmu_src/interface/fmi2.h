/* The C interface of FMI 2.0 (model exchange and co-simulation), declared by this project from the
   text of the standard. Usable from C and C++. The prototypes come from the list in
   fmi2_functions.inc; whoever wants the types alone defines FMI_TYPES_ONLY first. A test compares
   all of it with the official headers. */
#pragma once

#include <stddef.h>

#include "fmi_export.h"

/* what fmi2GetTypesPlatform and fmi2GetVersion answer */
#define fmi2TypesPlatform "default"
#define fmi2Version "2.0"

typedef void* fmi2Component;            /* an instance of the FMU */
typedef void* fmi2ComponentEnvironment; /* the importer's own pointer, handed back in callbacks */
typedef void* fmi2FMUstate;             /* a saved state */
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String; /* UTF-8, ends with a zero */
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

/* in the order of gravity, and Pending, which only asynchronous steps may return */
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;

typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

/* what can be asked after DoStep returned Discard or Pending */
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

/* the message is a printf format: text of a user never goes there directly */
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment, fmi2String instance,
                                   fmi2Status status, fmi2String category, fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t count, size_t size);
typedef void (*fmi2CallbackFreeMemory)(void* memory);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);

/* every callback but the logger may be null */
typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#ifndef FMI_TYPES_ONLY
#ifdef __cplusplus
extern "C" {
#endif
#define FMI2_FUNCTION(result, name, parameters) FMI_EXPORT result fmi2##name parameters;
#include "fmi2_functions.inc"
#undef FMI2_FUNCTION
#ifdef __cplusplus
}
#endif
#endif
