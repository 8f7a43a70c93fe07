#include "engine/integrators/bdf/refresh_cycle.hpp"

#include <cmath>
#include <stdexcept>

#include "engine/base/snapshot.hpp"

namespace mbs::bdf {
namespace {

constexpr int chosen_directions = 3;
constexpr double enough_left = 0.1;  // share of a residual that GMRES leaves
// Relative errors of solutions by dropping that are too large for the iteration, for projections,
// and as a share of a contraction.
constexpr double useless = 0.3, coarse = 0.1, share_of_slow = 0.1;
constexpr double noticeable = 0.05;  // relative error of a solution by the columns left out
constexpr int cycles_between = 8;    // between two measurements of it
constexpr int copies = 2;            // copying the factors costs so many solves

}  // namespace

RefreshCycle::RefreshCycle(System& system, const Options& options, Statistics& statistics)
    : system_(system),
      statistics_(statistics),
      most_directions_(options.krylov_steps > 0 ? options.krylov_steps : chosen_directions),
      enough_(options.krylov_steps > 0 ? 0.0 : enough_left),
      eliminate_(options.eliminate),
      uses_phases_(options.phases != CyclePolicy::Kind::plain),
      policy_(options.phases, options.drop_tolerance, options.krylov),
      z_(Vector::Zero(system.size())),
      r_(z_),
      F_(z_),
      b_(z_) {
  if (uses_phases_) {
    directions_.setZero(system.size(), most_directions_);
    images_ = directions_;
  }
}

void RefreshCycle::analyse(bool knows_pattern) {
  const int kinematic = eliminate_ ? system_.at().v : 0;
  lean_.matrix.analyse(system_.pattern(), kinematic,
                       knows_pattern ? system_.at().eta : system_.size());
  ++linear_.analyses;
  if (lean_.matrix.leaves_out()) {
    whole_.matrix.analyse(system_.pattern(), kinematic, system_.size());
    ++linear_.analyses;
  }
  has_room_ = !lean_.matrix.leaves_out();
  whole_cycles_ = 0;
  counted_factorisation_ = -1;
}

void RefreshCycle::start() {
  whole_cycles_ = 0;
  forget_factors();
  policy_.forget();
  phase_ = Phase::simplified;
  now_ = {};
  step_operations_ = leaving_out_ = 0.0;
  until_measured_ = 0;
  measures_left_out_ = false;
}

void RefreshCycle::forget_factors() {
  counted_factorisation_ = -1;
  used().matrix.lu().forget();
}

// The whole matrix may be needed within any step, which must not allocate: a first factorisation
// makes room for it. It is not counted, since a restored integrator makes it again.
void RefreshCycle::make_room(const Vector& A) {
  has_room_ = true;
  if (whole_.matrix.factor(A)) whole_.dropped.make_room(whole_.matrix.lu());
}

bool RefreshCycle::take_whole(const Vector& A, double alpha) {
  whole_cycles_ = cycles_between + 1;
  forget_factors();
  return begin(A, alpha, 0.0);
}

bool RefreshCycle::begin(const Vector& A, double alpha, double evaluation) {
  if (!has_room_) make_room(A);
  if (whole_cycles_ > 0 && --whole_cycles_ == 0) forget_factors();
  auto& [matrix, dropped] = used();
  ++linear_.factorisations;
  ++statistics_.factorisations;
  if (!matrix.factor(A)) return false;
  alpha_ = alpha;
  phase_ = Phase::simplified;
  dropping_ = -1.0;
  measures_left_out_ = matrix.leaves_out() && --until_measured_ < 0;
  const double tolerance = policy_.drop_tolerance();
  const bool count_anew = counted_factorisation_ != matrix.lu().full_factorisations();
  if ((tolerance > 0.0 || count_anew) && dropped.make(matrix.lu(), tolerance)) {
    counted_factorisation_ = matrix.lu().full_factorisations();
    factor_operations_ = static_cast<double>(dropped.factorisation() + matrix.form_operations());
    solve_operations_ = static_cast<double>(dropped.all() + matrix.solve_operations());
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

void RefreshCycle::end(long steps) {
  now_.steps = steps;
  if (phase_ != Phase::krylov) now_.early_steps = steps;
  policy_.end(now_);
  now_ = {};
}

bool RefreshCycle::leave_dropped(double contraction) {
  const bool is_cause = contraction > 0.0 && dropping_ > share_of_slow * contraction;
  if (phase_ != Phase::dropped || !is_cause) return false;
  phase_ = Phase::simplified;
  return true;
}

bool RefreshCycle::next_phase(long steps, double contraction, double krylov) {
  if (leave_dropped(contraction)) return true;
  if (phase_ != Phase::krylov && policy_.krylov(krylov)) {
    phase_ = Phase::krylov;
    now_.early_steps = steps;
  } else {
    return false;
  }
  return true;
}

void RefreshCycle::count(double operations) {
  now_.operations += operations;
  if (phase_ != Phase::krylov) now_.early += operations;
  step_operations_ += operations;
  statistics_.operations += operations;
}

void RefreshCycle::scale(double alpha, bool matched, bool before, Vector& d) const {
  const double sigma = alpha / alpha_;
  if (sigma == 1.0) return;
  if (!matched) {
    if (before) d *= 2.0 / (1.0 + sigma);
    return;
  }
  const System::Layout& at = system_.at();
  const bool ggl = system_.form() == Form::ggl;
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

void RefreshCycle::solve_reduced(bool dropped, Eigen::Ref<Vector> x) {
  auto& [matrix, factors] = used();
  ++linear_.solves;
  ++statistics_.solves;
  const auto expansion = static_cast<double>(matrix.solve_operations());
  const double operations =
      dropped ? static_cast<double>(factors.left()) + expansion : solve_operations_;
  counts_.triangular_full += solve_operations_;
  counts_.triangular += operations;
  now_.triangular += operations;
  count(operations);
  if (dropped) {
    ++counts_.dropped_solves;
    factors.solve(x);
  } else {
    matrix.lu().solve(x);
  }
}

void RefreshCycle::solve_as(bool dropped, bool twice, double alpha, bool matched, Vector& d) {
  IterationMatrix& matrix = used().matrix;
  scale(alpha, matched, true, d);
  matrix.reduce(d);
  auto x = d.tail(matrix.reduced_size());
  solve_reduced(dropped, x);
  if (twice && matrix.leaves_out()) {
    auto b = b_.head(matrix.reduced_size());
    matrix.left_out(x, b);
    solve_reduced(dropped, b);
    x += b;
  }
  matrix.expand(d);
  scale(alpha, matched, false, d);
}

void RefreshCycle::solve(double alpha, bool matched, Vector& d) {
  solve_as(phase_ == Phase::dropped && dropping_ <= coarse, false, alpha, matched, d);
}

// Solves one right-hand side in several ways and takes the best solution.
void RefreshCycle::measure(const ErrorNorm& norm, double alpha, bool matched, Vector& d) {
  F_ = d;
  const bool twice = measures_left_out_ || leaving_out_ > noticeable;
  solve_as(false, twice, alpha, matched, d);
  const double size = norm(d);
  const auto difference = [&](bool dropped, bool also_twice) {
    z_ = F_;
    solve_as(dropped, also_twice, alpha, matched, z_);
    z_ -= d;
    return size > 0.0 ? norm(z_) / size : 0.0;
  };
  if (measures_left_out_) {
    leaving_out_ = difference(false, false);
    measures_left_out_ = false;
    until_measured_ = cycles_between;
  }
  if (phase_ == Phase::dropped) {
    dropping_ = difference(true, twice);
    if (!(dropping_ <= useless)) phase_ = Phase::simplified;
  }
}

void RefreshCycle::correct(double alpha, bool matched, bool first, const ErrorNorm& norm,
                           const Vector& A, Vector& d) {
  if (phase_ == Phase::krylov) {
    solve_krylov(alpha, matched, norm, A, d);
  } else if (first && (measures_left_out_ || (phase_ == Phase::dropped && dropping_ < 0.0))) {
    measure(norm, alpha, matched, d);
  } else {
    solve_as(phase_ == Phase::dropped, first && leaving_out_ > noticeable, alpha, matched, d);
  }
}

// Conjugate residuals: directions p, images q = P^-1 A p orthonormal in the norm, P the old
// factors.
void RefreshCycle::solve_krylov(double alpha, bool matched, const ErrorNorm& norm,
                                const Vector& values, Vector& d) {
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

void RefreshCycle::save(ByteWriter& out) const {
  out.put(whole_cycles_);
  matrix().save(out);
  policy_.save(out);
  out.put(phase_);
  out.put(counted_factorisation_);
  for (const long n : {now_.steps, now_.early_steps}) out.put(n);
  for (const double x : {now_.operations, now_.early, now_.triangular}) out.put(x);
  for (const double x :
       {alpha_, dropping_, leaving_out_, factor_operations_, solve_operations_, step_operations_}) {
    out.put(x);
  }
  out.put(until_measured_);
  out.put(measures_left_out_);
  for (const long n : {counts_.iterations, counts_.dropped_solves, counts_.krylov_steps,
                       counts_.krylov_directions, counts_.broyden_updates}) {
    out.put(n);
  }
  for (const double x : {counts_.factors, counts_.triangular, counts_.triangular_full}) out.put(x);
  out.put(linear_.factorisations);
  out.put(linear_.solves);
}

void RefreshCycle::restore(ByteReader& in) {
  in.get(whole_cycles_);
  const int most = lean_.matrix.leaves_out() ? cycles_between : 0;
  if (whole_cycles_ < 0 || whole_cycles_ > most) {
    whole_cycles_ = 0;
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  auto& [matrix, dropped] = used();
  matrix.restore(in);
  policy_.restore(in);
  int phase = 0;
  in.get(phase);
  if (phase < 0 || phase > 2 || (phase == static_cast<int>(Phase::krylov) && !uses_phases_)) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  phase_ = static_cast<Phase>(phase);
  in.get(counted_factorisation_);
  for (long* n : {&now_.steps, &now_.early_steps}) in.get(*n);
  for (double* x : {&now_.operations, &now_.early, &now_.triangular}) in.get(*x);
  for (double* x : {&alpha_, &dropping_, &leaving_out_, &factor_operations_, &solve_operations_,
                    &step_operations_}) {
    in.get(*x);
  }
  in.get(until_measured_);
  measures_left_out_ = get_bool(in);
  for (long* n : {&counts_.iterations, &counts_.dropped_solves, &counts_.krylov_steps,
                  &counts_.krylov_directions, &counts_.broyden_updates}) {
    in.get(*n);
  }
  for (double* x : {&counts_.factors, &counts_.triangular, &counts_.triangular_full}) in.get(*x);
  in.get(linear_.factorisations);
  in.get(linear_.solves);
  if (phase_ == Phase::dropped && !dropped.make(matrix.lu(), policy_.drop_tolerance())) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
}

}  // namespace mbs::bdf
