#include "tools/import/simulate_plan.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::import {
namespace {

constexpr double most_points = 1e8;

Grid make_grid(const ModelDescription& description, const SimulateOptions& options) {
  const DefaultExperiment given = description.default_experiment.value_or(DefaultExperiment{});
  Grid grid{};
  grid.start = options.start.value_or(given.start.value_or(0));
  grid.stop = options.stop.value_or(given.stop.value_or(grid.start + 1));
  const auto& fixed = description.co_simulation->fixed_internal_step;
  grid.step =
      options.step.value_or(given.step.value_or(fixed.value_or((grid.stop - grid.start) / 500)));
  if (!std::isfinite(grid.start) || !(grid.stop > grid.start) || !std::isfinite(grid.stop))
    throw ImportError("stop time " + to_text(grid.stop) + " must be beyond the start time " +
                      to_text(grid.start));
  if (!(grid.step > 0) || !std::isfinite(grid.step))
    throw ImportError("step " + to_text(grid.step) + " must be positive");
  if (options.tolerance && !(*options.tolerance > 0))
    throw ImportError("tolerance " + to_text(*options.tolerance) + " must be positive");
  const double points = (grid.stop - grid.start) / grid.step;
  if (points > most_points)
    throw ImportError("step " + to_text(grid.step) + " gives " + to_text(std::ceil(points)) +
                      " communication points, the limit is " + to_text(most_points));
  // A quotient that differs from a whole number by rounding counts as this number.
  grid.count = static_cast<std::size_t>(std::max(1.0, std::ceil(points * (1 - 1e-12) - 1e-9)));
  if (!description.co_simulation->can_handle_variable_step &&
      std::abs(points - static_cast<double>(grid.count)) > 1e-6)
    throw ImportError("the FMU takes steps of one size only, and " +
                      to_text(grid.stop - grid.start) + " s is no multiple of the step " +
                      to_text(grid.step) + "; choose another step or stop time");
  return grid;
}

const Variable& require_variable(const ModelDescription& description, const std::string& name) {
  if (const Variable* variable = description.find(name)) return *variable;
  throw ImportError("the FMU '" + description.model_name + "' has no variable '" + name + "'");
}

std::size_t require_count(const ModelDescription& description, const Variable& variable) {
  const auto count = element_count(description, variable);
  if (!count) throw ImportError("the size of the array '" + variable.name + "' is not known");
  if (*count > most_elements)
    throw ImportError("the array '" + variable.name + "' has " + std::to_string(*count) +
                      " elements, the limit is " + std::to_string(most_elements));
  return *count;
}

// One keyword fills a whole array, as in a model description.
void repeat_single(Value& value, std::size_t count) {
  std::visit(
      [count](auto& elements) {
        if (elements.size() == 1) elements.resize(count, elements.front());
      },
      value);
}

// The value of an array at the start with all elements written out. A resized array repeats its
// last element.
Value whole_start(const Variable& variable, std::size_t count) {
  Value value = variable.start           ? *variable.start
                : is_real(variable.type) ? Value(Reals{0.0})
                : is_text(variable.type) ? Value(Strings{""})
                                         : Value(Integers{0});
  std::visit(
      [count](auto& elements) {
        const auto last = elements.back();
        elements.resize(count, last);
      },
      value);
  return value;
}

NamedElement require_element(const ModelDescription& description, const std::string& name) {
  const NamedElement found = find_element(description, name);
  if (!found.variable)
    throw ImportError("the FMU '" + description.model_name + "' has no variable '" + name + "'");
  return found;
}

// Adds a value to `values`, or sets an element of an array that it contains.
void parse_start_value(const ModelDescription& description, const std::string& name,
                       const std::string& text, std::vector<StartValue>& values) {
  const NamedElement named = require_element(description, name);
  const Variable& variable = *named.variable;
  const bool settable = variable.causality == Causality::parameter ||
                        variable.causality == Causality::structural_parameter ||
                        variable.causality == Causality::input ||
                        (variable.initial && *variable.initial != Initial::calculated &&
                         variable.variability != Variability::constant);
  if (!settable)
    throw ImportError("'" + name + "' cannot be set: it is a " +
                      std::string(to_text(variable.causality)) + " that the FMU computes");
  std::string wrong;
  auto value = parse_value(is_text(variable.type) ? Strings{text} : split_keywords(text),
                           variable.type, wrong);
  if (!value)
    throw ImportError("'" + wrong + "' is no value for '" + name + "' of type " +
                      std::string(type_name(variable.type)));
  const std::size_t count = named.element ? 1 : require_count(description, variable);
  if (!named.element) repeat_single(*value, count);
  const std::size_t given = std::visit([](const auto& v) { return v.size(); }, *value);
  if (given != count)
    throw ImportError("'" + name + "' has " + std::to_string(count) + " elements, " +
                      std::to_string(given) + " values were given");
  auto known = std::find_if(values.begin(), values.end(),
                            [&](const StartValue& one) { return one.variable == &variable; });
  if (known == values.end())
    known = values.insert(known,
                          {&variable, whole_start(variable, require_count(description, variable))});
  if (!named.element) {
    known->value = std::move(*value);
    return;
  }
  // sizes that have been set before
  if (const std::size_t most = std::visit([](const auto& v) { return v.size(); }, known->value);
      *named.element >= most)
    throw ImportError("'" + name + "': the array had " + std::to_string(most) +
                      " elements when it was set first; set sizes before elements");
  std::visit(
      [&](auto& elements) {
        elements[*named.element] = std::get<std::decay_t<decltype(elements)>>(*value).front();
      },
      known->value);
}

std::vector<Input> find_inputs(const ModelDescription& description, const InputTable& table) {
  if (table.times.size() != table.rows.size() || (!table.names.empty() && table.times.empty()))
    throw ImportError("the input table has " + std::to_string(table.times.size()) + " times for " +
                      std::to_string(table.rows.size()) + " rows");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].size() != table.names.size())
      throw ImportError("row " + std::to_string(i + 1) + " of the input table has " +
                        std::to_string(table.rows[i].size()) + " values for " +
                        std::to_string(table.names.size()) + " names");
    if (!std::isfinite(table.times[i]) || (i > 0 && table.times[i] < table.times[i - 1]))
      throw ImportError("row " + std::to_string(i + 1) + " of the input table: time " +
                        to_text(table.times[i]) + " goes back");
  }
  std::vector<Input> inputs;
  for (std::size_t column = 0; column < table.names.size(); ++column) {
    const NamedElement named = require_element(description, table.names[column]);
    const Variable& variable = *named.variable;
    if (variable.causality != Causality::input)
      throw ImportError("'" + variable.name + "' of the input table is a " +
                        std::string(to_text(variable.causality)) + ", not an input");
    const bool whole_array = !variable.dimensions.empty() && !named.element;
    if (is_text(variable.type) || variable.type == VariableType::clock || whole_array)
      throw ImportError(
          "'" + table.names[column] + "': the input table holds scalar numbers alone" +
          (whole_array ? "; name elements, '" + element_name(description, variable, 0) + "'" : ""));
    auto input = std::find_if(inputs.begin(), inputs.end(),
                              [&](const Input& one) { return one.variable == &variable; });
    if (input == inputs.end()) {
      const std::size_t count = require_count(description, variable);
      const Value start = whole_start(variable, count);
      Input fresh{&variable,
                  std::vector<std::size_t>(count, no_column),
                  {},
                  variable.variability == Variability::continuous,
                  {}};
      std::visit(
          [&](const auto& elements) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, Strings>)
              fresh.start.assign(elements.begin(), elements.end());
          },
          start);
      input = inputs.insert(input, std::move(fresh));
    }
    input->columns[named.element.value_or(0)] = column;
  }
  return inputs;
}

double table_value(const InputTable& table, std::size_t column, bool interpolate, double time) {
  const auto after = std::upper_bound(table.times.begin(), table.times.end(), time);
  const auto next = static_cast<std::size_t>(after - table.times.begin());
  if (next == 0) return table.rows.front()[column];
  const double low = table.rows[next - 1][column];
  if (!interpolate || next == table.times.size()) return low;
  const double fraction =
      (time - table.times[next - 1]) / (table.times[next] - table.times[next - 1]);
  return low + fraction * (table.rows[next][column] - low);
}

std::vector<Column> find_columns(const ModelDescription& description,
                                 const std::vector<std::string>& wanted) {
  std::vector<Column> columns;
  std::size_t sum = 0;
  const auto add = [&](const Variable& variable) {
    columns.push_back({&variable, require_count(description, variable)});
    sum += columns.back().count;
    if (sum > most_elements)
      throw ImportError("the outputs have " + std::to_string(sum) +
                        " elements together, the limit is " + std::to_string(most_elements));
  };
  if (wanted.empty()) {
    for (const Variable& variable : description.variables)
      if (variable.causality == Causality::output && !is_text(variable.type) &&
          variable.type != VariableType::clock && variable.clocks.empty())
        add(variable);
    return columns;
  }
  for (const std::string& name : wanted) {
    const Variable& variable = require_variable(description, name);
    if (is_text(variable.type))
      throw ImportError("'" + name + "' is a text; a result has numbers alone");
    add(variable);
  }
  return columns;
}

}  // namespace

Plan::Plan(const ModelDescription& fmu, const SimulateOptions& options)
    : description(fmu), grid(make_grid(description, options)) {
  for (const auto& [name, text] : options.start_values) {
    const Variable& variable = *require_element(description, name).variable;
    if (variable.causality != Causality::structural_parameter) continue;
    parse_start_value(description, name, text, structural);
    const auto set = std::find_if(structural.begin(), structural.end(),
                                  [&](const StartValue& one) { return one.variable == &variable; });
    description.variables[static_cast<std::size_t>(&variable - description.variables.data())]
        .start = set->value;
  }
  for (const auto& [name, text] : options.start_values)
    if (require_element(description, name).variable->causality != Causality::structural_parameter)
      parse_start_value(description, name, text, start_values);
  inputs = find_inputs(description, options.inputs);
  columns = find_columns(description, options.outputs);
  for (const Column& column : columns) {
    for (std::size_t i = 0; i < column.count; ++i)
      column_names.push_back(element_name(description, *column.variable, i));
  }
}

Value input_value(const InputTable& table, const Input& input, double time) {
  Reals numbers = input.start;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (input.columns[k] != no_column)
      numbers[k] = table_value(table, input.columns[k], input.is_continuous, time);
  if (is_real(input.variable->type)) return numbers;
  Integers whole;
  for (const double number : numbers)
    whole.push_back(static_cast<std::int64_t>(std::llround(number)));
  return whole;
}

}  // namespace mbs::import
