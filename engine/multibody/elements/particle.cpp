// <particle>: a point that does not turn.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_particle(Assembly<Space>& to, const ElementReader& e) {
  BodyData body;
  body.rotates = false;
  body.mass = e.slot("mass");
  to.frames.add_body(e, body);
}

extern const ElementType particle_element{"particle", bind_particle, bind_particle};

}  // namespace mbs
