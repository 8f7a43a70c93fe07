#include "engine/integrators/extrapolation/step.hpp"

namespace mbs {

HalfExplicitEuler::HalfExplicitEuler(const Equations& equations, Given given, Workspace& ws,
                                     SaddleSolver& solver, Statistics& statistics)
    : equations_(equations),
      given_(given),
      sizes_(equations.sizes()),
      stack_(sizes_),
      ws_(ws),
      solver_(solver),
      statistics_(statistics),
      at_(sizes_),
      a_(sizes_.v),
      lambda_(sizes_.lambda) {}

// Leaves the position stage of x, with the M that was there.
bool HalfExplicitEuler::solve_auxiliary(State& x) {
  if (!equations_.solve_auxiliary(given_, x, ws_)) return false;
  equations_.position(given_, x, want_G, ws_);
  return true;
}

StepResult HalfExplicitEuler::run(const StepPoint& begin, double t_end, int n,
                                  Eigen::Ref<Vector> end, Matrix& slopes) {
  const double h = (t_end - begin.x.t) / n;
  State& x = at_.x;
  at_ = begin;
  for (int i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    x.t = last ? t_end : begin.x.t + (i + 1) * h;
    x.p += h * at_.p_dot;
    if (sizes_.s > 0 && !equations_.solve_auxiliary(given_, x, ws_)) return StepResult::auxiliary;
    equations_.position(given_, x, want_M | want_G, ws_);
    ++statistics_.matrix_evaluations;
    ++statistics_.factorisations;
    if (!solver_.factor(ws_.saddle())) return StepResult::singular;
    a_ = at_.f;
    lambda_.noalias() = ws_.G * x.v;
    lambda_ = (lambda_ + ws_.gI) * (-1.0 / h);
    solver_.solve(a_, lambda_);
    ++statistics_.solves;
    x.a = a_;
    x.lambda = lambda_;
    x.v += h * a_;
    if (!x.v.allFinite() || !lambda_.allFinite()) return StepResult::not_finite;

    if (sizes_.r > 0) {
      if (sizes_.w > 0 && !solve_auxiliary(x)) return StepResult::auxiliary;
      equations_.velocity(given_, x, ws_);
      equations_.force(given_, x, want_b, ws_);
      at_.r_dot = ws_.b;
      x.r += h * at_.r_dot;
    }
    if (sizes_.w > 0 && !solve_auxiliary(x)) return StepResult::auxiliary;
    stack_.pack_slopes(x, at_.p_dot, at_.r_dot, slopes.col(i));
    if (!last) evaluate(want_f, at_);
  }
  stack_.pack(x, end);
  return end.allFinite() ? StepResult::done : StepResult::not_finite;
}

bool HalfExplicitEuler::evaluate(StepPoint& point) {
  if (sizes_.w > 0 && !solve_auxiliary(point.x)) return false;
  evaluate(sizes_.r > 0 ? want_f | want_b : want_f, point);
  return true;
}

void HalfExplicitEuler::evaluate(unsigned want, StepPoint& point) {
  equations_.velocity(given_, point.x, ws_);
  equations_.force(given_, point.x, want, ws_);
  ++statistics_.force_evaluations;
  point.p_dot = ws_.p_dot;
  point.f = ws_.f;
  if ((want & want_b) != 0) point.r_dot = ws_.b;
}

}  // namespace mbs
