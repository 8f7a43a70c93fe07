// A slider crank without forces: p = (phi, psi, x), crank with moment of inertia J, connecting rod
// as another disc, slider of mass m; rod longer than the crank, so that it turns through both dead
// points, phi = 0 and pi, where x' = 0.
//
//   0 = r cos(phi) + l cos(psi) - x
//   0 = r sin(phi) + l sin(psi)
//
// The scale of x is a fifth of r: where x changes fastest it is the better coordinate, at the dead
// points it is none.

#include <cmath>

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double r = 0.15, l = 0.4;
constexpr double crank = 0.02, rod = 0.003, slider = 0.3;

class SliderCrank final : public Handwritten {
 public:
  SliderCrank() : Handwritten(3, 2, band(3, 0), {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}}) {
    structure_.p_names = structure_.v_names = {"crank.phi", "rod.phi", "slider.x"};
    structure_.lambda_names = {"pin.x", "pin.y"};
    structure_.p_scale[2] = structure_.v_scale[2] = 0.2 * r;
    structure_.g_scale.setConstant(r);
    p0_ << 0.0, 0.0, r + l;
    v0_ << 6.0, -6.0 * r / l, 0.0;
    set_jacobian_pattern({{0, 0}, {1, 1}}, {}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    for (const auto& [row, col] : Places{{0, 2}}) {
      const JacobianLayout at(sizes_);
      structure_.jacobian.coeffRef(at.velocity + row, at.col_v + col) = 1.0;
      structure_.jacobian.coeffRef(at.position + row, at.col_p + col) = 1.0;
      structure_.jacobian.coeffRef(at.dynamics + col, at.col_lambda + row) = 1.0;
    }
    structure_.jacobian.makeCompressed();
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    const double s1 = std::sin(x.p[0]), c1 = std::cos(x.p[0]);
    const double s2 = std::sin(x.p[1]), c2 = std::cos(x.p[1]);
    if (want & want_M) ws.M.coeffs() << crank, rod, slider;
    if (want & want_G) ws.G.coeffs() << -r * s1, -l * s2, -1.0, r * c1, l * c2;
    if (want & want_g) ws.g << r * c1 + l * c2 - x.p[2], r * s1 + l * s2;
  }
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f.setZero();
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    const double one = r * x.v[0] * x.v[0], two = l * x.v[1] * x.v[1];
    ws.gamma << -one * std::cos(x.p[0]) - two * std::cos(x.p[1]),
        -one * std::sin(x.p[0]) - two * std::sin(x.p[1]);
  }

 protected:
  double potential(const Context&, const State&) const override { return 0.0; }
};

}  // namespace

std::unique_ptr<Equations> make_slider_crank() {
  return std::make_unique<SliderCrank>();
}

}  // namespace mbs::test
