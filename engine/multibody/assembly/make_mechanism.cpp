#include "engine/multibody/assembly/make_mechanism.hpp"

#include <algorithm>

#include "engine/multibody/assembly/assembly.hpp"
#include "engine/multibody/contacts.hpp"

namespace mbs {

namespace {

template <class Space>
void bind_element(Assembly<Space>& to, const Element& e) {
  const auto types = element_types();
  const auto found = std::find_if(types.begin(), types.end(), [&](const ElementType* type) {
    return type->tag == e.tag->name;
  });
  const ElementReader reader(to.model, e, to.mechanism->slots, to.diagnostics);
  if (found == types.end()) {
    reader.error("not-assembled", "<" + std::string(e.tag->name) + "> has no equations here");
  } else if constexpr (Space::dim == 2) {
    (*found)->bind_in_plane(to, reader);
  } else {
    (*found)->bind_in_space(to, reader);
  }
}

template <class Space>
void bind_elements(Assembly<Space>& to, TagRole role) {
  // Elements that couple coordinates are bound after all joints that have these.
  for (const bool couples : {false, true}) {
    for (const Element& e : to.model.elements) {
      const bool relates =
          e.tag->name == "coupling" || e.tag->name == "gear" || e.tag->name == "rack";
      if (e.tag->role == role && relates == couples) bind_element(to, e);
    }
  }
}

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
  for (const DiscreteVariable& z : model.discretes)
    m.discrete_start.push_back(
        z.is_internal() ? absent
                        : add_slot(m.slots, z.start, "the start of discrete '" + z.name + "'"));
  m.gravity = static_cast<int>(m.slots.size());
  for (int i = 0; i < Space::dim; ++i) add_slot(m.slots, model.gravity[i], "gravity");
}

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

// The derivatives of <state>s, the residuals of <algebraic>s, what internal discrete variables
// hold.
template <class Space>
void add_rates_and_residuals(Assembly<Space>& to) {
  for (const StateVariable& s : to.model.states) {
    to.mechanism->der.push_back(s.element < 0 ? to.laws.add(s.der) : absent);
  }
  for (const AlgebraicVariable& w : to.model.algebraics) {
    to.mechanism->residuals.push_back(to.laws.add(w.residual));
  }
  for (const DiscreteVariable& z : to.model.discretes) {
    to.mechanism->discrete_frozen.push_back(z.is_internal() ? to.laws.add(z.holds) : absent);
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

// Angles in space that are used as numbers get an r state that counts their turns.
template <class Space>
void count_turns(Mechanism<Space>& m, const std::vector<char>& used_as_number) {
  for (std::size_t c = 0; c < m.coordinates.size(); ++c) {
    const auto kind = m.coordinates[c].kind;
    const bool turns =
        kind == CoordinateData::Kind::turning || kind == CoordinateData::Kind::second_turning;
    if (!turns || !used_as_number[c]) continue;
    m.coordinates[c].counter = static_cast<int>(m.der.size() + m.counted.size());
    m.counted.push_back(static_cast<int>(c));
  }
}

template <class Space>
void list_gradients(Mechanism<Space>& m) {
  const auto sort = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  m.differentiated = m.evaluated;
  m.differentiated.insert(m.differentiated.end(), m.counted.begin(), m.counted.end());
  sort(m.differentiated);
  std::vector<int> shown = m.evaluated_in_outputs;
  for (const OutputData& output : m.outputs) {
    const Quantity what = output.measure.quantity;
    if (what == Quantity::coordinate || what == Quantity::coordinate_rate)
      shown.push_back(output.coordinate);
  }
  sort(shown);
  std::set_difference(shown.begin(), shown.end(), m.differentiated.begin(), m.differentiated.end(),
                      std::back_inserter(m.differentiated_in_outputs));
}

// Numbers the rows that belong to no joint, modes, switching functions and what stands in z.
template <class Space>
void number_rows(Mechanism<Space>& m) {
  for (const RollingData& r : m.rolling) m.velocity_rows += r.slips;
  int phi = static_cast<int>(m.events.size()), mode = 0;
  for (ContactData& c : m.contacts) {
    c.mode = mode++;
    c.phi = phi;
    phi += (c.kind != ContactData::Kind::friction) + (c.tangents > 0);
    if (c.tangents == 0) continue;
    c.direction = static_cast<int>(m.start_values.size()) + m.directions;
    if (c.tangents > 1) c.low_speed = c.direction + c.tangents;
    m.velocity_rows += c.tangents;
    m.directions += c.tangents + (c.low_speed >= 0 ? low_speed_entries : 0);
  }
  number_further_rows(m);
  for (DriveData& d : m.drives) {
    if (d.input < 0) continue;
    d.state = static_cast<int>(m.start_values.size()) + m.directions + m.followed;
    m.followed += 3;
  }
  m.discrete = static_cast<int>(m.start_values.size()) + m.directions + m.followed;
}

}  // namespace

template <class Space>
std::unique_ptr<Mechanism<Space>> make_mechanism(const Model& model, Diagnostics& diagnostics) {
  Assembly<Space> to(model, diagnostics);
  Mechanism<Space>& m = *to.mechanism;
  to.frames.add_frames_of_model();
  add_variables(model, m);
  for (const Body& b : model.bodies) bind_element(to, model.elements[b.element]);
  bind_elements(to, TagRole::joint);
  if (!diagnostics.ok()) return nullptr;
  add_measures(to);
  bind_elements(to, TagRole::force);
  add_rates_and_residuals(to);
  m.evaluated = to.joints.evaluated();
  add_outputs(to);
  add_events(to);
  m.evaluated_in_outputs = to.joints.evaluated();
  count_turns(m, to.joints.used_as_number());
  // Conditions take the turns of angles in space that are nearest to the start values, and need no
  // counter.
  add_conditions(to);
  list_gradients(m);
  number_rows(m);
  if (diagnostics.ok()) to.dropped.name_rows(m, diagnostics);
  if (!diagnostics.ok()) return nullptr;
  return std::move(to.mechanism);
}

template std::unique_ptr<Mechanism<Planar>> make_mechanism(const Model&, Diagnostics&);
template std::unique_ptr<Mechanism<Spatial>> make_mechanism(const Model&, Diagnostics&);

}  // namespace mbs
