#include "engine/multibody/elements/hydraulic_cylinder.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_hydraulic_cylinder(Assembly<Space>& to, const ElementReader& e) {
  HydraulicCylinder c;
  c.frame = {e.frame("a"), e.frame("b")};
  c.law = {to.laws.of(e, "command")};
  c.area_a = e.slot("area_a");
  c.area_b = e.slot("area_b");
  c.length = e.slot("length");
  c.stroke = e.slot("stroke");
  c.dead_volume = e.slot("dead_volume");
  c.bulk_modulus = e.slot("bulk_modulus");
  c.supply = e.slot("supply");
  c.tank = e.slot("tank");
  c.valve_flow = e.slot("valve_flow");
  c.valve_drop = e.slot("valve_drop");
  c.valve_lag = e.slot("valve_lag");
  c.leakage = e.slot("leakage");
  c.laminar = e.slot("laminar");
  c.damping = e.slot("damping");
  c.states = e.states();
  to.forces.add(e, c);
}

extern const ElementType hydraulic_cylinder_element{"hydraulic_cylinder", bind_hydraulic_cylinder,
                                                    bind_hydraulic_cylinder};

}  // namespace mbs
