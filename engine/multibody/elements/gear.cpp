// <gear>: the angles of two joints go together.

#include "engine/multibody/elements/gearing.hpp"

namespace mbs {

template <class Space>
void bind_gear(Assembly<Space>& to, const ElementReader& e) {
  bind_gearing(to, e, "ratio");
}

extern const ElementType gear_element{"gear", bind_gear, bind_gear};

}  // namespace mbs
