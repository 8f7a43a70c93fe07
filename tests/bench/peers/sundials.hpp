#pragma once

// Owners of what SUNDIALS allocates, and its return codes as exceptions.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "engine/base/types.hpp"

namespace mbs::test {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
template <class Handle, auto release>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Release<release>>;

using NVector = Owner<N_Vector, N_VDestroy>;
using SunMatrix = Owner<SUNMatrix, SUNMatDestroy>;
using SunLinearSolver = Owner<SUNLinearSolver, SUNLinSolFree>;
using SunNonlinearSolver = Owner<SUNNonlinearSolver, SUNNonlinSolFree>;

inline void check_sundials(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " returns " + std::to_string(code));
}

class SundialsContext {
 public:
  SundialsContext() { check_sundials(SUNContext_Create(nullptr, &context_), "SUNContext_Create"); }
  ~SundialsContext() { SUNContext_Free(&context_); }
  SundialsContext(const SundialsContext&) = delete;
  SundialsContext& operator=(const SundialsContext&) = delete;
  operator SUNContext() const { return context_; }

 private:
  SUNContext context_ = nullptr;
};

// The integrator's memory, released by its own function (which takes the pointer's address).
template <void (*release)(void**)>
class SundialsMemory {
 public:
  explicit SundialsMemory(void* memory) : memory_(memory) {
    if (memory == nullptr) throw std::runtime_error("SUNDIALS cannot make the integrator");
  }
  ~SundialsMemory() { release(&memory_); }
  SundialsMemory(const SundialsMemory&) = delete;
  SundialsMemory& operator=(const SundialsMemory&) = delete;
  operator void*() const { return memory_; }

 private:
  void* memory_;
};

inline Eigen::Map<Vector> values(N_Vector x) {
  return {N_VGetArrayPointer(x), static_cast<Eigen::Index>(N_VGetLength(x))};
}

// SUNDIALS gives up after 500 steps otherwise.
constexpr long most_steps = 1000000;

}  // namespace mbs::test
