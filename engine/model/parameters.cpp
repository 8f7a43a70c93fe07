// Parameters: each is elaborated when it is first needed, whatever their order in the file.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"

namespace mbs {

namespace {

constexpr std::size_t max_chain = 500;  // parameters that wait for each other

}  // namespace

void Elaborator::elaborate_parameter(int index) {
  if (slots_[index].progress == ParameterSlot::done) return;
  const std::size_t prefix = system_of(slots_[index].scope).prefix.size();
  if (slots_[index].progress == ParameterSlot::open) {
    const auto begin = std::find(open_parameters_.begin(), open_parameters_.end(), index);
    std::string chain;
    for (auto k = begin; k != open_parameters_.end(); ++k) {
      chain += model_.parameters[*k].name.substr(prefix) + " -> ";
      slots_[*k].type.failed = true;
    }
    error(place(slots_[index].value), "parameter-cycle",
          "parameters depend on each other in a circle: " + chain +
              model_.parameters[index].name.substr(prefix));
    return;
  }
  if (open_parameters_.size() >= max_chain) {
    error(place(slots_[index].value), "limit-parameter-chain",
          "more than " + std::to_string(max_chain) + " parameters depend on each other in a row",
          "put them in the order in which they are computed");
    slots_[index].type.failed = true;
    return;
  }
  slots_[index].progress = ParameterSlot::open;
  open_parameters_.push_back(index);
  const ParameterSlot before = slots_[index];
  Item item{before.node, find_tag("parameter"), before.scope, index, ground};
  Parameter& parameter = model_.parameters[index];
  AttributeValue keyword =
      read_attribute(item, item.tag->attributes[find_attribute(*item.tag, "variability")]);
  parameter.variability = static_cast<Variability>(std::max(0, keyword.index));
  if (keyword.index < 0) parameter.variability = Variability::fixed;
  Compiled value;
  if (before.value.present() || before.value_scope < 0) {
    const Level level =
        parameter.variability == Variability::structural ? Level::structural : Level::parameters;
    value = compile_one(before.value, before.value_scope, level);
    if (before.value_scope < 0) keep_dimension(before, level, value);
  } else {
    value.type.failed = true;  // missing: reported by validate
  }
  finish_parameter(index, value);
  open_parameters_.pop_back();
  slots_[index].progress = ParameterSlot::done;
  model_.parameter_order.push_back(index);
}

// A value from outside has the dimension that the file's has; a bare number takes it.
void Elaborator::keep_dimension(const ParameterSlot& slot, Level level, Compiled& value) {
  const Text in_file = attribute_text(slot.node, slot.scope, "value");
  if (!in_file.present() || value.type.failed || value.type.condition) return;
  const Type type = compile_one(in_file, slot.scope, level).type;
  if (type.failed || type.free || type.condition) return;
  if (value.type.free) {
    value.type = type;
  } else if (!same_up_to_angle(value.type.dimension, type.dimension)) {
    error(place(slot.value), "dimension",
          "'" + std::string(slot.value.text) + "' is " + dimension_text(value.type) +
              ", the parameter '" + slot.node.attribute("name").value() + "' is " +
              dimension_text(type),
          "a bare number would be taken in " + si_unit_name(type.dimension));
    value.type.failed = true;
  }
}

void Elaborator::finish_parameter(int index, Compiled& value) {
  ParameterSlot& slot = slots_[index];
  Parameter& parameter = model_.parameters[index];
  Item item{slot.node, find_tag("parameter"), slot.scope, index, ground};
  const Text unit_text = attribute_text(slot.node, slot.scope, "unit");
  const bool in_circle = slot.type.failed;
  parameter.unit = display_unit(unit_text, value.type, slot.type);
  slot.type.failed = slot.type.failed || in_circle;
  if (slot.type.failed) {
    parameter.value = Expression();
    start_values_.resize(model_.parameters.size());
    return;
  }
  if (value.type.condition) {
    error(place(slot.value), "dimension", "a parameter is a number, this is a condition",
          "if(condition, 1, 0) makes a number of it");
    slot.type.failed = true;
    return;
  }
  parameter.value = value.expression;
  for (const Symbol& symbol : value.expression.symbols()) {
    parameter.calculated = true;
    if (model_.parameters[symbol.index].variability == Variability::tunable) {
      parameter.variability = Variability::tunable;
    }
  }
  start_values_.resize(model_.parameters.size());
  const double start = evaluate(parameter.value, start_values_);
  start_values_[index] = start;
  if (!std::isfinite(start)) {
    error(place(slot.value), "not-finite",
          "the parameter '" + parameter.name + "' has no finite value: " + number_text(start),
          "is something divided by zero?");
    slot.type.failed = true;
    return;
  }
  if (value.type.free && unit_text.present() && parameter.unit.factor != 1.0 && start != 0.0 &&
      slot.value.present()) {
    const Place where = place(slot.value);
    diagnostics_.warning(
        where, "bare-number",
        "a number without unit is in SI: " + number_text(start) + " " +
            si_unit_name(parameter.unit.dimension) + ", not " + parameter.unit.name,
        "write the unit behind the number: " + number_text(start) + " " + parameter.unit.name);
  }
  const auto bound = [&](const char* name, double& result) {
    const Text text = attribute_text(slot.node, slot.scope, name);
    if (!text.present()) return;
    const Compiled c = compile_one(text, slot.scope, Level::structural);
    static const AttributeSchema any{
        .name = "min", .type = AttributeType::number, .dimension = "?"};
    AttributeSchema schema = any;
    schema.name = name;
    if (c.type.failed) return;
    if (!slot.type.free && !check_type(text, 0, schema, c.type, slot.type.dimension)) return;
    result = c.expression.constant();
    const bool below = std::string_view(name) == "min" ? start < result : start > result;
    if (below) {
      error(place(slot.value), "range",
            "the value " + number_text(start) + " of '" + parameter.name + "' is " +
                (std::string_view(name) == "min" ? "below its smallest, " : "above its largest, ") +
                number_text(result) + " (in SI units)");
    }
  };
  bound("min", parameter.minimum);
  bound("max", parameter.maximum);
  const AttributeValue resizable =
      read_attribute(item, item.tag->attributes[find_attribute(*item.tag, "resizable")]);
  if (resizable.index == 1) {
    const Place where = place(attribute_text(slot.node, slot.scope, "resizable"));
    const bool whole = slot.type.free || slot.type.dimension == Dimension{};
    if (parameter.variability != Variability::structural)
      error(
          where, "not-structural",
          "'" + parameter.name + "' is not structural: only the sizes of a model can be resizable",
          "give it variability=\"structural\"");
    else if (scopes_[slot.scope].system != 0)
      error(where, "misplaced-resizable", "a subsystem's parameter cannot be resizable",
            "set it to a resizable parameter of the model that uses it");
    else if (!whole || start < 1.0 || start != std::floor(start) || start > limits_.repeat_count)
      error(place(slot.value), "range",
            "a resizable parameter is a whole number from 1 to " +
                std::to_string(limits_.repeat_count) + ", '" + parameter.name + "' is " +
                number_text(start));
  }
}

// Display unit and dimension of something with the given type and perhaps a unit attribute.
Unit Elaborator::display_unit(const Text& text, const Type& type, Type& result) {
  result = type;
  if (text.present()) {
    const std::optional<Unit> unit = read_unit(text);
    if (!unit) {
      result.failed = true;
      return {};
    }
    if (type.failed) return *unit;
    if (!type.free && !same_up_to_angle(type.dimension, unit->dimension)) {
      error(place(text), "dimension",
            "the unit '" + unit->name + "' does not fit: the value is " + dimension_text(type),
            "use a unit of the dimension " + si_unit_name(type.dimension));
      result.failed = true;
    }
    result.free = false;
    result.dimension = unit->dimension;
    return *unit;
  }
  Unit unit;
  unit.dimension = type.free || type.failed ? Dimension{} : type.dimension;
  unit.name = si_unit_name(unit.dimension);
  return unit;
}

}  // namespace mbs
