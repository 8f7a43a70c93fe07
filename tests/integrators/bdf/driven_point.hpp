#pragma once

// A point on the unit circle that is drawn to a given motion by a damper of any strength, with a
// closed solution: phi(t) = sin(2 t), lambda(t) = cos(t),
//
//   p = (cos phi, sin phi),  0 = (p.p - 1) / 2,  M = I
//   f = -kappa (v - v_exact(t)) + a_exact(t) + p_exact(t) lambda(t)
//
// The stabilised form has index 2; it is stiff for large kappa.

#include <cmath>

#include "engine/equations/equations.hpp"

namespace mbs::test {

class DrivenPoint : public Equations {
 public:
  explicit DrivenPoint(double kappa) : kappa_(kappa) {
    sizes_.p = sizes_.v = 2;
    sizes_.g = sizes_.lambda = 1;
    structure_.saddle.M = ColumnSparse(2, 2);
    structure_.saddle.M.setIdentity();
    structure_.saddle.G = RowSparse(1, 2);
    for (int i = 0; i < 2; ++i) structure_.saddle.G.insert(0, i) = 1.0;
    structure_.saddle.F = ColumnSparse(2, 1);
  }

  State at(double t) const {
    const double phi = std::sin(2.0 * t), rate = 2.0 * std::cos(2.0 * t),
                 second = -4.0 * std::sin(2.0 * t);
    State x(sizes_);
    x.t = t;
    x.p << std::cos(phi), std::sin(phi);
    const Eigen::Vector2d across(-x.p[1], x.p[0]);
    x.v = rate * across;
    x.a = second * across - rate * rate * x.p;
    x.lambda[0] = std::cos(t);
    return x;
  }

  State initial(const Context&, double t0) const override { return at(t0); }
  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs().setOnes();
    if (want & want_G) ws.G.coeffs() = x.p.array();
    if (want & want_g) ws.g[0] = 0.5 * (x.p.squaredNorm() - 1.0);
  }
  void velocity(const Context&, const State& x, Workspace& ws) const override {
    ws.p_dot = x.v;
    ws.G_v = ws.G * x.v;
  }
  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const State exact = at(x.t);
    ws.f = -kappa_ * (x.v - exact.v) + exact.a + exact.lambda[0] * exact.p;
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma[0] = x.v.squaredNorm();
  }

 private:
  double kappa_;
};

}  // namespace mbs::test
