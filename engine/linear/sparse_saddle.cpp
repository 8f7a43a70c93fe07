#include "engine/linear/sparse_saddle.hpp"

namespace mbs {

void SparseSaddle::do_analyse(const SaddleStructure& structure) {
  whole_.analyse(structure);
  lu_->analyse(whole_.matrix());
  x_.setZero(whole_.size());
}

bool SparseSaddle::do_factor(const SaddleMatrix& matrix) {
  whole_.fill(matrix);
  const long before = lu_->full_factorisations();
  const bool regular = lu_->factor(whole_.matrix());
  statistics_.analyses += lu_->full_factorisations() - before;
  return regular;
}

void SparseSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  x_.head(x.size()) = x;
  x_.tail(y.size()) = y;
  lu_->solve(x_);
  x = x_.head(x.size());
  y = x_.tail(y.size());
}

void SparseSaddle::do_save(ByteWriter& out) const {
  lu_->save(out);
}

void SparseSaddle::do_restore(ByteReader& in) {
  lu_->restore(in);
}

}  // namespace mbs
