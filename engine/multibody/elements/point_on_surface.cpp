// <point_on_surface>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

extern const ElementType point_on_surface_element{"point_on_surface", nullptr, bind_guide};

}  // namespace mbs
