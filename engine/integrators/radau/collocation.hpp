#pragma once

// Radau IIA with three stages, order 5, Steinbrecher (2007), eq. (17).
//
// Newton's systems (A^-1 / h (x) I - I (x) J) dY = r of the three stages are solved in W = T^-1 Y,
// where T^-1 A^-1 T is one real number and one complex pair (Hairer and
// Wanner (1996), section IV.8):
//
//   T^-1 A^-1 T = ( gamma   0      0   )
//                 (   0   alpha  -beta )
//                 (   0   beta   alpha )

#include <array>

#include "engine/base/types.hpp"

namespace mbs::radau {

using Three = Eigen::Matrix3d;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;  // one column a stage

struct Tableau {
  std::array<double, 4> c;  // 0 and the nodes
  Three A, inverse;         // A^-1
  Three T, T_inverse;
  double gamma, alpha, beta;
  // The error estimate is (gamma / h - J)^-1 (f(x0) + sum e_i (Y_i - y0) / h), see (8.19) there.
  Eigen::Vector3d e;
};
const Tableau& tableau();

}  // namespace mbs::radau
