#include "engine/linear/sparse_saddle.hpp"

namespace mbs {

void SparseSaddle::analyse(const SaddleStructure& structure) {
  whole_.analyse(structure);
  lu_->analyse(whole_.matrix());
  x_.setZero(whole_.size());
}

bool SparseSaddle::factor(const SaddleMatrix& matrix) {
  whole_.fill(matrix);
  const long before = lu_->full_factorisations();
  const bool regular = lu_->factor(whole_.matrix());
  statistics_.analyses += lu_->full_factorisations() - before;
  ++statistics_.factorisations;
  return regular;
}

void SparseSaddle::solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  ++statistics_.solves;
  x_.head(x.size()) = x;
  x_.tail(y.size()) = y;
  lu_->solve(x_);
  x = x_.head(x.size());
  y = x_.tail(y.size());
}

void SparseSaddle::save(ByteWriter& out) const {
  out.put(statistics_);
  lu_->save(out);
}

void SparseSaddle::restore(ByteReader& in) {
  in.get(statistics_);
  lu_->restore(in);
}

}  // namespace mbs
