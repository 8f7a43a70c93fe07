#include "engine/integrators/radau/interpolant.hpp"

namespace mbs::radau {

void Polynomial::set(const Vector& begin, const Columns& stages, const Vector& end) {
  const auto& c = tableau().c;
  differences_.col(0) = begin;
  differences_.middleCols<2>(1) = stages.leftCols<2>();
  differences_.col(3) = end;
  for (int order = 1; order <= 3; ++order) {
    for (int i = 3; i >= order; --i) {
      const double span = c[static_cast<std::size_t>(i)] - c[static_cast<std::size_t>(i - order)];
      differences_.col(i) = (differences_.col(i) - differences_.col(i - 1)) / span;
    }
  }
}

void Polynomial::evaluate(double theta, Eigen::Ref<Vector> x) const {
  const auto& c = tableau().c;
  const double w1 = theta, w2 = w1 * (theta - c[1]), w3 = w2 * (theta - c[2]);
  x = differences_.col(0) + w1 * differences_.col(1) + w2 * differences_.col(2) +
      w3 * differences_.col(3);
}

void Polynomial::save(ByteWriter& out) const {
  out.raw(differences_.data(), sizeof(double) * static_cast<std::size_t>(differences_.size()));
}

void Polynomial::restore(ByteReader& in) {
  in.raw(differences_.data(), sizeof(double) * static_cast<std::size_t>(differences_.size()));
}

}  // namespace mbs::radau
