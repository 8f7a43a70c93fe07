#include "engine/integrators/base/step_failure.hpp"

#include <Eigen/LU>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

// The row or column of the saddle matrix with the smallest pivot, by name.
std::string describe_singular(const Structure& structure, const Workspace& ws) {
  constexpr int largest = 1500;  // a dense elimination beyond this size takes seconds
  const int n = static_cast<int>(ws.M.rows());
  const int m = static_cast<int>(ws.G.rows());
  const std::string singular = "the matrix [M G'; G 0] is singular";
  if (n == 0 || n + m > largest) return singular;

  Matrix A = Matrix::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = ws.M;
  A.bottomLeftCorner(m, n) = ws.G;
  A.topRightCorner(n, m) = Matrix(ws.G).transpose();
  A.diagonal().tail(m) = -ws.D;
  if (!A.allFinite()) return "the matrix [M G'; G 0] holds a value that is not a number";
  for (int i = 0; i < n + m; ++i) {  // rows of size 1: pivots must not depend on units
    const double size = A.row(i).cwiseAbs().maxCoeff();
    if (size > 0.0) A.row(i) /= size;
  }
  const Eigen::FullPivLU<Matrix> lu(A);
  Eigen::Index last = 0;
  lu.matrixLU().diagonal().cwiseAbs().minCoeff(&last);
  const auto& moved_to = lu.permutationP().indices();
  int row = 0;
  while (moved_to[row] != last) ++row;
  const double pivot = lu.matrixLU()(last, last);
  return singular + ", smallest pivot " + short_number(pivot) + " at " +
         (row < n ? name_of(structure.v_names, row, "velocity coordinate")
                  : name_of(structure.lambda_names, row - n, "constraint"));
}

}  // namespace

SolverFailure::SolverFailure(double at, double with, const std::string& reason,
                             const std::string& advice)
    : std::runtime_error("integration stopped at t = " + short_number(at) + " with step " +
                         short_number(with) + ": " + reason +
                         (advice.empty() ? std::string() : ". " + advice)),
      time(at),
      step(with) {}

StepFailure failure_of(const ProjectionResult& result) {
  using Reason = StepFailure::Reason;
  return {result.ok         ? Reason::none
          : result.singular ? Reason::singular
                            : Reason::projection,
          result.residual, result.row};
}

std::string unknown_name(const Equations& equations, int i) {
  const Structure& names = equations.structure();
  const Sizes& n = equations.sizes();
  return i < n.p         ? name_of(names.p_names, i, "position")
         : i < n.p + n.v ? name_of(names.v_names, i - n.p, "velocity")
                         : name_of(names.r_names, i - n.p - n.v, "state");
}

Explanation explain(const StepFailure& failure, const Equations& equations, const Workspace& ws) {
  using Reason = StepFailure::Reason;
  const Structure& names = equations.structure();
  const std::string look_for_redundancy =
      "Look for redundant joints, a singular position, or a coordinate without mass there";
  switch (failure.reason) {
    case Reason::none:
      return {"", "Loosen the tolerances or the limits of the solver"};
    case Reason::error_test:
      return {"the error estimate is " + short_number(failure.size) +
                  " times the tolerance, largest in " + unknown_name(equations, failure.at),
              "Loosen the tolerances, or look for a jump that acts on it"};
    case Reason::newton:
      return {"Newton's method does not converge, its last change is " +
                  short_number(failure.size) + " times the tolerance, largest in " +
                  unknown_name(equations, failure.at),
              "Look for a jump or a very steep force acting on it"};
    case Reason::singular:
      return {describe_singular(names, ws), look_for_redundancy};
    case Reason::iteration_matrix:
      return {"the iteration matrix is singular; " + describe_singular(names, ws),
              look_for_redundancy};
    case Reason::not_finite:
      return {"the equations give a value that is not a finite number",
              "Look for a division by zero or a root of a negative number in the model's "
              "expressions at this time"};
    case Reason::auxiliary:
      return {"the auxiliary unknowns cannot be solved for",
              "Look at the algebraic equations of the model, and at the guess of their unknowns"};
    case Reason::projection:
      return {"the projection does not converge, residual " + short_number(failure.size) + " in " +
                  name_of(names.lambda_names, failure.at, "constraint"),
              "Look for joints that cannot be satisfied together at this time, or tighten the "
              "tolerances"};
    case Reason::rank:
      return {"the rank of the constraints changes" +
                  (failure.at >= 0
                       ? ", now dependent: " + name_of(names.lambda_names, failure.at, "constraint")
                       : std::string()),
              "Look for a singular position of the mechanism (a dead point, links in line), or "
              "joints that become redundant there"};
  }
  return {};
}

}  // namespace mbs
