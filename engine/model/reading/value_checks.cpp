// Checks of values at the start values of the parameters.

#include <charconv>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/plausibility.hpp"
#include "engine/model/reading/attribute_reader.hpp"

namespace mbs {

namespace {

double number_of(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void AttributeReader::check_range(const AttributeSchema& schema, const AttributeText& text,
                                  const AttributeValue& value) {
  for (const Expression& e : value.numbers) {
    const double number = evaluate(e, expanded_.start_values);
    const std::string_view range = schema.range;
    const std::string name = "'" + std::string(schema.name) + "' ";
    if (!std::isfinite(number)) {
      report_.error(text, "not-finite", name + "has no finite value: " + number_text(number),
                    "is something divided by zero?");
      return;
    }
    std::string wanted;
    const std::size_t dots = range.find("..");
    if (range == ">=0" && number < 0) wanted = "cannot be negative";
    if (range == ">0" && number <= 0) wanted = "must be positive";
    if (dots != std::string_view::npos &&
        (number < number_of(range.substr(0, dots)) || number > number_of(range.substr(dots + 2)))) {
      wanted = "must be from " + std::string(range.substr(0, dots)) + " to " +
               std::string(range.substr(dots + 2));
    }
    if (wanted.empty()) continue;
    const bool has_unit = schema.dimension != "1" && !schema.dimension.empty();
    report_.error(text, "range",
                  name + wanted + ", this is " + number_text(number) +
                      (has_unit ? " " + std::string(schema.dimension) : ""));
    return;
  }
}

void AttributeReader::check_axis(const AttributeText& text, const AttributeValue& value) {
  double sum = 0;
  for (const Expression& e : value.numbers) {
    const double component = evaluate(e, expanded_.start_values);
    sum += component * component;
  }
  if (!(sum < 1e-24)) return;
  report_.error(text, "zero-axis", "the axis has no length", "give a direction: x, or 1, 0, 0");
}

void AttributeReader::check_inertia(const Item& item, const AttributeText& text,
                                    const AttributeValue& value) {
  std::vector<double> J;
  for (const Expression& e : value.numbers) J.push_back(evaluate(e, expanded_.start_values));
  const std::string wrong = inertia_defect(J);
  if (wrong.empty()) return;
  const std::string hint =
      "the moments are about the centre of mass; products of inertia have a sign (Ixy is minus the "
      "integral of x*y)";
  const std::string body = "inertia of body '" + std::string(item.node.attribute("name").value());
  if (this->text(item, item.attribute("inertia_check")).text == "warning") {
    const std::string negative = negative_energy(J);
    report_.warning(
        text.place(), "inertia", body + "' " + (negative.empty() ? wrong : negative),
        negative.empty() ? hint : "where no joint prevents it, its motion grows without bound");
    return;
  }
  report_.error(text, "inertia", body + "' " + wrong, wrong.starts_with("is negative") ? "" : hint);
}

}  // namespace mbs
