/* The C interface of FMI 3.0, declared by this project from the text of the standard. Usable from C
   and C++. The prototypes come from the list in fmi3_functions.inc; whoever wants the types alone
   defines FMI_TYPES_ONLY first. A test compares all of it with the official headers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmi_export.h"

/* what fmi3GetVersion answers */
#define fmi3Version "3.0"

typedef void* fmi3Instance;            /* an instance of the FMU */
typedef void* fmi3InstanceEnvironment; /* the importer's own pointer, handed back in callbacks */
typedef void* fmi3FMUState;            /* a saved state */
typedef uint32_t fmi3ValueReference;

typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String; /* UTF-8, ends with a zero */
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary; /* its length travels beside it */
typedef bool fmi3Clock;

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false

/* in the order of gravity */
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

/* how one variable depends on another */
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;

typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;

/* the message is plain text, no format */
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean* early_return_requested,
                                               fmi3Float64* early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#ifndef FMI_TYPES_ONLY
#ifdef __cplusplus
extern "C" {
#endif
#define FMI3_FUNCTION(result, name, parameters) FMI_EXPORT result fmi3##name parameters;
#include "fmi3_functions.inc"
#undef FMI3_FUNCTION
#ifdef __cplusplus
}
#endif
#endif
