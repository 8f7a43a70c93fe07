// <dc_motor>: a permanent-magnet motor with a gear of the ratio n on the coordinate of a joint,
//
//   L i' = u - R i - k n q',     Q = n k i,
//
// or without inductance i = (u - k n q')/R.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

namespace {

struct DcMotor {
  static constexpr int law_count = 1;
  std::array<int, 1> law;  // u
  std::array<int, 1> coordinate{};
  int resistance = absent, inductance = absent, constant = absent, ratio = absent;
  OwnStates states;  // i, with an inductance

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    const auto R = at[resistance], kn = at[constant] * at[ratio];
    const T u = laws(0), u_rest = u - kn * qd[0];
    T i = (1.0 / R) * u_rest;
    if (laws.has_state(0)) {
      i = laws.state(0);
      laws.rate(0) = (1.0 / at[inductance]) * (u_rest - R * i);
    }
    laws.show(1, i);
    laws.show(2, u * i);
    return Q[0] = kn * i;
  }
};

}  // namespace

template <class Space>
void bind_dc_motor(Assembly<Space>& to, const ElementReader& e) {
  DcMotor motor;
  motor.coordinate = {to.joints.coordinate_of(e, "joint")};
  if (motor.coordinate[0] < 0) return;
  motor.law = {to.laws.of(e, "voltage")};
  motor.resistance = e.slot("resistance");
  motor.inductance = e.slot("inductance");
  motor.constant = e.slot("constant");
  motor.ratio = e.slot("ratio");
  motor.states = e.states();
  to.forces.add(e, motor);
}

extern const ElementType dc_motor_element{"dc_motor", bind_dc_motor, bind_dc_motor};

}  // namespace mbs
