#pragma once

// <gear> and <rack>: 0 = q_b - factor q_a - offset, of the joints of the attributes a and b.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_gearing(Assembly<Space>& to, const ElementReader& e, std::string_view factor) {
  const int a = to.joints.coordinate_of(e, "a"), b = to.joints.coordinate_of(e, "b");
  if (a < 0 || b < 0) return;
  if (a == b) {
    e.error("on-one-joint", e.title() + " has both sides on one joint");
    return;
  }
  if (e.is_zero_at_start(factor)) {
    e.error("zero-ratio", std::string(factor) + " of " + e.title() + " is zero",
            "it would hold b and leave a free: give how far b moves for each radian of a");
    return;
  }
  to.joints.use_as_number(a);
  to.joints.use_as_number(b);
  CouplingData coupling;
  coupling.terms.push_back({b, to.joints.sign_of(e, "b")});
  coupling.terms.push_back({a, -to.joints.sign_of(e, "a"), e.slot(factor)});
  coupling.constant = e.slot("offset");
  to.joints.add_coupling(e, std::move(coupling));
}

}  // namespace mbs
