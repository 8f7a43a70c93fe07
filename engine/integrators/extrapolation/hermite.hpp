#pragma once

// Hermite interpolation of vectors in theta = (t - t0) / H, in Newton's form: nodes with a value
// and derivatives up to some order each.

#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs::extrapolation {

class HermiteForm {
 public:
  HermiteForm(int size, int most_conditions);

  void clear() { nodes_.clear(); }
  // The next condition at `node`, to be filled with (d/dtheta)^k / k! for k = 0, 1, ...; the
  // conditions of a node come one after the other.
  auto add(double node) {
    nodes_.push_back(node);
    return conditions_.col(conditions() - 1);
  }
  void finish();  // computes the divided differences
  int conditions() const { return static_cast<int>(nodes_.size()); }

  void evaluate(double theta, Eigen::Ref<Vector> value) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  std::vector<double> nodes_;
  Matrix conditions_, coefficients_;
};

}  // namespace mbs::extrapolation
