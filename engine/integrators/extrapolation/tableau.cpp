#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs {

void extrapolation_weights(int from, int to, std::array<double, most_rows>& c) {
  for (int i = from; i <= to; ++i) {
    double weight = 1.0;
    for (int l = from; l <= to; ++l) {
      if (l == i) continue;
      weight *= double(steps_of_row(i)) / double(steps_of_row(i) - steps_of_row(l));
    }
    c[static_cast<std::size_t>(i - 1)] = weight;
  }
}

void Tableau::add_row(int j) {
  error_.setZero();
  for (int k = 1; k < j; ++k) {
    auto old = T_.col(k - 1);  // T_{j-1,k}, becomes T_{j,k}
    error_ = (next_ - old) / (double(steps_of_row(j)) / double(steps_of_row(j - k)) - 1.0);
    old = next_;
    next_ += error_;
  }
  T_.col(j - 1) = next_;
}

}  // namespace mbs
