// Insulator chain [MEXX 5.4]: a rope, whose end is a massless point, pulls a chain of N insulators
// by a triangle; M is singular. p = (x0, y0; x, y, phi of the triangle; of N insulators).
//
//   f = (F sin b, -F cos b, 0, ...),  F = F0 + y0' E A / C_L,  tan b = -x0' / C_Q
//
// Switching function: phi' of the top insulator (the report misprints it).

#include <cmath>

#include "tests/problems/parts.hpp"
#include "tests/problems/planar_joints.hpp"

namespace mbs::test {

namespace {

constexpr double E = 8e9, A = 3.4e-4, rho = 3325.0, F0 = 230000.0;
constexpr double d1 = 0.37, d_i = 0.12, c_i = 0.08, d_top = 0.16;

const double C_L = std::sqrt(E / rho), C_Q = std::sqrt(F0 / (A * rho)), damping = E * A / C_L;

int first(int body) {
  return 2 + 3 * (body - 1);
}  // body 1 is the triangle

Vector masses(int N) {
  Vector m(3 * (N + 1) + 2);
  m.setZero();
  for (int body = 1; body <= N + 1; ++body) {
    const double mass = body == 1 ? 34.0 : body <= N ? 15.0 : 9.8;
    const double inertia = body == 1 ? 3.1 : body <= N ? 0.35 : 0.05;
    m.segment<3>(first(body)) << mass, mass, inertia;
  }
  return m;
}

std::vector<Joint> joints(int N) {
  std::vector<Joint> list;
  list.push_back({point(0), body(first(1), 0.0, -d1)});
  list.push_back({body(first(1), 0.5 * std::sqrt(3.0) * d1, 0.5 * d1), body(first(2), 0.0, -c_i)});
  for (int i = 2; i <= N; ++i) {
    list.push_back({body(first(i), 0.0, d_i), body(first(i + 1), 0.0, -c_i)});
  }
  list.push_back({body(first(N + 1), 0.0, d_top), ground(0.0, 0.0)});
  return list;
}

class InsulatorChain final : public PlanarJoints {
 public:
  explicit InsulatorChain(int N) : PlanarJoints(masses(N), joints(N), full(2, 2)) {
    structure_.v_scale.setConstant(10.0);
    sizes_.phi = 1;
    structure_.switching.push_back({"phi'_{N+1} = 0"});
    double y = -d_top;
    for (int i = N + 1; i >= 2; --i) {
      p0_[first(i) + 1] = y;
      y -= i > 2 ? c_i + d_i : c_i + 0.5 * d1;
    }
    p0_.segment<2>(first(1)) << -0.5 * std::sqrt(3.0) * d1, y;
    p0_.head<2>() << p0_[first(1)], y - d1;
  }

  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const double F = F0 + damping * x.v[1], q = x.v[0] / C_Q, root = std::sqrt(1.0 + q * q);
    ws.f.setZero();
    ws.f.head<2>() << -F * q / root, -F / root;
  }

  void switching(const Context&, const State& x, Workspace& ws) const override {
    ws.phi[0] = x.v[sizes_.v - 1];
  }

 protected:
  void force_jacobian(const State& x, const JacobianLayout& at, ColumnSparse& J) const override {
    const double F = F0 + damping * x.v[1], q = x.v[0] / C_Q, root = std::sqrt(1.0 + q * q);
    const double slope = F / (C_Q * root * root * root);
    J.coeffRef(at.dynamics, at.col_v) = -slope;
    J.coeffRef(at.dynamics, at.col_v + 1) = -damping * q / root;
    J.coeffRef(at.dynamics + 1, at.col_v) = slope * q;
    J.coeffRef(at.dynamics + 1, at.col_v + 1) = -damping / root;
  }
};

}  // namespace

std::unique_ptr<Equations> make_insulator_chain(int N) {
  return std::make_unique<InsulatorChain>(N);
}

}  // namespace mbs::test
