// State, Inputs, Workspace, the layout of residuals, and what Equations does when a model gives
// nothing better. Differences are in difference_jacobian.cpp.

#include "engine/equations/equations.hpp"

#include <cmath>
#include <limits>

#include "engine/equations/differences.hpp"
#include "engine/equations/output_derivatives.hpp"

namespace mbs {

State::State(const Sizes& n)
    : p(Vector::Zero(n.p)),
      v(Vector::Zero(n.v)),
      r(Vector::Zero(n.r)),
      w(Vector::Zero(n.w)),
      s(Vector::Zero(n.s)),
      z(Vector::Zero(n.z)),
      a(Vector::Zero(n.v)),
      lambda(Vector::Zero(n.lambda)),
      modes(static_cast<std::size_t>(n.modes), 0) {}

void State::save(ByteWriter& out) const {
  out.put(t);
  for (const Vector* x : {&p, &v, &r, &w, &s, &z, &a, &lambda}) out.put(*x);
  out.put(modes);
}

void State::restore(ByteReader& in) {
  in.get(t);
  for (Vector* x : {&p, &v, &r, &w, &s, &z, &a, &lambda}) in.get(*x);
  in.get(modes);
}

Inputs::Inputs(int count)
    : value(Vector::Zero(count)), first(Vector::Zero(count)), second(Vector::Zero(count)) {}

Variation::Variation(const Sizes& n)
    : p(Vector::Zero(n.p)),
      v(Vector::Zero(n.v)),
      r(Vector::Zero(n.r)),
      u(Vector::Zero(n.u)),
      a(Vector::Zero(n.v)),
      lambda(Vector::Zero(n.lambda)),
      w(Vector::Zero(n.w)),
      s(Vector::Zero(n.s)) {}

void Variation::move(State& x, double by) const {
  x.p += by * p;
  x.v += by * v;
  x.r += by * r;
  x.a += by * a;
  x.lambda += by * lambda;
  x.w += by * w;
  x.s += by * s;
}

JacobianLayout::JacobianLayout(const Sizes& n)
    : kinematics(0),
      dynamics(kinematics + n.p),
      r(dynamics + n.v),
      w(r + n.r),
      s(w + n.w),
      velocity(s + n.s),
      position(velocity + n.lambda),
      norm(position + n.g),
      acceleration(norm + n.n),
      invariant(acceleration + n.lambda),
      rows(invariant + n.e),
      col_p(0),
      col_v(col_p + n.p),
      col_r(col_v + n.v),
      col_w(col_r + n.r),
      col_s(col_w + n.w),
      col_lambda(col_s + n.s),
      col_u(col_lambda + n.lambda),
      cols(col_u + n.u) {}

Workspace::Workspace(const Sizes& size, const Structure& structure)
    : M(structure.saddle.M),
      G(structure.saddle.G),
      D(Vector::Zero(size.lambda)),
      gI(Vector::Zero(size.lambda)),
      g(Vector::Zero(size.g)),
      n(Vector::Zero(size.n)),
      c(Vector::Zero(size.s)),
      p_dot(Vector::Zero(size.p)),
      G_v(Vector::Zero(size.lambda)),
      f(Vector::Zero(size.v)),
      b(Vector::Zero(size.r)),
      d(Vector::Zero(size.w)),
      gamma(Vector::Zero(size.lambda)),
      e(Vector::Zero(size.e)),
      phi(Vector::Zero(size.phi)),
      y(Vector::Zero(size.y)),
      F(structure.saddle.F),
      Ma(Vector::Zero(size.v)),
      residual(Vector::Zero(JacobianLayout(size).rows)),
      condition_p(Vector::Zero(size.conditions_p)),
      condition_v(Vector::Zero(size.conditions_v)),
      condition_p_rows(size.conditions_p, size.v),
      condition_v_rows(size.conditions_v, size.v) {
  if (M.size() == 0) M.resize(size.v, size.v);
  if (G.size() == 0) G.resize(size.lambda, size.v);
  if (F.size() == 0) F.resize(size.v, size.lambda);
  M.makeCompressed();
  G.makeCompressed();
  F.makeCompressed();
  M.coeffs().setZero();
  G.coeffs().setZero();
  F.coeffs().setZero();
}

Workspace::~Workspace() = default;

std::unique_ptr<Workspace> Equations::make_workspace() const {
  return std::make_unique<Workspace>(sizes_, structure_);
}

Parameters Equations::default_parameters() const {
  Parameters parameters{Vector::Zero(sizes_.parameters), Vector::Zero(sizes_.derived)};
  derive(parameters);
  return parameters;
}

Inputs Equations::default_inputs(const Parameters&) const {
  return Inputs(sizes_.u);
}

void Equations::residual(const Context& context, const State& x, Workspace& ws) const {
  const JacobianLayout at(sizes_);
  position(context, x, want_position_all, ws);
  velocity(context, x, ws);
  force(context, x, want_force_all, ws);
  gamma(context, x, ws);
  auto rows = [&](int begin, int count) { return ws.residual.segment(begin, count); };
  rows(at.kinematics, sizes_.p) = ws.p_dot;
  apply_M(context, x, x.a, ws.Ma, ws);
  auto dynamics = rows(at.dynamics, sizes_.v);
  dynamics = ws.f - ws.Ma;
  dynamics.noalias() -= ws.G.transpose() * x.lambda;
  rows(at.r, sizes_.r) = ws.b;
  rows(at.w, sizes_.w) = ws.d;
  rows(at.s, sizes_.s) = ws.c;
  rows(at.velocity, sizes_.lambda) = ws.G_v - ws.D.cwiseProduct(x.lambda);
  rows(at.position, sizes_.g) = ws.g;
  rows(at.norm, sizes_.n) = ws.n;
  auto acceleration = rows(at.acceleration, sizes_.lambda);
  acceleration = ws.gamma;
  acceleration.noalias() += ws.G * x.a;
  rows(at.invariant, sizes_.e) = ws.e;
}

void Equations::apply_M(const Context&, const State&, const Vector& x, Vector& Mx,
                        Workspace& ws) const {
  Mx.resize(sizes_.v);
  Mx.noalias() = ws.M * x;
}

std::unique_ptr<SaddleSolver> Equations::make_solver(const std::string& keyword) const {
  return make_saddle_solver(keyword, structure_.saddle);
}

void Equations::apply_Z(const Context&, const State&, const Vector& x, Vector& z) const {
  z = x;
}

void Equations::normalise(State& x) const {
  for (const int first : structure_.euler_parameters) {
    const double norm = x.p.segment<4>(first).norm();
    if (norm > 0.0) x.p.segment<4>(first) /= norm;
  }
}

Equations::Energy Equations::energy(const Context& context, const State& x, Workspace& ws) const {
  position(context, x, want_M, ws);
  double twice = 0.0;
  for (int j = 0; j < sizes_.v; ++j) {
    for (ColumnSparse::InnerIterator entry(ws.M, j); entry; ++entry) {
      twice += entry.value() * x.v[entry.row()] * x.v[j];
    }
  }
  return {0.5 * twice, std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace mbs
