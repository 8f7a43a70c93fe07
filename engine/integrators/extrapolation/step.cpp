// One attempt at a step: rows of the tableau until the controller decides, the checks for kinks and
// discontinuities, and the projected end.

#include <cmath>
#include <utility>

#include "engine/equations/initial.hpp"
#include "engine/integrators/extrapolation/integrator.hpp"

namespace mbs::extrapolation {

Integrator::Attempt Integrator::attempt(double t_end, Expected expected) {
  using Verdict = Controller::Verdict;
  const int ny = layout_.ny();
  bool one_row_more = false;  // the previous row was good but for kinks
  for (int j = 1;; ++j) {
    if (!add_row(j, t_end)) return Attempt::failed;
    norm_.set_scale(dense_.end().value.head(ny), tableau_.value(j).head(ny));
    if (rule_->vanishing() != nullptr) kinks_.add_row(j, *rule_->vanishing(), norm_);
    if (j == 1) continue;
    const auto table_error = tableau_.error().head(ny);
    const double error = norm_(table_error);
    if (!std::isfinite(error)) {
      fail(StepFailure::Reason::not_finite);
      return Attempt::failed;
    }
    const Verdict judged = control_.judge(j, error);
    const Verdict verdict = expected == Expected::jump ? Verdict::accept : judged;
    if (one_row_more && verdict != Verdict::accept) return reject_for_kink(j);
    if (verdict == Verdict::go_on) continue;
    if (verdict == Verdict::reject) {
      return reject(Attempt::rejected, error, norm_.largest(table_error));
    }
    if (!shows_kink(j, error, expected, one_row_more)) {
      return finish_step(j, t_end, expected, one_row_more);
    }
    if (one_row_more || j == method_.max_rows) return reject_for_kink(j);
    one_row_more = true;
  }
}

// Row j is accepted: completes the end and checks both ends for discontinuities.
Integrator::Attempt Integrator::finish_step(int j, double t_end, Expected expected,
                                            bool one_row_more) {
  if (!finish(j, t_end, true)) return Attempt::failed;
  endpoint_result_ = {};
  if (expected != Expected::jump) {
    endpoint_result_ = endpoints_.judge(j, t_end - x_.t, now_, next_, *rule_, norm_);
  }
  if (locator_.refuted_by(endpoint_result_)) {
    endpoints_.false_alarm(locator_.first().ratio);
  } else if (endpoint_result_.rejects) {
    endpoint_rows_ = j;
    return reject(Attempt::endpoint, endpoint_result_.error, endpoint_result_.worst);
  }
  if (!accept(j, true)) return Attempt::failed;
  endpoints_.stepped();
  control_.accepted(one_row_more ? j - 1 : j);
  return Attempt::accepted;
}

Integrator::Attempt Integrator::reject(Attempt why, double size, int worst) {
  failure_ = {StepFailure::Reason::error_test, size, worst};
  return why;
}

Integrator::Attempt Integrator::reject_for_kink(int j) {
  return reject(Attempt::kink, kinks_.size(j), kinks_.worst(j, norm_));
}

bool Integrator::shows_kink(int j, double error, Expected expected, bool one_row_more) const {
  using Confidence = KinkDetector::Confidence;
  if (rule_->vanishing() == nullptr || expected == Expected::jump) return false;
  return kinks_.detects(j, error,
                        expected == Expected::kinks ? Confidence::none
                        : one_row_more              ? Confidence::after_another_row
                                                    : Confidence::smooth);
}

// A step that was rejected for its error and cannot be made shorter, since floating-point numbers
// lie no closer, crosses the jump that is there, with an error that no method can know. More such
// steps one after the other are no jump.
bool Integrator::may_cross_jump(double least) const {
  constexpr int most = 3;
  return control_.step() < least && options_.min_step < least &&
         failure_.reason == StepFailure::Reason::error_test && jumps_crossed_ < most;
}

bool Integrator::add_row(int j, double t_end) {
  if (!done(rule_->run(now_, t_end, rule_->expansion().steps(j), tableau_.first(),
                       dense_.slopes(j)))) {
    return false;
  }
  tableau_.add_row(j);
  endpoints_.add_row(j, rule_->nearest());
  return true;
}

// Completes the point T_{rows,rows}.
bool Integrator::finish(int rows, double t_end, bool project) {
  next_.x = now_.x;
  next_.x.t = t_end;
  layout_.unpack(tableau_.value(rows), next_.x);
  return arrive(project);
}

// Completes next_, projected on request.
bool Integrator::arrive(bool project) {
  if (!project) {
    equations_.position(context_, next_.x, want_solver | want_G, *ws_);
  } else if (!projects(next_.x)) {
    return false;
  }
  if (!done(rule_->arrive(next_, project && layout_.lambda > 0))) return false;
  return (next_.p_dot.allFinite() && next_.f.allFinite() && next_.r_dot.allFinite()) ||
         fail(StepFailure::Reason::not_finite);
}

// next_ becomes the end of the step; nothing has changed when it returns false.
bool Integrator::accept(int rows, bool project) {
  if (!done(rule_->prepare(next_, project && layout_.lambda > 0))) return false;
  std::swap(now_, next_);
  dense_.accept(rows, now_);
  begin_ = x_;
  t_begin_ = x_.t;
  x_ = now_.x;
  return true;
}

bool Integrator::projects(State& x) {
  return count(projection_.positions(x, *ws_, *solver_), true) &&
         count(rule_->needs_factors() ? projection_.velocities(x, *ws_, *solver_)
                                      : projection_.velocities_near(x, *ws_, *solver_),
               false);
}

// A step far below the natural one: p, v, r by Taylor's formula, a and lambda from the equations.
void Integrator::shift(double t_end) {
  const double H = t_end - x_.t;
  next_.x = now_.x;
  next_.x.t = t_end;
  next_.x.p += H * now_.p_dot;
  next_.x.v += H * now_.x.a;
  next_.x.r += H * now_.r_dot;
  const int row = control_.row();
  const double natural = control_.step();
  const bool solved = solve_accelerations(equations_, context_, next_.x, *ws_, *solver_);
  fail(solved || ws_->f.allFinite() ? StepFailure::Reason::singular
                                    : StepFailure::Reason::not_finite);
  if (!solved || !arrive(true) || !accept(1, true)) give_up(H, "a last short step fails");
  control_.resume(natural, row);
  count_step(1);
}

}  // namespace mbs::extrapolation
