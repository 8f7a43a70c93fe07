#pragma once

// What <point_on_curve> and <point_on_surface> have in common.

#include <array>

#include "engine/multibody/assembler.hpp"

namespace mbs {

// Names of the components and of the places to begin with.
template <class Space>
void bind_guide(Assembler<Space>& to, const Element& e) {
  GuideData guide;
  guide.a = to.frame(e, "a");
  guide.b = to.frame(e, "b");
  if (!to.two_bodies(e, guide.a, guide.b)) return;
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t d = 0; d < Space::dim; ++d) {
    for (const Symbol& symbol : e[axes[d]].numbers[0].symbols()) {
      if (symbol.kind == SymbolKind::local || symbol.kind == SymbolKind::parameter) continue;
      to.error(e, "not-fixed",
               to.title(e) + " has a shape that depends on more than the place and parameters",
               "fix it to a body that moves: a=\"...\"");
      return;
    }
    guide.law[d] = to.law(e, axes[d]);
  }
  guide.distance = to.slot(e, "distance");
  if constexpr (Space::dim == 2) {
    guide.start = {to.slot(e, "s"), absent};
  } else {
    guide.start = {to.slot(e, "s1"), to.slot(e, "s2")};
  }
  to.guide(e, std::move(guide));
}

}  // namespace mbs
