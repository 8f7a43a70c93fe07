#pragma once

// Numbers of bodies' states one by one, and a body of the tree traced from its parent.

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/multibody/tree/joints.hpp"

namespace mbs {

template <class A, class B, class Function>
void map_numbers(const PlaneRotation<A>& from, PlaneRotation<B>& to, const Function& f) {
  to = {f(from.angle), f(from.c), f(from.s)};
}
template <class A, class B, class Function>
void map_numbers(const Mat<A, 3>& from, Mat<B, 3>& to, const Function& f) {
  for (int i = 0; i < 9; ++i) to(i / 3, i % 3) = f(from(i / 3, i % 3));
}
template <class Space, class B, class A, class Function>
BodyState<Space, B> map_body(const BodyState<Space, A>& from, const Function& f) {
  BodyState<Space, B> to;
  for (int i = 0; i < Space::dim; ++i) to.r[i] = f(from.r[i]), to.v[i] = f(from.v[i]);
  for (int i = 0; i < Space::rot; ++i) to.omega[i] = f(from.omega[i]);
  map_numbers(from.R, to.R, f);
  return to;
}

// By the formulas of tree/joints.hpp. q, qd: the coordinates of its joint.
template <class Space>
BodyState<Space, Traced> hanging_body(const BodyState<Space, Traced>& parent,
                                      const FrameConstants<Space, Traced>& near,
                                      const FrameConstants<Space, Traced>& far, JointKind kind,
                                      const Traced* q, const Traced* qd, bool rotates) {
  constexpr JointConstants constants{1.0, 0.0, 0.3};  // of an advance, some number
  const auto A = compose(parent.R, near.R);
  BodyState<Space, Traced> body;
  with_joint<Space>(kind, [&]<class Joint>(Joint) {
    const auto R = Joint::template axes<Traced>(A, constants, q);
    const Screw<Space, Traced> rates = Joint::template rates<Traced>(A, R, constants, qd);
    body.R = compose(R, inverse(far.R));
    const auto omega_parent = turn(parent.R, parent.omega), own = turn(body.R, far.s);
    const auto omega = omega_parent + rates.angular;
    const Vec<Traced, Space::dim> d =
        turn(parent.R, near.s) + Joint::template slide<Traced>(A, R, constants, q);
    body.r = parent.r + d - own;
    body.v = parent.v + cross(omega_parent, d) + rates.linear - cross(omega, own);
    body.omega = turn_back(body.R, omega);
  });
  if (!rotates) {
    body.R = no_rotation<Space, Traced>();
    body.omega = {};
  }
  return body;
}

}  // namespace mbs
