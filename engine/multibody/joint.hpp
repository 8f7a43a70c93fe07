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

#include "engine/multibody/carried_rows.hpp"
#include "engine/multibody/joint_jacobian.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

template <class Space>
class JointEquations final : public TreeEquations<Space> {
  using Base = TreeEquations<Space>;
  using typename Base::Own;

 public:
  JointEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism);

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
  using Base::own;
  using Base::share;
  using Base::sizes_;
  using Base::structure_;
  using Base::tree_;
  using Base::whole_;

  Recursion<Space> recursion(const Context& context, Own& ws) const {
    return {tree_, constants(context), ws.links.data()};
  }
  void from_absolute(const Context&, const State& absolute, State&) const override;
  void place(const Context&, const State&, Own&) const override;
  void move(const Context&, const State&, Own&) const override;
  void accelerations_and_multipliers(const Context&, const State&, Own&) const override;
  void complete_after_jacobian(const Context&, const State&, Own&) const override;
  void set_multipliers(const Context&, const State&, Own&) const;
  void carry_row(const double* by_p, const double* by_v, const double* by_a, const OutputRow& to,
                 Own& ws) const override {
    jacobian_.carry_row(by_p, by_v, by_a, to, ws);
  }
  void set_names(const Model& model);
  void set_scales();
  void record_patterns();
  void fill_M(Own& ws, Fill& fill) const {
    for_mass_entries(tree_, ws.links.data(), ws.composites.data(),
                     [&](int row, int column, double x) { fill.add(row, column, x); });
  }
  void set_positions(const Context&, Own&) const;  // of bodies, from the links
  void set_velocities(Own&) const;
  // The wrenches that the accelerations need beyond forces and closures, per node; the bodies'
  // accelerations into the absolute state.
  void residual_wrenches(const Context&, const State&, Own&) const;

  void prepare_bodies(const Context&, const State&, Own&) const;

  bool singular_at_start(const Parameters&) const;

  bool plain_ = false;         // nothing but gravity acts: f needs no elements
  bool needs_bodies_ = false;  // elements look at bodies in the stages
  CarriedRows<Space> carried_;
  JointJacobian<Space> jacobian_;
  std::vector<int> M_places_, G_places_;
  RowSparse condition_p_pattern_, condition_v_pattern_;
};

extern template class JointEquations<Planar>;
extern template class JointEquations<Spatial>;

}  // namespace mbs
