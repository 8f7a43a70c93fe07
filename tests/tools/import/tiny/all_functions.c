/* Every function of the interface as a weak definition that answers Error, so that tiny.c needs to
   define only what it can do. The parameters are left out: with C calling conventions the callee
   never looks at them. */
#include "fmu_src/interface/fmi_export.h"

enum { error = 3 };

#define WEAK(name)                                  \
  FMI_EXPORT __attribute__((weak)) int name(void);  \
  FMI_EXPORT __attribute__((weak)) int name(void) { \
    return error;                                   \
  }

#if FMI_VERSION == 2
#define FMI2_FUNCTION(result, name, parameters) WEAK(fmi2##name)
#include "fmu_src/interface/fmi2_functions.inc"
#else
#define FMI3_FUNCTION(result, name, parameters) WEAK(fmi3##name)
#include "fmu_src/interface/fmi3_functions.inc"
#endif
