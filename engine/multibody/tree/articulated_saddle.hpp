#pragma once

// The common part of the saddle solvers of joint and mixed coordinates: articulated bodies
// (articulated.hpp) for the tree, a dense closure of its loops (loop_closure.hpp), and a fallback
// solver for matrices that they cannot treat (a joint that moves what has no inertia, a nearly
// singular closure).

#include "engine/multibody/tree/articulated.hpp"
#include "engine/multibody/tree/loop_closure.hpp"

namespace mbs {

template <class Space>
class ArticulatedSaddle : public SaddleSolver {
 public:
  double reciprocal_condition() const override;

 protected:
  enum class Holds : std::uint8_t { nothing, articulated, fallback };

  // entries: the length of each column of X, the solutions for the closing rows.
  ArticulatedSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
                    RowSparse closing_rows, Eigen::Index entries, std::string fallback_keyword,
                    bool articulated = true);

  virtual bool factor_articulated(const SaddleMatrix&) = 0;
  virtual bool factor_by_fallback(const SaddleMatrix&) = 0;
  // Solves for the closing rows and factors the matrix of the loops; restore() calls it, too.
  virtual bool close_loops() = 0;
  // The rest of the current matrix, without the factors of the bodies and the closing rows.
  virtual void save_matrix(ByteWriter&) const = 0;
  virtual void restore_matrix(ByteReader&) = 0;

  std::string title() const override;
  void do_analyse(const SaddleStructure&) final {}
  bool do_factor(const SaddleMatrix&) final;
  void do_save(ByteWriter&) const final;
  void do_restore(ByteReader&) final;
  SaddleSolver& fallback();
  const TreeMatrix<Space>& unassembled(const SaddleMatrix& matrix) const {
    return static_cast<const TreeMatrix<Space>&>(*matrix.unassembled);
  }

  const Tree<Space>& tree_;
  const SaddleStructure& structure_;
  Holds holds_ = Holds::nothing;
  ArticulatedBodies<Space> bodies_;
  Matrix X_;
  LoopClosure closure_;

 private:
  const std::string fallback_keyword_;
  const bool articulated_;  // false: every matrix goes to the fallback solver
  std::unique_ptr<SaddleSolver> fallback_;
};

extern template class ArticulatedSaddle<Planar>;
extern template class ArticulatedSaddle<Spatial>;

}  // namespace mbs
