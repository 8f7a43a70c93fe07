#pragma once

// A contact problem without units: x = beta S x~, b~ = S b/beta with S = 1/sqrt(W_cc) for each
// cone, W_cc the largest diagonal entry of its rows, and |b~| = 1 at most, up to powers of two, so
// that scaling does not round. Its operator is
//
//   W~ + epsilon D,   D = min(W_max, 10^4 W_cc)/W_cc
//
// where the regularisation epsilon is a small compliance of the contacts. As far as W_cc are of
// similar size it is the same for all contacts, so that of all forces those of least norm result
// (Tikhonov); the bound keeps it small where a contact is much stiffer than others.

#include <array>
#include <vector>

#include "engine/contact/newton/projection.hpp"
#include "engine/contact/problem.hpp"

namespace mbs {

struct ConeEntries {
  std::array<int, 3> index{};
  int size = 0;
  ConeShape shape;
};

class ScaledProblem {
 public:
  explicit ScaledProblem(const ContactProblem& problem);

  Eigen::Index size() const { return b_.size(); }
  const std::vector<ConeEntries>& cones() const { return cones_; }
  const Vector& b() const { return b_; }
  const Vector& D() const { return D_; }
  double bias() const { return bias_; }  // largest |b~| before its terms cancelled
  const ContactProblem& problem() const { return problem_; }
  const Vector& S() const { return S_; }
  Vector product(const Vector& x) const {
    return S_.cwiseProduct(mbs::product(problem_, S_.cwiseProduct(x)));
  }
  Vector unscaled(const Vector& x) const { return beta_ * S_.cwiseProduct(x); }

 private:
  const ContactProblem& problem_;
  std::vector<ConeEntries> cones_;
  Vector b_, S_, D_;
  double beta_ = 1.0, bias_ = 1.0;
};

inline ConeVector part_of(const Vector& x, const ConeEntries& cone) {
  ConeVector part(cone.size);
  for (int k = 0; k < cone.size; ++k) part[k] = x[cone.index[static_cast<std::size_t>(k)]];
  return part;
}
inline void put(const ConeVector& part, const ConeEntries& cone, Vector& x) {
  for (int k = 0; k < cone.size; ++k) x[cone.index[static_cast<std::size_t>(k)]] = part[k];
}

}  // namespace mbs
