// Stage three: the attributes of every item, and what they refer to.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/indexed_name.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

namespace {

const AttributeSchema& attribute(const Item& item, std::string_view name) {
  return item.tag->attributes[static_cast<std::size_t>(find_attribute(*item.tag, name))];
}

template <std::size_t n>
void copy(const AttributeValue& from, std::array<Expression, n>& to) {
  for (std::size_t k = 0; k < std::min(n, from.numbers.size()); ++k) to[k] = from.numbers[k];
}

}  // namespace

void Elaborator::bind() {
  for (const Item& item : items_) {
    if (item.tag->role == TagRole::force) declare_states(item);
  }
  for (int k = 0; k < static_cast<int>(slots_.size()); ++k) elaborate_parameter(k);
  start_values_.resize(model_.parameters.size());
  resolve_scopes();
  for (const Item& item : items_) {
    if (item.tag->role == TagRole::frame) bind_frame(item);
    if (item.tag->role == TagRole::variable) bind_static(item);
  }
  finish_frames();
  for (const Item& item : items_) {
    const TagRole role = item.tag->role;
    if (role == TagRole::body || role == TagRole::joint || role == TagRole::force) {
      bind_element(item);
    }
  }
  for (Measure& measure : model_.measures) {
    const bool of_joint = measure.quantity == Quantity::reaction && measure.element >= 0;
    if (of_joint && measure.axes < 0) measure.axes = joint_axes(measure.element);
  }
  check_solver_overrides();
  for (const Item& item : items_) {  // they read attributes of elements
    if (item.tag->role == TagRole::variable) bind_runtime(item);
    if (item.tag->role == TagRole::setting) bind_setting(item);
  }
  for (const Item& item : items_) {
    if (item.tag->name != "trim" || model_.init_method == "statics") continue;
    error(file_of(item.scope).place(item.node), "no-statics",
          "<trim> belongs to a start in static equilibrium, and this model does not start in one",
          "add <init method=\"statics\"/>");
  }
  for (const Item& item : items_) {  // they read outputs
    if (item.tag->name == "event") bind_event(item);
  }
}

void Elaborator::bind_frame(const Item& item) {
  Frame& frame = model_.frames[item.index];
  copy(read_attribute(item, attribute(item, "pos")), frame.position);
  const AttributeValue rotation = read_attribute(item, attribute(item, "rot"));
  if (rotation.numbers.size() == 1) {
    frame.rotation[2] = rotation.numbers[0];
  } else {
    copy(rotation, frame.rotation);
  }
  const Text on = text_of(item, attribute(item, "on"));
  if (on.present()) {
    const AttributeValue value = read_attribute(item, attribute(item, "on"));
    frame.on = value.index;
  } else if (item.owner == ground) {
    frame.on = system_of(item.scope).ground;
  } else {
    frame.on = model_.bodies[item.owner].origin;
  }
}

// The bodies that frames are fixed to, through the frames they are placed on.
void Elaborator::finish_frames() {
  enum : char { unknown, open, known };
  const std::size_t n = model_.frames.size();
  std::vector<char> state(n, unknown);
  state[0] = known;
  for (const Body& body : model_.bodies) state[body.origin] = known;
  std::vector<int> declared(n);
  for (std::size_t k = 0; k < n; ++k) declared[k] = model_.frames[k].body;
  std::vector<int> chain;
  for (std::size_t k = 0; k < n; ++k) {
    chain.clear();
    int at = static_cast<int>(k);
    while (at >= 0 && state[at] == unknown) {
      state[at] = open;
      chain.push_back(at);
      at = model_.frames[at].on;
    }
    if (at >= 0 && state[at] == open) {
      error(model_.frames[at].place, "frame-cycle",
            "frames are placed on each other in a circle, '" + model_.frames[at].name +
                "' is one of them");
    }
    const int body = at >= 0 ? model_.frames[at].body : ground;
    for (const int f : chain) {
      state[f] = known;
      Frame& frame = model_.frames[f];
      frame.body = body;
      if (declared[f] != ground && body != declared[f] && frame.on >= 0) {
        error(frame.place, "frame-on",
              "the frame '" + frame.name + "' stands in one body and is placed on another",
              "take it out of the body, or place it on a frame of the same body");
      }
    }
  }
  for (Frame& frame : model_.frames) {
    const bool origin = frame.on == 0 || (frame.on > 0 && frame.body != ground &&
                                          frame.on == model_.bodies[frame.body].origin);
    if (origin) frame.on = -1;
  }
}

void Elaborator::bind_static(const Item& item) {
  const Text unit = attribute_text(item.node, item.scope, "unit");
  const int k = item.index;
  if (item.tag->name == "input") {
    Input& input = model_.inputs[k];
    const Type none{{}, false};
    Type type = none;
    if (unit.present()) {
      const std::optional<Unit> read = read_unit(unit);
      if (!read) return;
      input.unit = *read;
      type.dimension = read->dimension;
    } else {
      input.unit.name = "1";
    }
    const Text start = attribute_text(item.node, item.scope, "start");
    if (start.present()) {
      const Compiled c = compile_one(start, item.scope, Level::parameters);
      if (check_type(start, 0, attribute(item, "start"), c.type, type.dimension)) {
        input.start = c.expression;
      }
    }
    input_types_[k] = type;
  } else if (item.tag->name == "state" || item.tag->name == "algebraic" ||
             item.tag->name == "discrete") {
    const bool state = item.tag->name == "state", discrete = item.tag->name == "discrete";
    Type& type = state ? state_types_[k] : discrete ? discrete_types_[k] : algebraic_types_[k];
    const Text start = attribute_text(item.node, item.scope, "start");
    if (!start.present()) return;
    const Compiled c = compile_one(start, item.scope, Level::parameters);
    const Unit display = display_unit(unit, c.type, type);
    if (type.failed) return;
    type.free = false;
    if (c.type.condition) {
      check_type(start, 0, attribute(item, "start"), c.type, {});
      type.failed = true;
      return;
    }
    const auto give = [&](auto& variable) {
      variable.unit = display;
      variable.start = c.expression;
    };
    if (state) {
      give(model_.states[k]);
    } else if (discrete) {
      give(model_.discretes[k]);
    } else {
      give(model_.algebraics[k]);
    }
  } else if (item.tag->name == "measure") {
    const Text of = attribute_text(item.node, item.scope, "of");
    if (!of.present()) return;
    const Entity entity = reference(of, item.scope);
    if (entity.kind == EntityKind::failed) return;
    Measure& measure = model_.measures[k];
    if (bind_measure(item, measure, entity)) measure_types_[k] = {measure.dimension, false};
  }
}

void Elaborator::bind_element(const Item& item) {
  Element& element = model_.elements[item.index];
  element.attributes.reserve(item.tag->attributes.size());
  for (const AttributeSchema& schema : item.tag->attributes) {
    element.attributes.push_back(read_attribute(item, schema));
  }
  for (int k = 0; k < element.state_count; ++k) {
    StateVariable& state = model_.states[static_cast<std::size_t>(element.first_state + k)];
    const std::vector<Expression>& start = element[state.start_attribute].numbers;
    if (!start.empty()) state.start = start[0];
  }
}

void Elaborator::bind_runtime(const Item& item) {
  const int k = item.index;
  if (item.tag->name == "state") {
    const Text der = attribute_text(item.node, item.scope, "der");
    if (!der.present()) return;
    const Compiled c = compile_one(der, item.scope, Level::runtime);
    if (state_types_[k].failed) return;
    const Dimension wanted = product(state_types_[k].dimension, parse_unit("s")->dimension, -1);
    if (check_type(der, 0, attribute(item, "der"), c.type, wanted)) {
      model_.states[k].der = c.expression;
    }
  } else if (item.tag->name == "algebraic") {
    const Text residual = attribute_text(item.node, item.scope, "residual");
    if (!residual.present()) return;
    const Compiled c = compile_one(residual, item.scope, Level::runtime);
    if (check_type(residual, 0, attribute(item, "residual"), c.type, c.type.dimension)) {
      model_.algebraics[k].residual = c.expression;
    }
  } else if (item.tag->name == "output") {
    bind_output(item);
  } else if (item.tag->name == "condition") {
    bind_initial_condition(item);
  }
}

// The axes of a joint's first frame; -1 as long as its attributes have not been read.
int Elaborator::joint_axes(int element) const {
  const Element& joint = model_.elements[element];
  if (joint.attributes.empty()) return -1;
  const int a = find_attribute(*joint.tag, "a");
  return a < 0 ? 0 : joint.attributes[static_cast<std::size_t>(a)].index;
}

// Fills quantity, item, frames and component.
bool Elaborator::bind_measure(const Item& item, Measure& measure, const Entity& of,
                              const std::string* component) {
  measure.place = file_of(item.scope).place(item.node);
  const AttributeValue keyword = read_attribute(item, attribute(item, "quantity"));
  if (keyword.index < 0) return false;
  const QuantitySchema* quantity = nullptr;
  for (const QuantitySchema& q : quantity_schema()) {
    if (q.keyword == keyword.text) quantity = &q;
  }
  measure.quantity = quantity->quantity;
  const Text of_text =
      attribute_text(item.node, item.scope, item.node.attribute("each").empty() ? "of" : "each");
  const auto wrong = [&](const char* needed) {
    if (!of_text.present()) {
      error(file_of(item.scope).place(item.node), "missing-attribute",
            "<" + std::string(item.tag->name) + "> needs the attribute 'of' for '" +
                std::string(quantity->keyword) + "': " + needed);
    } else {
      error(of_text, {0, "wrong-kind",
                      "'" + std::string(quantity->keyword) + "' is of " + needed + ", '" +
                          std::string(of_text.text) + "' is " + entity_text(of.kind),
                      ""});
    }
    return false;
  };
  const EntityKind kind = of.kind;
  switch (quantity->target) {
    case Target::frame:
      measure.frame = as_frame(of);
      if (measure.frame < 0) return wrong("a body or frame");
      break;
    case Target::joint_coordinate:
    case Target::joint:
      if (kind != EntityKind::joint) return wrong("a joint");
      measure.element = of.index;
      break;
    case Target::force:
      if (kind != EntityKind::force) return wrong("a force element");
      measure.element = of.index;
      break;
    case Target::body_or_all:
      if (!of_text.present()) break;
      if (kind != EntityKind::body) return wrong("a body, or without 'of' of the whole model");
      measure.element = model_.bodies[of.index].element;
      break;
    case Target::event:
      if (kind != EntityKind::event) return wrong("an event");
      measure.event = of.index;
      break;
    case Target::none:
      if (!of_text.present()) break;
      error(of_text, {0, "exclusive-attributes",
                      "'" + std::string(quantity->keyword) + "' belongs to the whole model",
                      "leave '" + std::string(of_text.attribute.name()) + "' out"});
      return false;
  }
  const bool frames = quantity->target == Target::frame || quantity->target == Target::joint;
  const AttributeValue relative = read_attribute(item, attribute(item, "relative_to"));
  const AttributeValue in = read_attribute(item, attribute(item, "in"));
  if ((relative.given && (quantity->target != Target::frame)) || (in.given && !frames)) {
    const char* name = relative.given ? "relative_to" : "in";
    error(place(attribute_text(item.node, item.scope, name)), "exclusive-attributes",
          "'" + std::string(quantity->keyword) + "' has no '" + name + "'", "leave it out");
    return false;
  }
  if (relative.index < 0 || (in.given && in.index < 0)) return false;
  measure.reference = relative.index;
  measure.axes = in.given ? in.index : measure.reference;
  if (quantity->target == Target::joint && !in.given) measure.axes = joint_axes(of.index);
  return read_component(item, measure, *quantity, component);
}

void Elaborator::bind_output(const Item& item) {
  Output output;
  output.doc = item.node.attribute("doc").value();
  output.name = system_of(item.scope).prefix + item.node.attribute("name").value() +
                scopes_[item.scope].indices;
  output.place = file_of(item.scope).place(item.node);
  const Text value = attribute_text(item.node, item.scope, "value");
  if (value.present()) {
    output.what.quantity = Quantity::expression;
    output.what.place = output.place;
    const Compiled c = compile_one(value, item.scope, Level::runtime);
    Type type;
    output.unit = display_unit(attribute_text(item.node, item.scope, "unit"), c.type, type);
    if (type.failed || !check_type(value, 0, attribute(item, "value"), c.type, c.type.dimension)) {
      return;
    }
    output.value = c.expression;
    output.what.dimension = type.dimension;
    model_.outputs.push_back(std::move(output));
    return;
  }
  if (!item.node.attribute("each").empty()) return bind_each(item, output);
  Entity of;
  const Text text = attribute_text(item.node, item.scope, "of");
  if (text.present()) {
    of = reference(text, item.scope);
    if (of.kind == EntityKind::failed) return;
  }
  add_output(item, output, of);
}

void Elaborator::add_output(const Item& item, const Output& output, const Entity& of) {
  for (const Part& part : parts_of(item)) {
    Output one = output;
    for (const int index : part.indices) one.name = with_index(one.name, index);
    if (!part.indices.empty()) {
      count_element(file_of(item.scope), item.node);
      count_text(one.place, one.name.size() + one.doc.size());
    }
    if (!bind_measure(item, one.what, of, part.indices.empty() ? nullptr : &part.component)) return;
    Type type{one.what.dimension, false}, shown;
    one.unit = display_unit(attribute_text(item.node, item.scope, "unit"), type, shown);
    if (shown.failed) return;
    const Quantity quantity = one.what.quantity;
    if (one.unit.name == "N.m" && item.node.attribute("unit").empty() &&
        (quantity == Quantity::energy || quantity == Quantity::kinetic_energy ||
         quantity == Quantity::potential_energy)) {
      one.unit.name = "J";
    }
    model_.outputs.push_back(std::move(one));
  }
}

// One output for each pass: phi[1], phi[2], ... of link[1], link[2] or of link[1].bottom, ...
void Elaborator::bind_each(const Item& item, const Output& output) {
  const Text text = attribute_text(item.node, item.scope, "each");
  const SyntaxTree* tree = parsed(text);
  if (!tree) return;
  const System& system = system_of(item.scope);
  const SyntaxTree::Node& root = tree->nodes[static_cast<std::size_t>(tree->roots[0])];
  const bool named = tree->roots.size() == 1 && root.kind == SyntaxTree::Kind::name;
  const std::string keyword =
      named ? tree->names[static_cast<std::size_t>(root.name)].parts[0].keyword : std::string();
  if (system.failed.contains(keyword)) return;
  if (!scopes_[item.scope].indices.empty()) {
    error(text, {0, "misplaced-each", "'each' stands outside of repeats", "inside use 'of'"});
    return;
  }
  const auto repeated = system.repeated.find(keyword);
  if (!named || repeated == system.repeated.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, count] : system.repeated) known.push_back(name);
    std::sort(known.begin(), known.end());
    const bool exists = entities_.contains(system.prefix + keyword);
    error(text, {0, exists ? "not-repeated" : "unknown-name",
                 exists ? "'" + keyword + "' is not repeated"
                        : "there is no '" + std::string(text.text) + "'",
                 exists ? "for a single item use 'of'" : did_you_mean(keyword, known)});
    return;
  }
  // All passes, in the order of the file: [1], [2], ... or [1,1], [1,2], ...
  const SyntaxTree::Name& name = tree->names[static_cast<std::size_t>(root.name)];
  std::string tail;
  for (std::size_t k = 1; k < name.parts.size(); ++k) tail += '.' + name.parts[k].keyword;
  bool any = false;
  std::set<std::string> passes;  // other repeats have the same
  for (std::size_t s = 0; s < scopes_.size(); ++s) {
    if (scopes_[s].system != scopes_[item.scope].system || scopes_[s].indices.empty()) continue;
    if (!passes.insert(scopes_[s].indices).second) continue;
    const auto found = entities_.find(system.prefix + keyword + scopes_[s].indices + tail);
    if (found == entities_.end()) continue;
    any = true;
    count_element(file_of(item.scope), item.node);
    count_text(output.place, output.name.size() + output.doc.size());
    Output one = output;
    one.name += scopes_[s].indices;
    if (found->second.first.kind != EntityKind::failed) {
      add_output(item, one, found->second.first);
    }
  }
  if (!any && !tail.empty()) {
    error(text, {0, "unknown-name", "there is no '" + std::string(text.text) + "'",
                 candidates(keyword + tail, scopes_[item.scope].system)});
  }
}

void Elaborator::bind_setting(const Item& item) {
  const std::string_view tag = item.tag->name;
  const auto value = [&](std::string_view name) {
    return read_attribute(item, attribute(item, name));
  };
  const auto number = [&](std::string_view name, double otherwise) {
    const AttributeValue v = value(name);
    return v.numbers.empty() ? otherwise : v.numbers[0].constant();
  };
  if (tag == "gravity") {
    copy(value("g"), model_.gravity);
  } else if (tag == "init") {
    model_.init_method = value("method").text;
    model_.init_conditions = value("conditions").text;
    if (model_.init_method == "statics" && model_.init_conditions != "fill") {
      error(file_of(item.scope).place(item.node), "conditions-of-statics",
            "conditions=\"" + model_.init_conditions +
                "\" belongs to a start by projection: a static equilibrium determines itself",
            "take conditions=\"fill\", or method=\"projection\"");
    }
  } else if (tag == "drop") {
    bind_drop(item);
  } else if (tag == "trim") {
    bind_trim(item);
  } else if (tag == "tolerance") {
    const Text of = attribute_text(item.node, item.scope, "of");
    if (!of.present()) return;
    const Entity entity = reference(of, item.scope);
    OwnTolerance own{{}, number("rtol", 0.0), number("atol", 0.0)};
    if (entity.kind == EntityKind::body) {
      own.of = model_.elements[model_.bodies[entity.index].element].name;
    } else if (entity.kind == EntityKind::state) {
      own.of = model_.states[entity.index].name;
    } else if (entity.kind != EntityKind::failed) {
      error(of, {0, "kind", "'" + std::string(of.text) + "' is neither a body nor a state", {}});
    }
    if (!own.of.empty()) model_.solver.own_tolerances.push_back(std::move(own));
  } else if (tag == "solver") {
    SolverSettings& s = model_.solver;
    s.method = value("method").text;
    s.coordinates = value("coordinates").text;
    s.linear = value("linear").text;
    s.redundancy = value("redundancy").text;
    s.rtol = number("rtol", s.rtol);
    s.atol = number("atol", s.atol);
    s.initial_step = number("initial_step", s.initial_step);
    s.max_step = number("max_step", s.max_step);
    s.max_order = static_cast<int>(number("max_order", 0));
    s.scheme = value("scheme").text;
    s.dense_order = static_cast<int>(number("dense_order", 0));
    s.event_points = static_cast<int>(number("event_points", 0));
    s.max_steps = static_cast<long>(number("max_steps", 0));
    s.start_time = number("start_time", s.start_time);
    s.stop_time = number("stop_time", s.stop_time);
    s.output_step = number("output_step", s.output_step);
    if (!(s.stop_time > s.start_time)) {
      const Text stop = text_of(item, attribute(item, "stop_time"));
      error(stop.present() ? place(stop) : file_of(item.scope).place(item.node), "range",
            "'stop_time' must be after 'start_time', these are " + number_text(s.stop_time) +
                " s and " + number_text(s.start_time) + " s");
    }
  } else {  // a method's own
    for (const AttributeSchema& a : item.tag->attributes) {
      const AttributeValue set = read_attribute(item, a);
      if (!set.given) continue;
      const std::string text = set.numbers.empty() ? set.text : number_text(number(a.name, 0.0));
      model_.solver.method_settings.push_back({std::string(tag), std::string(a.name), text});
    }
  }
}

}  // namespace mbs
