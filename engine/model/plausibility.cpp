// Values that no physical thing has, judged at the parameters' start values.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/attribute_reader.hpp"
#include "engine/model/plausibility.hpp"

namespace mbs {

namespace {

double number_of(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The tolerance leaves room for rounding and for the digits that files give.
bool semidefinite(double xx, double yy, double zz, double xy, double xz, double yz, double size) {
  const double tolerance = 1e-9;
  const double sides = std::min({xx, yy, zz});
  const double minors = std::min({xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz});
  const double determinant =
      xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return sides >= -tolerance * size && minors >= -tolerance * size * size &&
         determinant >= -tolerance * size * size * size;
}

std::string negative_moment(std::span<const double> J) {
  for (const double moment : J.first(std::min<std::size_t>(3, J.size()))) {
    if (!(moment >= 0.0)) return "is negative: " + number_text(moment) + " kg.m^2";
  }
  return {};
}

std::array<double, 6> six_entries(std::span<const double> J) {
  std::array<double, 6> j{};
  std::copy(J.begin(), J.end(), j.begin());
  return j;
}

}  // namespace

std::string negative_energy(std::span<const double> J) {
  std::string moment = negative_moment(J);
  if (!moment.empty() || J.size() < 3) return moment;
  const std::array<double, 6> j = six_entries(J);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(j[0], j[1], j[2], j[3], j[4], j[5], size)) return {};
  return "is negative about some axis: its products of inertia are too large";
}

// The matrix of second moments  P = tr(J)/2 I - J  of a thing with mass is positive semidefinite;
// that is the triangle inequality of the principal moments, whatever the axes.
std::string inertia_defect(std::span<const double> J) {
  std::string moment = negative_moment(J);
  if (!moment.empty() || J.size() < 3) return moment;
  const std::array<double, 6> j = six_entries(J);
  const double half = 0.5 * (j[0] + j[1] + j[2]);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(half - j[0], half - j[1], half - j[2], -j[3], -j[4], -j[5], size)) return {};
  return "belongs to no distribution of mass: one principal moment is greater than the sum of the "
         "others";
}

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
