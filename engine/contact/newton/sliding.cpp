#include "engine/contact/newton/sliding.hpp"

#include <algorithm>

namespace mbs {

bool slides(const ContactProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const FrictionCone& cone) { return cone.sliding.size() > 0; });
}

SlidingEliminated eliminate_sliding(const ContactProblem& problem) {
  SlidingEliminated result{{}, {}, Vector::Zero(problem.b.size())};
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int> kept;
  const auto keep = [&](int entry) {
    const int index = static_cast<int>(kept.size());
    entries.emplace_back(entry, index, 1.0);
    kept.push_back(entry);
    return index;
  };
  for (const FrictionCone& cone : problem.cones) {
    FrictionCone rest = cone;
    if (cone.normal >= 0) rest.normal = keep(cone.normal);
    if (cone.sliding.size() > 0) {
      rest = {.normal = rest.normal, .name = cone.name};
      for (int k = 0; k < cone.tangents; ++k) {
        if (cone.normal >= 0)
          entries.emplace_back(cone.tangent + k, rest.normal, -cone.mu * cone.sliding[k]);
        result.constant[cone.tangent + k] = -cone.limit * cone.sliding[k];
      }
      if (cone.normal < 0) continue;
    } else if (cone.tangents > 0) {
      rest.tangent = keep(cone.tangent);
      for (int k = 1; k < cone.tangents; ++k) keep(cone.tangent + k);
    }
    result.problem.cones.push_back(std::move(rest));
  }
  result.P.resize(problem.b.size(), static_cast<Eigen::Index>(kept.size()));
  result.P.setFromTriplets(entries.begin(), entries.end());
  const Matrix W = problem.factors ? problem.factors->matrix() : problem.W;
  const Vector by_constant = W * result.constant;
  result.problem.W = (W * result.P)(kept, Eigen::all);
  result.problem.b = (problem.b + by_constant)(kept);
  const double largest = by_constant.size() > 0 ? by_constant.cwiseAbs().maxCoeff() : 0.0;
  result.problem.bias_scale = std::max(problem.bias_scale, largest);
  return result;
}

}  // namespace mbs
