#include "engine/multibody/tree/articulated_saddle.hpp"

namespace mbs {

template <class Space>
ArticulatedSaddle<Space>::ArticulatedSaddle(const Tree<Space>& tree,
                                            const SaddleStructure& structure,
                                            RowSparse closing_rows, Eigen::Index entries,
                                            std::string fallback_keyword, bool articulated)
    : tree_(tree),
      structure_(structure),
      bodies_(tree),
      X_(Matrix::Zero(entries, articulated ? closing_rows.rows() : 0)),
      closure_(std::move(closing_rows)),
      fallback_keyword_(std::move(fallback_keyword)),
      articulated_(articulated) {
  if (!articulated) fallback();
}

template <class Space>
SaddleSolver& ArticulatedSaddle<Space>::fallback() {
  if (!fallback_) fallback_ = make_saddle_solver(fallback_keyword_, structure_);
  return *fallback_;
}

template <class Space>
std::string ArticulatedSaddle<Space>::title() const {
  if (!articulated_) return fallback_->name();
  std::string text = "articulated bodies of " + std::to_string(tree_.nodes.size()) + " links";
  if (closure_.rows() > 0) text += ", rows closing loops: " + std::to_string(closure_.rows());
  return text;
}

template <class Space>
bool ArticulatedSaddle<Space>::do_factor(const SaddleMatrix& matrix) {
  if (articulated_ && factor_articulated(matrix)) {
    holds_ = Holds::articulated;
    return true;
  }
  if (articulated_) ++statistics_.fallbacks;
  const bool regular = factor_by_fallback(matrix);
  holds_ = regular ? Holds::fallback : Holds::nothing;
  return regular;
}

// By the pivots: of M by those of the recursion, of the closures squared.
template <class Space>
double ArticulatedSaddle<Space>::reciprocal_condition() const {
  if (holds_ == Holds::nothing) return 0.0;
  if (holds_ == Holds::fallback) return fallback_->reciprocal_condition();
  return bodies_.smallest_pivot() * closure_.pivot_ratio();
}

template <class Space>
void ArticulatedSaddle<Space>::do_save(ByteWriter& out) const {
  out.put(holds_);
  out.put<std::uint8_t>(fallback_ != nullptr);
  if (fallback_) fallback_->save(out);
  if (holds_ == Holds::nothing) return;
  bodies_.save(out);
  closure_.save(out);
  save_matrix(out);
}

// The fallback solver comes back with what it has learnt, or is absent again to learn the same.
template <class Space>
void ArticulatedSaddle<Space>::do_restore(ByteReader& in) {
  in.get(holds_);
  std::uint8_t has_fallback = 0;
  in.get(has_fallback);
  if (has_fallback != 0) {
    fallback().restore(in);
  } else if (holds_ == Holds::fallback || !articulated_) {
    throw std::runtime_error("the stored state belongs to another model");
  } else {
    fallback_.reset();
  }
  if (holds_ == Holds::nothing) return;
  bodies_.restore(in);
  closure_.restore(in);
  restore_matrix(in);
  if (holds_ == Holds::articulated && !close_loops())
    throw std::runtime_error("the stored factorisation cannot be repeated");
}

template class ArticulatedSaddle<Planar>;
template class ArticulatedSaddle<Spatial>;

}  // namespace mbs
