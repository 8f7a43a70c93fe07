#pragma once

// The saddle solver of mixed coordinates, Lubich et al. (1992), eq. (3.17) with the blocks of the
// joints known. Of each joint of the tree, with V the motion of the body at its far frame and V_P
// that of the frame P which q moves on its parent (mixed_rows.hpp), the rows are
//
//   K_k y_k + H_k y_father + J_k q = C (V - X V_father - S q),    C = diag(1, C_ang), X a shift by
//   d
//
// exactly, on the constraints and off them: both ends of a row act at r_P and at the far frame by
// the same vectors, and d = r_P less the parent's far frame. So y = T q + y_c with V = X V_father +
// S q + C^-1 c, and of the whole remain the articulated bodies (articulated.hpp):
//
//   T^T M T q = T^T (b_y - M y_c) + b_q,    C^T mu = the wrenches b_y - M y of what hangs there
//
// with nothing formed and nothing gathered. Rows that close loops border it as in
// loop_closure.hpp. Matrices with F, with D in the tree's rows and those that are singular
// this way go to a general solver.

#include <memory>

#include "engine/multibody/tree/articulated.hpp"
#include "engine/multibody/tree/loop_closure.hpp"

namespace mbs {

// What the solver needs beside a Link. That is of the body about its far frame, with R, axis and d
// those of P.
template <class Space>
struct MixedLink {
  typename Space::template Rotation<double> A = no_rotation<Space, double>();  // of the body
  Mat<double, Space::rot> C;                                                   // C_ang
};

template <class Space>
class MixedSaddle final : public SaddleSolver {
 public:
  // Where a node's unknowns stand: of its body, its joint (in the tree, and here), the rows of
  // that.
  struct Place {
    int parent = -1, v = 0, nv = 0, body = 0, q = -1, row = -1;
    bool turns = true;
  };
  MixedSaddle(const Tree<Space>& tree, std::vector<Place> places, int tree_rows,
              const SaddleStructure& structure);

  // Whether a tree is made of what is treated here, with so many rows that close loops.
  static bool treats(const Mechanism<Space>&, const Tree<Space>&, int closing);

  double reciprocal_condition() const override;

 protected:
  std::string title() const override;
  void do_analyse(const SaddleStructure&) override {}
  bool do_factor(const SaddleMatrix&) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

 private:
  enum class Holds : std::uint8_t { nothing, articulated, general };
  bool factor_articulated(const SaddleMatrix&);
  bool close_loops();
  void solve_tree(double* x, double* y);

  const Tree<Space>& tree_;
  const SaddleStructure& structure_;
  std::vector<Place> places_;
  int tree_rows_;
  Holds holds_ = Holds::nothing;

  // Of each body what is needed after the factorisation.
  struct Part {
    typename Space::template Rotation<double> A;
    Mat<double, Space::rot> C;  // inverted
    Vec<double, Space::dim> c;
    double mass;
    std::array<double, Space::inertia_numbers> J;
  };
  std::vector<Part> parts_;
  ArticulatedBodies<Space> bodies_;
  std::vector<DoubleScrew<Space>> motion_, wrench_, more_;
  Vector q_;
  Matrix X_;  // of each row that closes a loop: x, and y of the tree
  LoopClosure closure_;
  std::unique_ptr<SaddleSolver> general_;
};

extern template class MixedSaddle<Planar>;
extern template class MixedSaddle<Spatial>;

}  // namespace mbs
