#include "engine/integrators/extrapolation/hermite.hpp"

#include <stdexcept>

namespace mbs::extrapolation {

HermiteForm::HermiteForm(int size, int most_conditions)
    : conditions_(size, most_conditions), coefficients_(size, most_conditions) {
  nodes_.reserve(static_cast<std::size_t>(most_conditions));
}

void HermiteForm::finish() {
  const int n = conditions();
  const auto node = [this](int i) { return nodes_[static_cast<std::size_t>(i)]; };
  const auto first_of = [&](int i) {
    while (i > 0 && node(i - 1) == node(i)) --i;
    return i;
  };
  // column i: the difference of the present order that ends at node i
  for (int i = 0; i < n; ++i) coefficients_.col(i) = conditions_.col(first_of(i));
  for (int order = 1; order < n; ++order) {
    for (int i = n - 1; i >= order; --i) {
      const double distance = node(i) - node(i - order);
      if (distance == 0.0) {
        coefficients_.col(i) = conditions_.col(first_of(i) + order);
      } else {
        coefficients_.col(i) = (coefficients_.col(i) - coefficients_.col(i - 1)) / distance;
      }
    }
  }
}

void HermiteForm::evaluate(double theta, Eigen::Ref<Vector> value) const {
  const int n = conditions();
  value = coefficients_.col(n - 1);
  for (int i = n - 2; i >= 0; --i) {
    value = value * (theta - nodes_[static_cast<std::size_t>(i)]) + coefficients_.col(i);
  }
}

void HermiteForm::save(ByteWriter& out) const {
  const int n = conditions();
  out.put(n);
  out.raw(nodes_.data(), sizeof(double) * nodes_.size());
  out.raw(coefficients_.data(),
          sizeof(double) * static_cast<std::size_t>(coefficients_.rows() * n));
}

void HermiteForm::restore(ByteReader& in) {
  int n = 0;
  in.get(n);
  if (n < 1 || n > coefficients_.cols()) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  nodes_.resize(static_cast<std::size_t>(n));
  in.raw(nodes_.data(), sizeof(double) * nodes_.size());
  in.raw(coefficients_.data(), sizeof(double) * static_cast<std::size_t>(coefficients_.rows() * n));
}

}  // namespace mbs::extrapolation
