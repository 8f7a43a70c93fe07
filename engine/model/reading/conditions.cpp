// <condition>: an equation that holds at the start, in addition to joints and exact coordinates.
// <drop>: reactions of a joint that are set to zero. <trim>: parameters found at the start.

#include "engine/base/text.hpp"
#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

struct Dependence {
  bool on_motion = false, on_velocities = false;
  SyntaxError error;  // without a code: none
};

bool is_velocity(Quantity quantity) {
  return quantity == Quantity::velocity || quantity == Quantity::angular_velocity ||
         quantity == Quantity::coordinate_rate;
}

// A condition is one of velocities as soon as a rate or a velocity is in it: positions are found
// before.
Dependence dependence_of(const Expression& value, const Model& model) {
  Dependence found;
  for (const Symbol& symbol : value.symbols()) {
    if (symbol.kind == SymbolKind::measure) {
      const Measure& measure = model.measures[symbol.index];
      if (measure.quantity == Quantity::reaction) {
        found.error = {0, "not-at-start",
                       "'" + measure.name +
                           "' is a reaction, and reactions are known only when positions and "
                           "velocities are",
                       "a condition is one of positions or of velocities"};
        return found;
      }
      found.on_velocities = found.on_velocities || is_velocity(measure.quantity);
    } else if (symbol.kind == SymbolKind::algebraic) {
      found.error = {0, "not-at-start",
                     "'" + model.algebraics[symbol.index].name +
                         "' is an algebraic unknown, and these are solved for when positions and "
                         "velocities are known",
                     "write the condition with coordinates and measures"};
      return found;
    } else if (symbol.kind == SymbolKind::coordinate_rate) {
      found.on_velocities = true;
    } else if (symbol.kind != SymbolKind::coordinate) {
      continue;
    }
    found.on_motion = true;
  }
  if (!found.on_motion) {
    found.error = {0, "constant-condition", "nothing in 'value' can be moved to meet the condition",
                   "it needs a coordinate (hinge.q), a rate (hinge.qd) or a measure of a position, "
                   "an angle or a velocity"};
  }
  return found;
}

}  // namespace

void bind_initial_condition(ReadContext& context, const Item& item) {
  InitialCondition& condition = context.expanded.model.conditions[item.index];
  const AttributeText value = context.own_text(item, "value");
  const AttributeText equals = context.attributes.text(item, item.attribute("equals"));
  condition.guess = context.read(item, "target").text == "guess";
  if (!value.present()) return;
  const Compiled c = context.compiler.compile_one(value, item.scope, Level::runtime);
  if (!context.check_type(value, item, "value", c.type, c.type.dimension)) return;
  if (equals.present()) {
    const Compiled target = context.compiler.compile_one(equals, item.scope, Level::parameters);
    if (!context.check_type(equals, item, "equals", target.type, c.type.dimension)) return;
    condition.equals = target.expression;
  }
  const Dependence dependence = dependence_of(c.expression, context.expanded.model);
  if (!dependence.error.code.empty()) {
    context.report.error(value, dependence.error);
    return;
  }
  condition.of_velocities = dependence.on_velocities;
  condition.value = c.expression;
}

void bind_drop(ReadContext& context, const Item& item) {
  const AttributeText of = context.own_text(item, "joint");
  const AttributeText keywords = context.own_text(item, "reactions");
  if (!of.present() || !keywords.present()) return;
  const Entity entity = context.compiler.reference(of, item.scope);
  if (!context.is(of, entity, EntityKind::joint)) return;
  static constexpr std::array<std::string_view, 6> in_space{"fx", "fy", "fz", "mx", "my", "mz"};
  static constexpr std::array<std::string_view, 6> in_plane{"fx", "fy", "", "", "", "m"};
  const bool planar = context.expanded.model.planar;
  const auto& known = planar ? in_plane : in_space;
  DroppedReactions drop;
  drop.element = entity.index;
  drop.place = keywords.place();
  for (const std::string_view keyword : split(keywords.text, ' ')) {
    const auto found = std::ranges::find(known, keyword);
    if (keyword.empty() || found == known.end()) {
      const int offset = static_cast<int>(keyword.data() - keywords.text.data());
      context.report.error(
          keywords,
          {offset, "unknown-keyword", "a joint has no reaction '" + std::string(keyword) + "'",
           "they are " + std::string(planar ? "fx fy m" : "fx fy fz mx my mz")});
      return;
    }
    drop.components[found - known.begin()] = true;
  }
  if (std::ranges::find(drop.components, true) == drop.components.end()) {
    context.report.error(keywords, "empty", "'reactions' names nothing",
                         "name what the joint leaves to others");
    return;
  }
  context.expanded.model.drops.push_back(std::move(drop));
}

// The parameter becomes an unknown of the static equilibrium.
void bind_trim(ReadContext& context, const Item& item) {
  const AttributeText of = context.own_text(item, "parameter");
  if (!of.present()) return;
  const Entity entity = context.compiler.reference(of, item.scope);
  if (!context.is(of, entity, EntityKind::parameter,
                  "give the preload that is to be found a parameter of its own")) {
    return;
  }
  const std::string name = "'" + std::string(of.text) + "'";
  Parameter& parameter = context.expanded.model.parameters[entity.index];
  if (parameter.variability == Variability::structural || parameter.calculated) {
    context.report.error(
        of, "not-free",
        name + (parameter.calculated ? " is calculated from other parameters"
                                     : " is structural: it is known before the start"),
        "only a fixed or tunable parameter with a number of its own can be found");
    return;
  }
  if (parameter.trimmed) {
    context.report.error(of, "duplicate-name", name + " is trimmed already");
    return;
  }
  parameter.trimmed = true;
}

}  // namespace mbs
