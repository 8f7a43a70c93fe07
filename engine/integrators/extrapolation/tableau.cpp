#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {
namespace {

// (n_j / n_i)^q
double ratio(const Expansion& expansion, int j, int i) {
  const double n = double(expansion.steps(j)) / double(expansion.steps(i));
  return expansion.power == 1 ? n : n * n;
}

}  // namespace

void extrapolation_weights(const Expansion& expansion, int from, int to,
                           std::array<double, most_rows>& c) {
  for (int i = from; i <= to; ++i) {
    double weight = 1.0;
    for (int l = from; l <= to; ++l) {
      if (l != i) weight /= 1.0 - ratio(expansion, l, i);
    }
    c[static_cast<std::size_t>(i - 1)] = weight;
  }
}

void Tableau::add_row(int j) {
  error_.setZero();
  for (int k = 1; k < j; ++k) {
    auto old = T_.col(k - 1);  // T_{j-1,k}, becomes T_{j,k}
    error_ = (next_ - old) / (ratio(expansion_, j, j - k) - 1.0);
    old = next_;
    next_ += error_;
  }
  T_.col(j - 1) = next_;
}

}  // namespace mbs::extrapolation
