#pragma once

#include "engine/base/bytes.hpp"
#include "engine/integrators/radau/collocation.hpp"

namespace mbs::radau {

// The collocation polynomial: the cubic through four points of a step, at 0, c1, c2 and 1 of it,
// one row an unknown.
class Polynomial {
 public:
  explicit Polynomial(int size) : differences_(Matrix::Zero(size, 4)) {}

  // Takes the first two columns of `stages`.
  void set(const Vector& begin, const Columns& stages, const Vector& end);
  // theta is 0 ... 1 inside the step.
  void evaluate(double theta, Eigen::Ref<Vector> x) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  Matrix differences_;  // divided differences
};

}  // namespace mbs::radau
