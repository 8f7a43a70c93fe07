#include "engine/model/model.hpp"

#include <stdexcept>

namespace mbs {

const AttributeValue& Element::operator[](std::string_view attribute) const {
  const int index = find_attribute(*tag, attribute);
  if (index < 0) {
    throw std::logic_error("<" + std::string(tag->name) + "> has no attribute '" +
                           std::string(attribute) + "'");
  }
  return attributes[index];
}

double evaluate(const Expression& expression, std::span<const double> parameters) {
  if (expression.is_constant()) return expression.constant();
  std::array<double, Expression::max_arguments> x{};
  const std::span<const Symbol> symbols = expression.symbols();
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (symbols[k].kind != SymbolKind::parameter) {
      throw std::logic_error("an expression of parameters was expected");
    }
    x[k] = parameters[symbols[k].index];
  }
  return expression.value(std::span(x).first(symbols.size()));
}

std::vector<double> parameter_start_values(const Model& model) {
  std::vector<double> values(model.parameters.size());
  for (const int k : model.parameter_order) {
    const auto i = static_cast<std::size_t>(k);
    values[i] = evaluate(model.parameters[i].value, values);
  }
  return values;
}

}  // namespace mbs
