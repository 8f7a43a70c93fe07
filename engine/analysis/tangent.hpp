#pragma once

// Derivatives of accelerations, rates and outputs with respect to states and inputs at a point: the
// equations of motion linearised where they stand, p and v each by itself, as integrators of the
// index-1 form see them. Exact, from the elements' Jacobians, but for outputs (see tangent.cpp).

#include <memory>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

// A direction: p, v, r and u are given, the others follow.
struct Variation {
  Vector p, v, r, u;
  Vector a, lambda, w, s;
  explicit Variation(const Sizes& n);
};

class Tangent {
 public:
  explicit Tangent(const Equations& equations);

  // x: with accelerations, multipliers and auxiliary unknowns. Throws std::runtime_error where
  // accelerations are not determined or the model is not smooth.
  void evaluate(const Given& given, const State& x);

  void follow(Variation& change);                         // fills a, lambda, w, s
  void rates(const Variation& change, Vector& dx) const;  // of (p', v', r')
  void outputs(const Given& given, const Variation& change, Vector& dy);

 private:
  void assemble();

  const Equations& equations_;
  const Sizes& n_;
  const JacobianLayout at_;
  int size_;
  std::unique_ptr<Workspace> ws_, shown_;  // of the Jacobian; of outputs
  std::unique_ptr<SparseLu> lu_;
  std::vector<Eigen::Triplet<double>> entries_;
  ColumnSparse K_;
  State x_, moved_;
  Inputs inputs_;
  Parameters parameters_;
  Vector all_, effect_, right_;
};

}  // namespace mbs
