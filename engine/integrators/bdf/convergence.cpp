#include "engine/integrators/bdf/convergence.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::bdf {
namespace {

constexpr double dassl_bound = 0.33, dassl_slowest = 0.9;
constexpr int dassl_most = 4;

constexpr double modern_bound = 0.05, rate_memory = 0.5;
constexpr double modern_slowest = 0.6, modern_slow = 0.3;
constexpr int modern_most = 5;
constexpr double krylov_rate = 0.3, krylov_bound = 0.01;  // GMRES converges unevenly

}  // namespace

void ConvergenceTest::start() {
  s_ = 100.0;
  rate_ = 1.0;
}

void ConvergenceTest::change_alpha() {
  if (dassl_) s_ = 100.0;
}

void ConvergenceTest::begin(bool exact_B, bool krylov, double rounding) {
  exact_B_ = exact_B;
  krylov_ = krylov;
  rounding_ = rounding;
  contraction_ = 0.0;
  slow_ = false;
}

ConvergenceTest::Verdict ConvergenceTest::judge(int m, double size) {
  if (!std::isfinite(size)) return Verdict::not_finite;
  if (m == 0) {
    first_ = size;
  } else {
    contraction_ = std::pow(size / first_, 1.0 / m);
    if (dassl_) {
      if (contraction_ > dassl_slowest) return Verdict::diverged;
      s_ = contraction_ / (1.0 - contraction_);
    } else {
      const double rate = size / before_;
      if (rate > (exact_B_ ? dassl_slowest : modern_slowest)) return Verdict::diverged;
      rate_ = std::max(rate_memory * rate_, rate);
    }
  }
  if (krylov_) rate_ = std::max(rate_, krylov_rate);
  const double error =
      dassl_ ? s_ * size : std::min(1.0, rate_ / (1.0 - std::min(0.9, rate_))) * size;
  const double bound = dassl_ ? dassl_bound : krylov_ ? krylov_bound : modern_bound;
  if (size <= rounding_ || error <= bound) {
    slow_ = !dassl_ && !exact_B_ && m >= 2 && contraction_ > modern_slow;
    return Verdict::converged;
  }
  before_ = size;
  return m + 1 >= (dassl_ ? dassl_most : modern_most) ? Verdict::diverged : Verdict::go_on;
}

void ConvergenceTest::save(ByteWriter& out) const {
  out.put(s_);
  out.put(rate_);
}

void ConvergenceTest::restore(ByteReader& in) {
  in.get(s_);
  in.get(rate_);
}

}  // namespace mbs::bdf
