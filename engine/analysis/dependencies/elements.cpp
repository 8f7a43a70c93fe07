// Elements with forces: which rows they act on, and what their outputs show.

#include <stdexcept>

#include "engine/analysis/dependencies/rows.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/row_forces.hpp"
#include "force_types.hpp"

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

template <class Space>
void Tracer<Space>::trace_forces() const {
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k) {
    const Forces<Space>* forces = mechanism.forces[k].get();
    const int type = static_cast<int>(k);
    bool known = false;
    const auto for_type = [&]<class Type>(const auto& trace) {
      const auto* elements = dynamic_cast<const Type*>(forces);
      if (elements != nullptr) trace(*elements);
      known = known || elements != nullptr;
    };
    for_force_types<Space>([&]<class Type>() {
      for_type.template operator()<Type>([&](const Type& of) {
        for (std::size_t i = 0; i < of.elements.size(); ++i) {
          const auto& e = of.elements[i];
          if constexpr (requires { e.coordinate; })
            coordinate_force(type, static_cast<int>(i), e);
          else
            frame_force(type, static_cast<int>(i), e);
        }
      });
    });
    const auto show_rows = [&](const auto& of) {
      for (int i = 0; i < static_cast<int>(of.elements.size()); ++i)
        for (const int which : {0, 1, 2}) show_row(type, i, which, of.row(mechanism, i, which));
    };
    for_type.template operator()<DriveForces<Space>>(show_rows);
    for_type.template operator()<RollingForces<Space>>(show_rows);
    for_type.template operator()<GuideForces<Space>>(show_rows);
    for_type.template operator()<ContactForces<Space>>([&](const ContactForces<Space>& of) {
      for (int i = 0; i < static_cast<int>(of.contacts.size()); ++i)
        show_contact(type, i, of.contacts[static_cast<std::size_t>(i)]);
    });
    if (!known)
      throw std::logic_error("a force element's header has no line 'using <tag>_forces = ...'");
  }
}

template void Tracer<Planar>::trace_forces() const;
template void Tracer<Spatial>::trace_forces() const;

}  // namespace mbs
