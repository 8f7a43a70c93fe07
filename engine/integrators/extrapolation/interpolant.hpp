#pragma once

// Dense output by extrapolated divided differences, section 2.4 of report 000. From the slopes of
// the kappa rows of a step, with Delta and Nabla forward and backward differences,
//
//   l_j^(k) = Delta^k (y'_0, z_1) / h_j^k            k = 1 ... lambda, j = k ... kappa       (2.14)
//   r_j^(k) = Nabla^k (y'_{n_j-1}, z_{n_j}) / h_j^k  k = 1 ... rho,    j = k ... kappa       (2.15)
//
// ((2.14) is printed with y_0 for y'_0.) They have h-expansions too; extrapolated kappa - k times
// they approximate y^(k+1) and z^(k) at both ends to O(H^(kappa-k+1)). Hermite interpolation takes
// y, y', y^(k+1) and z, z^(k) at both ends, lambda + rho = kappa - 1, rho - 1 <= lambda <= rho:
//
//   Y: degree kappa + 2, error O(H^(kappa+1)), that of T_{kappa,kappa}
//   Z: degree kappa,     error O(H^kappa)
//
// (The report gives the degrees lambda + rho and lambda + rho - 1, which is fewer than the
// conditions it lists; the polynomial through all of them is taken.)

#include <array>

#include "engine/integrators/common/stack.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs {

// Values (y, z) and slopes (y', ...) at an end of a step, as Stack lays them out.
struct StepEnd {
  Vector value, slope;
};

class Interpolant {
 public:
  // Room for `max_rows` rows.
  Interpolant(const Stack& stack, int max_rows);

  // H = length of the step; slopes[j-1] has the slopes of row j. rows = 1 takes no slopes: Y is
  // the cubic and Z the straight line through both ends.
  void build(double H, int rows, const std::array<Matrix, most_rows>& slopes, const StepEnd& begin,
             const StepEnd& end);

  // At t0 + theta H; fills all unknowns of x.
  void evaluate(double theta, State& x);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void differences(int rows, const std::array<Matrix, most_rows>& slopes);

  Stack stack_;
  int max_rows_;
  int rows_ = 1;
  Matrix left_, right_;  // column k - 1: H^k l^(k), H^k r^(k)
  Matrix Y_, Z_;         // coefficients in Newton's form
  Matrix work_;
  Vector x_;
};

}  // namespace mbs
