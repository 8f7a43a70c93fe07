// SparseLu by KLU: block triangular form, then left-looking LU of each block with threshold partial
// pivoting (T. Davis, E. Palamadai Natarajan, Algorithm 907, 2010).

#include <klu.h>

#include <new>
#include <utility>

#include "engine/linear/klu_memory.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

namespace {

// A diagonal entry of at least this size by the largest of its column is taken as pivot.
constexpr double pivot_tolerance = 0.1;
// Entries of U may grow by the inverse of this before the pivots are chosen anew.
constexpr double smallest_reciprocal_growth = 1e-3;

class KluLu final : public SparseLu {
 public:
  KluLu() {
    klu_defaults(&common_);
    common_.scale = 0;  // the matrix comes equilibrated
    common_.tol = pivot_tolerance;
    common_.ordering = 1;  // COLAMD: holds for any pivots, AMD only for those on the diagonal,
                           // which are zero in the constraints' rows
  }
  ~KluLu() override { release(); }
  KluLu(const KluLu&) = delete;
  KluLu& operator=(const KluLu&) = delete;

  std::string name() const override { return "KLU"; }

 protected:
  void analyse_pattern(const ColumnSparse& A) override {
    release();
    if (A.cols() == 0) return;
    const KluMemory::Use use(memory_);
    symbolic_ = klu_analyze(static_cast<int>(A.cols()), columns(A), rows(A), &common_);
    if (symbolic_ == nullptr) throw std::bad_alloc();
  }

  bool factor_fully(const ColumnSparse& A) override {
    if (A.cols() == 0) return true;
    const KluMemory::Use use(memory_);
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(columns(A), rows(A), values(A), symbolic_, &common_);
    if (!std::exchange(has_free_blocks_, true)) memory_.keep_free_blocks();
    return numeric_ != nullptr && common_.status == KLU_OK;
  }

  bool refactor(const ColumnSparse& A) override {
    if (A.cols() == 0) return true;
    const KluMemory::Use use(memory_);
    if (klu_refactor(columns(A), rows(A), values(A), symbolic_, numeric_, &common_) == 0 ||
        common_.status != KLU_OK) {
      return false;
    }
    klu_rgrowth(columns(A), rows(A), values(A), symbolic_, numeric_, &common_);
    return common_.rgrowth > smallest_reciprocal_growth;
  }

  bool extract(LuFactors& to) const override {
    if (numeric_ == nullptr) return false;
    const auto n = static_cast<std::size_t>(numeric_->n);
    to.n = numeric_->n;
    const auto size = [n](LuFactors::Columns& part, int entries) {
      part.begin.resize(n + 1);
      part.index.resize(static_cast<std::size_t>(entries));
      part.value.resize(static_cast<std::size_t>(entries));
    };
    size(to.L, numeric_->lnz);
    size(to.U, numeric_->unz);
    size(to.F, numeric_->nzoff);
    to.row.resize(n);
    to.column.resize(n);
    to.block.resize(static_cast<std::size_t>(symbolic_->nblocks) + 1);
    klu_common common = common_;
    return klu_extract(numeric_, symbolic_, to.L.begin.data(), to.L.index.data(), to.L.value.data(),
                       to.U.begin.data(), to.U.index.data(), to.U.value.data(), to.F.begin.data(),
                       to.F.index.data(), to.F.value.data(), to.row.data(), to.column.data(),
                       nullptr, to.block.data(), &common) != 0;
  }

  double pivot_ratio() override {
    if (symbolic_ == nullptr) return 1.0;
    klu_rcond(symbolic_, numeric_, &common_);
    return common_.rcond;
  }

  void solve_in_place(Vector& x) override {
    if (x.size() > 0) {
      klu_solve(symbolic_, numeric_, static_cast<int>(x.size()), 1, x.data(), &common_);
    }
  }
  void solve_columns_in_place(Matrix& X) override {
    if (X.size() > 0) {
      klu_solve(symbolic_, numeric_, static_cast<int>(X.rows()), static_cast<int>(X.cols()),
                X.data(), &common_);
    }
  }
  void solve_transposed_in_place(Vector& x) override {
    klu_tsolve(symbolic_, numeric_, static_cast<int>(x.size()), 1, x.data(), &common_);
  }

 private:
  // KLU's interface takes pointers to non-const and does not write to the matrix.
  static int* columns(const ColumnSparse& A) { return const_cast<int*>(A.outerIndexPtr()); }
  static int* rows(const ColumnSparse& A) { return const_cast<int*>(A.innerIndexPtr()); }
  static double* values(const ColumnSparse& A) { return const_cast<double*>(A.valuePtr()); }

  void release() {
    const KluMemory::Use use(memory_);
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  KluMemory memory_;  // of all that follows
  bool has_free_blocks_ = false;
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<SparseLu> make_klu_lu() {
  return std::make_unique<KluLu>();
}
std::unique_ptr<SparseLu> make_sparse_lu() {
  return make_klu_lu();
}

}  // namespace mbs
