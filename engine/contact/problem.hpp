#pragma once

// A contact problem: forces (or impulses) x of unilateral contacts and dry friction, found for all
// of them together,
//
//   u = W x + b
//   normal      0 <= x_N,  0 <= u_N,  x_N u_N = 0
//   tangential  |x_T| <= limit,  and where u_T is not 0:  x_T = -limit u_T/|u_T|
//               limit = mu x_N of the same contact plus a given limit
//   sliding     x_T = -limit d, with a given direction d, whatever u_T is
//
// u and x are relative velocities and impulses, or accelerations and forces; where a contact slides
// already, its acceleration says nothing of the direction of its friction. The Delassus matrix W
// is positive semidefinite where no contact slides already; then u_N is unique without friction,
// whatever the order. A problem is a value: it needs no simulation, and problem_text.hpp writes and
// reads it.

#include <optional>
#include <string>
#include <vector>

#include "engine/contact/delassus.hpp"

namespace mbs {

struct FrictionCone {
  int normal = -1;                 // entry of x; -1: friction alone
  int tangent = -1, tangents = 0;  // first entry, count (at most 2)
  double mu = 0.0;                 // with a normal
  double limit = 0.0;              // given
  std::string name = {};           // of the contact
  Vector sliding = {};             // d, per tangent; empty: the direction is sought
};

struct ContactProblem {
  Matrix W;
  Vector b;
  std::vector<FrictionCone> cones;
  double bias_scale = 0.0;  // size of the terms that b is a sum of, which may have cancelled
  std::optional<DelassusOperator> factors = {};  // in place of W, which is empty then
};

// How far x is from a solution.
struct ContactCertificate {
  double penetration = 0.0;      // largest -u_N: dual residual
  double tension = 0.0;          // largest -x_N: primal residual
  double complementarity = 0.0;  // largest |x_N u_N|
  double cone = 0.0;             // largest |x_T| - limit: primal residual
  double dissipation = 0.0;      // largest |x_T u_T + limit |u_T||
  double force = 0.0;            // largest |x|, and
  double motion = 0.0;           // largest |b|, which the residuals are compared with

  // The largest residual, each as a part of the quantities that it is made of.
  double relative() const;
};

Vector product(const ContactProblem& problem, const Vector& x);  // W x
double friction_limit(const FrictionCone& cone, const Vector& x);
ContactCertificate certify(const ContactProblem& problem, const Vector& x);

}  // namespace mbs
