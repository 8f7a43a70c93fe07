#pragma once

// Dense output of the midpoint rule after ODEX (Hairer, Norsett, Wanner I, section II.9): in row j
// the midpoint of the step has the odd index m = n_j / 2, and the central differences
//
//   d_j^(0) = y_m,   d_j^(k+1) = delta^k y'_m / (2 h_j)^k,   e_j^(k) = delta^k z_m / (2 h_j)^k
//
// with delta q_i = q_{i+1} - q_{i-1} and k < m, have h^2 expansions since all indices in one of
// them are odd or all are even. They are extrapolated with the rows that have them. Hermite
// interpolation takes them at theta = 1/2, up to k = 2 kappa - 3, beside y, y', z at both ends. The
// degrees are then 2 kappa + 2 for y and 2 kappa - 1 for z; the error is that of the values in the
// middle, O(H^(2 kappa)) with kappa rows. `most_differences` limits k.

#include "engine/integrators/extrapolation/interpolant.hpp"

namespace mbs::extrapolation {

class MidpointInterpolant final : public Interpolant {
 public:
  MidpointInterpolant(const Stack& stack, int max_rows, int most_differences);

  void build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
             const StepEnd& end) override;

 private:
  void central_difference(int k, int rows, const Slopes& slopes);

  int most_differences_;
  Vector middle_, d_;
};

}  // namespace mbs::extrapolation
