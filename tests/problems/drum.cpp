// Cable drum with dry friction [MEXX 5.1]: p = (y1, x2, y2, alpha2), the normal force lambda2 acts
// on the drum by friction, so f depends on lambda.
//
//   M = diag(m1, m2, m2, I2)
//   f = (-m1 g - c y1', -mu lambda2, -m2 g, -mu r2 lambda2)
//   0 = (x2, y2 - r2, y1 - y2 - alpha2 r1)

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double m1 = 10.0, m2 = 1.0, I2 = 1.0, r1 = 1.0, r2 = 1.0, g = 1.0, c = 1.0;

class Drum final : public Handwritten {
 public:
  explicit Drum(double mu) : Handwritten(4, 3, band(4, 0), G_places(), {{1, 1}, {3, 1}}), mu_(mu) {
    structure_.p_names = {"load.y", "drum.x", "drum.y", "drum.alpha"};
    structure_.v_names = {"load.vy", "drum.vx", "drum.vy", "drum.omega"};
    structure_.lambda_names = {"wall", "floor", "cable"};
    p0_ << 0.0, 0.0, r2, -r2 / r1;
    set_jacobian_pattern({}, {{0, 0}}, G_places());
    // F has places that G^T has not.
    const JacobianLayout at(sizes_);
    structure_.jacobian.coeffRef(at.dynamics + 1, at.col_lambda + 1) = 1.0;
    structure_.jacobian.coeffRef(at.dynamics + 3, at.col_lambda + 1) = 1.0;
    structure_.jacobian.makeCompressed();
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs() << m1, m2, m2, I2;
    if (want & want_G) ws.G.coeffs() << 1.0, 1.0, 1.0, -1.0, -r1;
    if (want & want_g) ws.g << x.p[1], x.p[2] - r2, x.p[0] - x.p[2] - x.p[3] * r1;
  }
  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const double friction = -mu_ * x.lambda[1];
    ws.f << -m1 * g - c * x.v[0], friction, -m2 * g, r2 * friction;
  }
  void friction(const Context&, const State&, Workspace& ws) const override {
    ws.F.coeffs() << -mu_, -mu_ * r2;
  }

 private:
  static Places G_places() { return {{0, 1}, {1, 2}, {2, 0}, {2, 2}, {2, 3}}; }

  double mu_;
};

}  // namespace

std::unique_ptr<Equations> make_drum(double mu) {
  return std::make_unique<Drum>(mu);
}

}  // namespace mbs::test
