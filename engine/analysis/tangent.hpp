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

  void follow(Variation& change);  // fills a, lambda, w, s
  // The same with a change of something that the Jacobian does not know, by what it does to the
  // residuals (equations.hpp) on its own.
  void follow(Variation& change, const Vector& residual);
  // Changes of one unknown each by 1, counted through p, v, r, u: fills them whole, so many with
  // one solution. It takes one only for those that act on accelerations and reactions.
  static constexpr int together = 4;
  void follow(std::span<const int> unknowns, std::span<Variation> changes);
  bool acts(int unknown) const;
  // Of (p', v', r'); of the changes that were followed last, number `which`.
  void rates(const Variation& change, Eigen::Ref<Vector> dx, int which = 0) const;
  void outputs(const Context& context, const Variation& change, Eigen::Ref<Vector> dy);

 private:
  void cause(const Variation& change, Eigen::Ref<Vector> effect) const;
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
  // Of K: a tree where K is the matrix of the accelerations themselves and bodies make one, which
  // is eliminated in O(n); LU otherwise, and where a body by itself has no pivots.
  std::unique_ptr<TreeSaddle> tree_;
  bool by_tree_ = false;
  std::unique_ptr<SparseLu> lu_;
  // Of the Jacobian the rows of b and Z v, then those of K. Its columns are those of p, v, r, u,
  // then those of lambda, w, s.
  ColumnSparse J_, K_;
  // Where the entries of M, G, D and of the Jacobian go; -1: nowhere.
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
  Matrix right_, rights_;  // of one change and of `together`
  Vector unit_, unit_effect_;
};

}  // namespace mbs
