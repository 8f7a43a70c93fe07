#pragma once

// Shared by the files of the C interface of FMI 3.0.

#include "fmu_src/c_interface.hpp"
#include "fmu_src/interface/fmi3.h"

namespace mbs {

inline fmi3Status fmi3(Status status) {
  return static_cast<fmi3Status>(status);
}

inline fmi3Status not_here(fmi3Instance instance, const char* function, const char* why) {
  return fmi3(not_provided(instance, function, why));
}

}  // namespace mbs
