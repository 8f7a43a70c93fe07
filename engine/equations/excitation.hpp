#pragma once

// Equations that are driven by functions of time of their own, beside the inputs: motions of
// suspensions, drives, roads. With the inputs they are the excitation u(t) of Arnold et al. (2006).

#include "engine/equations/equations.hpp"

namespace mbs {

class Excited {
 public:
  virtual ~Excited() = default;
  virtual int excitations() const = 0;
  virtual void excitation(const Context&, double t, Eigen::Ref<Vector> u) const = 0;
};

inline int excitations_of(const Equations& equations) {
  const auto* excited = dynamic_cast<const Excited*>(&equations);
  return excited == nullptr ? 0 : excited->excitations();
}

inline void excitation_of(const Equations& equations, const Context& context, double t,
                          Eigen::Ref<Vector> u) {
  dynamic_cast<const Excited&>(equations).excitation(context, t, u);
}

}  // namespace mbs
