#include "engine/contact/newton/scaled_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mbs {
namespace {

constexpr double no_mobility = 1e-12;  // part of the largest W_cc
constexpr double stiffest = 1e4;

double power_of_two(double x) {
  int exponent = 0;
  const double part = std::frexp(x, &exponent);  // 0.5 ... 1
  return std::ldexp(1.0, part < std::numbers::sqrt2 / 2.0 ? exponent - 1 : exponent);
}

ConeEntries entries_of(const FrictionCone& cone) {
  ConeEntries entries;
  entries.shape = {cone.normal >= 0, cone.mu, cone.limit};
  const auto add = [&](int index) {
    entries.index[static_cast<std::size_t>(entries.size++)] = index;
  };
  if (cone.normal >= 0) add(cone.normal);
  for (int k = 0; k < cone.tangents; ++k) add(cone.tangent + k);
  return entries;
}

}  // namespace

ScaledProblem::ScaledProblem(const ContactProblem& problem)
    : problem_(problem), b_(problem.b), S_(Vector::Ones(b_.size())), D_(Vector::Ones(b_.size())) {
  const Vector diagonal =
      problem.factors ? problem.factors->diagonal() : Vector(problem.W.diagonal());
  const double largest = diagonal.cwiseAbs().maxCoeff();
  for (const FrictionCone& cone : problem.cones) {
    cones_.push_back(entries_of(cone));
    const double own = part_of(diagonal, cones_.back()).cwiseAbs().maxCoeff();
    const double mobility = largest > 0.0 ? std::max(own, no_mobility * largest) : 1.0;
    const ConeVector ones = ConeVector::Ones(cones_.back().size);
    put(ones / power_of_two(std::sqrt(mobility)), cones_.back(), S_);
    put(ones * std::min(largest / mobility, stiffest), cones_.back(), D_);
  }
  b_ = S_.cwiseProduct(problem.b);
  const double greatest = b_.cwiseAbs().maxCoeff();
  if (!(greatest > 0.0)) return;
  beta_ = power_of_two(greatest);
  bias_ = std::max(1.0, problem.bias_scale * S_.maxCoeff() / beta_);
  b_ /= beta_;
  for (ConeEntries& cone : cones_) cone.shape.limit /= beta_ * S_[cone.index[0]];
}

}  // namespace mbs
