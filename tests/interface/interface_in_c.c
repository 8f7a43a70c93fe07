/* The headers are C, not only C++: this file compiles, and says how large the structures are there.
 */
#include "fmu_src/interface/fmi2.h"
#include "fmu_src/interface/fmi3.h"

size_t size_of_callbacks_in_c(void);
size_t size_of_event_info_in_c(void);
size_t size_of_status3_in_c(void);
size_t size_of_boolean3_in_c(void);

size_t size_of_callbacks_in_c(void) {
  return sizeof(fmi2CallbackFunctions);
}
size_t size_of_event_info_in_c(void) {
  return sizeof(fmi2EventInfo);
}
size_t size_of_status3_in_c(void) {
  return sizeof(fmi3Status);
}
size_t size_of_boolean3_in_c(void) {
  return sizeof(fmi3Boolean);
}
