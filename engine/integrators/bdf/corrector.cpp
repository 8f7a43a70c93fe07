#include "engine/integrators/bdf/corrector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbs {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// DASSL's constants.
constexpr double alpha_change = 0.25;  // refresh beyond (1 -+ x) / (1 +- x)
constexpr double dassl_bound = 0.33, dassl_slowest = 0.9;
constexpr int dassl_most = 4;

// Of the modern corrector.
constexpr double modern_bound = 0.05, rate_memory = 0.5;
constexpr double modern_slowest = 0.6, modern_slow = 0.3;
constexpr int modern_most = 5;
constexpr double matched_change = 0.5;
constexpr double krylov_change = 0.8;  // GMRES sees the present alpha
// Matching is used while it goes well more often than not, where alpha has changed by this at
// least.
constexpr double noticeable = 0.05;
constexpr int best_score = 10, bad_mark = 3;

// Operations are multiplications of factorisations and solutions. What the model's own evaluations
// cost is not known; by entries of the pattern it was measured once, by `bench_bdf weights` on the
// templates, as times over that of one multiplication.
constexpr double residual_by_entries = 3.0, jacobian_by_entries = 120.0;

}  // namespace

BdfCorrectorLoop::BdfCorrectorLoop(BdfSystem& system, const BdfOptions& options,
                                   Statistics& statistics)
    : system_(system),
      options_(options),
      statistics_(statistics),
      source_(system, options.jacobians),
      u_(Vector::Zero(system.excitations())),
      u_of_B_(u_),
      policy_(options.phases, options.fixed),
      broyden_(system.size(), options.broyden) {
  const int n = system.size();
  for (Vector* x : {&F_, &d_, &y0_, &y0_dot_, &z_, &r_}) x->setZero(n);
  if (options.jacobians != BdfJacobians::groups) analyse();
}

void BdfCorrectorLoop::analyse() {
  const ColumnSparse& pattern = system_.pattern();
  B_.setZero(pattern.nonZeros());
  E_.setZero(pattern.nonZeros());
  A_.setZero(pattern.nonZeros());
  matrix_.analyse(pattern, options_.eliminate ? system_.at().v : 0,
                  knows_pattern() ? system_.at().eta : system_.size());
  ++linear_.analyses;
  counted_factorisation_ = -1;
  residual_operations_ = residual_by_entries * static_cast<double>(pattern.nonZeros());
  if (options_.phases != PhasePolicy::Kind::plain) {
    B_now_ = B_;
    E_now_ = E_;
    directions_.setZero(system_.size(), options_.krylov_steps);
    images_ = directions_;
  }
}

double BdfCorrectorLoop::evaluation_operations() const {
  return options_.jacobians == BdfJacobians::exact
             ? jacobian_by_entries * static_cast<double>(system_.pattern().nonZeros())
             : source_.groups() * residual_operations_;
}

void BdfCorrectorLoop::residual(double t, const Vector& y, const Vector& y_dot) {
  system_.residual(t, y, y_dot, F_);
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
  operations_ += residual_operations_;
}

void BdfCorrectorLoop::start() {
  have_B_ = have_A_ = slow_ = have_B_by_u_ = false;
  s_ = 100.0;
  rate_ = 1.0;
  steps_in_cycle_ = steps_with_B_ = 0;
  operations_ = linear_operations_ = 0.0;
  score_ = 0;
  counted_factorisation_ = -1;
  policy_ = PhasePolicy(options_.phases, options_.fixed);
  matrix_.lu().forget();
  phase_ = Phase::simplified;
  broyden_.clear();
}

BdfCorrectorLoop::Reason BdfCorrectorLoop::wish(double alpha) const {
  if (!have_A_) return Reason::alpha;
  if (slow_) return Reason::slowness;
  const double x = phase_ == Phase::krylov && knows_pattern() ? krylov_change
                   : matches()                                ? matched_change
                                                              : alpha_change;
  const double least = (1.0 - x) / (1.0 + x), sigma = alpha / alpha_A_;
  return sigma < least || sigma > 1.0 / least ? Reason::alpha : Reason::none;
}

BdfCorrectorLoop::Result BdfCorrectorLoop::solve(double t, double h, double alpha,
                                                 const BdfNorm& norm, Vector& y, Vector& y_dot,
                                                 Vector& e) {
  fresh_ = exact_B_ = false;
  const bool dassl = options_.corrector == BdfCorrector::dassl;
  if (alpha != alpha_last_) {
    if (dassl) s_ = 100.0;
    broyden_.clear();
  }
  alpha_last_ = alpha;
  y0_ = y;
  y0_dot_ = y_dot;
  residual(t, y, y_dot);
  Reason reason = wish(alpha);
  const auto next_phase = [&] {  // instead of a refresh
    if (fresh_ && phase_ != Phase::dropped) return false;
    if (phase_ == Phase::dropped && reason != Reason::alpha) {
      phase_ = Phase::simplified;
    } else if (phase_ != Phase::krylov && policy_.choice().krylov) {
      phase_ = Phase::krylov;
    } else {
      return false;
    }
    s_ = 100.0;
    rate_ = 1.0;
    return true;
  };
  const bool stays = reason == Reason::slowness || (reason == Reason::alpha && knows_pattern());
  if (stays && have_A_ && next_phase()) {
    reason = Reason::none;
    slow_ = false;
  }
  for (;;) {
    if (!F_.allFinite()) return Result::not_finite;
    if (reason != Reason::none) {
      const Result made = refresh(reason, t, h, alpha, y, y_dot, norm);
      if (made != Result::converged) return made;
    }
    if (phase_ == Phase::krylov && !begin_krylov(t, h, alpha, y, y_dot, norm)) {
      return Result::not_finite;
    }
    e.setZero();
    const Result result = iterate(t, alpha, norm, y, y_dot, e);
    if (matches() && std::abs(alpha / alpha_A_ - 1.0) > noticeable) {
      const bool good = result == Result::converged && counts_.contraction <= modern_slow;
      score_ = std::clamp(score_ + (good ? 1 : -bad_mark), -best_score, best_score);
    }
    if (result == Result::converged) return result;
    reason = Reason::none;
    if (!next_phase()) {
      if (exact_B_) return result;
      reason = Reason::failure;
    }
    y = y0_;
    y_dot = y0_dot_;
    residual(t, y, y_dot);
  }
}

BdfCorrectorLoop::Result BdfCorrectorLoop::refresh(Reason reason, double t, double h, double alpha,
                                                   const Vector& y, const Vector& y_dot,
                                                   const BdfNorm& norm) {
  if (have_A_) {
    ++(reason == Reason::failure    ? counts_.after_failure
       : reason == Reason::slowness ? counts_.after_slowness
                                    : counts_.after_alpha);
    end_cycle();
  }
  slow_ = false;
  // An update where alpha is to blame: it has changed, and B has not been tried with this alpha.
  const bool changed = std::abs(alpha / alpha_A_ - 1.0) > 0.05;
  const bool update = options_.update != BdfUpdate::none && have_B_ && have_A_ && !fresh_ &&
                      (reason == Reason::alpha || changed || excitation_changed(t));
  if (update) {
    ++counts_.updates;
    if (options_.formalism == Formalism::residual) system_.update_mass(t, y, y_dot, E_);
    if (have_B_by_u_) {
      system_.excitation(t, u_);
      B_.noalias() += B_by_u_ * (u_ - u_of_B_);
      u_of_B_ = u_;
    }
  } else {
    // Slow although B is of the last few steps: it may lack entries.
    if (reason != Reason::alpha && steps_with_B_ <= 1 && source_.can_grow()) source_.ask_to_grow();
    system_.keep_mass(F_);
    if (evaluate(t, h, y, y_dot, norm, B_, E_)) {
      const Vector B = B_, E = E_;
      analyse();
      B_ = B;
      E_ = E;
      have_B_by_u_ = false;
    }
    if (options_.update == BdfUpdate::extended && system_.excitations() > 0) {
      if (!have_B_by_u_) find_by_excitation(t, h, y, y_dot, norm);
      system_.excitation(t, u_of_B_);
    }
    have_B_ = exact_B_ = true;
    alpha_B_ = alpha;
    steps_with_B_ = 0;
  }
  A_ = alpha * E_ + B_;
  have_A_ = false;
  if (!A_.allFinite()) return Result::not_finite;
  ++linear_.factorisations;
  ++statistics_.factorisations;
  if (!matrix_.factor(A_)) {
    if (!exact_B_) {  // B is too old: at the next attempt it is made anew
      have_B_ = false;
      return refresh(Reason::failure, t, h, alpha, y, y_dot, norm);
    }
    return Result::singular;
  }
  have_A_ = fresh_ = true;
  alpha_A_ = alpha;
  s_ = 100.0;
  rate_ = 1.0;
  if (score_ < 0) ++score_;
  broyden_.clear();
  prepare_phases();
  return Result::converged;
}

bool BdfCorrectorLoop::evaluate(double t, double h, const Vector& y, const Vector& y_dot,
                                const BdfNorm& norm, Vector& B, Vector& E) {
  ++statistics_.jacobians;
  return source_.evaluate(t, h, y, y_dot, F_, norm, B, E);
}

// Forward differences; those of a B that is itself of differences need large increments.
void BdfCorrectorLoop::find_by_excitation(double t, double h, const Vector& y, const Vector& y_dot,
                                          const BdfNorm& norm) {
  B_by_u_.setZero(B_.size(), system_.excitations());
  system_.excitation(t, u_);
  Vector moved = B_, E = E_;
  const Vector F = F_;
  for (int i = 0; i < system_.excitations(); ++i) {
    const double change = 0.01 * std::max(1.0, std::abs(u_[i]));
    system_.move_input(i, change);
    system_.residual(t, y, y_dot, F_);
    evaluate(t, h, y, y_dot, norm, moved, E);
    system_.inputs_back();
    B_by_u_.col(i) = (moved - B_) / change;
  }
  F_ = F;
  system_.residual(t, y, y_dot, d_);  // the workspace is that of this point again
  have_B_by_u_ = true;
}

bool BdfCorrectorLoop::excitation_changed(double t) {
  if (!have_B_by_u_) return false;
  system_.excitation(t, u_);
  for (int i = 0; i < u_.size(); ++i) {
    const double most = std::max(std::abs(u_[i]), std::abs(u_of_B_[i]));
    if (std::abs(u_[i] - u_of_B_[i]) > 0.01 * most) return true;
  }
  return false;
}

void BdfCorrectorLoop::end_cycle() {
  counts_.cycle_steps += steps_in_cycle_;
  policy_.cycle(steps_in_cycle_, operations_, linear_operations_);
  steps_in_cycle_ = 0;
  operations_ = linear_operations_ = 0.0;
}

void BdfCorrectorLoop::prepare_phases() {
  phase_ = Phase::simplified;
  const PhaseChoice choice = policy_.choice();
  const bool count = counted_factorisation_ != matrix_.lu().full_factorisations();
  if (choice.drop_tolerance > 0.0 || count) {
    if (dropped_.make(matrix_.lu(), choice.drop_tolerance)) {
      counted_factorisation_ = matrix_.lu().full_factorisations();
      factor_operations_ =
          static_cast<double>(dropped_.factorisation() + matrix_.form_operations());
      solve_operations_ = static_cast<double>(dropped_.all() + matrix_.solve_operations());
      if (choice.drop_tolerance > 0.0) {
        phase_ = Phase::dropped;
        count_linear(2.0 * solve_operations_);  // to take the factors apart
      }
    }
  }
  counts_.factors += factor_operations_;
  count_linear(factor_operations_);
  if (exact_B_) operations_ += evaluation_operations();
}

bool BdfCorrectorLoop::begin_krylov(double t, double h, double alpha, const Vector& y,
                                    const Vector& y_dot, const BdfNorm& norm) {
  ++counts_.krylov_steps;
  operations_ += evaluation_operations();
  if (evaluate(t, h, y, y_dot, norm, B_now_, E_now_)) return false;
  A_ = alpha * E_now_ + B_now_;
  return A_.allFinite();
}

// Conjugate residuals: directions p, images q = P^-1 A p orthonormal in the norm, P the old
// factors.
void BdfCorrectorLoop::solve_krylov(double alpha, const BdfNorm& norm, Vector& d) {
  const ColumnSparse& pattern = system_.pattern();
  const Eigen::Map<const ColumnSparse> A(pattern.rows(), pattern.cols(), pattern.nonZeros(),
                                         pattern.outerIndexPtr(), pattern.innerIndexPtr(),
                                         A_.data());
  const auto inner = [&](const auto& a, const auto& b) {
    const auto n = norm.scale().size();
    return a.head(n).cwiseProduct(b.head(n)).dot(norm.scale().cwiseAbs2());
  };
  solve_linear(alpha, d);
  r_ = d;
  d.setZero();
  for (int k = 0; k < options_.krylov_steps; ++k) {
    auto p = directions_.col(k);
    auto q = images_.col(k);
    p = r_;
    z_.noalias() = A * r_;
    solve_linear(alpha, z_);
    count_linear(static_cast<double>(pattern.nonZeros()));
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
  }
  d += r_;
}

BdfCorrectorLoop::Result BdfCorrectorLoop::iterate(double t, double alpha, const BdfNorm& norm,
                                                   Vector& y, Vector& y_dot, Vector& e) {
  const bool dassl = options_.corrector == BdfCorrector::dassl;
  const double rounding = 100.0 * epsilon * norm(y);
  const int most = dassl ? dassl_most : modern_most;
  double first = 0.0, before = 0.0;
  counts_.contraction = 0.0;
  for (int m = 0;; ++m) {
    if (m > 0) z_ = -d_;
    d_ = F_;
    if (phase_ == Phase::krylov) {
      solve_krylov(alpha, norm, d_);
    } else {
      solve_linear(alpha, d_);
      if (broyden_.works()) {
        broyden_.apply(d_);
        if (m > 0 && !fresh_ && broyden_.update(z_, norm.scale(), d_)) ++counts_.broyden_updates;
      }
    }
    ++counts_.iterations;
    y -= d_;
    e -= d_;
    y_dot -= alpha * d_;
    const double size = norm(d_);
    if (!std::isfinite(size)) return Result::not_finite;
    if (m > 0) {
      const double mean = std::pow(size / first, 1.0 / m);
      counts_.contraction = mean;
      if (dassl) {
        if (mean > dassl_slowest) return Result::diverged;
        s_ = mean / (1.0 - mean);
      } else {
        const double rate = size / before;
        if (rate > (exact_B_ ? dassl_slowest : modern_slowest)) return Result::diverged;
        rate_ = std::max(rate_memory * rate_, rate);
      }
    } else {
      first = size;
    }
    const double left =
        dassl ? s_ * size : std::min(1.0, rate_ / (1.0 - std::min(0.9, rate_))) * size;
    if (size <= rounding || left <= (dassl ? dassl_bound : modern_bound)) {
      slow_ = !dassl && !exact_B_ && m >= 2 && counts_.contraction > modern_slow;
      ++steps_with_B_;
      return Result::converged;
    }
    if (m + 1 >= most) return Result::diverged;
    before = size;
    residual(t, y, y_dot);
    if (!F_.allFinite()) return Result::not_finite;
  }
}

void BdfCorrectorLoop::solve_linear(double alpha, Vector& d) {
  ++linear_.solves;
  ++statistics_.solves;
  const double sigma = alpha / alpha_A_;
  if (!matches() || sigma == 1.0) {
    if (sigma != 1.0) d *= 2.0 / (1.0 + sigma);
    solve_triangular(d);
    return;
  }
  const BdfSystem::Layout& at = system_.at();
  const bool ggl = system_.form() == BdfForm::ggl;
  const auto part = [&](int begin, int end) { return d.segment(begin, end - begin); };
  part(at.v, at.w) /= sigma;
  part(at.s, at.lambda) *= sigma;
  if (ggl) part(at.eta, at.size) *= sigma;
  solve_triangular(d);
  part(at.p, at.v) /= sigma;
  part(at.s, at.lambda) /= sigma;
  if (ggl) part(at.lambda, at.eta) *= sigma;
}

void BdfCorrectorLoop::solve_triangular(Vector& d) {
  counts_.triangular_full += solve_operations_;
  if (phase_ != Phase::dropped) {
    counts_.triangular += solve_operations_;
    count_linear(solve_operations_);
    matrix_.solve(d);
    return;
  }
  ++counts_.dropped_solves;
  const auto operations = static_cast<double>(dropped_.left() + matrix_.solve_operations());
  counts_.triangular += operations;
  count_linear(operations);
  matrix_.reduce(d);
  dropped_.solve(d.tail(matrix_.reduced_size()));
  matrix_.expand(d);
}

void BdfCorrectorLoop::save(ByteWriter& out) const {
  source_.save(out);
  for (const bool flag : {have_B_, have_A_, slow_}) out.put<std::uint8_t>(flag);
  for (const double x : {alpha_A_, alpha_B_, alpha_last_, s_, rate_}) out.put(x);
  for (const long x : {steps_in_cycle_, steps_with_B_}) out.put(x);
  out.put(score_);
  out.put<std::uint8_t>(A_.size() > 0);
  out.put(counts_);
  out.put(linear_.factorisations);
  out.put(linear_.solves);
  if (have_B_) {
    out.put(B_);
    out.put(E_);
  }
  out.put<std::uint8_t>(have_B_by_u_);
  if (have_B_by_u_) {
    for (int i = 0; i < u_.size(); ++i) out.put(Vector(B_by_u_.col(i)));
    out.put(u_of_B_);
  }
  if (A_.size() > 0) matrix_.save(out);
  policy_.save(out);
  broyden_.save(out);
  out.put(phase_);
  out.put(counted_factorisation_);
  for (const double x : {operations_, linear_operations_, factor_operations_, solve_operations_}) {
    out.put(x);
  }
  system_.save(out);
}

void BdfCorrectorLoop::restore(ByteReader& in) {
  if (source_.restore(in)) analyse();
  std::uint8_t have_B = 0, have_A = 0, slow = 0;
  for (std::uint8_t* flag : {&have_B, &have_A, &slow}) in.get(*flag);
  have_B_ = have_B != 0;
  have_A_ = have_A != 0;
  slow_ = slow != 0;
  for (double* x : {&alpha_A_, &alpha_B_, &alpha_last_, &s_, &rate_}) in.get(*x);
  for (long* x : {&steps_in_cycle_, &steps_with_B_}) in.get(*x);
  in.get(score_);
  std::uint8_t has_pattern = 0;
  in.get(has_pattern);
  const bool pattern_known = options_.jacobians != BdfJacobians::groups;
  if (has_pattern == 0 && !pattern_known) {
    A_.resize(0);
  } else if (has_pattern == 0 || A_.size() == 0) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  in.get(counts_);
  in.get(linear_.factorisations);
  in.get(linear_.solves);
  if (have_B_) {
    in.get(B_);
    in.get(E_);
  }
  std::uint8_t have_B_by_u = 0;
  in.get(have_B_by_u);
  have_B_by_u_ = have_B_by_u != 0;
  if (have_B_by_u_) {
    B_by_u_.setZero(B_.size(), u_.size());
    Vector column(B_.size());
    for (int i = 0; i < u_.size(); ++i) {
      in.get(column);
      B_by_u_.col(i) = column;
    }
    in.get(u_of_B_);
  }
  if (A_.size() > 0) matrix_.restore(in);
  policy_.restore(in);
  broyden_.restore(in);
  int phase = 0;
  in.get(phase);
  if (phase < 0 || phase > 2) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  phase_ = static_cast<Phase>(phase);
  in.get(counted_factorisation_);
  for (double* x : {&operations_, &linear_operations_, &factor_operations_, &solve_operations_}) {
    in.get(*x);
  }
  if (phase_ == Phase::dropped && !dropped_.make(matrix_.lu(), policy_.choice().drop_tolerance)) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
  system_.restore(in);
}

}  // namespace mbs
