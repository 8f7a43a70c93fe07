#include "engine/multibody/assembly/element_reader.hpp"

#include <algorithm>

namespace mbs {

int add_slot(std::vector<Slot>& slots, Expression value, std::string owner,
             const AttributeSchema* attribute, int element) {
  slots.push_back({std::move(value), std::move(owner), attribute, element});
  return static_cast<int>(slots.size()) - 1;
}

std::string title(const Element& e) {
  return std::string(e.tag->name) + " '" + e.name + "'";
}

void ElementReader::error(std::string code, std::string message, std::string hint) const {
  diagnostics_.error(element_.place, std::move(code), std::move(message), std::move(hint));
}

bool ElementReader::given(std::string_view attribute) const {
  const AttributeValue& value = element_[attribute];
  return !value.numbers.empty() || value.index >= 0;
}

bool ElementReader::can_be_nonzero(std::string_view attribute) const {
  const std::vector<Expression>& numbers = element_[attribute].numbers;
  return !numbers.empty() && !(numbers[0].is_constant() && numbers[0].constant() == 0.0);
}

bool ElementReader::is_zero_at_start(std::string_view attribute) const {
  return evaluate(element_[attribute].numbers[0], parameter_start_values(model_)) == 0.0;
}

int ElementReader::frame(std::string_view attribute) const {
  return std::max(element_[attribute].index, 0);
}

int ElementReader::slots(std::string_view attribute, int count) const {
  const std::vector<Expression>& numbers = element_[attribute].numbers;
  if (numbers.empty()) return absent;
  const TagSchema& tag = *element_.tag;
  const AttributeSchema* schema = &tag.attributes[find_attribute(tag, attribute)];
  const int first = static_cast<int>(slots_.size());
  for (int i = 0; i < count; ++i) {
    const bool there = i < static_cast<int>(numbers.size());
    add_slot(slots_, there ? numbers[i] : Expression(0.0), title(), schema, index());
  }
  return first;
}

}  // namespace mbs
