// <rack>: a slide goes with the angle of another joint.

#include "engine/multibody/elements/gearing.hpp"

namespace mbs {

template <class Space>
void bind_rack(Assembly<Space>& to, const ElementReader& e) {
  bind_gearing(to, e, "radius");
}

extern const ElementType rack_element{"rack", bind_rack, bind_rack};

}  // namespace mbs
