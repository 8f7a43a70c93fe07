#pragma once

// The Jacobian of the residuals in joint coordinates, and rows of outputs against the way in which
// bodies follow these coordinates (joint_output_rows.cpp).

#include "engine/multibody/tree/tree_workspace.hpp"

namespace mbs {

template <class Space>
class JointJacobian {
 public:
  using Own = TreeWorkspace<Space>;

  JointJacobian(const Tree<Space>& tree, const ElementEvaluator<Space>& elements,
                const std::vector<int>& r_of)
      : tree_(tree), elements_(elements), r_of_(r_of), from_(elements.sizes()) {}
  void set_sizes(const Sizes& sizes);  // those of joint coordinates

  // Nothing but gravity acts: the Jacobian is that of the bodies.
  bool inertia_alone() const { return inertia_alone_; }
  // If something else acts, bodies, forces and the wrenches that accelerations need must stand in
  // the workspace.
  void fill(const Context&, const Recursion<Space>&, const State&, Own&) const;
  ColumnSparse record(const Context&, const Recursion<Space>&, const State&, Own&);
  // A row by p, v and v' of the bodies to one by the coordinates, after fill().
  void carry_row(const double* by_p, const double* by_v, const double* by_a, const OutputRow& to,
                 Own&) const;

 private:
  // at_random: to record patterns, with numbers in all places that the elements can reach.
  void prepare(const Context&, const Recursion<Space>&, const State&, Own&, bool at_random) const;
  void prepare_columns(const Context&, Own&, bool at_random) const;
  void set_impedances(Own&) const;
  void fill_inertia(const State&, Own&, Fill&) const;
  struct Change;
  // A sum of columns times displacements, and of these with the parts of velocities and
  // accelerations.
  struct Moved {
    DoubleScrew<Space> S, first, second;
  };
  template <bool moves>
  Change change_of(std::size_t node, const Moved&, Own&) const;
  void prepare_turns(const State&, Own&) const;
  void add_body(int body, const Change&, Own&) const;
  void carry_column(Own&, Eigen::Ref<Vector>) const;
  bool column(int v, bool of_velocity, Own&, Eigen::Ref<Vector>) const;
  template <class Use>
  void for_columns(Own&, const Use&) const;
  typename JointColumns<Space>::Order carried_from_body(std::size_t node, const double* by_p,
                                                        const double* by_v, const double* by_a,
                                                        Own&) const;
  // use(index in p, factor) for the positions that the displacement along v stands for.
  template <class Use>
  void with_positions(const Own& ws, int v, const Use& use) const {
    const TreeNode& node = tree_.nodes[node_of_v_[static_cast<std::size_t>(v)]];
    const int turning = node.np > node.nv ? 3 : 0, plain = node.nv - turning;
    if (v - node.v < plain) {
      use(node.p + v - node.v, 1.0);
      return;
    }
    const auto& factors = ws.columns.turning[static_cast<std::size_t>(v)];
    for (int i = 0; i < 4; ++i) use(node.p + plain + i, factors[i]);
  }

  const Tree<Space>& tree_;
  const ElementEvaluator<Space>& elements_;
  const std::vector<int>& r_of_;
  const JacobianLayout from_;  // of the elements
  Sizes sizes_;
  JacobianLayout layout_{Sizes{}};
  bool inertia_alone_ = false;
  std::vector<int> node_of_v_;
  // Flags of each body: elements or closures depend on it; of these only elements that act on it
  // alone; they depend on its velocity.
  std::vector<char> touched_, apart_, feels_velocity_;
  bool any_apart_ = false;
  std::vector<int> places_;
};

extern template class JointJacobian<Planar>;
extern template class JointJacobian<Spatial>;

}  // namespace mbs
