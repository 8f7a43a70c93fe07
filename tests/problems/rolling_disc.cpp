// A thin disc that rolls on a plane without slipping: p = (x, y, z, e), v = (velocity of the
// centre, omega in the disc's axes), the third of them the disc's axis d. With A(e), kappa = A^T k
// and k upwards, the contact point is in the disc's axes at
//
//   rho = -R (kappa_1, kappa_2, 0) / sqrt(kappa_1^2 + kappa_2^2)
//
//   0 = z - R sqrt(1 - kappa_3^2)                               holonomic
//   0 = v_centre + A (omega x rho)                              its third row is the derivative of
//   g,
//                                                               the first two are nonholonomic
//   M = diag(m, m, m, I, I, 2 I),  I = m R^2 / 4,  f = (0, 0, -m g, -omega x J omega)
//
// The reference is the steady motion on a circle: theta the angle between axis and vertical, Omega
// the rate of precession, n = omega . d. Momentum about the centre (e = d x u, u upwards within the
// disc) gives
//
//   Omega sin(theta) (Omega cos(theta) / 4 - 3 n / 2) = (g / R) cos(theta)
//
// psi' = n - Omega cos(theta), A = Rz(Omega t) Rx(theta) Rz(psi), the centre on a circle of radius
// R n / Omega, and the plane pushes with m R Omega n (k x e) + m g k = -lambda.

#include <Eigen/Geometry>
#include <cmath>

#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double mass = 1.2, radius = 0.3, gravity = 9.81, theta = 1.2, precession = 2.0;
constexpr double inertia = 0.25 * mass * radius * radius;

// omega . d of the steady motion.
double spin() {
  const double c = std::cos(theta), s = std::sin(theta);
  return (0.25 * precession * c - gravity / radius * c / (precession * s)) / 1.5;
}

Eigen::Quaterniond attitude(const State& x) {
  return Eigen::Quaterniond(x.p[3], x.p[4], x.p[5], x.p[6]).normalized();
}

Matrix3d cross(const Vector3d& a) {
  Matrix3d m;
  m << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return m;
}

class RollingDisc final : public Equations {
 public:
  RollingDisc() {
    sizes_.p = 7;
    sizes_.v = 6;
    sizes_.n = sizes_.g = 1;
    sizes_.lambda = 3;
    structure_.saddle.M = ColumnSparse(6, 6);
    structure_.saddle.M.setIdentity();
    structure_.saddle.G = Matrix::Ones(3, 6).sparseView();
    structure_.saddle.F = ColumnSparse(6, 3);
    structure_.euler_parameters = {3};
    structure_.p_names = {"disc.x", "disc.y", "disc.z", "disc.e0", "disc.e1", "disc.e2", "disc.e3"};
    structure_.v_names = {"disc.vx", "disc.vy", "disc.vz", "disc.w1", "disc.w2", "disc.w3"};
    structure_.lambda_names = {"contact.z", "contact.x", "contact.y"};
    structure_.p_scale = Vector::Ones(7);
    structure_.v_scale = Vector::Ones(6);
    structure_.g_scale = Vector::Ones(1);
  }

  State initial(const Context&, double t0) const override {
    const Reference at = rolling_disc_at(0.0);
    State x(sizes_);
    x.t = t0;
    x.p = at.p;
    x.v = at.v;
    return x;
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    const Matrix3d A = attitude(x).toRotationMatrix();
    if (want & want_M) ws.M.coeffs() << mass, mass, mass, inertia, inertia, 2.0 * inertia;
    if (want & want_G) {
      const Matrix3d turning = -A * cross(contact(A.row(2)));
      for (int row = 0; row < 3; ++row) {
        const int axis = row == 0 ? 2 : row - 1;
        for (int j = 0; j < 3; ++j) {
          ws.G.coeffRef(row, j) = j == axis ? 1.0 : 0.0;
          ws.G.coeffRef(row, 3 + j) = turning(axis, j);
        }
      }
    }
    if (want & want_g) {
      ws.g[0] = x.p[2] - radius * std::hypot(A(2, 0), A(2, 1));
      ws.n[0] = 0.5 * (x.p.tail<4>().squaredNorm() - 1.0);
    }
  }

  void velocity(const Context& context, const State& x, Workspace& ws) const override {
    apply_Z(context, x, x.v, ws.p_dot);
    ws.G_v.noalias() = ws.G * x.v;
  }

  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const Vector3d omega = x.v.tail<3>(),
                   spin = inertia * Vector3d(omega[0], omega[1], 2 * omega[2]);
    ws.f << 0.0, 0.0, -mass * gravity, -omega.cross(spin);
  }

  // d/dt A (omega x rho) at constant omega: A' = A ~omega, kappa' = -omega x kappa
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    const Matrix3d A = attitude(x).toRotationMatrix();
    const Vector3d kappa = A.row(2), omega = x.v.tail<3>(), rho = contact(kappa);
    const Vector3d kappa_dot = -omega.cross(kappa);
    const double s = std::hypot(kappa[0], kappa[1]);
    const double s_dot = (kappa[0] * kappa_dot[0] + kappa[1] * kappa_dot[1]) / s;
    const Vector3d rho_dot =
        -radius / s * Vector3d(kappa_dot[0], kappa_dot[1], 0.0) - s_dot / s * rho;
    const Vector3d rate = A * (omega.cross(omega.cross(rho)) + omega.cross(rho_dot));
    ws.gamma << rate[2], rate[0], rate[1];
  }

  void apply_Z(const Context&, const State& x, const Vector& v, Vector& z) const override {
    const double e0 = x.p[3];
    const Vector3d e = x.p.tail<3>(), omega = v.tail<3>();
    z.head<3>() = v.head<3>();
    z[3] = -0.5 * e.dot(omega);
    z.tail<3>() = 0.5 * (e0 * omega + e.cross(omega));
  }

  Energy energy(const Context&, const State& x, Workspace&) const override {
    const Vector3d v = x.v.head<3>(), omega = x.v.tail<3>();
    return {
        0.5 * mass * v.squaredNorm() + 0.5 * inertia * (omega.squaredNorm() + omega[2] * omega[2]),
        mass * gravity * x.p[2]};
  }

 private:
  static Vector3d contact(const Vector3d& kappa) {
    return -radius / std::hypot(kappa[0], kappa[1]) * Vector3d(kappa[0], kappa[1], 0.0);
  }
};

}  // namespace

std::unique_ptr<Equations> make_rolling_disc() {
  return std::make_unique<RollingDisc>();
}

Reference rolling_disc_at(double t) {
  using Eigen::AngleAxisd;
  const double n = spin(), psi = n - precession * std::cos(theta);
  const double s = std::sin(precession * t), c = std::cos(precession * t);
  const double tilted = precession * std::sin(theta);
  const Eigen::Quaterniond q = AngleAxisd(precession * t, Vector3d::UnitZ()) *
                               AngleAxisd(theta, Vector3d::UnitX()) *
                               AngleAxisd(psi * t, Vector3d::UnitZ());
  Reference at{t, Vector(7), Vector(6), Vector(6), Vector(3), {}};
  const double r = radius * n / precession;
  at.p << -r * s, r * c, radius * std::sin(theta), q.w(), q.vec();
  at.v << -radius * n * c, -radius * n * s, 0.0, tilted * std::sin(psi * t),
      tilted * std::cos(psi * t), n;
  at.a << radius * n * precession * s, -radius * n * precession * c, 0.0,
      tilted * psi * std::cos(psi * t), -tilted * psi * std::sin(psi * t), 0.0;
  at.lambda << -mass * gravity, -mass * at.a[0], -mass * at.a[1];
  return at;
}

}  // namespace mbs::test
