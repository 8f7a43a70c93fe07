#include "engine/integrators/extrapolation/midpoint_interpolant.hpp"

#include <algorithm>

namespace mbs::extrapolation {

MidpointInterpolant::MidpointInterpolant(const Stack& stack, int max_rows, int most_differences)
    : Interpolant(stack, h2_dense_expansion, 2 * max_rows + 3),
      most_differences_(most_differences),
      middle_(stack.ny()),
      d_(stack.slopes()) {}

// H^k times the k-th derivative of the slopes in the middle.
void MidpointInterpolant::central_difference(int k, int rows, const Slopes& slopes) {
  int from = 1;
  while (expansion_.steps(from) / 2 <= k) ++from;
  std::array<double, most_rows> c{};
  extrapolation_weights(expansion_, from, rows, c);
  d_.setZero();
  for (int j = from; j <= rows; ++j) {
    const Matrix& slope = slopes[static_cast<std::size_t>(j - 1)];
    const int m = expansion_.steps(j) / 2;
    double weight = c[static_cast<std::size_t>(j - 1)];  // c_j m^k times (-1)^i (k over i)
    for (int i = 0; i < k; ++i) weight *= m;
    for (int i = 0; i <= k; ++i) {
      d_ += weight * slope.col(m + k - 2 * i);
      weight *= -double(k - i) / double(i + 1);
    }
  }
}

void MidpointInterpolant::build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                                const StepEnd& end) {
  y_.clear();
  z_.clear();
  add_end(0.0, H, begin);
  add_end(1.0, H, end);
  if (rows > 1) {
    std::array<double, most_rows> c{};
    extrapolation_weights(expansion_, 1, rows, c);
    middle_.setZero();
    for (int j = 1; j <= rows; ++j) {
      const auto i = static_cast<std::size_t>(j - 1);
      middle_ += c[i] * slopes[i].col(expansion_.steps(j)).head(stack_.ny());
    }
    y_.add(0.5) = middle_;
    const int most = std::min(2 * rows - 3, most_differences_);
    double scale = 1.0;  // 1 / k!
    for (int k = 0; k <= most; ++k) {
      if (k > 0) scale /= k;
      central_difference(k, rows, slopes);
      add_derivative(0.5, H, k, scale, d_);
    }
  }
  y_.finish();
  z_.finish();
}

}  // namespace mbs::extrapolation
