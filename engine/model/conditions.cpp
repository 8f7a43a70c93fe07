// <condition>: what holds at the start beside joints and their exact coordinates; <drop>: what
// joints leave to others; <trim>: what
// parameters are found at the start.

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"

namespace mbs {

namespace {

const AttributeSchema& attribute(const Item& item, std::string_view name) {
  return item.tag->attributes[static_cast<std::size_t>(find_attribute(*item.tag, name))];
}

}  // namespace

// It is one of velocities as soon as a rate or a velocity is in it: positions are found before.
void Elaborator::bind_initial_condition(const Item& item) {
  InitialCondition& condition = model_.conditions[item.index];
  const Text value = attribute_text(item.node, item.scope, "value");
  const Text equals = text_of(item, attribute(item, "equals"));
  condition.guess = read_attribute(item, attribute(item, "target")).text == "guess";
  if (!value.present()) return;
  const Compiled c = compile_one(value, item.scope, Level::runtime);
  if (!check_type(value, 0, attribute(item, "value"), c.type, c.type.dimension)) return;
  if (equals.present()) {
    const Compiled target = compile_one(equals, item.scope, Level::parameters);
    if (!check_type(equals, 0, attribute(item, "equals"), target.type, c.type.dimension)) return;
    condition.equals = target.expression;
  }
  bool moves = false;
  for (const Symbol& symbol : c.expression.symbols()) {
    switch (symbol.kind) {
      case SymbolKind::coordinate_rate:
        condition.of_velocities = true;
        [[fallthrough]];
      case SymbolKind::coordinate:
        moves = true;
        break;
      case SymbolKind::measure: {
        const Measure& measure = model_.measures[static_cast<std::size_t>(symbol.index)];
        if (measure.quantity == Quantity::reaction) {
          error(value, {0, "not-at-start",
                        "'" + measure.name +
                            "' is a reaction, and reactions are known only when "
                            "positions and velocities are",
                        "a condition is one of positions or of velocities"});
          return;
        }
        moves = true;
        condition.of_velocities |= measure.quantity == Quantity::velocity ||
                                   measure.quantity == Quantity::angular_velocity ||
                                   measure.quantity == Quantity::coordinate_rate;
        break;
      }
      case SymbolKind::algebraic:
        error(value, {0, "not-at-start",
                      "'" + model_.algebraics[static_cast<std::size_t>(symbol.index)].name +
                          "' is an algebraic unknown, and these are solved for when positions and "
                          "velocities are known",
                      "write the condition with coordinates and measures"});
        return;
      default:
        break;
    }
  }
  if (!moves) {
    error(value, {0, "constant-condition", "nothing in 'value' can be moved to meet the condition",
                  "it needs a coordinate (hinge.q), a rate (hinge.qd) or a measure of a position, "
                  "an angle or a velocity"});
    return;
  }
  condition.value = c.expression;
}

void Elaborator::bind_drop(const Item& item) {
  const Text of = attribute_text(item.node, item.scope, "joint");
  const Text keywords = attribute_text(item.node, item.scope, "reactions");
  if (!of.present() || !keywords.present()) return;
  const Entity entity = reference(of, item.scope);
  if (entity.kind == EntityKind::failed) return;
  if (entity.kind != EntityKind::joint) {
    error(of,
          {0, "wrong-kind",
           "'" + std::string(of.text) + "' is " + entity_text(entity.kind) + ", a joint is needed",
           ""});
    return;
  }
  static constexpr std::array<std::string_view, 6> in_space{"fx", "fy", "fz", "mx", "my", "mz"};
  static constexpr std::array<std::string_view, 6> in_plane{"fx", "fy", "", "", "", "m"};
  const auto& known = model_.planar ? in_plane : in_space;
  DroppedReactions drop;
  drop.element = entity.index;
  drop.place = place(keywords);
  bool any = false;
  for (const std::string_view keyword : split(keywords.text, ' ')) {
    const auto found = std::find(known.begin(), known.end(), keyword);
    if (keyword.empty() || found == known.end()) {
      error(keywords, {static_cast<int>(keyword.data() - keywords.text.data()), "unknown-keyword",
                       "a joint has no reaction '" + std::string(keyword) + "'",
                       "they are " + std::string(model_.planar ? "fx fy m" : "fx fy fz mx my mz")});
      return;
    }
    drop.components[static_cast<std::size_t>(found - known.begin())] = true;
    any = true;
  }
  if (!any) {
    error(keywords,
          {0, "empty", "'reactions' names nothing", "name what the joint leaves to others"});
    return;
  }
  model_.drops.push_back(std::move(drop));
}

// The parameter becomes an unknown of the static equilibrium.
void Elaborator::bind_trim(const Item& item) {
  const Text of = attribute_text(item.node, item.scope, "parameter");
  if (!of.present()) return;
  const Entity entity = reference(of, item.scope);
  if (entity.kind == EntityKind::failed) return;
  const std::string name = "'" + std::string(of.text) + "'";
  if (entity.kind != EntityKind::parameter) {
    error(of,
          {0, "wrong-kind", name + " is " + entity_text(entity.kind) + ", a parameter is needed",
           "give the preload that is to be found a parameter of its own"});
    return;
  }
  Parameter& parameter = model_.parameters[static_cast<std::size_t>(entity.index)];
  if (parameter.variability == Variability::structural || parameter.calculated) {
    error(of, {0, "not-free",
               name + (parameter.calculated ? " is calculated from other parameters"
                                            : " is structural: it is known before the start"),
               "only a fixed or tunable parameter with a number of its own can be found"});
    return;
  }
  if (parameter.trimmed) {
    error(of, {0, "duplicate-name", name + " is trimmed already", ""});
    return;
  }
  parameter.trimmed = true;
}

}  // namespace mbs
