#pragma once

// Reactions of the joints in a tree that outputs or measures show: their multipliers, as if all
// joints were constraints, and how these depend on everything else.

#include <span>

#include "engine/multibody/tree/tree_workspace.hpp"

namespace mbs {

template <class Space>
class TreeReactions {
 public:
  using Own = TreeWorkspace<Space>;

  // whole: with all joints as constraints; cut: without those in the tree. gyroscopic_apart:
  // gyroscopic torques are not in the Jacobian of `cut`.
  TreeReactions(const Tree<Space>& tree, const ElementEvaluator<Space>& whole,
                const ElementEvaluator<Space>& cut, bool gyroscopic_apart)
      : tree_(tree),
        whole_(whole),
        cut_(cut),
        whole_layout_(whole.sizes()),
        cut_layout_(cut.sizes()),
        gyroscopic_apart_(gyroscopic_apart) {}
  // lambda_of: the row among all joints of each row of `cut`.
  void find(const std::vector<int>& lambda_of);

  const std::vector<std::size_t>& shown() const { return shown_; }  // nodes
  // lambda of the shown joints, from Own::borne.
  void set_shown_multipliers(const Context&, Own&) const;
  void prepare_reactions(const Context&, Own&) const;
  // A row of the Jacobian of the outputs into Own::row, without multipliers of joints in the tree.
  void fold_row(std::span<const OutputEntry> entries, Own&) const;

 private:
  void find_dynamics_entries(const std::vector<int>& lambda_of);
  typename Own::ReactionChange reaction_change(const Evaluation<Space>& here,
                                               std::size_t node) const;
  Vec<double, Space::dim> arm(std::size_t from, std::size_t to, const Own&) const;
  void add_turn(int body, const Vec<double, Space::rot>& by, Own&) const;
  void add_shift(int body, const Vec<double, Space::dim>& by, Own&) const;
  void add_reaction(std::size_t which, const double* by_lambda, Own&) const;
  void add_needs(Own&) const;

  const Tree<Space>& tree_;
  const ElementEvaluator<Space>&whole_, &cut_;
  const JacobianLayout whole_layout_, cut_layout_;
  const bool gyroscopic_apart_;
  std::vector<std::size_t> shown_;
  // The columns of the Jacobian of `cut` with entries in the rows of the dynamics, where these are,
  // and the same column of the whole.
  struct DynamicsEntries {
    int begin, end, whole_column;
  };
  std::vector<DynamicsEntries> of_dynamics_;
};

extern template class TreeReactions<Planar>;
extern template class TreeReactions<Spatial>;

}  // namespace mbs
