#include "engine/multibody/elements/damper.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_damper(Assembly<Space>& to, const ElementReader& e) {
  Damper damper;
  damper.frame = {e.frame("a"), e.frame("b")};
  damper.law = {to.laws.of(e, "law")};
  damper.damping = e.slot("damping");
  to.forces.add(e, damper);
}

extern const ElementType damper_element{"damper", bind_damper, bind_damper};

}  // namespace mbs
