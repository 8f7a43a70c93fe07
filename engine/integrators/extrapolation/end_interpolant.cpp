#include "engine/integrators/extrapolation/end_interpolant.hpp"

#include <algorithm>

namespace mbs::extrapolation {

EndInterpolant::EndInterpolant(const Stack& stack, int max_rows, int most_differences)
    : Interpolant(stack, h_expansion, max_rows + 3),
      most_differences_(most_differences),
      left_(stack.slopes(), max_rows / 2),
      right_(stack.slopes(), max_rows / 2) {}

void EndInterpolant::differences(int rows, int lambda, int rho, const Slopes& slopes) {
  left_.setZero();
  right_.setZero();
  std::array<double, most_rows> c{};
  for (int k = 1; k <= rho; ++k) {
    extrapolation_weights(expansion_, k, rows, c);
    for (int j = k; j <= rows; ++j) {
      const Matrix& slope = slopes[static_cast<std::size_t>(j - 1)];
      const int n = expansion_.steps(j);
      double weight = c[static_cast<std::size_t>(j - 1)];  // c_j n_j^k times (-1)^i (k over i)
      for (int i = 0; i < k; ++i) weight *= n;
      for (int i = 0; i <= k; ++i) {
        right_.col(k - 1) += weight * slope.col(n - 1 - i);
        if (k <= lambda) left_.col(k - 1) += weight * slope.col(k - i);
        weight *= -double(k - i) / double(i + 1);
      }
    }
  }
}

void EndInterpolant::build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                           const StepEnd& end) {
  const int both = std::min(rows - 1, most_differences_), lambda = both / 2, rho = both - lambda;
  differences(rows, lambda, rho, slopes);
  y_.clear();
  z_.clear();
  const auto fill = [&](double node, const StepEnd& at, const Matrix& higher, int count) {
    add_end(node, H, at);
    double scale = 1.0;  // 1 / k!
    for (int k = 1; k <= count; ++k) {
      scale /= k;
      add_derivative(node, H, k, scale, higher.col(k - 1));
    }
  };
  fill(0.0, begin, left_, lambda);
  fill(1.0, end, right_, rho);
  y_.finish();
  z_.finish();
}

}  // namespace mbs::extrapolation
