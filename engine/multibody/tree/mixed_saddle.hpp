#pragma once

// The saddle solver of mixed coordinates, Lubich et al. (1992), eq. (3.17) with the blocks of the
// joints known. For each joint of the tree, with V the motion of the body at its far frame and V_P
// that of the frame P which q moves on its parent (mixed_rows.hpp), the rows are
//
//   K_k y_k + H_k y_parent + J_k q = C (V - X V_parent - S q),    C = diag(1, C_ang), X a shift by
//   d
//
// exactly, on the constraints and off them: both ends of a row act at r_P and at the far frame by
// the same vectors, and d = r_P less the parent's far frame. So y = T q + y_c with V = X V_parent +
// S q + C^-1 c, and of the whole remain the articulated bodies (articulated.hpp):
//
//   T^T M T q = T^T (b_y - M y_c) + b_q,    C^T mu = the wrenches b_y - M y of what hangs there
//
// with nothing formed and nothing gathered. Rows that close loops border it as in
// loop_closure.hpp; X has x and y of the tree for each. Matrices with F, with D in the tree's rows
// and those that are singular this way go to the fallback solver.

#include "engine/multibody/tree/articulated_saddle.hpp"

namespace mbs {

template <class Space>
class MixedSaddle final : public ArticulatedSaddle<Space> {
  using Base = ArticulatedSaddle<Space>;
  using typename Base::Holds;

 public:
  // The first indices of a node's unknowns: of its body, of its joint (in the tree, and here), of
  // the joint's rows.
  struct Place {
    int parent = -1, v = 0, nv = 0, body = 0, q = -1, row = -1;
    bool turns = true;
  };
  MixedSaddle(const Tree<Space>& tree, std::vector<Place> places, int tree_rows,
              const SaddleStructure& structure);

  // Whether a tree is made of what is treated here, with so many rows that close loops.
  static bool treats(const Mechanism<Space>&, const Tree<Space>&, int closing);

 protected:
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;

 private:
  using Base::bodies_;
  using Base::closure_;
  using Base::holds_;
  using Base::X_;

  bool factor_articulated(const SaddleMatrix&) override;
  bool factor_by_fallback(const SaddleMatrix&) override;
  bool close_loops() override;
  void save_matrix(ByteWriter&) const override;
  void restore_matrix(ByteReader&) override;
  void solve_tree(double* x, double* y);

  std::vector<Place> places_;
  int tree_rows_;
  // The data of a body that solutions need after the factorisation.
  struct Part {
    typename Space::template Rotation<double> A;
    Mat<double, Space::rot> C;  // inverted
    Vec<double, Space::dim> c;
    double mass;
    std::array<double, Space::inertia_numbers> J;
  };
  std::vector<Part> parts_;
  std::vector<DoubleScrew<Space>> motion_, wrench_, more_;
  Vector q_;
};

extern template class MixedSaddle<Planar>;
extern template class MixedSaddle<Spatial>;

}  // namespace mbs
