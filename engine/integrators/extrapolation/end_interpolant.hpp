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
//   y: degree kappa + 2, error O(H^(kappa+1)), that of T_{kappa,kappa}
//   z: degree kappa,     error O(H^kappa)
//
// (The report gives the degrees lambda + rho and lambda + rho - 1, which is fewer than the
// conditions it lists; the polynomial through all of them is taken.) `most_differences` limits
// lambda + rho: cheaper, and of lower order.

#include "engine/integrators/extrapolation/interpolant.hpp"

namespace mbs::extrapolation {

class EndInterpolant final : public Interpolant {
 public:
  EndInterpolant(const Stack& stack, int max_rows, int most_differences);

  void build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
             const StepEnd& end) override;

 private:
  void differences(int rows, int lambda, int rho, const Slopes& slopes);

  int most_differences_;
  Matrix left_, right_;  // column k - 1: H^k l^(k), H^k r^(k)
};

}  // namespace mbs::extrapolation
