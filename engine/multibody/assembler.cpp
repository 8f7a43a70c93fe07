#include "engine/multibody/assembler.hpp"

#include <algorithm>

#include "engine/multibody/contacts.hpp"
#include "engine/multibody/row_forces.hpp"

namespace mbs {

template <class Space>
Assembler<Space>::Assembler(const Model& model, Diagnostics& diagnostics)
    : model_(model),
      diagnostics_(diagnostics),
      mechanism_(std::make_unique<Mechanism<Space>>()),
      force_of_(model.elements.size()),
      joint_of_(model.elements.size(), -1) {}

template <class Space>
std::unique_ptr<Mechanism<Space>> Assembler<Space>::run() {
  add_frames();
  add_variables();
  bind(TagRole::body);
  bind(TagRole::joint);
  if (!diagnostics_.ok()) return nullptr;
  bind(TagRole::force);
  add_measures();
  const Mechanism<Space>& m = *mechanism_;
  for (const StateVariable& s : model_.states) {
    mechanism_->der.push_back(s.element < 0 ? add_law(s.der) : absent);
  }
  for (const AlgebraicVariable& w : model_.algebraics) {
    mechanism_->residuals.push_back(add_law(w.residual));
  }
  // What the equations evaluate as signals; outputs evaluate more.
  for (std::size_t c = 0; c < m.coordinates.size(); ++c) {
    if (evaluated_[c]) mechanism_->evaluated.push_back(static_cast<int>(c));
  }
  add_outputs();
  add_events();
  for (std::size_t c = 0; c < m.coordinates.size(); ++c) {
    if (evaluated_[c]) mechanism_->evaluated_in_outputs.push_back(static_cast<int>(c));
  }
  add_conditions();
  count_turns();
  list_gradients();
  number_rows();
  if (diagnostics_.ok()) name_rows();
  if (!diagnostics_.ok()) return nullptr;
  return std::move(mechanism_);
}

template <class Space>
void Assembler<Space>::list_gradients() {
  Mechanism<Space>& m = *mechanism_;
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

template <class Space>
void Assembler<Space>::bind(TagRole role) {
  const auto types = element_types<Space>();
  const auto bind_one = [&](const Element& e) {
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const auto& type) { return type.tag == e.tag->name; });
    if (found != types.end()) {
      found->bind(*this, e);
    } else {
      error(e, "not-assembled", "<" + std::string(e.tag->name) + "> has no equations here");
    }
  };
  if (role == TagRole::body) {
    for (const Body& b : model_.bodies) bind_one(model_.elements[b.element]);
    return;
  }
  // What couples coordinates comes after all joints that have them.
  for (const bool couples : {false, true}) {
    for (const Element& e : model_.elements) {
      const bool relates =
          e.tag->name == "coupling" || e.tag->name == "gear" || e.tag->name == "rack";
      if (e.tag->role == role && relates == couples) bind_one(e);
    }
  }
}

template <class Space>
void Assembler<Space>::error(const Element& e, std::string code, std::string message,
                             std::string hint) {
  diagnostics_.error(e.place, std::move(code), std::move(message), std::move(hint));
}

template <class Space>
std::string Assembler<Space>::title(const Element& e) {
  return std::string(e.tag->name) + " '" + e.name + "'";
}

// Attributes.

template <class Space>
bool Assembler<Space>::given(const Element& e, std::string_view attribute) const {
  return !e[attribute].numbers.empty() || e[attribute].index >= 0;
}

template <class Space>
bool Assembler<Space>::acts(const Element& e, std::string_view attribute) const {
  const std::vector<Expression>& numbers = e[attribute].numbers;
  return !numbers.empty() && !(numbers[0].is_constant() && numbers[0].constant() == 0.0);
}

template <class Space>
int Assembler<Space>::frame(const Element& e, std::string_view attribute) const {
  return std::max(e[attribute].index, 0);  // absent: ground
}

template <class Space>
int Assembler<Space>::add_slot(Expression value, std::string owner,
                               const AttributeSchema* attribute, int element) {
  mechanism_->slots.push_back({std::move(value), std::move(owner), attribute, element});
  return static_cast<int>(mechanism_->slots.size()) - 1;
}

template <class Space>
int Assembler<Space>::slots(const Element& e, std::string_view attribute, int count) {
  const std::vector<Expression>& numbers = e[attribute].numbers;
  if (numbers.empty()) return absent;
  const int first = static_cast<int>(mechanism_->slots.size());
  const AttributeSchema* schema = &e.tag->attributes[find_attribute(*e.tag, attribute)];
  for (int i = 0; i < count; ++i) {
    const bool there = i < static_cast<int>(numbers.size());
    add_slot(there ? numbers[i] : Expression(0.0), title(e), schema, static_cast<int>(index_of(e)));
  }
  return first;
}

template <class Space>
int Assembler<Space>::slot(const Element& e, std::string_view attribute) {
  return slots(e, attribute, 1);
}

template <class Space>
int Assembler<Space>::law(const Element& e, std::string_view attribute, int component) {
  const std::vector<Expression>& numbers = e[attribute].numbers;
  if (component >= static_cast<int>(numbers.size())) return absent;
  return add_law(numbers[component]);
}

template <class Space>
int Assembler<Space>::friction_law(const Element& e) {
  MeasureData data;
  data.measure.quantity = Quantity::reaction;
  data.measure.element = e["joint"].index;
  data.measure.component = 6;
  data.measure.place = e.place;
  data.joint = joint_of_[data.measure.element];
  const auto index = static_cast<int>(model_.measures.size() + reactions_.size());
  reactions_.push_back(std::move(data));
  const Expression force({{Instruction::Op::load, 0}}, {{SymbolKind::measure, index}});
  Expression factor = e["mu"].numbers[0];
  if (given(e, "radius")) factor = product(factor, e["radius"].numbers[0]);
  return add_law(product(factor, force));
}

template <class Space>
int Assembler<Space>::add_law(const Expression& expression) {
  Law law;
  law.expression = expression;
  for (const Symbol& symbol : expression.symbols()) {
    Law::Argument argument{symbol.kind, symbol.index};
    const bool acceleration = symbol.kind == SymbolKind::coordinate_acceleration;
    if (symbol.kind == SymbolKind::coordinate || symbol.kind == SymbolKind::coordinate_rate ||
        acceleration) {
      const Coordinate& c = model_.coordinates[symbol.index];
      argument.index = bound_coordinate(symbol.index, model_.elements[c.element].place);
      if (argument.index < 0) return absent;
      argument.sign = c.sign;
      if (symbol.kind == SymbolKind::coordinate) use_value(argument.index);
      if (acceleration) mechanism_->accelerations.push_back(argument.index);
    }
    if (symbol.kind == SymbolKind::output) mechanism_->observed.push_back(symbol.index);
    const bool local = symbol.kind == SymbolKind::local;
    law.has_locals = law.has_locals || local;
    law.has_columns = law.has_columns || !(local || symbol.kind == SymbolKind::time ||
                                           symbol.kind == SymbolKind::parameter ||
                                           symbol.kind == SymbolKind::discrete);
    law.arguments.push_back(argument);
  }
  mechanism_->laws.push_back(std::move(law));
  return static_cast<int>(mechanism_->laws.size()) - 1;
}

// The mechanism's coordinate of one of the model, marked as evaluated; -1 with an error when it
// cannot be.
template <class Space>
int Assembler<Space>::bound_coordinate(int model_coordinate, const Place& place) {
  const Coordinate& c = model_.coordinates[model_coordinate];
  const JointData& joint = mechanism_->joints[joint_of_[c.element]];
  const int index = joint.coordinates[c.local];
  if (!mechanism_->coordinates[index].measurable) {
    diagnostics_.error(place, "no-orientation",
                       "'" + c.name + "' has no value: a particle does not turn",
                       "use a <body> or measure positions instead");
    return -1;
  }
  evaluated_[index] = 1;
  return index;
}

// Frames, parameters, signals.

template <class Space>
void Assembler<Space>::add_frames() {
  const int count = static_cast<int>(model_.frames.size());
  const auto numbers = [&](const std::array<Expression, 3>& values, int first, int n,
                           const std::string& owner) {
    const bool zero = std::all_of(values.begin(), values.end(), [](const Expression& x) {
      return x.is_constant() && x.constant() == 0.0;
    });
    if (zero) return absent;
    const int slot = static_cast<int>(mechanism_->slots.size());
    for (int i = 0; i < n; ++i) add_slot(values[first + i], owner);
    return slot;
  };
  std::vector<char> is_origin(count, 0);
  for (const Body& b : model_.bodies) is_origin[b.origin] = 1;
  for (int k = 0; k < count; ++k) {
    const Frame& f = model_.frames[k];
    FrameData data;
    data.owner = "frame '" + f.name + "'";
    data.body = f.body;
    data.base = f.on;
    if (f.on < 0 && k > 0 && !is_origin[k]) {
      data.base = f.body == ground ? 0 : model_.bodies[f.body].origin;
    }
    data.position = numbers(f.position, 0, Space::dim, data.owner);
    data.rotation =
        numbers(f.rotation, Space::dim == 2 ? 2 : 0, Space::rotation_numbers, data.owner);
    mechanism_->frames.push_back(data);
  }
  // Each after its base.
  std::vector<char> placed(count, 0);
  std::vector<int> path;
  for (int k = 0; k < count; ++k) {
    for (int f = k; f >= 0 && !placed[f]; f = mechanism_->frames[f].base) {
      path.push_back(f);
      placed[f] = 1;
    }
    mechanism_->frame_order.insert(mechanism_->frame_order.end(), path.rbegin(), path.rend());
    path.clear();
  }
}

template <class Space>
void Assembler<Space>::add_variables() {
  Mechanism<Space>& m = *mechanism_;
  for (const Parameter& p : model_.parameters) {
    m.parameter_values.push_back(p.value);
    m.calculated.push_back(p.calculated ? 1 : 0);
  }
  m.parameter_order = model_.parameter_order;
  for (const Input& u : model_.inputs) {
    m.input_start.push_back(add_slot(u.start, "the start of input '" + u.name + "'"));
  }
  for (const StateVariable& s : model_.states) {
    m.state_start.push_back(add_slot(s.start, "the start of state '" + s.name + "'"));
  }
  for (const AlgebraicVariable& w : model_.algebraics) {
    m.algebraic_start.push_back(add_slot(w.start, "the start of '" + w.name + "'"));
  }
  for (const DiscreteVariable& d : model_.discretes) {
    m.discrete_start.push_back(add_slot(d.start, "the start of discrete '" + d.name + "'"));
  }
  m.gravity = static_cast<int>(m.slots.size());
  for (int i = 0; i < Space::dim; ++i) add_slot(model_.gravity[i], "gravity");
}

// -1 with an error when it has none.
template <class Space>
int Assembler<Space>::joint_with_reaction(const Measure& measure) {
  const int joint = joint_of_[measure.element];
  if (!mechanism_->joints[joint].couples) return joint;
  diagnostics_.error(
      measure.place, "no-such-quantity",
      title(model_.elements[measure.element]) + " has no frame at which a reaction could act",
      "take the reaction of a joint whose coordinate it couples");
  return -1;
}

template <class Space>
void Assembler<Space>::add_measures() {
  for (const Measure& measure : model_.measures) {
    MeasureData data{measure, -1, -1, measure.sign};
    if (measure.coordinate >= 0) {
      data.coordinate = bound_coordinate(measure.coordinate, measure.place);
      if (data.coordinate < 0) continue;
      data.sign *= model_.coordinates[measure.coordinate].sign;
      if (measure.quantity == Quantity::coordinate) use_value(data.coordinate);
    }
    if (measure.quantity == Quantity::reaction) {
      data.joint = joint_with_reaction(measure);
      if (data.joint < 0) continue;
    }
    mechanism_->measures.push_back(std::move(data));
  }
  for (MeasureData& reaction : reactions_) mechanism_->measures.push_back(std::move(reaction));
}

template <class Space>
void Assembler<Space>::add_outputs() {
  for (const Output& output : model_.outputs) {
    const Measure& what = output.what;
    OutputData data;
    data.measure = what;
    data.sign = what.sign;
    switch (what.quantity) {
      case Quantity::coordinate:
      case Quantity::coordinate_rate:
      case Quantity::coordinate_acceleration:
        data.coordinate = bound_coordinate(what.coordinate, output.place);
        if (data.coordinate < 0) continue;
        data.sign *= model_.coordinates[what.coordinate].sign;
        if (what.quantity == Quantity::coordinate) use_value(data.coordinate);
        break;
      case Quantity::reaction:
        data.joint = joint_with_reaction(what);
        break;
      case Quantity::force_value:
        data.force_type = force_of_[what.element].type;
        data.force = force_of_[what.element].index;
        data.shown = what.component;
        break;
      case Quantity::kinetic_energy:
        for (std::size_t i = 0; what.element >= 0 && i < model_.bodies.size(); ++i) {
          if (model_.bodies[i].element == what.element) data.body = static_cast<int>(i);
        }
        break;
      case Quantity::expression:
        data.law = add_law(output.value);
        break;
      default:
        break;
    }
    if (what.quantity == Quantity::force_value && data.force < 0) {
      diagnostics_.error(output.place, "no-such-quantity",
                         "output '" + output.name + "': " + title(model_.elements[what.element]) +
                             " has no such quantity");
    }
    mechanism_->outputs.push_back(std::move(data));
  }
}

template <class Space>
void Assembler<Space>::add_events() {
  for (const Event& event : model_.events) {
    EventData data;
    data.name = event.name;
    const std::string owner = "event '" + event.name + "'";
    const auto time = [&](const Expression& value, std::string_view attribute) {
      const TagSchema& tag = *find_tag("event");
      return add_slot(value, owner, &tag.attributes[find_attribute(tag, attribute)]);
    };
    if (event.time == Event::Time::none) {
      data.condition = add_law(event.function);
    } else {
      data.at = time(event.at, "at");
      if (event.time == Event::Time::every) data.every = time(event.every, "every");
    }
    for (const Event::Set& set : event.sets) {
      data.sets.push_back({set.discrete, set.index, add_law(set.value)});
    }
    mechanism_->events.push_back(std::move(data));
  }
}

// Angles in space that are used as numbers get an r state that counts their turns.
template <class Space>
void Assembler<Space>::count_turns() {
  Mechanism<Space>& m = *mechanism_;
  for (std::size_t c = 0; c < m.coordinates.size(); ++c) {
    const auto kind = m.coordinates[c].kind;
    if (kind != CoordinateData::Kind::turning && kind != CoordinateData::Kind::second_turning) {
      continue;
    }
    if (!value_used_[c]) continue;
    m.coordinates[c].counter = static_cast<int>(model_.states.size() + m.counted.size());
    m.counted.push_back(static_cast<int>(c));
  }
}

template <class Space>
void Assembler<Space>::contact(const Element& e, ContactData data) {
  Mechanism<Space>& m = *mechanism_;
  data.name = e.name;
  if (data.coordinate >= 0 && e.name.find('#') != std::string::npos) {  // it was given none
    data.name = m.coordinates[data.coordinate].name + " (" + e.name + ")";
  }
  data.element = static_cast<int>(index_of(e));
  const auto [type, forces] = forces_of_type<ContactForces<Space>>();
  force_of_[index_of(e)] = {type, static_cast<int>(forces->contacts.size())};
  forces->contacts.push_back(static_cast<int>(m.contacts.size()));
  m.contacts.push_back(std::move(data));
}

template <class Space>
template <class Array>
void Assembler<Space>::shows_rows(const Element& e, std::size_t index) {
  const auto [type, forces] = forces_of_type<Array>();
  force_of_[index_of(e)] = {type, static_cast<int>(forces->elements.size())};
  forces->elements.push_back(static_cast<int>(index));
}

template <class Space>
void Assembler<Space>::drive(const Element& e, DriveData data) {
  data.name = e.name;
  shows_rows<DriveForces<Space>>(e, mechanism_->drives.size());
  mechanism_->drives.push_back(std::move(data));
}

template <class Space>
void Assembler<Space>::rolling(const Element& e, RollingData data) {
  data.name = e.name;
  shows_rows<RollingForces<Space>>(e, mechanism_->rolling.size());
  mechanism_->rolling.push_back(std::move(data));
}

template <class Space>
void Assembler<Space>::guide(const Element& e, GuideData data) {
  Mechanism<Space>& m = *mechanism_;
  data.name = e.name;
  data.s = (Space::dim - 1) * static_cast<int>(m.guides.size());
  shows_rows<GuideForces<Space>>(e, m.guides.size());
  m.guides.push_back(std::move(data));
}

// Numbers the rows that belong to no joint, modes, switching functions and what stands in z.
template <class Space>
void Assembler<Space>::number_rows() {
  Mechanism<Space>& m = *mechanism_;
  for (const RollingData& r : m.rolling) m.velocity_rows += r.slips;
  int phi = static_cast<int>(m.events.size()), mode = 0;
  for (ContactData& c : m.contacts) {
    c.mode = mode++;
    c.phi = phi;
    phi += (c.kind != ContactData::Kind::friction) + (c.tangents > 0);
    if (c.tangents == 0) continue;
    c.direction = static_cast<int>(m.remembered.size()) + m.directions;
    if (c.tangents > 1) c.low_speed = c.direction + c.tangents;
    m.velocity_rows += c.tangents;
    m.directions += c.tangents + (c.low_speed >= 0 ? low_speed_entries : 0);
  }
  number_further_rows(m);
  for (DriveData& d : m.drives) {
    if (d.input < 0) continue;
    d.state = static_cast<int>(m.remembered.size()) + m.directions + m.followed;
    m.followed += 3;
  }
  m.discrete = static_cast<int>(m.remembered.size()) + m.directions + m.followed;
}

template class Assembler<Planar>;
template class Assembler<Spatial>;

}  // namespace mbs
