#pragma once

// Why an attempt at a step was given up, and the message that says so when no step succeeds.

#include <stdexcept>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/equations/projection.hpp"

namespace mbs {

// Integration cannot go on. what() is the whole message.
class SolverFailure : public std::runtime_error {
 public:
  SolverFailure(double time, double step, const std::string& reason, const std::string& advice);
  double time, step;
};

struct StepFailure {
  enum class Reason {
    none,
    error_test,
    newton,
    singular,          // the saddle matrix
    iteration_matrix,  // the matrix of Newton's method is singular
    not_finite,
    auxiliary,
    projection,
    rank
  };
  Reason reason = Reason::none;
  // error_test, newton: the estimate or the last change in tolerances, and the component of
  // (p, v, r) in which it is largest. projection: the residual and its row. rank: the row of G
  // that became dependent, -1 when it is not known.
  double size = 0.0;
  int at = -1;
};

// The failure that a projection reports; Reason::none when it succeeded.
StepFailure failure_of(const ProjectionResult& result);

struct Explanation {
  std::string reason, advice;  // the reason may be empty
};

// The message for a failure. ws holds M, G and D of the matrix that is singular. The call allocates
// and may eliminate a dense matrix.
Explanation explain(const StepFailure& failure, const Equations& equations, const Workspace& ws);

// The advice of explicit methods for Reason::error_test.
inline constexpr const char* advice_for_error_test =
    "Loosen the tolerances, look for a jump or a stiff element acting on it, or choose an implicit "
    "integrator";

// The model's name of component i of (p, v, r).
std::string unknown_name(const Equations& equations, int i);

}  // namespace mbs
