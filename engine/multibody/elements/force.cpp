#include "engine/multibody/elements/force.hpp"

#include "engine/multibody/elements/bind_coordinate_load.hpp"

namespace mbs {

template <class Space>
void bind_force(Assembly<Space>& to, const ElementReader& e) {
  if (e.given("joint")) return bind_coordinate_load(to, e);
  Force<Space> force;
  force.frame = {e.frame("on"), e.frame("in"), e.frame("reaction_on")};
  for (int i = 0; i < Space::dim; ++i) force.law[i] = to.laws.of(e, "value", i);
  to.forces.add(e, force);
}

extern const ElementType force_element{"force", bind_force, bind_force};

}  // namespace mbs
