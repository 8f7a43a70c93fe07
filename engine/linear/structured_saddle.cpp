#include "engine/linear/structured_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/linear/condition.hpp"
#include "engine/linear/equilibrate.hpp"

namespace mbs {

namespace {

template <class Part>
void copy_values(const Part& from, Part& to) {
  if (!from.isCompressed() || from.nonZeros() != to.nonZeros()) {
    throw std::logic_error("a saddle matrix differs from the structure given to its solver");
  }
  std::copy_n(from.valuePtr(), from.nonZeros(), to.valuePtr());
}

template <class Part>
void save_values(ByteWriter& out, const Part& part) {
  out.raw(part.valuePtr(), sizeof(double) * static_cast<std::size_t>(part.nonZeros()));
}
template <class Part>
void restore_values(ByteReader& in, Part& part) {
  in.raw(part.valuePtr(), sizeof(double) * static_cast<std::size_t>(part.nonZeros()));
}

}  // namespace

void StructuredSaddle::do_analyse(const SaddleStructure& structure) {
  own_ = structure;
  own_.M.makeCompressed();
  own_.G.makeCompressed();
  own_.F.makeCompressed();
  D_.setZero(structure.G.rows());
  whole_.analyse(structure);
  for (Vector* x : {&R_, &C_, &x_, &z_}) x->setZero(whole_.size());
  fallback_.reset();
  factored_ = structured_ = with_F_ = false;
  analyse_structured(structure);
}

SaddleSolver& StructuredSaddle::fallback() {
  if (fallback_ == nullptr) fallback_ = make_saddle_solver(fallback_keyword_, own_);
  return *fallback_;
}

bool StructuredSaddle::do_factor(const SaddleMatrix& matrix) {
  if (matrix.D.size() != D_.size()) {
    throw std::logic_error("a saddle matrix differs from the structure given to its solver");
  }
  copy_values(matrix.M, own_.M);
  copy_values(matrix.G, own_.G);
  with_F_ = matrix.F != nullptr;
  if (with_F_) copy_values(*matrix.F, own_.F);
  D_ = matrix.D;
  structured_ = factored_ = !needs_fallback(current()) && factor_structured(current());
  return structured_ || (!fallback_keyword_.empty() && factor_by_fallback());
}

bool StructuredSaddle::factor_by_fallback() {
  structured_ = false;
  ++statistics_.fallbacks;
  const long before = fallback().statistics().analyses;
  factored_ = fallback().factor(current());
  statistics_.analyses += fallback().statistics().analyses - before;
  factored_by_fallback(current(), factored_);
  return factored_;
}

void StructuredSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (structured_) {
    solve_structured(x, y);
  } else {
    fallback().solve(x, y);
  }
}

bool StructuredSaddle::scale_symmetrically() {
  whole_.fill({own_.M, own_.G, D_});
  return equilibrate(whole_.matrix(), R_, C_, x_);
}

double StructuredSaddle::fallback_condition() const {
  return factored_ ? fallback_->reciprocal_condition() : 0.0;
}

double StructuredSaddle::reciprocal_condition() const {
  if (!factored_ || !structured_) return fallback_condition();
  if (whole_.size() == 0) return 1.0;
  whole_.fill(current());
  if (!equilibrate(whole_.matrix(), R_, C_, x_)) return 0.0;
  double norm = 0.0;
  for (Eigen::Index j = 0; j < whole_.matrix().cols(); ++j) {
    double sum = 0.0;
    for (ColumnSparse::InnerIterator entry(whole_.matrix(), j); entry; ++entry) {
      sum += std::abs(entry.value()) * R_[entry.row()] * C_[j];
    }
    norm = std::max(norm, sum);
  }
  // (R A C)^-1 = C^-1 A^-1 R^-1. A solution changes scratch only.
  auto& self = const_cast<StructuredSaddle&>(*this);
  const Eigen::Index n_v = own_.M.cols(), n_lambda = own_.G.rows();
  return 1.0 / (norm * inverse_norm1(
                           x_, z_,
                           [&](Vector& x) {
                             x.array() /= R_.array();
                             self.solve_structured(x.head(n_v), x.tail(n_lambda));
                             x.array() /= C_.array();
                           },
                           [&](Vector& x) {
                             x.array() /= C_.array();
                             self.solve_structured_transposed(x.head(n_v), x.tail(n_lambda));
                             x.array() /= R_.array();
                           }));
}

void StructuredSaddle::do_save(ByteWriter& out) const {
  const bool has_fallback = fallback_ != nullptr;
  for (const bool flag : {factored_, structured_, with_F_, has_fallback})
    out.put<std::uint8_t>(flag);
  save_history(out);
  if (has_fallback) fallback_->save(out);
  if (!structured_) return;
  save_values(out, own_.M);
  save_values(out, own_.G);
  if (with_F_) save_values(out, own_.F);
  out.put(D_);
}

void StructuredSaddle::do_restore(ByteReader& in) {
  std::uint8_t factored = 0, structured = 0, with_F = 0, has_fallback = 0;
  factored_ = structured_ = false;
  for (std::uint8_t* flag : {&factored, &structured, &with_F, &has_fallback}) in.get(*flag);
  restore_history(in);
  if (has_fallback != 0) {
    fallback().restore(in);
  } else {
    fallback_.reset();
  }
  with_F_ = with_F != 0;
  if (structured != 0) {
    restore_values(in, own_.M);
    restore_values(in, own_.G);
    if (with_F_) restore_values(in, own_.F);
    in.get(D_);
    if (!factor_structured(current())) {
      throw std::runtime_error("the stored factorisation cannot be repeated");
    }
  }
  structured_ = structured != 0;
  factored_ = factored != 0;
}

}  // namespace mbs
