#include "engine/integrators/bdf/corrector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/snapshot.hpp"

namespace mbs::bdf {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// A is refreshed when alpha has left (1 - x) / (1 + x) ... (1 + x) / (1 - x) times that of A.
constexpr double alpha_change = 0.25, matched_change = 0.5;
constexpr double krylov_change = 0.8;  // GMRES takes the present alpha
// Matching is used while it succeeds more often than not, where alpha has changed by `noticeable`
// at least; a step counts as a success up to this contraction.
constexpr double noticeable = 0.05, good_contraction = 0.3;
constexpr int best_score = 10, bad_mark = 3;

// Operations are the multiplications of factorisations and solutions. The cost of the model's own
// evaluations is not known; per entry of the pattern it was measured by `bench_bdf weights` on the
// templates, as a multiple of the time of one multiplication.
constexpr double residual_by_entries = 3.0, jacobian_by_entries = 120.0;

}  // namespace

Corrector::Corrector(System& system, const Options& options, Context context,
                     const IntegratorOptions& all, Statistics& statistics)
    : system_(system),
      options_(options),
      statistics_(statistics),
      source_(system, options.jacobians),
      cycle_(system, options, statistics),
      broyden_(system.size(), options.broyden),
      test_(options.corrector) {
  const int n = system.size();
  for (Vector* x : {&F_, &d_, &y0_, &y0_dot_, &z_}) x->setZero(n);
  if (options.update == MatrixUpdate::extended) {
    excitation_.emplace(system, context, all);
    if (!excitation_->exists()) excitation_.reset();
  }
  if (options.jacobians != JacobianKind::groups) analyse();
}

void Corrector::analyse() {
  const ColumnSparse& pattern = system_.pattern();
  for (Vector* x : {&B_, &E_, &A_}) x->setZero(pattern.nonZeros());
  cycle_.analyse(knows_pattern());
  residual_operations_ = residual_by_entries * static_cast<double>(pattern.nonZeros());
  if (options_.phases != CyclePolicy::Kind::plain) {
    B_now_ = B_;
    E_now_ = E_;
  }
}

double Corrector::evaluation_operations() const {
  return options_.jacobians == JacobianKind::exact
             ? jacobian_by_entries * static_cast<double>(system_.pattern().nonZeros())
             : source_.groups() * residual_operations_;
}

// The cost of a step with two iterations of one GMRES step each.
double Corrector::krylov_operations() const {
  return evaluation_operations() + 2.0 * (residual_operations_ + 2.0 * cycle_.solve_operations());
}

void Corrector::residual(double t, const Vector& y, const Vector& y_dot) {
  system_.residual(t, y, y_dot, F_);
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
  cycle_.count(residual_operations_);
}

void Corrector::start() {
  have_B_ = have_A_ = slow_ = lacks_entries_ = false;
  if (excitation_) excitation_->forget();
  test_.start();
  steps_in_cycle_ = steps_with_B_ = 0;
  score_ = 0;
  cycle_.start();
  broyden_.clear();
}

Corrector::Reason Corrector::refresh_reason(double alpha) const {
  if (!have_A_) return Reason::alpha;
  if (!have_B_) return Reason::failure;
  if (slow_ || !cycle_.worth_continuing()) return Reason::slowness;
  const double x = cycle_.phase() == Phase::krylov && knows_pattern() ? krylov_change
                   : matches()                                        ? matched_change
                                                                      : alpha_change;
  const double least = (1.0 - x) / (1.0 + x), sigma = alpha / cycle_.alpha();
  return sigma < least || sigma > 1.0 / least ? Reason::alpha : Reason::none;
}

bool Corrector::request_refresh() {
  if (exact_B_) return take_whole();
  have_B_ = false;
  return true;
}

bool Corrector::take_whole() {
  if (!cycle_.matrix().leaves_out()) return false;
  have_A_ = cycle_.take_whole(A_, alpha_last_);
  test_.start();
  broyden_.clear();
  return have_A_;
}

// Goes to the next phase of the cycle instead of a refresh.
bool Corrector::next_phase(Reason reason) {
  const Phase before = cycle_.phase();
  const double contraction = reason == Reason::alpha ? 0.0 : statistics_.contraction;
  if (fresh_) return cycle_.leave_dropped(contraction);
  if (!cycle_.next_phase(steps_in_cycle_, contraction, krylov_operations())) return false;
  if (before == Phase::dropped && cycle_.phase() == Phase::simplified) return true;
  test_.start();
  return true;
}

Corrector::Result Corrector::solve(double t, double h, double alpha, const ErrorNorm& norm,
                                   Vector& y, Vector& y_dot, Vector& e) {
  fresh_ = exact_B_ = false;
  if (alpha != alpha_last_) {
    test_.change_alpha();
    broyden_.clear();
  }
  alpha_last_ = alpha;
  y0_ = y;
  y0_dot_ = y_dot;
  Reason reason = refresh_reason(alpha);
  cycle_.step_begins();
  residual(t, y, y_dot);
  const bool stays = reason == Reason::slowness || (reason == Reason::alpha && knows_pattern());
  if (stays && have_A_ && next_phase(reason)) {
    reason = Reason::none;
    slow_ = false;
  }
  for (;;) {
    if (!F_.allFinite()) return Result::not_finite;
    if (reason != Reason::none) {
      const Result made = refresh(reason, t, h, alpha, y, y_dot);
      if (made != Result::converged) return made;
    }
    if (cycle_.phase() == Phase::krylov && !linearise(t, h, alpha, y, y_dot)) {
      return Result::not_finite;
    }
    e.setZero();
    const Result result = iterate(t, alpha, norm, y, y_dot, e);
    if (matches() && std::abs(alpha / cycle_.alpha() - 1.0) > noticeable) {
      const bool good = result == Result::converged && statistics_.contraction <= good_contraction;
      score_ = std::clamp(score_ + (good ? 1 : -bad_mark), -best_score, best_score);
    }
    if (result == Result::converged) return result;
    lacks_entries_ = lacks_entries_ || exact_B_;
    reason = Reason::none;
    const bool next = next_phase(Reason::failure);
    if (!next && !exact_B_) {
      reason = Reason::failure;
    } else if (!next && !take_whole()) {
      return result;
    }
    y = y0_;
    y_dot = y0_dot_;
    residual(t, y, y_dot);
  }
}

Corrector::Result Corrector::refresh(Reason reason, double t, double h, double alpha,
                                     const Vector& y, const Vector& y_dot) {
  if (have_A_) {
    ++(reason == Reason::failure    ? statistics_.refreshes_failed
       : reason == Reason::slowness ? statistics_.refreshes_slow
                                    : statistics_.refreshes_step);
    statistics_.cycle_steps += steps_in_cycle_;
    cycle_.end(steps_in_cycle_);
    steps_in_cycle_ = 0;
  }
  slow_ = false;
  if (update_serves(reason, t, alpha)) {
    update(t, y, y_dot);
  } else {
    make(reason, t, h, y, y_dot);
  }
  A_ = alpha * E_ + B_;
  have_A_ = false;
  if (!A_.allFinite()) return Result::not_finite;
  if (!cycle_.begin(A_, alpha, exact_B_ ? evaluation_operations() : 0.0)) {
    if (!exact_B_) {  // B is too old: at the next attempt it is made anew
      have_B_ = false;
      return refresh(Reason::failure, t, h, alpha, y, y_dot);
    }
    return Result::singular;
  }
  have_A_ = fresh_ = true;
  test_.start();
  if (score_ < 0) ++score_;
  broyden_.clear();
  return Result::converged;
}

// An update serves where alpha has changed and B has not been tried with this alpha, or where u has
// changed.
bool Corrector::update_serves(Reason reason, double t, double alpha) {
  if (options_.update == MatrixUpdate::none || !have_B_ || !have_A_ || fresh_) return false;
  return reason == Reason::alpha || std::abs(alpha / cycle_.alpha() - 1.0) > noticeable ||
         (excitation_ && excitation_->changed(t));
}

void Corrector::update(double t, const Vector& y, const Vector& y_dot) {
  ++statistics_.updates;
  if (options_.formalism == Formalism::residual) system_.update_mass(t, y, y_dot, E_);
  if (excitation_ && excitation_->known()) excitation_->update(t, B_);
}

void Corrector::make(Reason reason, double t, double h, const Vector& y, const Vector& y_dot) {
  // The iteration is slow although B is of the last few steps: it may lack entries.
  const bool too_early = reason != Reason::alpha && steps_with_B_ <= 1;
  if ((too_early || lacks_entries_) && source_.can_grow()) source_.ask_to_grow();
  lacks_entries_ = false;
  system_.keep_mass(F_);
  const bool judges = excitation_ && excitation_->known() && have_B_;
  if (judges) B_before_ = B_;
  if (evaluate(t, h, y, y_dot, B_, E_)) {
    const Vector B = B_, E = E_;
    analyse();
    B_ = B;
    E_ = E;
    if (excitation_) excitation_->forget();
  }
  if (excitation_) {
    if (!excitation_->known()) {
      const Vector F = F_;
      Vector E = E_;
      excitation_->find(t, h, y, y_dot, B_,
                        [&](double at, const Vector& x, const Vector& x_dot, Vector& B) {
                          residual(at, x, x_dot);
                          evaluate(at, h, x, x_dot, B, E);
                        });
      F_ = F;
      system_.residual(t, y, y_dot, d_);  // the workspace is that of this point again
    }
    if (judges && excitation_->known() && B_before_.size() == B_.size()) {
      excitation_->judge(t, B_before_, B_);
    }
    excitation_->made(t);
  }
  have_B_ = exact_B_ = true;
  steps_with_B_ = 0;
}

bool Corrector::evaluate(double t, double h, const Vector& y, const Vector& y_dot, Vector& B,
                         Vector& E) {
  ++statistics_.jacobians;
  return source_.evaluate(t, h, y, y_dot, F_, B, E);
}

bool Corrector::linearise(double t, double h, double alpha, const Vector& y, const Vector& y_dot) {
  ++cycle_.counts().krylov_steps;
  cycle_.count(evaluation_operations());
  if (evaluate(t, h, y, y_dot, B_now_, E_now_)) return false;
  A_ = alpha * E_now_ + B_now_;
  return A_.allFinite();
}

Corrector::Result Corrector::iterate(double t, double alpha, const ErrorNorm& norm, Vector& y,
                                     Vector& y_dot, Vector& e) {
  using Verdict = ConvergenceTest::Verdict;
  const bool krylov = cycle_.phase() == Phase::krylov;
  test_.begin(exact_B_, krylov, 100.0 * epsilon * norm(y));
  statistics_.contraction = 0.0;
  for (int m = 0;; ++m) {
    if (m > 0) z_ = -d_;
    d_ = F_;
    cycle_.correct(alpha, matches(), m == 0, norm, A_, d_);
    if (broyden_.works() && !krylov) {
      broyden_.apply(d_);
      if (m > 0 && !fresh_ && broyden_.update(z_, norm.scale(), d_)) {
        ++cycle_.counts().broyden_updates;
      }
    }
    ++cycle_.counts().iterations;
    y -= d_;
    e -= d_;
    y_dot -= alpha * d_;
    const Verdict verdict = test_.judge(m, norm(d_));
    if (verdict != Verdict::not_finite) statistics_.contraction = test_.contraction();
    if (verdict == Verdict::not_finite) return Result::not_finite;
    if (verdict == Verdict::diverged) return Result::diverged;
    if (verdict == Verdict::converged) {
      slow_ = test_.slow();
      ++steps_with_B_;
      return Result::converged;
    }
    residual(t, y, y_dot);
    if (!F_.allFinite()) return Result::not_finite;
  }
}

void Corrector::save(ByteWriter& out) const {
  source_.save(out);
  for (const bool flag : {have_B_, have_A_, slow_, lacks_entries_}) out.put(flag);
  out.put(alpha_last_);
  test_.save(out);
  for (const long x : {steps_in_cycle_, steps_with_B_}) out.put(x);
  out.put(score_);
  out.put(A_.size() > 0);
  if (have_B_) {
    out.put(B_);
    out.put(E_);
  }
  if (excitation_) excitation_->save(out);
  if (A_.size() > 0) cycle_.save(out);
  broyden_.save(out);
  system_.save(out);
}

void Corrector::restore(ByteReader& in) {
  if (source_.restore(in)) analyse();
  for (bool* flag : {&have_B_, &have_A_, &slow_, &lacks_entries_}) *flag = get_bool(in);
  in.get(alpha_last_);
  test_.restore(in);
  for (long* x : {&steps_in_cycle_, &steps_with_B_}) in.get(*x);
  in.get(score_);
  const bool has_pattern = get_bool(in);
  if (!has_pattern && !knows_pattern()) {
    A_.resize(0);
  } else if (!has_pattern || A_.size() == 0) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  if (have_B_) {
    in.get(B_);
    in.get(E_);
  }
  if (excitation_) excitation_->restore(in, B_.size());
  if (A_.size() > 0) cycle_.restore(in);
  broyden_.restore(in);
  system_.restore(in);
}

}  // namespace mbs::bdf
