// <rod>: two points keep their distance.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_rod(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  to.distance(joint, to.slot(e, "length"));
}

template void bind_rod(Assembler<Planar>&, const Element&);
template void bind_rod(Assembler<Spatial>&, const Element&);

}  // namespace mbs
