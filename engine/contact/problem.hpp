#pragma once

// A contact problem: forces (or impulses) x of unilateral contacts and dry friction, found for all
// of them together,
//
//   u = W x + b
//   normal      0 <= x_N,  0 <= u_N,  x_N u_N = 0
//   tangential  |x_T| <= limit,  and where u_T is not 0:  x_T = -limit u_T/|u_T|
//               limit = mu x_N of the same contact plus a given limit
//
// u and x are relative velocities and impulses, or accelerations and forces. The Delassus matrix W
// is positive semidefinite where no contact slides already; then u_N is unique without friction,
// whatever the order. A problem is a value: it needs no simulation.

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

struct FrictionCone {
  int normal = -1;                 // entry of x; -1: friction alone
  int tangent = -1, tangents = 0;  // first entry, count
  double mu = 0.0;                 // with a normal
  double limit = 0.0;              // given
  std::string name = {};           // of the contact
};

struct ContactProblem {
  Matrix W;
  Vector b;
  std::vector<FrictionCone> cones;
  double bias_scale = 0.0;  // size of the terms that b is a sum of, which may have cancelled
};

// How far x is from a solution.
struct ContactCertificate {
  double penetration = 0.0;      // largest -u_N
  double tension = 0.0;          // largest -x_N
  double complementarity = 0.0;  // largest |x_N u_N|
  double cone = 0.0;             // largest |x_T| - limit
  double dissipation = 0.0;      // largest |x_T u_T + limit |u_T||
};

double friction_limit(const FrictionCone& cone, const Vector& x);
ContactCertificate certify(const ContactProblem& problem, const Vector& x);
std::ostream& operator<<(std::ostream& out, const ContactProblem& problem);

}  // namespace mbs
