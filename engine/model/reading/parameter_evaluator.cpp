#include "engine/model/reading/parameter_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {

namespace {

constexpr std::size_t max_chain = 500;  // parameters that wait for each other

}  // namespace

void ParameterEvaluator::evaluate_all() {
  for (int k = 0; k < static_cast<int>(expanded_.slots.size()); ++k) evaluate(k);
  expanded_.start_values.resize(expanded_.model.parameters.size());
}

Item ParameterEvaluator::item(int index) const {
  const ParameterSlot& slot = expanded_.slots[index];
  return {slot.node, find_tag("parameter"), slot.scope, index, ground};
}

// Reports a circle and a chain that is too long.
bool ParameterEvaluator::can_open(int index) {
  ParameterSlot& slot = expanded_.slots[index];
  if (slot.progress == ParameterSlot::open) {
    const std::size_t prefix = expanded_.system_of(slot.scope).prefix.size();
    const auto name = [&](int k) { return expanded_.model.parameters[k].name.substr(prefix); };
    std::string chain;
    for (auto k = std::ranges::find(open_, index); k != open_.end(); ++k) {
      chain += name(*k) + " -> ";
      expanded_.slots[*k].type.failed = true;
    }
    report_.error(slot.value.place(), "parameter-cycle",
                  "parameters depend on each other in a circle: " + chain + name(index));
    return false;
  }
  if (open_.size() < max_chain) return true;
  report_.error(
      slot.value.place(), "limit-parameter-chain",
      "more than " + std::to_string(max_chain) + " parameters depend on each other in a row",
      "put them in the order in which they are computed");
  slot.type.failed = true;
  return false;
}

void ParameterEvaluator::evaluate(int index) {
  ParameterSlot& slot = expanded_.slots[index];
  if (slot.progress == ParameterSlot::done || !can_open(index)) return;
  slot.progress = ParameterSlot::open;
  open_.push_back(index);
  Parameter& parameter = expanded_.model.parameters[index];
  const int variability = attributes_.read(item(index), "variability").index;
  parameter.variability = variability < 0 ? Variability::fixed  // reported
                                          : static_cast<Variability>(variability);
  const Level level =
      parameter.variability == Variability::structural ? Level::structural : Level::parameters;
  const Compiled value = compile_value(index, level);
  const Type type = value.type;
  if (finish(index, value)) {
    warn_of_bare_number(index, type);
    read_bound(index, "min", parameter.minimum);
    read_bound(index, "max", parameter.maximum);
    check_resizable(index);
  }
  open_.pop_back();
  slot.progress = ParameterSlot::done;
  expanded_.model.parameter_order.push_back(index);
}

Compiled ParameterEvaluator::compile_value(int index, Level level) {
  const ParameterSlot& slot = expanded_.slots[index];
  Compiled value;
  if (!slot.value.present() && slot.value_scope >= 0) {
    value.type.failed = true;  // missing: reported by the validation
    return value;
  }
  value = compiler_.compile_one(slot.value, slot.value_scope, level);
  if (slot.value_scope < 0) keep_dimension(slot, level, value);
  return value;
}

// A value from outside has the dimension that the file's has; a bare number takes it.
void ParameterEvaluator::keep_dimension(const ParameterSlot& slot, Level level, Compiled& value) {
  const AttributeText in_file = own_text(expanded_.file_of(slot.scope), slot.node, "value");
  if (!in_file.present() || value.type.failed || value.type.condition) return;
  const Type type = compiler_.compile_one(in_file, slot.scope, level).type;
  if (type.failed || type.free || type.condition) return;
  if (value.type.free) {
    value.type = type;
  } else if (!same_up_to_angle(value.type.dimension, type.dimension)) {
    report_.error(slot.value.place(), "dimension",
                  "'" + std::string(slot.value.text) + "' is " + dimension_text(value.type) +
                      ", the parameter '" + slot.node.attribute("name").value() + "' is " +
                      dimension_text(type),
                  "a bare number would be taken in " + si_unit_name(type.dimension));
    value.type.failed = true;
  }
}

// Unit, variability and start value. False when there is nothing more to check.
bool ParameterEvaluator::finish(int index, const Compiled& value) {
  ParameterSlot& slot = expanded_.slots[index];
  Parameter& parameter = expanded_.model.parameters[index];
  const bool in_circle = slot.type.failed;
  const AttributeText unit = expanded_.own_text(item(index), "unit");
  parameter.unit = attributes_.display_unit(unit, value.type, slot.type);
  slot.type.failed = slot.type.failed || in_circle;
  expanded_.start_values.resize(expanded_.model.parameters.size());
  if (slot.type.failed) {
    parameter.value = Expression();
    return false;
  }
  if (value.type.condition) {
    report_.error(slot.value.place(), "dimension", "a parameter is a number, this is a condition",
                  "if(condition, 1, 0) makes a number of it");
    slot.type.failed = true;
    return false;
  }
  parameter.value = value.expression;
  for (const Symbol& symbol : value.expression.symbols()) {
    parameter.calculated = true;
    if (expanded_.model.parameters[symbol.index].variability == Variability::tunable) {
      parameter.variability = Variability::tunable;
    }
  }
  const double start = mbs::evaluate(parameter.value, expanded_.start_values);
  expanded_.start_values[index] = start;
  if (std::isfinite(start)) return true;
  report_.error(slot.value.place(), "not-finite",
                "the parameter '" + parameter.name + "' has no finite value: " + number_text(start),
                "is something divided by zero?");
  slot.type.failed = true;
  return false;
}

void ParameterEvaluator::warn_of_bare_number(int index, const Type& type) {
  const ParameterSlot& slot = expanded_.slots[index];
  const Unit& unit = expanded_.model.parameters[index].unit;
  const double start = expanded_.start_values[index];
  const bool named = expanded_.own_text(item(index), "unit").present();
  if (!type.free || !named || unit.factor == 1.0 || start == 0.0 || !slot.value.present()) return;
  report_.warning(slot.value.place(), "bare-number",
                  "a number without unit is in SI: " + number_text(start) + " " +
                      si_unit_name(unit.dimension) + ", not " + unit.name,
                  "write the unit behind the number: " + number_text(start) + " " + unit.name);
}

void ParameterEvaluator::read_bound(int index, std::string_view name, double& bound) {
  const ParameterSlot& slot = expanded_.slots[index];
  const AttributeText text = expanded_.own_text(item(index), std::string(name).c_str());
  if (!text.present()) return;
  const Compiled c = compiler_.compile_one(text, slot.scope, Level::structural);
  if (c.type.failed) return;
  const AttributeSchema schema{.name = name, .type = AttributeType::number, .dimension = "?"};
  if (!slot.type.free && !compiler_.check_type(text, schema, c.type, slot.type.dimension)) return;
  bound = c.expression.constant();
  const double start = expanded_.start_values[index];
  const bool smallest = name == "min";
  if (smallest ? start >= bound : start <= bound) return;
  report_.error(slot.value.place(), "range",
                "the value " + number_text(start) + " of '" +
                    expanded_.model.parameters[index].name + "' is " +
                    (smallest ? "below its smallest, " : "above its largest, ") +
                    number_text(bound) + " (in SI units)");
}

void ParameterEvaluator::check_resizable(int index) {
  const ParameterSlot& slot = expanded_.slots[index];
  const Parameter& parameter = expanded_.model.parameters[index];
  if (attributes_.read(item(index), "resizable").index != 1) return;
  const Place where = expanded_.own_text(item(index), "resizable").place();
  const double start = expanded_.start_values[index];
  const int most = report_.limits().repeat_count;
  const bool whole = slot.type.free || slot.type.dimension == Dimension{};
  if (parameter.variability != Variability::structural) {
    report_.error(
        where, "not-structural",
        "'" + parameter.name + "' is not structural: only the sizes of a model can be resizable",
        "give it variability=\"structural\"");
  } else if (expanded_.scopes[slot.scope].system != 0) {
    report_.error(where, "misplaced-resizable", "a subsystem's parameter cannot be resizable",
                  "set it to a resizable parameter of the model that uses it");
  } else if (!whole || start < 1.0 || start != std::floor(start) || start > most) {
    report_.error(slot.value.place(), "range",
                  "a resizable parameter is a whole number from 1 to " + std::to_string(most) +
                      ", '" + parameter.name + "' is " + number_text(start));
  }
}

}  // namespace mbs
