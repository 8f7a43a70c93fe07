// A knife edge on a slope: p = (x, y, phi), x down the slope, the blade in direction phi,
//
//   x' sin(phi) - y' cos(phi) = 0        nonholonomic
//   f = (m c, 0, 0),  M = diag(m, m, J)
//
// phi' = omega is constant. Started at the origin with speed u0 along the blade, phi = 0, the speed
// is u = u0 + c sin(omega t) / omega, so with s = sin, k = cos of omega t
//
//   x  = u0 s / omega + c s^2 / (2 omega^2)
//   y  = u0 (1 - k) / omega + c (omega t - s k) / (2 omega^2)
//   mu = m (u omega + c s)               since -(s, -k) mu = m a - f

#include <cmath>

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double mass = 2.0, inertia = 0.3, slope = 4.905, turning = 1.5, speed = 0.4;

class KnifeEdge final : public Handwritten {
 public:
  KnifeEdge() : Handwritten(3, 1, band(3, 0), {{0, 0}, {0, 1}}) {
    sizes_.g = 0;
    structure_.p_names = structure_.v_names = {"edge.x", "edge.y", "edge.phi"};
    structure_.lambda_names = {"blade"};
    structure_.g_scale = Vector();
    v0_ << speed, 0.0, turning;
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs() << mass, mass, inertia;
    if (want & want_G) ws.G.coeffs() << std::sin(x.p[2]), -std::cos(x.p[2]);
  }
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f << mass * slope, 0.0, 0.0;
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma[0] = (std::cos(x.p[2]) * x.v[0] + std::sin(x.p[2]) * x.v[1]) * x.v[2];
  }

 protected:
  double potential(const Context&, const State& x) const override { return -mass * slope * x.p[0]; }
};

}  // namespace

std::unique_ptr<Equations> make_knife_edge() {
  return std::make_unique<KnifeEdge>();
}

Reference knife_edge_at(double t) {
  const double w = turning, s = std::sin(w * t), k = std::cos(w * t);
  const double u = speed + slope * s / w;
  Reference at{t, Vector(3), Vector(3), Vector(3), Vector(1), {}};
  at.p << speed * s / w + slope * s * s / (2.0 * w * w),
      speed * (1.0 - k) / w + slope * (w * t - s * k) / (2.0 * w * w), w * t;
  at.v << u * k, u * s, w;
  at.a << slope * k * k - u * w * s, slope * k * s + u * w * k, 0.0;
  at.lambda << mass * (u * w + slope * s);
  return at;
}

}  // namespace mbs::test
