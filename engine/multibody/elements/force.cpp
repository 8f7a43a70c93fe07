// <force>: on the origin of a frame, components in the axes of another, the opposite one on a
// third; or along the coordinate of a joint.

#include "engine/multibody/elements/coordinate_load.hpp"

namespace mbs {

namespace {

template <class Space>
struct Force {
  static constexpr int frame_count = 3, law_count = Space::dim;
  std::array<int, 3> frame;  // on, in, reaction_on (ground takes it when there is none)
  std::array<int, Space::dim> law;

  // The number it shows is its magnitude.
  template <class T>
  T evaluate(const auto&, const std::array<FrameMotion<Space, T>, 3>& motion, Laws<Space, T>& laws,
             std::array<Wrench<Space, T>, 3>& wrench) const {
    Vec<T, Space::dim> value;
    for (int i = 0; i < Space::dim; ++i) value[i] = laws(i);
    wrench[0].force = turn(motion[1].A, value);
    wrench[2].force = -wrench[0].force;
    using std::sqrt;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Traced>)
      return sqrt(dot(value, value));
    return T(0.0);
  }
};

}  // namespace

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
