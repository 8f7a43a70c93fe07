#include "tests/equations/mechanisms.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace mbs::test {

namespace {

std::vector<Joint> joints(const std::vector<Linkage::Pin>& pins) {
  std::vector<Joint> list;
  for (const Linkage::Pin& pin : pins) list.push_back({pin.a, pin.b});
  return list;
}

Places first_rows(int rows, int cols) {
  Places places;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) places.emplace_back(i, j);
  }
  return places;
}

Eigen::Matrix3d cross(const Eigen::Vector3d& s) {
  Eigen::Matrix3d S;
  S << 0.0, -s[2], s[1], s[2], 0.0, -s[0], -s[1], s[0], 0.0;
  return S;
}

Eigen::Quaterniond rotation(const State& x) {
  return Eigen::Quaterniond(x.p[3], x.p[4], x.p[5], x.p[6]);
}

const Eigen::Vector3d arm(0.0, 0.3, 1.0);  // from the centre of mass to the joint
const Eigen::Vector3d inertia(0.2, 0.3, 0.25);

}  // namespace

Linkage::Linkage(const Vector& masses, const std::vector<Pin>& pins, const Vector& guess)
    : PlanarJoints(masses, joints(pins), {}) {
  structure_.lambda_names.clear();
  for (const Pin& pin : pins)
    structure_.lambda_names.insert(structure_.lambda_names.end(), 2, pin.name);
  p0_ = guess;
}

const Linkage::Target& Linkage::count(const Target& target, int level) {
  auto& names = structure_.condition_names;
  if (level == 0) {
    names.insert(names.begin() + sizes_.conditions_p++, target.name);
  } else {
    names.push_back(target.name);
    ++sizes_.conditions_v;
  }
  return target;
}

std::unique_ptr<Workspace> Linkage::make_workspace() const {
  auto ws = std::make_unique<Workspace>(sizes_, structure_);
  const auto fill = [](const std::vector<Target>& targets, RowSparse& rows) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      rows.insert(static_cast<int>(i), targets[i].coordinate) = 1.0;
    }
    rows.makeCompressed();
  };
  fill(position_targets_, ws->condition_p_rows);
  fill(velocity_targets_, ws->condition_v_rows);
  return ws;
}

void Linkage::conditions(const Context&, const State& x, Workspace& ws) const {
  const auto fill = [](const std::vector<Target>& targets, const Vector& values, Vector& residual) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      residual[static_cast<int>(i)] = values[targets[i].coordinate] - targets[i].value;
    }
  };
  fill(position_targets_, x.p, ws.condition_p);
  fill(velocity_targets_, x.v, ws.condition_v);
}

void Linkage::force(const Context&, const State&, unsigned want, Workspace& ws) const {
  if (want & want_f) ws.f.setZero();
}

Vector rods(int count, double length) {
  return Eigen::Vector3d(1.0, 1.0, length * length / 12.0).replicate(count, 1);
}

Eigen::Vector3d between(const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  const Eigen::Vector2d middle = 0.5 * (from + to), along = to - from;
  return {middle[0], middle[1], std::atan2(along[1], along[0])};
}

Linkage four_bar(double crank, double coupler, double rocker) {
  Vector guess(9);
  guess << 0.5 * std::cos(crank), 0.5 * std::sin(crank), crank, 2.0, 1.5, coupler, 2.5, 1.0, rocker;
  return Linkage(rods(3),
                 {{"ground.crank", body(0, -0.5, 0.0), ground(0.0, 0.0)},
                  {"crank.coupler", body(3, -1.5, 0.0), body(0, 0.5, 0.0)},
                  {"coupler.rocker", body(6, 1.25, 0.0), body(3, 1.5, 0.0)},
                  {"rocker.ground", body(6, -1.25, 0.0), ground(3.0, 0.0)}},
                 guess);
}

SphericalPendulum::SphericalPendulum() {
  sizes_.p = 7;
  sizes_.v = 6;
  sizes_.g = sizes_.lambda = 3;
  sizes_.n = 1;
  structure_.saddle.M = Matrix::Identity(6, 6).sparseView();
  Matrix G = Matrix::Ones(3, 6);
  G.leftCols<3>().setIdentity();
  structure_.saddle.G = G.sparseView();
  structure_.euler_parameters = {3};
  structure_.p_names = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  structure_.v_names = {"vx", "vy", "vz", "wx", "wy", "wz"};
  structure_.lambda_names = {"ball", "ball", "ball"};
  structure_.p_scale = Vector::Ones(7);
  structure_.v_scale = Vector::Ones(6);
  structure_.g_scale = Vector::Ones(3);
}

State SphericalPendulum::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.p << 0.2, -0.5, -1.4, 1.5, 0.3, -0.4, 0.2;
  x.v << 1.0, 0.0, 0.5, 0.3, -0.7, 0.9;
  return x;
}

void SphericalPendulum::position(const Context&, const State& x, unsigned want,
                                 Workspace& ws) const {
  const Eigen::Matrix3d R = rotation(x).toRotationMatrix();
  if (want & want_M) ws.M.coeffs() << 1.0, 1.0, 1.0, inertia.array();
  if (want & want_G) {
    const Eigen::Matrix3d turning = -R * cross(arm);
    for (int i = 0; i < 3; ++i) {
      ws.G.coeffRef(i, i) = 1.0;
      for (int j = 0; j < 3; ++j) ws.G.coeffRef(i, 3 + j) = turning(i, j);
    }
  }
  if (want & want_g) {
    ws.g = x.p.head<3>() + R * arm;
    ws.n[0] = 0.5 * (x.p.tail<4>().squaredNorm() - 1.0);
  }
}

void SphericalPendulum::velocity(const Context& context, const State& x, Workspace& ws) const {
  apply_Z(context, x, x.v, ws.p_dot);
  ws.G_v.setZero();
  ws.G_v.noalias() += ws.G * x.v;
}

void SphericalPendulum::force(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (!(want & want_f)) return;
  const Eigen::Vector3d omega = x.v.tail<3>();
  ws.f << 0.0, 0.0, -9.81, -omega.cross(inertia.cwiseProduct(omega));
}

void SphericalPendulum::gamma(const Context&, const State& x, Workspace& ws) const {
  const Eigen::Vector3d omega = x.v.tail<3>();
  ws.gamma = rotation(x).toRotationMatrix() * omega.cross(omega.cross(arm));
}

void SphericalPendulum::apply_Z(const Context&, const State& x, const Vector& v, Vector& z) const {
  const Eigen::Vector3d e = x.p.tail<3>(), omega = v.tail<3>();
  z.head<3>() = v.head<3>();
  z[3] = -0.5 * e.dot(omega);
  z.tail<3>() = 0.5 * (x.p[3] * omega + e.cross(omega));
}

Skate::Skate() : Handwritten(3, 1, band(3, 0), {{0, 0}, {0, 1}}) {
  sizes_.g = 0;
  structure_.g_scale.resize(0);
  structure_.lambda_names = {"blade"};
  p0_ << 1.0, 2.0, 0.4;
  v0_ << 1.0, 1.0, 0.3;
}

void Skate::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs() << 2.0, 2.0, 0.5;
  if (want & want_G) ws.G.coeffs() << -std::sin(x.p[2]), std::cos(x.p[2]);
}

void Skate::force(const Context&, const State&, unsigned want, Workspace& ws) const {
  if (want & want_f) ws.f.setZero();
}

void Skate::gamma(const Context&, const State& x, Workspace& ws) const {
  ws.gamma[0] = -x.v[2] * (std::cos(x.p[2]) * x.v[0] + std::sin(x.p[2]) * x.v[1]);
}

SlidingBlock::SlidingBlock(double mu)
    : Handwritten(2, 1, band(2, 0), {{0, 1}}, first_rows(1, 1)), mu_(mu) {
  sizes_.w = 1;
  structure_.lambda_names = {"floor"};
  v0_ << 2.0, 0.0;
}

void SlidingBlock::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs() << 2.0, 2.0;
  if (want & want_G) ws.G.coeffs() << 1.0;
  if (want & want_g) ws.g[0] = x.p[1];
}

// The drag presses the block down, so that it works on friction too.
void SlidingBlock::force(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_f) {
    ws.f << -mu_ * std::abs(x.lambda[0]) - x.w[0] - 0.01 * x.lambda[0] * x.lambda[0],
        -2.0 * 9.81 - x.w[0];
  }
  if (want & want_d) ws.d[0] = x.w[0] + x.w[0] * x.w[0] * x.w[0] - x.v[0];
}

bool SlidingBlock::solve_auxiliary(const Context&, State& x, Workspace&) const {
  double& w = x.w[0];
  for (int k = 0; k < 50; ++k) {
    const double step = (w + w * w * w - x.v[0]) / (1.0 + 3.0 * w * w);
    w -= step;
    if (std::abs(step) <= 1e-15 * std::max(1.0, std::abs(w))) return true;
  }
  return false;
}

}  // namespace mbs::test
