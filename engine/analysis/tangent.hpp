#pragma once

// Derivatives of accelerations, rates and outputs with respect to states and inputs at a point: the
// equations of motion linearised where they stand, p and v each by itself, as integrators of the
// index-1 form see them. Exact, from the elements' Jacobians; outputs of models in C++ are
// differenced (see tangent.cpp).

#include <memory>
#include <span>
#include <vector>

#include "engine/equations/input_filter_states.hpp"
#include "engine/equations/output_derivatives.hpp"
#include "engine/linear/sparse_lu.hpp"
#include "engine/linear/tree_saddle.hpp"

namespace mbs {

class Tangent {
 public:
  explicit Tangent(const Equations& equations);

  // x: with accelerations, multipliers and auxiliary unknowns. Throws std::runtime_error where
  // accelerations are not determined or the model is not smooth.
  void evaluate(const Context& context, const State& x);
  bool knows_outputs() const { return exact_ != nullptr; }

  void complete(Variation& change);  // fills a, lambda, w, s
  // Completes the change of an argument that has no column in the Jacobian: `residual` is its
  // derivative of the residuals (equations.hpp).
  void complete(Variation& change, const Vector& residual);
  // Sets each change to that of one unknown by 1 (counted through p, v, r, u) and completes it, at
  // most `columns_at_once` with one solution. Nothing is solved if no unknown acts.
  static constexpr int columns_at_once = 4;
  void complete(std::span<const int> unknowns, std::span<Variation> changes);
  bool acts(int unknown) const;  // on accelerations and reactions
  // The change of (p', v', r') that belongs to change number `which` of the last complete().
  void rates(const Variation& change, Eigen::Ref<Vector> dx, int which = 0) const;
  void outputs(const Context& context, const Variation& change, Eigen::Ref<Vector> dy);

 private:
  void set_effect(const Variation& change, Eigen::Ref<Vector> effect) const;
  void add_column(int column, double factor, Eigen::Ref<Vector> effect) const;
  void solve(std::span<Variation> changes);
  void set_patterns();
  void set_K_pattern();
  std::unique_ptr<TreeSaddle> make_tree() const;
  void add_following();
  void assemble();
  bool factor();
  void difference_outputs(const Context& context, const Variation& change, Eigen::Ref<Vector> dy);

  const Equations& equations_;
  const OutputDerivatives* exact_;  // null: there are none
  const Sizes& n_;
  const JacobianLayout at_;
  const int rates_, size_;  // of b and Z v; of K
  std::unique_ptr<Workspace> ws_;
  bool outputs_prepared_ = false;
  // Two factorisations of K. The tree eliminates in O(n), if K is the saddle matrix of the
  // accelerations and the bodies make a tree; LU is for all others, and for bodies that have no
  // pivots by themselves.
  std::unique_ptr<TreeSaddle> tree_;
  bool by_tree_ = false;
  std::unique_ptr<SparseLu> lu_;
  // J_ has the rows of the Jacobian for b and Z v, then those of K; its columns are those of
  // p, v, r, u, then those of lambda, w, s.
  ColumnSparse J_, K_;
  // The indices that entries of M, G, D and of the Jacobian have in K_ and J_; -1: left out.
  std::vector<int> M_places_, G_places_, D_places_, to_J_, J_to_K_;
  // Rows of coordinates that follow inputs, and what they add to those of their accelerations:
  // entries of the Jacobian, for a row of G v instead of g, and where they go in J_.
  std::vector<InputFilterStates::Following> following_;
  struct FollowingEntry {
    std::size_t of;  // following_
    bool velocity;
    int from, to;
  };
  std::vector<FollowingEntry> following_entries_;
  State x_, moved_;
  Inputs inputs_;
  Parameters parameters_;
  Matrix effects_;         // a column for each change
  Matrix right_, rights_;  // of one change and of `columns_at_once`
  Vector unit_, unit_effect_;
};

}  // namespace mbs
