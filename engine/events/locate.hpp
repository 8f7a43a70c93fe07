#pragma once

// One zero of a scalar function phi(t) that changes its sign in a bracket, Lubich et al. (1992),
// eq. (2.16), in two stages:
//
//   on the dense output:   t <- t - phi(t) / phi'(t), phi' by a difference quotient; a step that
//                          leaves the bracket, or does not halve |phi|, is replaced by bisection
//   on the projected one:  t <- t - phi(t) / s with the last slope s of the first stage, from the
//                          second point on that of the secant: each point is a projection
//
// The report damps its Newton method by an unnamed heuristic and keeps no bracket; here the bracket
// is the damping, and the point returned lies on the far side of the zero, |phi| small and its sign
// changed, so that a condition which becomes true there is true.

#include <algorithm>
#include <cmath>

namespace mbs {

struct Bracket {
  double a, b;  // a < b; phi(a) has the sign `side`, phi(b) has not
  double phi_a, phi_b;
};

struct Estimate {
  double t, slope;
};

// To within `tolerance` in t. phi(t) is cheap.
template <class Function>
Estimate damped_newton(Function&& phi, Bracket k, double tolerance) {
  const double side = k.phi_a > 0.0 ? 1.0 : -1.0;
  const double end = k.b, delta = 1e-6 * (k.b - k.a);
  double t = k.a + (k.b - k.a) * (k.phi_a / (k.phi_a - k.phi_b));
  double slope = (k.phi_b - k.phi_a) / (k.b - k.a);
  double last = INFINITY;
  for (int i = 0; i < 100; ++i) {
    if (!(t > k.a && t < k.b)) t = 0.5 * (k.a + k.b);
    const double value = phi(t);
    if (value == 0.0 || k.b - k.a <= tolerance) break;
    (value * side > 0.0 ? k.a : k.b) = t;
    const double other = t + delta < end ? t + delta : t - delta;
    const double quotient = (phi(other) - value) / (other - t);
    double next = t - value / quotient;
    if (std::isfinite(next)) slope = quotient;
    if (!(next > k.a && next < k.b) || std::abs(value) > 0.5 * last) next = 0.5 * (k.a + k.b);
    last = std::abs(value);
    const bool done = std::abs(next - t) <= tolerance;
    t = next;
    if (done) break;
  }
  return {t, slope};
}

// Refines an estimate to a point on the far side of the zero in [from, to], to within `tolerance`,
// with few evaluations, because phi(t) is dear. Without a change of sign there it returns the
// estimate itself.
template <class Function>
double polish_root(Function&& phi, Estimate start, double side, double from, double to,
                   double tolerance) {
  double near = from, far = to, t = start.t;
  bool far_known = false;
  double slope = start.slope, t_before = 0.0, before = 0.0;
  for (int i = 0; i < 60; ++i) {
    const double value = phi(t);
    const double secant = (value - before) / (t - t_before);
    if (i > 0 && secant * side < 0.0) slope = secant;
    t_before = t;
    before = value;
    if (value * side > 0.0) {
      if (t >= to) return start.t;
      near = t;
    } else {
      far = t;
      far_known = true;
      // The lesser slope: a secant over a jump has a great one.
      const double least = std::min(std::abs(slope), std::abs(start.slope));
      if (t <= from || std::abs(value) <= least * tolerance) return t;
    }
    if (far_known && far - near <= tolerance) return far;
    double next = t - value / slope + 0.5 * tolerance;
    const bool slow = i >= 6 && i % 2 == 0;
    if (slow || !std::isfinite(next)) {
      next = 0.5 * (near + far);
    } else if (next >= far) {
      next = far_known ? 0.5 * (near + far) : to;
    } else if (next <= near) {
      next = near == from && far_known ? from : 0.5 * (near + far);
    }
    if (next == t) return far_known ? far : start.t;
    t = next;
  }
  return far_known ? far : start.t;
}

}  // namespace mbs
