/* Libraries that misbehave when they are instantiated, one for each value of BAD: 1 crashes, 2 ends
   the process, 3 and 4 take any token and initialize nothing. */
#include <signal.h>
#include <stdlib.h>

#include "fmu_src/interface/fmi3.h"

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update) {
  (void)name, (void)token, (void)resource_path, (void)visible, (void)logging;
  (void)event_mode_used, (void)early_return_allowed, (void)intermediate, (void)intermediate_count;
  (void)environment, (void)log, (void)update;
#if BAD == 1
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
#elif BAD == 2
  exit(0);
#endif
  return malloc(1); /* takes any token; all other functions answer Error */
}

void fmi3FreeInstance(fmi3Instance instance) {
  free(instance);
}
