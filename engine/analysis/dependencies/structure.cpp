// States of elements and laws, measures, outputs, switching functions.

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/multibody/bodies.hpp"
#include "engine/multibody/measure_formulas.hpp"

namespace mbs {

// A residual that says nothing of its own unknown is solved with all others.
template <class Space>
void StructureTracer<Space>::add_laws() {
  const std::size_t states = mechanism.der.size();
  for (std::size_t k = 0; k < trace_->r_dot.size(); ++k)
    if (k >= states) {
      const std::size_t r = coordinates_.tree == nullptr ? k : coordinates_.r_of[k];
      emit(trace_->r_dot[k], coordinate_[mechanism.counted[r - states]].qd);
    } else if (mechanism.der[k] != absent) {
      emit(trace_->r_dot[k], law(mechanism.der[k]));
    }
  for (std::size_t k = 0; k < mechanism.residuals.size(); ++k) {
    const int index = mechanism.residuals[k];
    const Traced residual = law(index);
    const auto contains = [&](std::size_t w) {
      return std::ranges::any_of(mechanism.laws[index].arguments, [&](const Law::Argument& a) {
        return a.kind == SymbolKind::algebraic && static_cast<std::size_t>(a.index) == w;
      });
    };
    for (std::size_t w = 0; w < auxiliary_.size(); ++w)
      if (w == k || contains(w) || !contains(k)) emit(auxiliary_[w], dependent(residual));
  }
  for (std::size_t k = 0; k < mechanism.measures.size(); ++k) {
    OutputData data;
    static_cast<MeasureData&>(data) = mechanism.measures[k];
    emit(measures_[k], output(data));
  }
}

template <class Space>
Traced StructureTracer<Space>::energy(const OutputData& data) const {
  const Quantity quantity = data.measure.quantity;
  Traced sum;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    if (data.body >= 0 && data.body != static_cast<int>(i)) continue;
    const BodyData& body = mechanism.bodies[i];
    const BodyState<Space, Traced>& state = bodies_[1 + i];
    if (quantity != Quantity::potential_energy) {
      sum += slots_[body.mass] * dot(state.v, state.v);
      if (body.rotates)
        sum += dot(state.omega, inertia_times(slots_.data() + body.inertia, state.omega));
    }
    for (int k = 0; quantity != Quantity::kinetic_energy && k < Space::dim; ++k)
      sum += slots_[body.mass] * slots_[mechanism.gravity + k] * state.r[k];
  }
  return quantity == Quantity::kinetic_energy ? sum : sum + potential_;
}

template <class Space>
Traced StructureTracer<Space>::output(const OutputData& data) const {
  switch (data.measure.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::orientation:
    case Quantity::angular_velocity:
      return measured<Traced>(*this, data, ground);
    case Quantity::reaction: {
      // One solution gives all components: rounding of the others is in those that are zero, too.
      Traced all = measured<Traced>(*this, data, ground);
      for (const int component : {6, 7}) {
        OutputData whole = data;
        whole.measure.component = component;
        all = dependent(all, measured<Traced>(*this, whole, ground));
      }
      return all;
    }
    case Quantity::coordinate:
      return coordinate_[data.coordinate].q;
    case Quantity::coordinate_rate:
      return coordinate_[data.coordinate].qd;
    case Quantity::coordinate_acceleration:
      return coordinate_[data.coordinate].qdd;
    case Quantity::acceleration:
    case Quantity::angular_acceleration:
      return acceleration_of<Traced>(*this, data.measure, ground, ground);
    case Quantity::kinetic_energy:
    case Quantity::potential_energy:
    case Quantity::energy:
      return energy(data);
    case Quantity::residual:
    case Quantity::velocity_residual: {
      const bool of_positions = data.measure.quantity == Quantity::residual;
      Traced all;
      for (const int row : of_positions ? trace_->position : trace_->velocity)
        all = dependent(all, variable(row));
      // Norms of Euler parameters, which are positions, are residuals as well.
      for (int p = trace_->p; of_positions && Space::dim == 3 && p < trace_->v; ++p)
        all = dependent(all, variable(p));
      return all;
    }
    case Quantity::expression:
      return law(data.law);
    default:  // forces are shown by the elements, counters by the simulation
      return {};
  }
}

template <class Space>
void StructureTracer<Space>::add_indicators() {
  for (const EventData& event : mechanism.events)
    trace_->indicators.push_back(node_of(event.of_time() ? Traced() : law(event.condition)));
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const ContactData& c = mechanism.contacts[k];
    if (c.normal >= 0)
      trace_->indicators.push_back(
          node_of(dependent(variable(trace_->position[c.normal]), multiplier(c.normal))));
    if (c.tangents == 0) continue;
    Traced left = variable(trace_->mode + static_cast<int>(k));
    if (c.low_speed >= 0) left = dependent(left, variable(trace_->time));
    for (int i = c.tangent; i < c.tangent + c.tangents; ++i)
      left = dependent(left, multiplier(i), variable(trace_->velocity[i]));
    if (c.normal >= 0) left = dependent(left, multiplier(c.normal), optional(c.mu_static));
    if (c.limit != absent) left = dependent(left, law(c.limit), optional(c.static_ratio));
    trace_->indicators.push_back(node_of(left));
  }
}

template <class Space>
StructureTrace StructureTracer<Space>::run() {
  add_coordinates();
  for (std::size_t k = 0; k < places_in_tree_.size(); ++k)
    if (counts(coordinates_.tree->nodes[k])) add_joint_rates(k);
  add_inertia();
  trace_forces();
  add_joints();
  add_couplings();
  add_drives();
  add_guides();
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) add_contact(k);
  add_laws();
  for (std::size_t k = 0; k < mechanism.outputs.size(); ++k)
    emit(trace_->outputs[k], output(mechanism.outputs[k]));
  add_indicators();
  add_row_conditions();
  add_joint_conditions();
  add_start_conditions(mechanism.position_conditions, false);
  add_start_conditions(mechanism.velocity_conditions, true);
  add_start_values();
  add_assemblies();
  return std::move(*trace_);
}

template class StructureTracer<Planar>;
template class StructureTracer<Spatial>;

}  // namespace mbs
