#pragma once

// The Delassus operator of free bodies, W = J M^-1 J^T, by its factors: J holds the rows of the
// contacts, M the mass matrix in diagonal blocks, one a body. A product costs as much as J has
// entries; W itself need not be formed. Notation as for the global problems of FCLIB (Acary et al.,
// 2014), with H = J^T.

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

class DelassusOperator {
 public:
  DelassusOperator() = default;
  // Throws std::invalid_argument where the sizes disagree or a mass is not positive definite.
  DelassusOperator(RowSparse J, std::vector<Matrix> masses);

  Eigen::Index size() const { return J_.rows(); }
  Vector product(const Vector& x) const { return J_ * (inverse_mass_ * (J_.transpose() * x)); }
  Vector diagonal() const;
  Matrix matrix() const;

  const RowSparse& J() const { return J_; }
  const std::vector<Matrix>& masses() const { return masses_; }
  const RowSparse& inverse_mass() const { return inverse_mass_; }

 private:
  RowSparse J_, inverse_mass_;
  std::vector<Matrix> masses_;
};

}  // namespace mbs
