// <rolling>: a wheel or ball that touches a plane and does not slide on it.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_rolling(Assembler<Space>& to, const Element& e) {
  RollingData r;
  r.kind = RollingData::Kind::circle;
  const int a = to.frame(e, "a"), b = to.frame(e, "b");
  if (!to.two_bodies(e, a, b)) return;
  to.must_rotate(e, b);
  r.a = to.turned(e, a, to.slots(e, "normal", Space::dim), 0);
  r.b = b;
  r.radius = to.slot(e, "radius");
  r.touches = e["touches"].index == 1;
  r.slips = 1;
  if constexpr (Space::dim == 3) {
    r.kind = to.given(e, "axis") ? RollingData::Kind::disc : RollingData::Kind::ball;
    if (to.given(e, "axis")) r.b = to.turned(e, b, to.slots(e, "axis", 3), 0);
    if (e["across"].index == 1) r.slips = 2;
  } else if (to.given(e, "axis")) {
    to.error(e, "no-axis", to.title(e) + " has an axis, which in the plane is always its normal",
             "leave `axis` out");
    return;
  }
  to.rolling(e, std::move(r));
}

template void bind_rolling(Assembler<Planar>&, const Element&);
template void bind_rolling(Assembler<Spatial>&, const Element&);

}  // namespace mbs
