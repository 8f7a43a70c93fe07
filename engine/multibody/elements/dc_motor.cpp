#include "engine/multibody/elements/dc_motor.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

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
