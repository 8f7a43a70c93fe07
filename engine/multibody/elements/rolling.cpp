// <rolling>: a wheel or ball that touches a plane and does not slide on it.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_rolling(Assembly<Space>& to, const ElementReader& e) {
  RollingData r;
  r.kind = RollingData::Kind::circle;
  const int a = e.frame("a"), b = e.frame("b");
  if (!to.frames.on_two_bodies(e, a, b)) return;
  to.frames.must_rotate(e, b);
  r.a = to.frames.turned(e, a, e.slots("normal", Space::dim), 0);
  r.b = b;
  r.radius = e.slot("radius");
  r.touches = e["touches"].index == 1;
  r.slips = 1;
  if constexpr (Space::dim == 3) {
    r.kind = e.given("axis") ? RollingData::Kind::disc : RollingData::Kind::ball;
    if (e.given("axis")) r.b = to.frames.turned(e, b, e.slots("axis", 3), 0);
    if (e["across"].index == 1) r.slips = 2;
  } else if (e.given("axis")) {
    e.error("no-axis", e.title() + " has an axis, which in the plane is always its normal",
            "leave `axis` out");
    return;
  }
  to.forces.add_rolling(e, std::move(r));
}

extern const ElementType rolling_element{"rolling", bind_rolling, bind_rolling};

}  // namespace mbs
