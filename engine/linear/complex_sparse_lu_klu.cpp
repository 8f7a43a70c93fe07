// ComplexSparseLu by KLU, as in sparse_lu_klu.cpp.

#include <klu.h>

#include <new>

#include "engine/linear/complex_sparse_lu.hpp"
#include "engine/linear/klu_memory.hpp"

namespace mbs {
namespace {

constexpr double pivot_tolerance = 0.1;
constexpr double smallest_reciprocal_growth = 1e-3;

class ComplexKluLu final : public ComplexSparseLu {
 public:
  ComplexKluLu() {
    klu_defaults(&common_);
    common_.scale = 0;
    common_.tol = pivot_tolerance;
    common_.ordering = 1;
  }
  ~ComplexKluLu() override { release(); }
  ComplexKluLu(const ComplexKluLu&) = delete;
  ComplexKluLu& operator=(const ComplexKluLu&) = delete;

 protected:
  void analyse_pattern(const ComplexColumnSparse& A) override {
    release();
    if (A.cols() == 0) return;
    const KluMemory::Use use(memory_);
    symbolic_ = klu_analyze(static_cast<int>(A.cols()), columns(A), rows(A), &common_);
    if (symbolic_ == nullptr) throw std::bad_alloc();
  }

  bool factor_fully(const ComplexColumnSparse& A) override {
    if (A.cols() == 0) return true;
    const KluMemory::Use use(memory_);
    klu_z_free_numeric(&numeric_, &common_);
    numeric_ = klu_z_factor(columns(A), rows(A), values(A), symbolic_, &common_);
    return numeric_ != nullptr && common_.status == KLU_OK;
  }

  bool refactor(const ComplexColumnSparse& A) override {
    if (A.cols() == 0) return true;
    const KluMemory::Use use(memory_);
    if (klu_z_refactor(columns(A), rows(A), values(A), symbolic_, numeric_, &common_) == 0 ||
        common_.status != KLU_OK) {
      return false;
    }
    klu_z_rgrowth(columns(A), rows(A), values(A), symbolic_, numeric_, &common_);
    return common_.rgrowth > smallest_reciprocal_growth;
  }

  double pivot_ratio() override {
    if (symbolic_ == nullptr) return 1.0;
    klu_z_rcond(symbolic_, numeric_, &common_);
    return common_.rcond;
  }

  void solve_in_place(ComplexVector& x) override {
    if (x.size() > 0) {
      klu_z_solve(symbolic_, numeric_, static_cast<int>(x.size()), 1,
                  reinterpret_cast<double*>(x.data()), &common_);
    }
  }

 private:
  // KLU's interface takes pointers to non-const and does not write to the matrix.
  static int* columns(const ComplexColumnSparse& A) { return const_cast<int*>(A.outerIndexPtr()); }
  static int* rows(const ComplexColumnSparse& A) { return const_cast<int*>(A.innerIndexPtr()); }
  static double* values(const ComplexColumnSparse& A) {
    return const_cast<double*>(reinterpret_cast<const double*>(A.valuePtr()));
  }

  void release() {
    const KluMemory::Use use(memory_);
    klu_z_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  KluMemory memory_;  // of all that follows
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<ComplexSparseLu> make_complex_klu_lu() {
  return std::make_unique<ComplexKluLu>();
}
std::unique_ptr<ComplexSparseLu> make_complex_sparse_lu() {
  return make_complex_klu_lu();
}

}  // namespace mbs
