// <point_on_curve>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

extern const ElementType point_on_curve_element{"point_on_curve", bind_guide, nullptr};

}  // namespace mbs
