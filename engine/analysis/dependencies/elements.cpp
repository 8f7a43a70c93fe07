// Elements with forces: which rows they act on, and what their outputs show.

#include <stdexcept>

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/row_forces.hpp"
#include "force_types.hpp"

namespace mbs {

template <class Space>
void StructureTracer<Space>::show(int type, int index, int which, const Traced& value) {
  for (std::size_t k = 0; k < mechanism.outputs.size(); ++k) {
    const OutputData& output = mechanism.outputs[k];
    if (output.measure.quantity == Quantity::force_value && output.force_type == type &&
        output.force == index && output.shown == which)
      emit(trace_->outputs[k], value);
  }
}

template <class Space>
template <class Values>
void StructureTracer<Space>::note(int type, int index, Values& laws, const Traced& value) {
  for (int k = 0; k < laws.states().count; ++k)
    emit(trace_->r_dot[laws.states().first + k], laws.rate(k));
  show(type, index, 0, value);
  for (const auto& [which, shown] : laws.shown()) show(type, index, which, shown);
}

template <class Space>
template <class E>
void StructureTracer<Space>::frame_force(int type, int index, const E& e) {
  constexpr int n = E::frame_count;
  std::array<FrameMotion<Space, Traced>, n> motion;
  std::array<Wrench<Space, Traced>, n> wrench;
  for (int i = 0; i < n; ++i) motion[i] = this->template motion<Traced>(e.frame[i], ground);
  Laws<Space, Traced> laws(*this, e);
  const Traced value = e.evaluate(*this, motion, laws, wrench);
  for (int i = 0; i < n; ++i) {
    const int on = body_of(e.frame[i]);
    const auto load = to_body<Space>(bodies_[1 + on].R, frames_[e.frame[i]], wrench[i]);
    push(on, {load.force, load.torque}, 1.0);
  }
  note(type, index, laws, value);
  if constexpr (requires { e.potential(*this, motion); }) potential_ += e.potential(*this, motion);
}

template <class Space>
template <class E>
void StructureTracer<Space>::coordinate_force(int type, int index, const E& e) {
  constexpr int n = std::tuple_size_v<decltype(E::coordinate)>;
  std::array<Traced, n> q, qd, Q;
  for (int i = 0; i < n; ++i) {
    q[i] = coordinate_[e.coordinate[i]].q;
    qd[i] = coordinate_[e.coordinate[i]].qd;
  }
  Laws<Space, Traced> laws(*this, e);
  const Traced value = e.evaluate(*this, q, qd, laws, Q);
  for (int i = 0; i < n; ++i) {
    const CoordinateData& data = mechanism.coordinates[e.coordinate[i]];
    push_row(coordinate_[e.coordinate[i]].row, body_of(data.a), body_of(data.b), Q[i]);
  }
  note(type, index, laws, value);
  if constexpr (requires { e.potential(*this, q); }) potential_ += e.potential(*this, q);
}

template <class Space>
void StructureTracer<Space>::trace_forces() {
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k) {
    const int type = static_cast<int>(k);
    bool known = false;
    const auto of_type = [&]<class Type>(const auto& trace) {
      const auto* forces = dynamic_cast<const Type*>(mechanism.forces[k].get());
      if (forces != nullptr) trace(*forces);
      known = known || forces != nullptr;
    };
    for_force_types<Space>([&]<class Type>() {
      of_type.template operator()<Type>([&](const Type& forces) {
        for (int i = 0; i < static_cast<int>(forces.elements.size()); ++i) {
          const auto& e = forces.elements[i];
          if constexpr (requires { e.coordinate; })
            coordinate_force(type, i, e);
          else
            frame_force(type, i, e);
        }
      });
    });
    const auto show_rows = [&](const auto& forces) {
      for (int i = 0; i < static_cast<int>(forces.elements.size()); ++i)
        for (const int which : {0, 1, 2})
          if (const int row = forces.row(mechanism, i, which); row >= 0)
            show(type, i, which, multiplier(row));
    };
    of_type.template operator()<DriveForces<Space>>(show_rows);
    of_type.template operator()<RollingForces<Space>>(show_rows);
    of_type.template operator()<GuideForces<Space>>(show_rows);
    of_type.template operator()<ContactForces<Space>>([&](const ContactForces<Space>& forces) {
      for (int i = 0; i < static_cast<int>(forces.contacts.size()); ++i) {
        const ContactData& c = mechanism.contacts[forces.contacts[i]];
        show(type, i, 0,
             c.normal >= 0
                 ? dependent(multiplier(c.normal))
                 : dependent(multiplier(c.tangent), law(c.limit), optional(c.static_ratio),
                             variable(trace_->mode + forces.contacts[i])));
      }
    });
    if (!known)
      throw std::logic_error("a force element's header has no line 'using <tag>_forces = ...'");
  }
}

template void StructureTracer<Planar>::trace_forces();
template void StructureTracer<Spatial>::trace_forces();

}  // namespace mbs
