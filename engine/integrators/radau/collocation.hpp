#pragma once

// Radau IIA with three stages, order 5, (17) of report 001, and its collocation polynomial.
//
// Newton's systems (A^-1 / h (x) I - I (x) J) dY = r of the three stages are solved in W = T^-1 Y,
// where T^-1 A^-1 T is one real number and one complex pair (Hairer, Wanner, Solving Ordinary
// Differential Equations II, section IV.8):
//
//   T^-1 A^-1 T = ( gamma   0      0   )
//                 (   0   alpha  -beta )
//                 (   0   beta   alpha )

#include <array>

#include "engine/base/bytes.hpp"
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

// The cubic through four points of a step, at 0, c1, c2 and 1 of it, one row an unknown.
class Polynomial {
 public:
  explicit Polynomial(int size) : differences_(Matrix::Zero(size, 4)) {}

  // `stages`: the first two columns are used.
  void set(const Vector& begin, const Columns& stages, const Vector& end);
  // At theta, 0 ... 1 inside the step.
  void evaluate(double theta, Eigen::Ref<Vector> x) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  Matrix differences_;  // divided differences
};

}  // namespace mbs::radau
