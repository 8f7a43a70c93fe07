#pragma once

// Projections onto the friction cones, smoothed: p = P(y) with the smoothing tau solves
//
//   p_N (p_N - y_N) = tau,  p_N > 0            normal:  0 <= p_N, 0 <= p_N - y_N at tau = 0
//   y_T - p_T = tau p_T/(r^2 - |p_T|^2)        friction, r = mu p_N + limit,  |p_T| < r
//
// the conditions of a minimum with the barriers -tau ln p_N and -tau/2 ln(r^2 - |p_T|^2). With
// y = x - u and p = x they are u_N = tau/x_N and Coulomb's law smoothed; at tau = 0 they are the
// projections of Alart and Curnier (1991). P is smooth in y and tau for tau > 0. For the normal it
// is the function of Chen and Harker (1993) and Kanzow (1996).

#include <Eigen/Core>

namespace mbs {

// One contact: entry 0 is the normal if it has one, the others are its tangents.
using ConeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
using ConeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

struct ConeShape {
  bool normal = true;
  double mu = 0.0, limit = 0.0;
};
struct ConeProjection {
  ConeVector p;
  ConeMatrix by_y;    // dp/dy
  ConeVector by_tau;  // dp/dtau; 0 at tau = 0
};

ConeProjection project(const ConeShape& cone, const ConeVector& y, double tau);

}  // namespace mbs
