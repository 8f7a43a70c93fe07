#include "engine/multibody/elements/torsion_damper.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

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
