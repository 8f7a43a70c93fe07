#include "engine/integrators/extrapolation/half_explicit_euler.hpp"

#include <cmath>

#include "engine/base/text.hpp"

namespace mbs::extrapolation {
namespace {

// Below this size (2.1) needs as many evaluations as (2.2) on the cable drum (table 5.1).
constexpr double most_friction = 0.02;

}  // namespace

HalfExplicitEuler::HalfExplicitEuler(const DiscretisationContext& context, Scheme scheme)
    : in_(context),
      sizes_(context.equations.sizes()),
      layout_(sizes_),
      scheme_(scheme),
      f_goes_with_M_(context.equations.structure().configuration_dependent_mass),
      F0_(context.equations.structure().saddle.F),
      at_(sizes_),
      a_(sizes_.v),
      lambda_(sizes_.lambda),
      direction_(sizes_.lambda),
      nearest_{Vector::Zero(sizes_.v + sizes_.r), Vector::Zero(sizes_.v + sizes_.r)},
      sticking_(sizes_) {
  if (!context.equations.structure().f_depends_on_lambda) scheme_ = Scheme::standard;
}

std::string HalfExplicitEuler::choice() const {
  if (scheme_ != Scheme::chosen) return {};
  std::string text = modified_ ? "the modified scheme (2.2)" : "the standard scheme (2.1)";
  text += " because the size of df/dlambda is ";
  text += short_number(largest_);
  return text;
}

// Leaves the position stage of x, with the M that was there.
bool HalfExplicitEuler::solve_auxiliary(State& x) {
  if (!in_.equations.solve_auxiliary(in_.context, x, in_.ws)) return false;
  in_.equations.position(in_.context, x, want_G, in_.ws);
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
    if (sizes_.s > 0 && !in_.equations.solve_auxiliary(in_.context, x, in_.ws)) {
      return StepResult::auxiliary;
    }
    in_.equations.position(in_.context, x, want_solver | want_G, in_.ws);
    ++in_.statistics.matrix_evaluations;
    ++in_.statistics.factorisations;
    SaddleMatrix matrix = in_.ws.saddle();
    if (modified_) matrix.F = &F0_;
    if (!in_.solver.factor(matrix)) return StepResult::singular;
    if (f_goes_with_M_) {
      if (sizes_.w > 0 && !solve_auxiliary(x)) return StepResult::auxiliary;
      in_.equations.velocity(in_.context, x, in_.ws);
      in_.equations.force(in_.context, x, want_f, in_.ws);
      ++in_.statistics.force_evaluations;
      a_ = in_.ws.f;
    } else {
      a_ = at_.f;
    }
    if (modified_) a_.noalias() -= F0_ * x.lambda;
    lambda_.noalias() = in_.ws.G * x.v;
    lambda_ = (lambda_ + in_.ws.gI) * (-1.0 / h);
    in_.solver.solve(a_, lambda_);
    ++in_.statistics.solves;
    x.a = a_;
    x.lambda = lambda_;
    x.v += h * a_;
    sticking_.refine(in_, x, in_.ws.gI, x.v);
    if (!x.v.allFinite() || !lambda_.allFinite()) return StepResult::not_finite;

    if (sizes_.r > 0) {
      if (sizes_.w > 0 && !solve_auxiliary(x)) return StepResult::auxiliary;
      in_.equations.velocity(in_.context, x, in_.ws);
      in_.equations.force(in_.context, x, want_b, in_.ws);
      at_.r_dot = in_.ws.b;
      x.r += h * at_.r_dot;
    }
    if (sizes_.w > 0 && !solve_auxiliary(x)) return StepResult::auxiliary;
    layout_.pack_slopes(x, at_.p_dot, at_.r_dot, slopes.col(i));
    // b was evaluated with r_i and the rest at the next point.
    if (i == 1) nearest_.first.tail(sizes_.r) = at_.r_dot;
    if (last) break;
    if (f_goes_with_M_) {
      in_.equations.apply_Z(in_.context, x, x.v, at_.p_dot);
    } else {
      evaluate(want_f, at_);
    }
    const Vector& f = f_goes_with_M_ ? in_.ws.f : at_.f;
    if (i == 0) nearest_.first.head(sizes_.v) = f;
    if (i + 2 == n) nearest_.last << f, at_.r_dot;
  }
  layout_.pack(x, end);
  return end.allFinite() ? StepResult::done : StepResult::not_finite;
}

void HalfExplicitEuler::pack_nearest(const StepPoint& point, Vector& out) const {
  out << point.f, point.r_dot;
}

void HalfExplicitEuler::to_accelerations(Eigen::Ref<Vector> difference) {
  lambda_.setZero();
  in_.solver.solve(difference, lambda_);
  ++in_.statistics.solves;
}

StepResult HalfExplicitEuler::arrive(StepPoint& point, bool /*factored*/) {
  if (sizes_.w > 0 && !solve_auxiliary(point.x)) return StepResult::auxiliary;
  evaluate(sizes_.r > 0 ? want_f | want_b : want_f, point);
  return point.p_dot.allFinite() && point.f.allFinite() && point.r_dot.allFinite()
             ? StepResult::done
             : StepResult::not_finite;
}

StepResult HalfExplicitEuler::prepare(const StepPoint& point, bool factored) {
  if (scheme_ == Scheme::standard) return StepResult::done;
  in_.equations.friction(in_.context, point.x, in_.ws);
  if (!in_.ws.F.coeffs().allFinite()) return StepResult::not_finite;
  if (scheme_ == Scheme::modified) {
    F0_.coeffs() = in_.ws.F.coeffs();
    modified_ = true;
    return StepResult::done;
  }
  if (!factored) {
    ++in_.statistics.factorisations;
    if (!in_.solver.factor(in_.ws.saddle())) return StepResult::singular;
  }
  const double size = size_of_F(point.x);
  if (!std::isfinite(size)) return StepResult::not_finite;
  F0_.coeffs() = in_.ws.F.coeffs();
  largest_ = std::max(largest_, size);
  modified_ = size > most_friction;
  return StepResult::done;
}

void HalfExplicitEuler::evaluate(unsigned want, StepPoint& point) {
  in_.equations.velocity(in_.context, point.x, in_.ws);
  in_.equations.force(in_.context, point.x, want, in_.ws);
  ++in_.statistics.force_evaluations;
  point.p_dot = in_.ws.p_dot;
  point.f = in_.ws.f;
  if ((want & want_b) != 0) point.r_dot = in_.ws.b;
}

void HalfExplicitEuler::save(ByteWriter& out) const {
  out.put<std::uint8_t>(modified_);
  out.put(largest_);
  out.raw(F0_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F0_.nonZeros()));
}

void HalfExplicitEuler::restore(ByteReader& in) {
  std::uint8_t modified = 0;
  in.get(modified);
  modified_ = modified != 0;
  in.get(largest_);
  in.raw(F0_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F0_.nonZeros()));
}

// The largest |R^k d| / |R^(k-1) d| in a few steps of the power method, with the factors of the
// matrix without F.
double HalfExplicitEuler::size_of_F(const State& x) {
  constexpr int iterations = 3;
  const double most = x.lambda.size() > 0 ? x.lambda.cwiseAbs().maxCoeff() : 0.0;
  direction_ = x.lambda;
  direction_.array() += most > 0.0 ? 0.1 * most : 1.0;  // no row is left out
  double size = 0.0;
  for (int k = 0; k < iterations; ++k) {
    const double length = direction_.norm();
    if (!(length > 0.0)) break;
    direction_ /= length;
    a_.noalias() = in_.ws.F * direction_;
    lambda_.setZero();
    in_.solver.solve(a_, lambda_);
    ++in_.statistics.solves;
    direction_ = lambda_;
    size = std::max(size, direction_.norm());
  }
  return size;
}

}  // namespace mbs::extrapolation
