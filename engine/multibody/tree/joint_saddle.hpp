#pragma once

// The saddle solver of joint coordinates. It reads the links of the tree instead of M:
//
//   articulated bodies for M^-1 with a dense closure of the loops (articulated_saddle.hpp),
//   or M assembled (composite bodies) for any solver of engine/linear.

#include "engine/multibody/tree/articulated_saddle.hpp"

namespace mbs {

template <class Space>
class JointSaddle final : public ArticulatedSaddle<Space> {
  using Base = ArticulatedSaddle<Space>;
  using typename Base::Holds;

 public:
  // fallback: the keyword of the solver that takes M assembled. M_places: Fill's places of
  // for_mass_entries; empty when M cannot be assembled.
  JointSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
              const std::vector<int>& M_places, std::string fallback, bool articulated);

  void solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) override;

 protected:
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;

 private:
  using Base::bodies_;
  using Base::closure_;
  using Base::holds_;
  using Base::structure_;
  using Base::tree_;
  using Base::X_;

  bool factor_articulated(const SaddleMatrix&) override;
  bool factor_by_fallback(const SaddleMatrix&) override;
  bool close_loops() override;
  void save_matrix(ByteWriter&) const override;
  void restore_matrix(ByteReader&) override;
  void set_rows(const SaddleMatrix&);
  void close(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);

  const std::vector<int>& M_places_;
  ColumnSparse F_;
  bool with_F_ = false;
  ColumnSparse M_;  // for the fallback solver
  std::vector<Composite<Space>> composites_;
};

extern template class JointSaddle<Planar>;
extern template class JointSaddle<Spatial>;

}  // namespace mbs
