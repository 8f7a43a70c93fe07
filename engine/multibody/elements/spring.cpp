#include "engine/multibody/elements/spring.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_spring(Assembly<Space>& to, const ElementReader& e) {
  Spring spring;
  spring.frame = {e.frame("a"), e.frame("b")};
  spring.law = {to.laws.of(e, "law")};
  spring.stiffness = e.slot("stiffness");
  spring.damping = e.slot("damping");
  spring.preload = e.slot("preload");
  spring.length = e.slot("length");
  if (spring.length == absent) {
    spring.start_length = to.mechanism->add_start_value(
        {StartValue::Kind::distance, spring.frame[0], spring.frame[1]});
  }
  spring.tension_only = e["tension_only"].index == 1;
  to.forces.add(e, spring);
}

extern const ElementType spring_element{"spring", bind_spring, bind_spring};

}  // namespace mbs
