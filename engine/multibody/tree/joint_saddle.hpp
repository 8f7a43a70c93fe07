#pragma once

// The saddle solver of joint coordinates. It works on the links in the workspace, not on ws.M:
//
//   articulated bodies for M^-1 (articulated.hpp) with a dense closure of the loops
//   (loop_closure.hpp),
//   or M assembled (composite bodies) for any solver of engine/linear.
//
// A matrix that the first cannot treat (a joint that moves what has no inertia, a nearly singular
// closure) goes to a general solver.

#include "engine/linear/columns.hpp"
#include "engine/multibody/tree/articulated.hpp"
#include "engine/multibody/tree/loop_closure.hpp"

namespace mbs {

template <class Space>
class JointSaddle final : public SaddleSolver, public ColumnSolver {
 public:
  // general: the keyword of the solver that takes M assembled. M_places: Fill's places of
  // for_mass_entries; empty when M cannot be assembled.
  JointSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
              const std::vector<int>& M_places, std::string general, bool articulated);

  double reciprocal_condition() const override;
  void solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) override;

 protected:
  std::string title() const override;
  void do_analyse(const SaddleStructure&) override {}
  bool do_factor(const SaddleMatrix&) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

 private:
  enum class Holds : std::uint8_t { nothing, articulated, general };
  bool factor_general(const Link<Space>* links);
  bool close_loops();
  void close(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);

  const Tree<Space>& tree_;
  const SaddleStructure& structure_;
  const std::vector<int>& M_places_;
  std::string general_keyword_;
  bool articulated_;
  Holds holds_ = Holds::nothing;

  // The current matrix.
  ColumnSparse F_;
  bool with_F_ = false;

  ArticulatedBodies<Space> bodies_;
  Matrix X_;
  LoopClosure closure_;

  std::unique_ptr<SaddleSolver> general_;
  ColumnSparse M_;
  std::vector<Composite<Space>> composites_;
};

extern template class JointSaddle<Planar>;
extern template class JointSaddle<Spatial>;

}  // namespace mbs
