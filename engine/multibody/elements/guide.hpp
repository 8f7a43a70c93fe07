#pragma once

// The common part of <point_on_curve> and <point_on_surface>.

#include <array>

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

// Names of the components and of the places to begin with.
template <class Space>
void bind_guide(Assembly<Space>& to, const ElementReader& e) {
  GuideData guide;
  guide.a = e.frame("a");
  guide.b = e.frame("b");
  if (!to.frames.on_two_bodies(e, guide.a, guide.b)) return;
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t d = 0; d < Space::dim; ++d) {
    for (const Symbol& symbol : e[axes[d]].numbers[0].symbols()) {
      if (symbol.kind == SymbolKind::local || symbol.kind == SymbolKind::parameter) continue;
      e.error("not-fixed",
              e.title() + " has a shape that depends on more than the place and parameters",
              "fix it to a body that moves: a=\"...\"");
      return;
    }
    guide.law[d] = to.laws.of(e, axes[d]);
  }
  guide.distance = e.slot("distance");
  if constexpr (Space::dim == 2) {
    guide.start = {e.slot("s"), absent};
  } else {
    guide.start = {e.slot("s1"), e.slot("s2")};
  }
  to.forces.add_guide(e, std::move(guide));
}

}  // namespace mbs
