#include "engine/integrators/extrapolation/explicit_midpoint.hpp"

#include "engine/equations/initial.hpp"

namespace mbs::extrapolation {
namespace {

bool finite(const State& x) {
  return x.p.allFinite() && x.v.allFinite() && x.r.allFinite();
}

}  // namespace

ExplicitMidpoint::ExplicitMidpoint(const DiscretisationContext& context, bool dense)
    : in_(context),
      expansion_(dense ? h2_dense_expansion : h2_expansion),
      sizes_(context.equations.sizes()),
      layout_(sizes_),
      x_(sizes_),
      before_(layout_.ny()),
      vanishing_(layout_.ny()),
      sticking_(sizes_),
      nearest_{Vector::Zero(sizes_.v + sizes_.r), Vector::Zero(sizes_.v + sizes_.r)} {}

// Finds a and lambda at x; leaves p' in the workspace.
StepResult ExplicitMidpoint::accelerations(State& x) {
  const long before = in_.solver.statistics().factorisations;
  const bool solved = solve_accelerations(in_.equations, in_.context, x, in_.ws, in_.solver);
  const long factorisations = in_.solver.statistics().factorisations - before;
  ++in_.statistics.matrix_evaluations;
  ++in_.statistics.force_evaluations;
  in_.statistics.factorisations += factorisations;
  in_.statistics.solves += factorisations;
  if (solved) {
    sticking_.refine(in_, x, in_.ws.gamma, x.a);
    return StepResult::done;
  }
  return in_.ws.f.allFinite() && in_.ws.gamma.allFinite() ? StepResult::singular
                                                          : StepResult::not_finite;
}

void ExplicitMidpoint::slopes_of_states(const State& x) {
  if (sizes_.r > 0) in_.equations.force(in_.context, x, want_b, in_.ws);
}

StepResult ExplicitMidpoint::run(const StepPoint& begin, double t_end, int n,
                                 Eigen::Ref<Vector> end, Matrix& slopes) {
  const double h = (t_end - begin.x.t) / n;
  const bool keep = slopes.cols() > n;
  vanishing_.setZero();
  layout_.pack_y(begin.x, before_);
  layout_.pack_slopes(begin.x, begin.p_dot, begin.r_dot, slopes.col(0));
  x_ = begin.x;
  x_.p += h * begin.p_dot;
  x_.v += h * begin.x.a;
  x_.r += h * begin.r_dot;
  for (int i = 1; i < n; ++i) {
    x_.t = begin.x.t + i * h;
    if (keep && 2 * i == n) layout_.pack_y(x_, slopes.col(n).head(layout_.ny()));
    const StepResult result = accelerations(x_);
    if (result != StepResult::done) return finite(x_) ? result : StepResult::not_finite;
    slopes_of_states(x_);
    if (keep || i + 1 == n) {
      layout_.pack_slopes(x_, in_.ws.p_dot, in_.ws.b, slopes.col(keep ? i : 1));
    }
    if (i == 1) nearest_.first << x_.a, in_.ws.b;
    if (i + 1 == n) nearest_.last << x_.a, in_.ws.b;
    if (i % 2 == 1) add_vanishing(begin.x, double(i) / n, 2.0 * h, n * h);
    leap(2.0 * h);
  }
  layout_.pack(x_, end);  // z of the last point within: it is computed where the step ends
  return finite(x_) ? StepResult::done : StepResult::not_finite;
}

// Adds the term of y_i to W_j (kink_detector.hpp).
void ExplicitMidpoint::add_vanishing(const State& begin, double theta, double two_h, double H) {
  const double by_slope = two_h * (theta - 1.0), by_change = two_h / H;
  double* sum = vanishing_.data();
  const auto part = [&](const Vector& y0, const Vector& y, const Vector& slope) {
    for (Eigen::Index i = 0; i < y.size(); ++i, ++sum) {
      *sum += by_slope * slope[i] + by_change * (y[i] - y0[i]);
    }
  };
  part(begin.p, x_.p, in_.ws.p_dot);
  part(begin.v, x_.v, x_.a);
  part(begin.r, x_.r, in_.ws.b);
}

// y_{i-1}, y_i <- y_i, y_{i-1} + two_h y'_i
void ExplicitMidpoint::leap(double two_h) {
  double* before = before_.data();
  const auto part = [&](Vector& y, const Vector& slope) {
    for (Eigen::Index i = 0; i < y.size(); ++i, ++before) {
      const double next = *before + two_h * slope[i];
      *before = y[i];
      y[i] = next;
    }
  };
  part(x_.p, in_.ws.p_dot);
  part(x_.v, x_.a);
  part(x_.r, in_.ws.b);
}

void ExplicitMidpoint::pack_nearest(const StepPoint& point, Vector& out) const {
  out << point.x.a, point.r_dot;
}

StepResult ExplicitMidpoint::arrive(StepPoint& point, bool factored) {
  const bool plain =
      factored && sizes_.w == 0 && sizes_.s == 0 && !in_.equations.structure().f_depends_on_lambda;
  if (plain) {
    in_.equations.velocity(in_.context, point.x, in_.ws);
    in_.equations.force(in_.context, point.x, want_f, in_.ws);
    in_.equations.gamma(in_.context, point.x, in_.ws);
    ++in_.statistics.force_evaluations;
    point.x.a = in_.ws.f;
    point.x.lambda = -in_.ws.gamma;
    in_.solver.solve(point.x.a, point.x.lambda);
    ++in_.statistics.solves;
    sticking_.refine(in_, point.x, in_.ws.gamma, point.x.a);
  } else {
    const StepResult result = accelerations(point.x);
    if (result != StepResult::done) return result;
  }
  slopes_of_states(point.x);
  point.p_dot = in_.ws.p_dot;
  point.f = in_.ws.f;
  point.r_dot = in_.ws.b;
  return point.x.a.allFinite() && point.x.lambda.allFinite() ? StepResult::done
                                                             : StepResult::not_finite;
}

}  // namespace mbs::extrapolation
