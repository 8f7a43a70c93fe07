// A point mass on a massless rod, m = L = 1: p = (x, y), M = I, f = (0, -g), x^2 + y^2 - 1 = 0.
// The one parameter is g.

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

class Pendulum final : public Handwritten {
 public:
  Pendulum(double g, const Eigen::Vector2d& p0, const Eigen::Vector2d& v0)
      : Handwritten(2, 1, band(2, 0), full(1, 2)), g_(g) {
    sizes_.parameters = 1;
    structure_.p_names = {"x", "y"};
    structure_.v_names = {"vx", "vy"};
    structure_.lambda_names = {"rod"};
    p0_ = p0;
    v0_ = v0;
    set_jacobian_pattern(band(2, 0), {}, full(1, 2));
  }

  Parameters default_parameters() const override { return {Vector::Constant(1, g_), Vector()}; }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs().setOnes();
    if (want & want_G) ws.G.coeffs() = 2.0 * x.p.array();
    if (want & want_g) ws.g[0] = x.p.squaredNorm() - 1.0;
  }
  void force(const Context& context, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f << 0.0, -context.parameters.values[0];
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma[0] = 2.0 * x.v.squaredNorm();
  }

  void jacobian(const Context&, const State& x, Workspace& ws) const override {
    const JacobianLayout at(sizes_);
    if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
    ColumnSparse& J = ws.jacobian;
    for (int i = 0; i < 2; ++i) {
      J.coeffRef(at.kinematics + i, at.col_v + i) = 1.0;
      J.coeffRef(at.dynamics + i, at.col_p + i) = -2.0 * x.lambda[0];
      J.coeffRef(at.dynamics + i, at.col_lambda) = -2.0 * x.p[i];
      J.coeffRef(at.velocity, at.col_p + i) = 2.0 * x.v[i];
      J.coeffRef(at.velocity, at.col_v + i) = 2.0 * x.p[i];
      J.coeffRef(at.position, at.col_p + i) = 2.0 * x.p[i];
      J.coeffRef(at.acceleration, at.col_p + i) = 2.0 * x.a[i];
      J.coeffRef(at.acceleration, at.col_v + i) = 4.0 * x.v[i];
    }
  }

 protected:
  double potential(const Context& context, const State& x) const override {
    return context.parameters.values[0] * x.p[1];
  }

 private:
  double g_;
};

}  // namespace

std::unique_ptr<Equations> make_pendulum(double g, const Eigen::Vector2d& p0,
                                         const Eigen::Vector2d& v0) {
  return std::make_unique<Pendulum>(g, p0, v0);
}

}  // namespace mbs::test
