#pragma once

// Functions of time that drive equations in addition to their inputs: motions of suspensions,
// drives, roads. With the inputs they are the rheonomic excitation u(t) of the Broyden update in
// integrators/bdf/excitation_update.hpp.

#include "engine/equations/equations.hpp"

namespace mbs {

class ExplicitTimeDependence {
 public:
  virtual ~ExplicitTimeDependence() = default;
  virtual int count() const = 0;
  virtual void values(const Context&, double t, Eigen::Ref<Vector> u) const = 0;
};

}  // namespace mbs
