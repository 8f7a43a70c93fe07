// Binds what a measure or an output shows: the quantity and the item that has it.

#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

// The text that names the item; absent when the quantity is that of the whole model.
AttributeText of_text(const ReadContext& context, const Item& item) {
  return context.own_text(item, item.node.attribute("each").empty() ? "of" : "each");
}

// Puts the item into the measure; otherwise says what would fit.
std::string unfit_target(const ExpandedModel& expanded, Target target, const Entity& of, bool given,
                         Measure& measure) {
  switch (target) {
    case Target::frame:
      measure.frame = expanded.as_frame(of);
      return measure.frame < 0 ? "a body or frame" : "";
    case Target::joint_coordinate:
    case Target::joint:
      if (of.kind != EntityKind::joint) return "a joint";
      measure.element = of.index;
      return "";
    case Target::force:
      if (of.kind != EntityKind::force) return "a force element";
      measure.element = of.index;
      return "";
    case Target::body_or_all:
      if (!given) return "";
      if (of.kind != EntityKind::body) return "a body, or without 'of' of the whole model";
      measure.element = expanded.model.bodies[of.index].element;
      return "";
    case Target::event:
      if (of.kind != EntityKind::event) return "an event";
      measure.event = of.index;
      return "";
    case Target::none:
      return "";
  }
  return "";
}

bool bind_target(ReadContext& context, const Item& item, const QuantitySchema& quantity,
                 const Entity& of, Measure& measure) {
  const AttributeText text = of_text(context, item);
  const std::string keyword = "'" + std::string(quantity.keyword) + "'";
  if (quantity.target == Target::none && text.present()) {
    context.report.error(text, "exclusive-attributes", keyword + " belongs to the whole model",
                         "leave '" + std::string(text.attribute.name()) + "' out");
    return false;
  }
  const std::string needed =
      unfit_target(context.expanded, quantity.target, of, text.present(), measure);
  if (needed.empty()) return true;
  if (text.present()) {
    context.report.error(text, "wrong-kind",
                         keyword + " is of " + needed + ", '" + std::string(text.text) + "' is " +
                             entity_text(of.kind));
  } else {
    context.report.error(measure.place, "missing-attribute",
                         "<" + std::string(item.tag->name) + "> needs the attribute 'of' for " +
                             keyword + ": " + needed);
  }
  return false;
}

// Binds the frame that a measure is relative to, and the frame whose axes it is given in.
bool bind_frames(ReadContext& context, const Item& item, const QuantitySchema& quantity,
                 Measure& measure) {
  const AttributeValue relative = context.read(item, "relative_to");
  const AttributeValue in = context.read(item, "in");
  const bool of_frame = quantity.target == Target::frame;
  const bool of_joint = quantity.target == Target::joint;
  if ((relative.given && !of_frame) || (in.given && !of_frame && !of_joint)) {
    const char* name = relative.given ? "relative_to" : "in";
    context.report.error(context.own_text(item, name).place(), "exclusive-attributes",
                         "'" + std::string(quantity.keyword) + "' has no '" + name + "'",
                         "leave it out");
    return false;
  }
  if (relative.index < 0 || (in.given && in.index < 0)) return false;
  measure.reference = relative.index;
  measure.axes = in.given   ? in.index
                 : of_joint ? joint_axes(context.expanded.model, measure.element)
                            : measure.reference;
  return true;
}

}  // namespace

int joint_axes(const Model& model, int element) {
  const Element& joint = model.elements[element];
  if (joint.attributes.empty()) return -1;
  const int a = find_attribute(*joint.tag, "a");
  return a < 0 ? 0 : joint.attributes[a].index;
}

bool bind_measured(ReadContext& context, const Item& item, Measure& measure, const Entity& of,
                   const std::string* component) {
  measure.place = context.expanded.place(item);
  const AttributeValue keyword = context.read(item, "quantity");
  if (keyword.index < 0) return false;
  const auto quantity = std::ranges::find(quantity_schema(), std::string_view(keyword.text),
                                          &QuantitySchema::keyword);
  measure.quantity = quantity->quantity;
  return bind_target(context, item, *quantity, of, measure) &&
         bind_frames(context, item, *quantity, measure) &&
         bind_component(context, item, measure, *quantity, component);
}

void bind_measure(ReadContext& context, const Item& item) {
  const AttributeText of = context.own_text(item, "of");
  if (!of.present()) return;
  const Entity entity = context.compiler.reference(of, item.scope);
  if (entity.kind == EntityKind::failed) return;
  Measure& measure = context.expanded.model.measures[item.index];
  if (bind_measured(context, item, measure, entity)) {
    context.expanded.type({EntityKind::measure, item.index}) = {measure.dimension, false};
  }
}

}  // namespace mbs
