#pragma once

// A mechanism in joint coordinates, eq. (1.1) of Lubich et al. (1992) with the reduction of its
// section 1.3: p and v are those of the joints along a spanning tree, the bodies follow from them
// by recursion,
//
//   v_abs = T(p) v,   v_abs' = T v' + bias
//   M = T^T M_abs T,  f = T^T (f_abs - M_abs bias),  G = G_cut T,  gamma = gamma_cut + G_cut bias
//
// and the joints that are not in the tree close its loops as constraints. T is never formed:
//
//   place, move   bodies from the ground outwards                          (tree/recursions.hpp)
//   f             recursive Newton-Euler at v' = 0
//   G             each row is a pair of wrenches, carried back to the ground by S^T
//   M             composite rigid bodies, where it is wanted and its pattern is small enough
//   M^-1          articulated bodies, eq. (3.17) in joint axes        (tree/articulated.hpp)
//
// M has an entry for each pair of joints of which one hangs on the other: n^2/2 for a chain. Beyond
// `largest_M` entries it is not assembled (Structure::M_assembled): what needs it says so.

#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

template <class Space>
class JointEquations final : public TreeEquations<Space> {
  using Base = TreeEquations<Space>;
  using typename Base::Own;

 public:
  JointEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> whole,
                 std::unique_ptr<Mechanism<Space>> cut);

  std::unique_ptr<Workspace> make_workspace() const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void friction(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;
  void apply_M(const Context&, const State&, const Vector& x, Vector& Mx,
               Workspace&) const override;
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
  void conditions(const Context&, const State&, Workspace&) const override;
  std::unique_ptr<SaddleSolver> make_solver(const std::string& keyword) const override;

 private:
  using Base::constants;
  using Base::cut_;
  using Base::elements;
  using Base::own;
  using Base::recursion;
  using Base::share;
  using Base::sizes_;
  using Base::structure_;
  using Base::tree_;
  using Base::whole_;
  using Base::wrench_on;

  void from_absolute(const Context&, const State& absolute, State&) const override;
  void place(const Context&, const State&, Own&) const override;
  void move(const Context&, const State&, Own&) const override;
  void accelerations_and_multipliers(const Context&, const State&, Own&) const override;
  void complete_after_jacobian(const Context&, const State&, Own&) const override;
  void set_multipliers(const Context&, const State&, Own&) const;
  void prepare_rows(const Context&, const State&, Own&) const override;
  void carry_row(const double* by_p, const double* by_v, const double* by_a, const OutputRow& to,
                 Own&) const override;
  typename JointColumns<Space>::Order carried_from_body(std::size_t node, const double* by_p,
                                                        const double* by_v, const double* by_a,
                                                        Own&) const;

  void set_names(const Model& model);
  void set_scales();
  void record_patterns();
  void fill_M(Own& ws, Fill& fill) const {
    for_mass_entries(tree_, ws.links.data(), ws.composites.data(),
                     [&](int row, int column, double x) { fill.add(row, column, x); });
  }
  void set_positions(const Context&, Own&) const;  // of bodies, from the links
  void set_velocities(Own&) const;
  void fill_G(const Evaluation<Space>&, Own&, Fill&) const;
  void carry(const Own& ws, int number, DoubleScrew<Space> at_a, int a, DoubleScrew<Space> at_b,
             int b, bool to_ground, Fill& fill) const;
  template <class Function>
  void to_ground(const Own& ws, int node, DoubleScrew<Space> wrench, const Function& use) const;
  DoubleScrew<Space> at_own_frame(const Own& ws, int node, const Vec<double, Space::dim>& linear,
                                  const Vec<double, Space::rot>& angular) const;
  // The wrenches that the accelerations need beyond forces and closures, per node; the bodies'
  // accelerations into the absolute state.
  void residual_wrenches(const Context&, const State&, Own&) const;

  // Columns of the Jacobian (joint_jacobian.cpp).
  // at_random: to record patterns, with numbers in all places that the elements can reach.
  void prepare(const Context&, const State&, Own&, bool at_random = false) const;
  void prepare_columns(const Context&, const State&, Own&, bool at_random) const;
  void set_impedances(Own&) const;
  void fill_inertia(const State&, Own&, Fill&) const;
  struct Change;
  // A sum of columns times displacements, and of these with what velocities and accelerations add.
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
  void record_jacobian(const Context&, const State&, Own&);

  bool singular_at_start(const Parameters&) const;
  RowSparse carried_pattern(const RowSparse& rows) const;
  ColumnSparse friction_pattern() const;
  int node_of_column(int column) const;
  // The row of a pair of wrenches on bodies, given over their coordinates.
  void carry_rows(const RowSparse& rows, Own&, RowSparse& carried) const;

  bool plain_ = false;          // nothing but gravity acts: f needs no elements
  bool needs_bodies_ = false;   // elements look at bodies in the stages
  bool inertia_alone_ = false;  // the Jacobian is that of the bodies
  std::vector<int> node_of_v_;
  // Of each body: elements or closures depend on it; nothing but what acts on it itself does; they
  // follow its velocity.
  std::vector<char> touched_, apart_, feels_velocity_;
  bool any_apart_ = false;
  JacobianLayout layout_{Sizes{}};
  std::vector<int> M_places_, G_places_, jacobian_places_;
  RowSparse condition_p_pattern_, condition_v_pattern_;
};

// use(column, S^T W) for all coordinates from a node to the ground.
template <class Space>
template <class Function>
void JointEquations<Space>::to_ground(const Own& ws, int k, DoubleScrew<Space> w,
                                      const Function& use) const {
  std::array<double, Space::nv> tau;
  for (; k >= 0; k = tree_.nodes[k].parent) {
    const TreeNode& node = tree_.nodes[k];
    project(node, ws.links[k], w, tau.data());
    for (int i = 0; i < node.nv; ++i) use(node.v + i, tau[i]);
    w = wrench_back<Space>(w, ws.links[k].d);
  }
}

extern template class JointEquations<Planar>;
extern template class JointEquations<Spatial>;

}  // namespace mbs
