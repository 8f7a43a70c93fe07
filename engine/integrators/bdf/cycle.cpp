#include "engine/integrators/bdf/cycle.hpp"

#include <cmath>
#include <stdexcept>

namespace mbs {
namespace {

constexpr int chosen_directions = 3;
constexpr double enough_left = 0.1;  // of a residual, by GMRES
// Relative errors of solutions by dropping: too large for the iteration, for projections; as a
// share of a contraction.
constexpr double useless = 0.3, coarse = 0.1, share_of_slow = 0.1;
constexpr int copies = 2;  // taking factors apart costs so many solves

}  // namespace

BdfCycle::BdfCycle(BdfSystem& system, const BdfOptions& options, Statistics& statistics)
    : system_(system),
      statistics_(statistics),
      most_directions_(options.krylov_steps > 0 ? options.krylov_steps : chosen_directions),
      enough_(options.krylov_steps > 0 ? 0.0 : enough_left),
      eliminate_(options.eliminate),
      uses_phases_(options.phases != PhasePolicy::Kind::plain),
      policy_(options.phases, options.drop_tolerance, options.krylov),
      z_(Vector::Zero(system.size())),
      r_(z_) {
  if (uses_phases_) {
    directions_.setZero(system.size(), most_directions_);
    images_ = directions_;
  }
}

void BdfCycle::analyse(bool knows_pattern) {
  matrix_.analyse(system_.pattern(), eliminate_ ? system_.at().v : 0,
                  knows_pattern ? system_.at().eta : system_.size());
  ++linear_.analyses;
  counted_factorisation_ = -1;
}

void BdfCycle::start() {
  counted_factorisation_ = -1;
  policy_.forget();
  matrix_.lu().forget();
  phase_ = Phase::simplified;
  now_ = {};
  step_operations_ = 0.0;
}

bool BdfCycle::begin(const Vector& A, double alpha, double evaluation) {
  ++linear_.factorisations;
  ++statistics_.factorisations;
  if (!matrix_.factor(A)) return false;
  alpha_ = alpha;
  phase_ = Phase::simplified;
  dropping_ = -1.0;
  const double tolerance = policy_.drop_tolerance();
  const bool count_anew = counted_factorisation_ != matrix_.lu().full_factorisations();
  if ((tolerance > 0.0 || count_anew) && dropped_.make(matrix_.lu(), tolerance)) {
    counted_factorisation_ = matrix_.lu().full_factorisations();
    factor_operations_ = static_cast<double>(dropped_.factorisation() + matrix_.form_operations());
    solve_operations_ = static_cast<double>(dropped_.all() + matrix_.solve_operations());
    if (tolerance > 0.0) {
      phase_ = Phase::dropped;
      count(copies * solve_operations_);
    }
  }
  counts_.factors += factor_operations_;
  now_.operations += factor_operations_ + evaluation;
  statistics_.operations += factor_operations_ + evaluation;
  return true;
}

void BdfCycle::end(long steps) {
  now_.steps = steps;
  if (phase_ != Phase::krylov) now_.early_steps = steps;
  policy_.end(now_);
  now_ = {};
}

bool BdfCycle::leave_dropped(double contraction) {
  const bool to_blame = contraction > 0.0 && dropping_ > share_of_slow * contraction;
  if (phase_ != Phase::dropped || !to_blame) return false;
  phase_ = Phase::simplified;
  return true;
}

bool BdfCycle::next_phase(long steps, double contraction, double krylov) {
  if (leave_dropped(contraction)) return true;
  if (phase_ != Phase::krylov && policy_.krylov(krylov)) {
    phase_ = Phase::krylov;
    now_.early_steps = steps;
  } else {
    return false;
  }
  return true;
}

void BdfCycle::count(double operations) {
  now_.operations += operations;
  if (phase_ != Phase::krylov) now_.early += operations;
  step_operations_ += operations;
  statistics_.operations += operations;
}

void BdfCycle::scale(double alpha, bool matched, bool before, Vector& d) const {
  const double sigma = alpha / alpha_;
  if (sigma == 1.0) return;
  if (!matched) {
    if (before) d *= 2.0 / (1.0 + sigma);
    return;
  }
  const BdfSystem::Layout& at = system_.at();
  const bool ggl = system_.form() == BdfForm::ggl;
  const auto part = [&](int begin, int end) { return d.segment(begin, end - begin); };
  if (before) {
    part(at.v, at.w) /= sigma;
    part(at.s, at.lambda) *= sigma;
    if (ggl) part(at.eta, at.size) *= sigma;
  } else {
    part(at.p, at.v) /= sigma;
    part(at.s, at.lambda) /= sigma;
    if (ggl) part(at.lambda, at.eta) *= sigma;
  }
}

void BdfCycle::solve(double alpha, bool matched, Vector& d) {
  ++linear_.solves;
  ++statistics_.solves;
  scale(alpha, matched, true, d);
  if (phase_ == Phase::dropped && dropping_ <= coarse) {
    solve_dropped(d);
  } else {
    solve_triangular(d);
  }
  scale(alpha, matched, false, d);
}

void BdfCycle::solve_triangular(Vector& d) {
  counts_.triangular_full += solve_operations_;
  counts_.triangular += solve_operations_;
  now_.triangular += solve_operations_;
  count(solve_operations_);
  matrix_.solve(d);
}

void BdfCycle::solve_dropped(Vector& d) {
  ++counts_.dropped_solves;
  const auto operations = static_cast<double>(dropped_.left() + matrix_.solve_operations());
  counts_.triangular_full += solve_operations_;
  counts_.triangular += operations;
  now_.triangular += operations;
  count(operations);
  matrix_.reduce(d);
  dropped_.solve(d.tail(matrix_.reduced_size()));
  matrix_.expand(d);
}

// One right-hand side both ways; what is taken is the solution with all entries.
void BdfCycle::measure_dropping(const BdfNorm& norm, double alpha, bool matched, Vector& d) {
  ++linear_.solves;
  ++statistics_.solves;
  scale(alpha, matched, true, d);
  z_ = d;
  solve_dropped(z_);
  solve_triangular(d);
  z_ -= d;
  scale(alpha, matched, false, z_);
  scale(alpha, matched, false, d);
  const double size = norm(d);
  dropping_ = size > 0.0 ? norm(z_) / size : 0.0;
  if (!(dropping_ <= useless)) phase_ = Phase::simplified;
}

void BdfCycle::correct(double alpha, bool matched, const BdfNorm& norm, const Vector& A,
                       Vector& d) {
  if (phase_ == Phase::krylov) {
    solve_krylov(alpha, matched, norm, A, d);
  } else if (phase_ == Phase::dropped && dropping_ < 0.0) {
    measure_dropping(norm, alpha, matched, d);
  } else if (phase_ == Phase::dropped) {
    ++linear_.solves;
    ++statistics_.solves;
    scale(alpha, matched, true, d);
    solve_dropped(d);
    scale(alpha, matched, false, d);
  } else {
    solve(alpha, matched, d);
  }
}

// Conjugate residuals: directions p, images q = P^-1 A p orthonormal in the norm, P the old
// factors.
void BdfCycle::solve_krylov(double alpha, bool matched, const BdfNorm& norm, const Vector& values,
                            Vector& d) {
  const ColumnSparse& pattern = system_.pattern();
  const Eigen::Map<const ColumnSparse> A(pattern.rows(), pattern.cols(), pattern.nonZeros(),
                                         pattern.outerIndexPtr(), pattern.innerIndexPtr(),
                                         values.data());
  const auto inner = [&](const auto& a, const auto& b) {
    const auto n = norm.scale().size();
    return a.head(n).cwiseProduct(b.head(n)).dot(norm.scale().cwiseAbs2());
  };
  solve(alpha, matched, d);
  r_ = d;
  d.setZero();
  const double first = norm(r_);
  for (int k = 0; k < most_directions_; ++k) {
    auto p = directions_.col(k);
    auto q = images_.col(k);
    p = r_;
    z_.noalias() = A * r_;
    solve(alpha, matched, z_);
    count(static_cast<double>(pattern.nonZeros()));
    ++counts_.krylov_directions;
    q = z_;
    for (int j = 0; j < k; ++j) {
      const double projection = inner(q, images_.col(j));
      q -= projection * images_.col(j);
      p -= projection * directions_.col(j);
    }
    const double size = std::sqrt(inner(q, q));
    if (!(size > 0.0) || !std::isfinite(size)) break;
    q /= size;
    p /= size;
    const double step = inner(r_, q);
    d += step * p;
    r_ -= step * q;
    if (norm(r_) <= enough_ * first) break;
  }
  d += r_;
}

void BdfCycle::save(ByteWriter& out) const {
  matrix_.save(out);
  policy_.save(out);
  out.put(phase_);
  out.put(counted_factorisation_);
  out.put(now_);
  for (const double x :
       {alpha_, dropping_, factor_operations_, solve_operations_, step_operations_}) {
    out.put(x);
  }
  out.put(counts_);
  out.put(linear_.factorisations);
  out.put(linear_.solves);
}

void BdfCycle::restore(ByteReader& in) {
  matrix_.restore(in);
  policy_.restore(in);
  int phase = 0;
  in.get(phase);
  if (phase < 0 || phase > 2) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  phase_ = static_cast<Phase>(phase);
  in.get(counted_factorisation_);
  in.get(now_);
  for (double* x :
       {&alpha_, &dropping_, &factor_operations_, &solve_operations_, &step_operations_}) {
    in.get(*x);
  }
  in.get(counts_);
  in.get(linear_.factorisations);
  in.get(linear_.solves);
  if (phase_ == Phase::dropped && !dropped_.make(matrix_.lu(), policy_.drop_tolerance())) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
}

}  // namespace mbs
