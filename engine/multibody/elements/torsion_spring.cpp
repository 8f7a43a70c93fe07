#include "engine/multibody/elements/torsion_spring.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_torsion_spring(Assembly<Space>& to, const ElementReader& e) {
  TorsionSpring spring;
  spring.coordinate = {to.joints.coordinate_of(e, "joint")};
  if (spring.coordinate[0] < 0) return;
  to.joints.use_as_number(spring.coordinate[0]);
  spring.law = {to.laws.of(e, "law")};
  spring.stiffness = e.slot("stiffness");
  spring.damping = e.slot("damping");
  spring.preload = e.slot("preload");
  spring.angle = e.slot("angle");
  to.forces.add(e, spring);
}

extern const ElementType torsion_spring_element{"torsion_spring", bind_torsion_spring,
                                                bind_torsion_spring};

}  // namespace mbs
