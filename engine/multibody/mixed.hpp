#pragma once

// A mechanism in mixed coordinates, Lubich et al. (1992), eq. (1.15): those of all bodies together
// with those of the joints along a spanning tree,
//
//   p = (p_abs, q),   M = diag(M_abs, 0),   0 = k(p_abs, q),   G = (K, J)
//
// large, sparse and without chains of products: the rows of a joint say that the body's frame
// stands where the parent's frame, moved by q, is. That frame P has the motion of a body,
//
//   r_P = r_near + slide(q),   R_P = axes(q),   v_P, omega_P from the parent's and qd,
//
// and the rows are those of a weld between P and far (rows.hpp); what acts on P is carried on to
// the parent and, by S^T, to q. The matrix is solved by recursive elimination over the bodies,
// (3.17): with the joints' blocks known (tree/mixed_saddle.hpp), by the keyword `tree` as it
// stands. Joints that are not in the tree close its loops with the rows of absolute coordinates.

#include "engine/multibody/tree/mixed_saddle.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

template <class Space>
class MixedEquations final : public TreeEquations<Space> {
  using Base = TreeEquations<Space>;
  using typename Base::Own;

 public:
  MixedEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism);

  std::unique_ptr<Workspace> make_workspace() const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void friction(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;
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

  // A joint of the tree: its node, where its q, qd and rows stand, how many rows.
  struct JointRows {
    int node, p, v, row, rows;
    int entry = 0, shape = 0;  // of G: the first one of its rows, and in shapes_
  };
  // Which of a row's arguments are variables.
  enum class Seed { none, parent, far, joint };
  template <class T>
  struct Rows {
    std::array<Row<Space, T>, Space::nv> row;  // on the far body; side a is that of P
    Vec<T, Space::dim> r;                      // of P
    typename Space::template Rotation<T> R = no_rotation<Space, T>();
    BodyState<Space, T> parent;
    std::array<Screw<Space, T>, 3> S;  // motions of q at P, inertial axes
  };

  void from_absolute(const Context&, const State& absolute, State&) const override;
  void place(const Context&, const State&, Own&) const override;
  void move(const Context&, const State&, Own&) const override;
  void write_bodies(const State&, Own&) const override;
  void accelerations_and_multipliers(const Context&, const State&, Own&) const override;
  void carry_row(const double* by_p, const double* by_v, const double* by_a, const OutputRow& to,
                 Own&) const override;

  template <class T>
  Rows<T> rows_of(const Evaluation<Space>&, const LinkConstants<Space>*, const State&,
                  const JointRows&, Seed) const;
  // use(column of v, entry) for row k.
  template <class T, class Function>
  void for_entries(const JointRows&, const Rows<T>&, int k, const Function& use) const;
  JointConstants joint_constants(const LinkConstants<Space>*, const State&, std::size_t node) const;
  // Motions of q at P.
  using Axes = std::array<DoubleScrew<Space>, Space::nv>;
  void set_link(const Context&, const State&, std::size_t node, const JointRows*, Own&,
                Axes&) const;
  void fill_G(const JointRows&, const Own&, const Axes&, Fill&) const;
  void fill_jacobian(const Evaluation<Space>&, const LinkConstants<Space>*, const State&,
                     Fill&) const;
  void fill_kinematics(const JointRows&, const State&, Fill&) const;
  // The Jacobian of the elements, row by row and column by column moved to its place here.
  void add_elements(const ColumnSparse& jacobian, Fill&) const;
  void share_bodies(const State&, Own&) const;
  void set_names();
  void record_patterns();

  std::vector<JointRows> joints_;
  std::vector<typename MixedSaddle<Space>::Place> places_;  // of each node
  bool articulated_ = false;
  int bodies_p_ = 0, bodies_v_ = 0;  // coordinates of bodies; those of joints follow
  int tree_rows_ = 0;                // rows of the tree; those of cut joints follow
  JacobianLayout layout_{Sizes{}};
  std::vector<std::vector<int>> shapes_;  // places of the entries of a joint from its first one
  std::vector<int> jacobian_places_;
};

extern template class MixedEquations<Planar>;
extern template class MixedEquations<Spatial>;

}  // namespace mbs
