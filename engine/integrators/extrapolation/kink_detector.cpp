#include "engine/integrators/extrapolation/kink_detector.hpp"

#include <algorithm>

namespace mbs::extrapolation {

void KinkDetector::add_row(int j, const Vector& W, const ErrorNorm& norm) {
  tableau_.first() = W;
  tableau_.add_row(j);
  d_[static_cast<std::size_t>(j)] = norm(tableau_.value(j));
}

bool KinkDetector::detects(int j, double error, Confidence confidence) const {
  const double d = size(j);
  if (!(d > 1.0) || confidence == Confidence::none) return d > 1.0;
  if (d > (confidence == Confidence::smooth ? 10.0 : 3.0)) return true;
  const double n = double(expansion_.steps(j)) / double(expansion_.steps(1));
  return d > std::max(size(j - 1), n * n * error) / j;
}

}  // namespace mbs::extrapolation
