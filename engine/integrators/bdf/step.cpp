// One attempt at a step: predictor, corrector, error test, projection; and a short step by the
// polynomial of the last one.

#include <array>
#include <cmath>
#include <limits>

#include "engine/equations/initial.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

Integrator::Attempt Integrator::attempt(double t_end) {
  const double h = t_end - t_history_;
  history_.prepare(h, control_.order());
  norm_.set_scale(history_.difference(1));
  const bool feeds = method_.corrector == CorrectorKind::modern;
  Vector& y = feeds ? y_ : y_end_;
  for (;;) {
    predict();
    const Corrector::Result result =
        corrector_.solve(t_end, h, history_.alpha(), norm_, y_, y_dot_, e_);
    if (result != Corrector::Result::converged) return corrector_failed(result, h);
    if (!control_.accepts(h, history_, norm_, e_)) {
      failure_ = {StepFailure::Reason::error_test, control_.error(), norm_.largest(e_)};
      if (!control_.fixed()) {
        history_.undo();
        return Attempt::rejected;
      }
    }
    if (!feeds) y_end_ = y_;
    if (project(t_end, y, y_dot_, feeds ? &e_ : nullptr)) break;
    // An old matrix may serve the corrector but not the projection, as beyond a singular position.
    if (!corrector_.request_refresh()) {
      return corrector_failed(Corrector::Result::diverged, h);
    }
  }
  keep_untested();
  control_.accepted(h, history_, norm_, e_);
  corrector_.accepted();
  t_history_ = t_end;
  system_.unpack(t_end, y, y_dot_, x_);
  finish(t_end);
  stepped_ = true;
  return Attempt::accepted;
}

// Errors of multipliers and auxiliary unknowns are not tested. Lambda of the second form is
// differential.
std::array<Integrator::Untested, 2> Integrator::untested() const {
  const System::Layout& at = system_.at();
  const int end = system_.form() == Form::ggl ? at.eta : at.lambda;
  constexpr int order = 4, order_of_eta = 0;
  return {Untested{at.w, end - at.w, order}, {at.eta, at.size - at.eta, order_of_eta}};
}

void Integrator::predict() {
  history_.predict(y_, y_dot_);
  if (method_.corrector == CorrectorKind::dassl) return;
  for (const Untested& part : untested()) {
    history_.predict(part.begin, part.count, part.order, y_);
  }
}

// Components with another predictor enter the history as they are.
void Integrator::keep_untested() {
  if (method_.corrector == CorrectorKind::dassl) return;
  for (const Untested& part : untested()) history_.find_error(part.begin, part.count, y_, e_);
}

// Solves A d = (0; d, c, G v + gI, g, n) with the corrector's factors until d is small.
bool Integrator::project(double t, Vector& y, Vector& y_dot, Vector* e) {
  const Sizes& n = system_.sizes();
  if (n.lambda + n.w + n.s + n.n == 0) return true;
  constexpr double enough = 2e-2;
  constexpr int most = 6;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most; ++i) {
    system_.constraints(t, y, y_dot, d_);
    corrector_.apply(history_.alpha(), norm_, d_);
    ++statistics_.projections;
    ++statistics_.matrix_evaluations;
    const double change = norm_(d_);
    if (!std::isfinite(change) || change > 2.0 * before) return false;
    y -= d_;
    if (e != nullptr) *e -= d_;
    if (change <= enough) return true;
    before = change;
  }
  return false;
}

// The second form integrates velocities alone: positions that have drifted by more than the
// tolerance are projected, and the whole history is moved with them.
void Integrator::correct_drift() {
  const Sizes& n = system_.sizes();
  if (system_.form() == Form::ggl || n.g == 0) return;
  Workspace& ws = system_.workspace();
  equations_.position(context_, x_, want_g, ws);
  ++statistics_.matrix_evaluations;
  const Vector& scale = equations_.structure().g_scale;
  const double drift = scale.size() == n.g ? ws.g.cwiseQuotient(scale).cwiseAbs().maxCoeff()
                                           : ws.g.cwiseAbs().maxCoeff();
  if (!(drift > norm_.smallest_rtol())) return;
  const Vector before = x_.p;
  if (!count(projection_.positions(x_, ws, *solver_), true)) return;
  history_.shift(system_.at().p, x_.p - before);
}

// Completes the state at the end of a step.
void Integrator::finish(double t_end) {
  x_.t = t_end;
  const Sizes& n = system_.sizes();
  correct_drift();
  if (n.n > 0) equations_.normalise(x_);
  if (n.w > 0 || n.s > 0) equations_.solve_auxiliary(context_, x_, system_.workspace());
}

// Moves to a stop time next to the end of the history without a step: the last polynomial stays in
// use.
void Integrator::shift(double t_end) {
  begin_ = x_;
  history_.interpolate(t_end - t_history_, y_, &y_dot_);
  system_.unpack(t_end, y_, y_dot_, x_);
  Workspace& ws = system_.workspace();
  const bool projected = count(projection_.positions(x_, ws, *solver_), true) &&
                         count(projection_.velocities(x_, ws, *solver_), false);
  if (projected) failure_.reason = StepFailure::Reason::singular;
  if (!projected || !solve_accelerations(equations_, context_, x_, ws, *solver_)) {
    x_ = begin_;
    give_up(t_end - x_.t, "a last short step fails");
  }
  t_begin_ = begin_.t;
  finish(t_end);
  count_step(history_.order());
}

}  // namespace mbs::bdf
