#include "engine/model/reading/bind.hpp"

#include "engine/model/reading/declare.hpp"
#include "engine/model/schema_rules.hpp"

namespace mbs {

namespace {

// The frames that `prev` and a subsystem's `ground` mean. Scopes stand in the order in which they
// were opened, so that one refers only to frames of scopes before it.
void bind_scope(ReadContext& context, int s) {
  ExpandedModel& expanded = context.expanded;
  Scope& scope = expanded.scopes[s];
  if (scope.repeat) {
    if (scope.repeat.attribute("prev").empty()) return;
    const bool first = scope.previous < 0;
    const AttributeText text = own_text(expanded.file_of(s), scope.repeat, first ? "prev" : "next");
    if (text.present()) {
      scope.prev = context.compiler.reference(text, first ? scope.parent : scope.previous);
    }
    return;
  }
  System& system = expanded.system_of(s);
  if (!system.use) return;
  const AttributeText at = own_text(expanded.file_of(system.outer_scope), system.use, "at");
  if (!at.present()) {
    system.ground = expanded.system_of(system.outer_scope).ground;
    return;
  }
  const Entity entity = context.compiler.reference(at, system.outer_scope);
  const int frame = expanded.as_frame(entity);
  if (frame >= 0) {
    system.ground = frame;
  } else if (entity.kind != EntityKind::failed) {
    context.report.error(
        at.place(), "wrong-kind",
        "'" + std::string(at.text) + "' is " + entity_text(entity.kind) + ", a frame is needed");
  }
}

void bind_element(ReadContext& context, const Item& item) {
  Model& model = context.expanded.model;
  Element& element = model.elements[item.index];
  element.attributes.reserve(item.tag->attributes.size());
  for (const AttributeSchema& schema : item.tag->attributes) {
    element.attributes.push_back(context.attributes.read(item, schema));
  }
  for (int k = 0; k < element.state_count; ++k) {
    StateVariable& state = model.states[element.first_state + k];
    const std::vector<Expression>& start = element[state.start_attribute].numbers;
    if (!start.empty()) state.start = start[0];
  }
}

void bind_variable(ReadContext& context, const Item& item) {
  const std::string_view tag = item.tag->name;
  if (tag == "output") return bind_output(context, item);
  if (tag == "condition") return bind_initial_condition(context, item);
  bind_law(context, item);
}

}  // namespace

void bind(ReadContext& context) {
  ExpandedModel& expanded = context.expanded;
  const auto with_role = [&](TagRole role, auto&& bind_item) {
    for (const Item& item : expanded.items) {
      if (item.tag->role == role) bind_item(context, item);
    }
  };
  with_role(TagRole::force, declare_states);
  context.parameters.evaluate_all();
  for (int s = 0; s < static_cast<int>(expanded.scopes.size()); ++s) bind_scope(context, s);
  for (const Item& item : expanded.items) {
    if (item.tag->role == TagRole::frame) bind_frame(context, item);
    if (item.tag->role != TagRole::variable) continue;
    if (item.tag->name == "measure") {
      bind_measure(context, item);
    } else {
      bind_start(context, item);
    }
  }
  find_bodies_of_frames(context);
  for (const Item& item : expanded.items) {
    const TagRole role = item.tag->role;
    if (is_item(role) && role != TagRole::frame) bind_element(context, item);
  }
  for (Measure& measure : expanded.model.measures) {
    const bool of_joint = measure.quantity == Quantity::reaction && measure.element >= 0;
    if (of_joint && measure.axes < 0) measure.axes = joint_axes(expanded.model, measure.element);
  }
  add_overridden_settings(context);
  for (const Item& item : expanded.items) {  // they read attributes of elements
    if (item.tag->role == TagRole::variable) bind_variable(context, item);
    if (item.tag->role == TagRole::setting) bind_setting(context, item);
  }
  for (const Item& item : expanded.items) {
    if (item.tag->name != "trim" || expanded.model.init_method == "statics") continue;
    context.report.error(
        expanded.place(item), "no-statics",
        "<trim> belongs to a start in static equilibrium, and this model does not start in one",
        "add <init method=\"statics\"/>");
  }
  for (const Item& item : expanded.items) {  // they read outputs
    if (item.tag->name == "event") bind_event(context, item);
  }
}

}  // namespace mbs
