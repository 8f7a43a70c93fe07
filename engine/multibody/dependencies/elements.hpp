#pragma once

// Elements with forces, traced: which rows they act on, and what their outputs show.

#include "engine/multibody/dependencies/tracer.hpp"

namespace mbs {

template <class Space>
template <class E>
void Tracer<Space>::frame_force(int type, int index, const E& e) const {
  open_scope();
  constexpr int n = E::frame_count;
  std::array<FrameMotion<Space, Traced>, n> motion;
  std::array<Wrench<Space, Traced>, n> wrench;
  for (int i = 0; i < n; ++i) motion[i] = this->template motion<Traced>(e.frame[i], ground);
  Laws<Space, Traced> laws(*this, e);
  const Traced value = e.evaluate(*this, motion, laws, wrench);
  for (int i = 0; i < n; ++i) {
    const int on = body_of(e.frame[i]);
    if (on == ground) continue;
    const auto load = to_body<Space>(body<Traced>(on, ground).R, frame(e.frame[i]), wrench[i]);
    push(on, {load.force, load.torque}, 1.0);
  }
  note(type, index, laws, value);
  if constexpr (requires { e.potential(*this, motion); })
    potential_.push_back(node_of(e.potential(*this, motion)));
}

template <class Space>
template <class E>
void Tracer<Space>::coordinate_force(int type, int index, const E& e) const {
  open_scope();
  constexpr int n = std::tuple_size_v<decltype(E::coordinate)>;
  std::array<Traced, n> q, qd, Q;
  for (int i = 0; i < n; ++i) {
    q[i] = load(coordinate_[static_cast<std::size_t>(e.coordinate[i])].q);
    qd[i] = load(coordinate_[static_cast<std::size_t>(e.coordinate[i])].qd);
  }
  Laws<Space, Traced> laws(*this, e);
  const Traced value = e.evaluate(*this, q, qd, laws, Q);
  for (int i = 0; i < n; ++i) push_coordinate(e.coordinate[i], Q[i]);
  note(type, index, laws, value);
  if constexpr (requires { e.potential(*this, q); })
    potential_.push_back(node_of(e.potential(*this, q)));
}

}  // namespace mbs
