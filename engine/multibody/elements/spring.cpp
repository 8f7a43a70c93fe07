// <spring>: tension = preload + stiffness x + damping x', or law(x, xd), with the elongation
// x = |r_b - r_a| - length.

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

namespace {

struct Spring {
  static constexpr int frame_count = 2, law_count = 1;
  std::array<int, 2> frame;
  std::array<int, 1> law;
  int stiffness = absent, damping = absent, preload = absent;
  int length = absent;
  int start_length = -1;  // without a length: which of z

  template <class Space>
  double natural_length(const Evaluation<Space>& at) const {
    return length == absent ? at.x.z[start_length] : at[length];
  }

  template <class Space, class T>
  T evaluate(const Evaluation<Space>& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    const Line<Space, T> line(motion[0], motion[1]);
    const T x = line.length - natural_length(at);
    const T tension = laws.given(0) ? laws(0, x, line.rate)
                                    : at.optional(stiffness) * x +
                                          at.optional(damping) * line.rate + at.optional(preload);
    line.pull(tension, wrench[0], wrench[1]);
    return tension;
  }

  template <class Space>
  double potential(const Evaluation<Space>& at) const {
    if (law[0] != absent) return 0.0;
    const Line<Space, double> line(at.template motion<double>(frame[0], ground),
                                   at.template motion<double>(frame[1], ground));
    const double x = line.length - natural_length(at);
    return (0.5 * at.optional(stiffness) * x + at.optional(preload)) * x;
  }
};

}  // namespace

template <class Space>
void bind_spring(Assembler<Space>& to, const Element& e) {
  Spring spring;
  spring.frame = {to.frame(e, "a"), to.frame(e, "b")};
  spring.law = {to.law(e, "law")};
  spring.stiffness = to.slot(e, "stiffness");
  spring.damping = to.slot(e, "damping");
  spring.preload = to.slot(e, "preload");
  spring.length = to.slot(e, "length");
  if (spring.length == absent) {
    spring.start_length =
        to.remember({Remembered::Kind::distance, spring.frame[0], spring.frame[1]});
  }
  to.force(e, spring);
}

template void bind_spring(Assembler<Planar>&, const Element&);
template void bind_spring(Assembler<Spatial>&, const Element&);

}  // namespace mbs
