#include "engine/model/urdf/rigid.hpp"

#include <cmath>

namespace mbs::urdf {

namespace {

double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// J + m (d.d I - d d'), where rounding makes no moment negative
Matrix with_mass_at(const Matrix& J, double mass, const Vector& d) {
  Matrix result = J;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j) continue;
      result[i][i] += mass * (d[j] * d[j]);
      result[i][j] -= mass * (d[i] * d[j]);
    }
  }
  return result;
}

}  // namespace

Matrix rotation(const Vector& rpy) {
  const double sr = std::sin(rpy[0]), cr = std::cos(rpy[0]);
  const double sp = std::sin(rpy[1]), cp = std::cos(rpy[1]);
  const double sy = std::sin(rpy[2]), cy = std::cos(rpy[2]);
  return {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

// R = Rx(a) Ry(b) Rz(c) has R_12 = -sin a cos b, R_22 = cos a cos b, and Rx(a)' R = Ry(b) Rz(c) has
// the row (sin c, cos c, 0) and the column (sin b, 0, cos b). So c and b fit to whatever a is, also
// where cos b = 0 and a is free.
Vector turned_angles(const Vector& rpy) {
  const int turns = (rpy[0] != 0.0) + (rpy[1] != 0.0) + (rpy[2] != 0.0);
  if (turns <= 1) return rpy;
  const Matrix R = rotation(rpy);
  const double a = std::atan2(-R[1][2], R[2][2]);
  const double s = std::sin(a), c = std::cos(a);
  return {a, std::atan2(R[0][2], c * R[2][2] - s * R[1][2]),
          std::atan2(c * R[1][0] + s * R[2][0], c * R[1][1] + s * R[2][1])};
}

Vector multiply(const Matrix& R, const Vector& v) {
  return {dot(R[0], v), dot(R[1], v), dot(R[2], v)};
}

Matrix similar(const Matrix& R, const Matrix& J) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      result[i][j] = result[j][i] = dot(R[i], multiply(J, R[j]));
    }
  }
  return result;
}

Inertial moved(const Inertial& thing, const Pose& pose) {
  Inertial result = thing;
  if (pose.rpy != Vector{}) {
    const Matrix R = rotation(pose.rpy);
    result.com = multiply(R, thing.com);
    result.J = similar(R, thing.J);
  }
  for (std::size_t k = 0; k < 3; ++k) result.com[k] += pose.xyz[k];
  return result;
}

Inertial joined(const Inertial& a, const Inertial& b) {
  Inertial result;
  result.mass = a.mass + b.mass;
  const double share = result.mass > 0 ? b.mass / result.mass : 0.0;
  Vector to_a{}, to_b{};
  for (std::size_t k = 0; k < 3; ++k) {
    result.com[k] = a.com[k] + share * (b.com[k] - a.com[k]);
    to_a[k] = a.com[k] - result.com[k];
    to_b[k] = b.com[k] - result.com[k];
  }
  const Matrix of_a = with_mass_at(a.J, a.mass, to_a), of_b = with_mass_at(b.J, b.mass, to_b);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result.J[i][j] = of_a[i][j] + of_b[i][j];
  }
  return result;
}

double moment_about(const Inertial& thing, const Vector& axis) {
  const Matrix J = with_mass_at(thing.J, thing.mass, thing.com);
  return dot(axis, multiply(J, axis)) / dot(axis, axis);
}

}  // namespace mbs::urdf
