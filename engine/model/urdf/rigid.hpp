#pragma once

// Rotations and inertias of rigid bodies, as far as a robot description needs them.
//
//   URDF     rpy = (r, p, y), about fixed axes:     R = Rz(y) Ry(p) Rx(r)
//   model    rot = (a, b, c), about turned axes:    R = Rx(a) Ry(b) Rz(c)
//
// R takes components in the turned axes to those in the old ones.

#include <array>

namespace mbs::urdf {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

struct Pose {
  Vector xyz{}, rpy{};
};

// Mass, centre of mass, and the inertia matrix about that centre.
struct Inertial {
  double mass = 0;
  Vector com{};
  Matrix J{};
};

Matrix rotation(const Vector& rpy);
// The angles of the model file for the same rotation.
Vector turned_angles(const Vector& rpy);
Vector multiply(const Matrix& R, const Vector& v);
Matrix similar(const Matrix& R, const Matrix& J);  // R J R'

// The inertia of the same thing in axes in which its own axes have this pose.
Inertial moved(const Inertial& thing, const Pose& pose);
// The inertia of both as one rigid body.
Inertial joined(const Inertial& a, const Inertial& b);
// The moment of inertia about an axis through the origin.
double moment_about(const Inertial& thing, const Vector& axis);

}  // namespace mbs::urdf
