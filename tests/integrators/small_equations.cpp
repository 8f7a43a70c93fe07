#include "tests/integrators/small_equations.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace mbs::test {
namespace {

ColumnSparse diagonal(int n) {
  ColumnSparse M(n, n);
  M.setIdentity();
  return M;
}

const Eigen::Vector3d inertia(1.0, 2.0, 3.5);

// e' = T(e) omega for scalar-first Euler parameters.
Eigen::Vector4d turn(const Eigen::Vector4d& e, const Eigen::Vector3d& omega) {
  const Eigen::Vector3d imaginary = e.tail<3>();
  Eigen::Vector4d dot;
  dot[0] = -0.5 * imaginary.dot(omega);
  dot.tail<3>() = 0.5 * (e[0] * omega + imaginary.cross(omega));
  return dot;
}

}  // namespace

Motor::Motor() {
  sizes_.p = sizes_.v = 1;
  sizes_.r = 2;
  sizes_.w = 1;
  structure_.saddle.M = diagonal(1);
  structure_.saddle.G = RowSparse(0, 1);
  structure_.saddle.F = ColumnSparse(1, 0);
  structure_.p_names = structure_.v_names = {"wheel.phi"};
  structure_.r_names = {"motor.r", "motor.integral"};
}

State Motor::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  return x;
}

void Motor::position(const Context&, const State&, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs().setOnes();
}

void Motor::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = x.v;
}

void Motor::force(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_f) ws.f[0] = x.r[0] - x.w[0];
  if (want & want_b) ws.b << 1.0 - x.r[0], x.w[0];
  if (want & want_d) ws.d[0] = x.w[0] + 0.1 * std::pow(x.w[0], 3) - x.v[0];
}

bool Motor::solve_auxiliary(const Context&, State& x, Workspace&) const {
  double& w = x.w[0];
  for (int k = 0; k < 30; ++k) {
    const double change = (w + 0.1 * w * w * w - x.v[0]) / (1.0 + 0.3 * w * w);
    w -= change;
    if (std::abs(change) <= 1e-15 * (1.0 + std::abs(w))) return true;
  }
  return false;
}

Skate::Skate() {
  sizes_.p = sizes_.v = 3;
  sizes_.lambda = 1;
  structure_.saddle.M = diagonal(3);
  structure_.saddle.G = RowSparse(1, 3);
  structure_.saddle.G.insert(0, 0) = 1.0;
  structure_.saddle.G.insert(0, 1) = 1.0;
  structure_.saddle.F = ColumnSparse(3, 1);
  structure_.lambda_names = {"blade"};
}

State Skate::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.v[2] = 1.0;
  return x;
}

void Skate::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs().setOnes();
  if (want & want_G) ws.G.coeffs() << std::sin(x.p[2]), -std::cos(x.p[2]);
}

void Skate::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = x.v;
  ws.G_v = ws.G * x.v;
}

void Skate::force(const Context&, const State&, unsigned want, Workspace& ws) const {
  if (want & want_f) ws.f << g, 0.0, 0.0;
}

void Skate::gamma(const Context&, const State& x, Workspace& ws) const {
  ws.gamma[0] = (std::cos(x.p[2]) * x.v[0] + std::sin(x.p[2]) * x.v[1]) * x.v[2];
}

Vector Skate::position_at(double t) {
  return Eigen::Vector3d(g * (1.0 - std::cos(2.0 * t)) / 4.0,
                         g * (t / 2.0 - std::sin(2.0 * t) / 4.0), t);
}

Bead::Bead() {
  sizes_.p = sizes_.v = 2;
  sizes_.g = sizes_.lambda = 1;
  sizes_.phi = 1;
  structure_.saddle.M = diagonal(2);
  structure_.saddle.G = RowSparse(1, 2);
  structure_.saddle.G.insert(0, 0) = 1.0;
  structure_.saddle.G.insert(0, 1) = 1.0;
  structure_.saddle.F = ColumnSparse(2, 1);
  structure_.lambda_names = {"rod"};
  structure_.switching = {{.name = "r = 2"}};
}

State Bead::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.p = position_at(t0, std::cosh(t0));
  x.v = velocity_at(t0, std::cosh(t0), std::sinh(t0));
  return x;
}

void Bead::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  const double s = std::sin(x.t), c = std::cos(x.t);
  if (want & want_M) ws.M.coeffs().setOnes();
  if (want & want_G) {
    ws.G.coeffs() << s, -c;
    ws.gI[0] = x.p[0] * c + x.p[1] * s;
  }
  if (want & want_g) ws.g[0] = x.p[0] * s - x.p[1] * c;
}

void Bead::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = x.v;
  ws.G_v = ws.G * x.v + ws.gI;
}

void Bead::force(const Context&, const State&, unsigned want, Workspace& ws) const {
  if (want & want_f) ws.f.setZero();
}

void Bead::gamma(const Context&, const State& x, Workspace& ws) const {
  const double s = std::sin(x.t), c = std::cos(x.t);
  ws.gamma[0] = 2.0 * (x.v[0] * c + x.v[1] * s) - (x.p[0] * s - x.p[1] * c);
}

void Bead::switching(const Context&, const State& x, Workspace& ws) const {
  ws.phi[0] = x.p.squaredNorm() - 4.0;
}

Vector Bead::position_at(double t, double r) {
  return Eigen::Vector2d(r * std::cos(t), r * std::sin(t));
}

Vector Bead::velocity_at(double t, double r, double r_dot) {
  return r_dot * position_at(t, 1.0) + r * Eigen::Vector2d(-std::sin(t), std::cos(t));
}

Top::Top() {
  sizes_.p = 4;
  sizes_.v = 3;
  sizes_.n = 1;
  structure_.saddle.M = diagonal(3);
  structure_.saddle.G = RowSparse(0, 3);
  structure_.saddle.F = ColumnSparse(3, 0);
  structure_.euler_parameters = {0};
}

State Top::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.p[0] = 1.0;
  x.v << 0.1, 2.0, 0.2;  // about the middle axis: it turns over
  return x;
}

void Top::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs() = inertia.array();
  if (want & want_g) ws.n[0] = 0.5 * (x.p.squaredNorm() - 1.0);
}

void Top::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = turn(x.p, x.v);
}

void Top::force(const Context&, const State& x, unsigned want, Workspace& ws) const {
  const Eigen::Vector3d omega = x.v;
  if (want & want_f) ws.f = -omega.cross(inertia.cwiseProduct(omega).eval());
}

void Top::apply_Z(const Context&, const State& x, const Vector& dv, Vector& z) const {
  z = turn(x.p, dv);
}

Eigen::Vector3d Top::momentum(const State& x) {
  const Eigen::Quaterniond attitude(x.p[0], x.p[1], x.p[2], x.p[3]);
  return attitude * inertia.cwiseProduct(Eigen::Vector3d(x.v));
}

Clock::Clock() {
  structure_.saddle.M = ColumnSparse(0, 0);
  structure_.saddle.G = RowSparse(0, 0);
  structure_.saddle.F = ColumnSparse(0, 0);
}

State Clock::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  return x;
}

Faulty::Faulty(std::shared_ptr<const Equations> sound, Fault fault, double from)
    : sound_(std::move(sound)), fault_(fault), from_(from) {
  sizes_ = sound_->sizes();
  structure_ = sound_->structure();
}

State Faulty::initial(const Context& context, double t0) const {
  return sound_->initial(context, t0);
}

void Faulty::position(const Context& context, const State& x, unsigned want, Workspace& ws) const {
  sound_->position(context, x, want, ws);
  if (x.t < from_) return;
  if (fault_ == Fault::singular && (want & want_G)) ws.G.coeffs().setZero();
  if (fault_ == Fault::nan_matrix && (want & want_M)) {
    ws.M.coeffs()[0] = std::numeric_limits<double>::quiet_NaN();
  }
}

void Faulty::velocity(const Context& context, const State& x, Workspace& ws) const {
  sound_->velocity(context, x, ws);
}

void Faulty::force(const Context& context, const State& x, unsigned want, Workspace& ws) const {
  sound_->force(context, x, want, ws);
  if (fault_ == Fault::nan_force && x.t >= from_ && (want & want_f)) {
    ws.f[ws.f.size() - 1] = std::numeric_limits<double>::quiet_NaN();
  }
}

void Faulty::gamma(const Context& context, const State& x, Workspace& ws) const {
  sound_->gamma(context, x, ws);
}

}  // namespace mbs::test
