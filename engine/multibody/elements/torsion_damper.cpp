// <torsion_damper>: M = damping q', or law(q'), holds the sides of a joint back: Q = -M.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

namespace {

struct TorsionDamper {
  static constexpr int law_count = 1;
  std::array<int, 1> law;
  std::array<int, 1> coordinate{};
  int damping = absent;

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    const T torque = laws.given(0) ? laws(0, qd[0]) : at.optional(damping) * qd[0];
    laws.show(1, qd[0]);
    Q[0] = -torque;
    return torque;
  }
};

}  // namespace

template <class Space>
void bind_torsion_damper(Assembly<Space>& to, const ElementReader& e) {
  TorsionDamper damper;
  damper.coordinate = {to.joints.coordinate_of(e, "joint")};
  if (damper.coordinate[0] < 0) return;
  damper.law = {to.laws.of(e, "law")};
  damper.damping = e.slot("damping");
  to.forces.add(e, damper);
}

extern const ElementType torsion_damper_element{"torsion_damper", bind_torsion_damper,
                                                bind_torsion_damper};

}  // namespace mbs
