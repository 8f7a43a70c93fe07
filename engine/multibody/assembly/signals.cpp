#include "engine/multibody/assembly/signals.hpp"

namespace mbs {

template <class Space>
void add_variables(const Model& model, Mechanism<Space>& m) {
  for (const Parameter& p : model.parameters) {
    m.parameter_values.push_back(p.value);
    m.calculated.push_back(p.calculated ? 1 : 0);
  }
  m.parameter_order = model.parameter_order;
  const auto add_starts = [&](const auto& variables, const std::string& owner,
                              std::vector<int>& slots) {
    for (const auto& x : variables)
      slots.push_back(add_slot(m.slots, x.start, "the start of " + owner + "'" + x.name + "'"));
  };
  add_starts(model.inputs, "input ", m.input_start);
  add_starts(model.states, "state ", m.state_start);
  add_starts(model.algebraics, "", m.algebraic_start);
  add_starts(model.discretes, "discrete ", m.discrete_start);
  m.gravity = static_cast<int>(m.slots.size());
  for (int i = 0; i < Space::dim; ++i) add_slot(m.slots, model.gravity[i], "gravity");
}

namespace {

// The coordinate of a measure and its sign; false with an error when it has no value.
template <class Space>
bool bind_coordinate(Assembly<Space>& to, const Measure& measure, const Place& place,
                     MeasureData& data) {
  data.coordinate = to.joints.evaluated_coordinate(measure.coordinate, place);
  if (data.coordinate < 0) return false;
  data.sign *= to.model.coordinates[measure.coordinate].sign;
  if (measure.quantity == Quantity::coordinate) to.joints.use_as_number(data.coordinate);
  return true;
}

}  // namespace

template <class Space>
void add_measures(Assembly<Space>& to) {
  for (const Measure& measure : to.model.measures) {
    MeasureData data{measure, -1, -1, measure.sign};
    if (measure.coordinate >= 0 && !bind_coordinate(to, measure, measure.place, data)) continue;
    if (measure.quantity == Quantity::reaction) {
      data.joint = to.joints.joint_with_reaction(measure);
      if (data.joint < 0) continue;
    }
    to.mechanism->measures.push_back(std::move(data));
  }
}

template <class Space>
void add_rates_and_residuals(Assembly<Space>& to) {
  for (const StateVariable& s : to.model.states) {
    to.mechanism->der.push_back(s.element < 0 ? to.laws.add(s.der) : absent);
  }
  for (const AlgebraicVariable& w : to.model.algebraics) {
    to.mechanism->residuals.push_back(to.laws.add(w.residual));
  }
}

template <class Space>
void add_outputs(Assembly<Space>& to) {
  const Model& model = to.model;
  for (const Output& output : model.outputs) {
    const Measure& what = output.what;
    OutputData data;
    data.measure = what;
    data.sign = what.sign;
    switch (what.quantity) {
      case Quantity::coordinate:
      case Quantity::coordinate_rate:
      case Quantity::coordinate_acceleration:
        if (!bind_coordinate(to, what, output.place, data)) continue;
        break;
      case Quantity::reaction:
        data.joint = to.joints.joint_with_reaction(what);
        break;
      case Quantity::force_value:
        data.force_type = to.forces.index_of(what.element).type;
        data.force = to.forces.index_of(what.element).index;
        data.shown = what.component;
        if (data.force >= 0) break;
        to.diagnostics.error(output.place, "no-such-quantity",
                             "output '" + output.name + "': " +
                                 title(model.elements[what.element]) + " has no such quantity");
        break;
      case Quantity::kinetic_energy:
        for (std::size_t i = 0; what.element >= 0 && i < model.bodies.size(); ++i) {
          if (model.bodies[i].element == what.element) data.body = static_cast<int>(i);
        }
        break;
      case Quantity::expression:
        data.law = to.laws.add(output.value);
        break;
      default:
        break;
    }
    to.mechanism->outputs.push_back(std::move(data));
  }
}

template <class Space>
void add_events(Assembly<Space>& to) {
  for (const Event& event : to.model.events) {
    EventData data;
    data.name = event.name;
    const std::string owner = "event '" + event.name + "'";
    const auto time = [&](const Expression& value, std::string_view attribute) {
      const TagSchema& tag = *find_tag("event");
      return add_slot(to.mechanism->slots, value, owner,
                      &tag.attributes[find_attribute(tag, attribute)]);
    };
    if (event.time == Event::Time::none) {
      data.condition = to.laws.add(event.function);
    } else {
      data.at = time(event.at, "at");
      if (event.time == Event::Time::every) data.every = time(event.every, "every");
    }
    for (const Event::Set& set : event.sets) {
      data.sets.push_back({set.discrete, set.index, to.laws.add(set.value)});
    }
    to.mechanism->events.push_back(std::move(data));
  }
}

template <class Space>
void add_conditions(Assembly<Space>& to) {
  Mechanism<Space>& m = *to.mechanism;
  for (const InitialCondition& from : to.model.conditions) {
    Condition condition;
    condition.name = from.name;
    condition.guess = from.guess;
    condition.target = add_slot(m.slots, from.equals, "condition '" + from.name + "'");
    condition.law = to.laws.add(from.value);
    auto& list = from.of_velocities ? m.velocity_conditions : m.position_conditions;
    if (condition.law != absent) list.push_back(condition);
  }
}

template void add_variables(const Model&, Mechanism<Planar>&);
template void add_measures(Assembly<Planar>&);
template void add_rates_and_residuals(Assembly<Planar>&);
template void add_outputs(Assembly<Planar>&);
template void add_events(Assembly<Planar>&);
template void add_conditions(Assembly<Planar>&);
template void add_variables(const Model&, Mechanism<Spatial>&);
template void add_measures(Assembly<Spatial>&);
template void add_rates_and_residuals(Assembly<Spatial>&);
template void add_outputs(Assembly<Spatial>&);
template void add_events(Assembly<Spatial>&);
template void add_conditions(Assembly<Spatial>&);

}  // namespace mbs
