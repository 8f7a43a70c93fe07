#include "engine/cpp_model/interface.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mbs {
namespace {

template <class Kind>  // Input, StateVariable, AlgebraicVariable
Kind with_start(const std::string& name, const std::string& doc, const Unit& unit,
                const Expression& start) {
  Kind kind;
  kind.name = name;
  kind.doc = doc;
  kind.unit = unit;
  kind.start = start;
  return kind;
}

constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

Unit unit_of(const std::string& name, const std::string& text) {
  if (text.empty()) return {};
  if (const auto unit = parse_unit(text)) return *unit;
  throw std::invalid_argument("'" + name + "': '" + text + "' is no unit");
}

Expression start_of(const std::string& name, double value) {
  if (std::isfinite(value)) return Expression(value);
  throw std::invalid_argument("'" + name + "' starts with a value that is not finite");
}

}  // namespace

void Interface::check_name(const std::string& name) {
  const std::string allowed = std::string(letters) + "0123456789_.[]";
  if (name.empty() || name.find_first_of(letters) != 0 ||
      name.find_first_not_of(allowed) != std::string::npos)
    throw std::invalid_argument("'" + name +
                                "' is no name: letters, digits, '_', '.', '[' and ']', a letter "
                                "first");
  if (std::find(taken_.begin(), taken_.end(), name) != taken_.end())
    throw std::invalid_argument("there are two things called '" + name + "'");
  taken_.push_back(name);
}

void Interface::name(const std::string& name, const std::string& doc) {
  if (name.empty()) throw std::invalid_argument("the model has no name");
  model_.name = name;
  model_.doc = doc;
  model_.file = name;
}

ParameterOf Interface::parameter(const std::string& name, double value, const std::string& unit,
                                 const std::string& doc, Variability variability) {
  check_name(name);
  Parameter parameter;
  parameter.name = name;
  parameter.doc = doc;
  parameter.unit = unit_of(name, unit);
  parameter.variability = variability;
  parameter.value = start_of(name, value);
  const int index = static_cast<int>(model_.parameters.size());
  model_.parameters.push_back(parameter);
  model_.parameter_order.push_back(index);
  return {index};
}

InputOf Interface::input(const std::string& name, double start, const std::string& unit,
                         const std::string& doc) {
  check_name(name);
  model_.inputs.push_back(
      with_start<mbs::Input>(name, doc, unit_of(name, unit), start_of(name, start)));
  return {static_cast<int>(model_.inputs.size()) - 1};
}

OutputOf Interface::output(const std::string& name, const std::string& unit, const std::string& doc,
                           Direct direct) {
  check_name(name);
  Output output;
  output.name = name;
  output.doc = doc;
  output.unit = unit_of(name, unit);
  output.what.quantity = Quantity::expression;
  model_.outputs.push_back(output);
  direct_.push_back(direct);
  return {static_cast<int>(model_.outputs.size()) - 1};
}

StateOf Interface::state(const std::string& name, double start, const std::string& unit,
                         const std::string& doc) {
  check_name(name);
  model_.states.push_back(
      with_start<StateVariable>(name, doc, unit_of(name, unit), start_of(name, start)));
  return {static_cast<int>(model_.states.size()) - 1};
}

UnknownOf Interface::unknown(const std::string& name, double start, const std::string& unit,
                             const std::string& doc) {
  check_name(name);
  model_.algebraics.push_back(
      with_start<AlgebraicVariable>(name, doc, unit_of(name, unit), start_of(name, start)));
  return {static_cast<int>(model_.algebraics.size()) - 1};
}

}  // namespace mbs
