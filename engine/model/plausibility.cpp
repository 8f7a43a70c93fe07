// Values that no physical thing has, judged at the parameters' start values.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/plausibility.hpp"

namespace mbs {

namespace {

using T = AttributeType;

bool is_runtime(T type) {
  return type == T::runtime || type == T::runtime_vector || type == T::runtime_axial;
}

double number_of(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Up to rounding and the digits that files give.
bool semidefinite(double xx, double yy, double zz, double xy, double xz, double yz, double size) {
  const double tolerance = 1e-9;
  const double sides = std::min({xx, yy, zz});
  const double minors = std::min({xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz});
  const double determinant =
      xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return sides >= -tolerance * size && minors >= -tolerance * size * size &&
         determinant >= -tolerance * size * size * size;
}

std::array<double, 6> six_entries(std::span<const double> J) {
  std::array<double, 6> j{};
  std::copy(J.begin(), J.end(), j.begin());
  return j;
}

}  // namespace

std::string negative_energy(std::span<const double> J) {
  for (std::size_t k = 0; k < std::min<std::size_t>(3, J.size()); ++k) {
    if (!(J[k] >= 0.0)) return "is negative: " + number_text(J[k]) + " kg.m^2";
  }
  if (J.size() < 3) return {};
  const std::array<double, 6> j = six_entries(J);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(j[0], j[1], j[2], j[3], j[4], j[5], size)) return {};
  return "is negative about some axis: its products of inertia are too large";
}

// The matrix of second moments  P = tr(J)/2 I - J  of a thing with mass is positive semidefinite;
// that is the triangle inequality of the principal moments, whatever the axes.
std::string inertia_defect(std::span<const double> J) {
  for (std::size_t k = 0; k < std::min<std::size_t>(3, J.size()); ++k) {
    if (!(J[k] >= 0.0)) return "is negative: " + number_text(J[k]) + " kg.m^2";
  }
  if (J.size() < 3) return {};
  const std::array<double, 6> j = six_entries(J);
  const double half = 0.5 * (j[0] + j[1] + j[2]);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(half - j[0], half - j[1], half - j[2], -j[3], -j[4], -j[5], size)) return {};
  return "belongs to no distribution of mass: one principal moment is greater than the sum of the "
         "others";
}

void Elaborator::check_range(const AttributeSchema& schema, const Text& text,
                             const AttributeValue& value) {
  if (is_runtime(schema.type)) return;
  for (const Expression& e : value.numbers) {
    const double number = evaluate(e, start_values_);
    const std::string_view range = schema.range;
    std::string wanted;
    if (!std::isfinite(number)) {
      error(text, {0, "not-finite",
                   "'" + std::string(schema.name) + "' has no finite value: " + number_text(number),
                   "is something divided by zero?"});
      return;
    }
    const std::size_t dots = range.find("..");
    if (range == ">=0" && number < 0) wanted = "cannot be negative";
    if (range == ">0" && number <= 0) wanted = "must be positive";
    if (dots != std::string_view::npos &&
        (number < number_of(range.substr(0, dots)) || number > number_of(range.substr(dots + 2)))) {
      wanted = "must be from " + std::string(range.substr(0, dots)) + " to " +
               std::string(range.substr(dots + 2));
    }
    if (wanted.empty()) continue;
    std::string unit;
    if (schema.dimension != "1" && !schema.dimension.empty()) {
      unit = " " + std::string(schema.dimension);
    }
    error(text, {0, "range",
                 "'" + std::string(schema.name) + "' " + wanted + ", this is " +
                     number_text(number) + unit,
                 ""});
    return;
  }
}

void Elaborator::check_plausible(const Item& item, const AttributeSchema& schema, const Text& text,
                                 const AttributeValue& value) {
  const auto at_start = [&](std::size_t k) { return evaluate(value.numbers[k], start_values_); };
  if (schema.type == T::axis || schema.type == T::rotation_axis) {
    double sum = 0;
    for (std::size_t k = 0; k < value.numbers.size(); ++k) sum += at_start(k) * at_start(k);
    if (sum < 1e-24) {
      error(text, {0, "zero-axis", "the axis has no length", "give a direction: x, or 1, 0, 0"});
    }
  }
  if (schema.type != T::inertia) return;
  std::vector<double> J;
  for (std::size_t k = 0; k < value.numbers.size(); ++k) J.push_back(at_start(k));
  const std::string wrong = inertia_defect(J);
  if (wrong.empty()) return;
  const std::string hint =
      "the moments are about the centre of mass; products of inertia have a sign (Ixy is minus the "
      "integral of x*y)";
  const std::string body = "inertia of body '" + std::string(item.node.attribute("name").value());
  const AttributeSchema& check =
      item.tag->attributes[static_cast<std::size_t>(find_attribute(*item.tag, "inertia_check"))];
  if (text_of(item, check).text == "warning") {
    const std::string negative = negative_energy(J);
    diagnostics_.warning(place(text), "inertia",
                         body + "' " + (negative.empty() ? wrong : negative),
                         negative.empty() ? hint : "where no joint holds it, it runs away");
    return;
  }
  error(text, {0, "inertia", body + "' " + wrong, wrong.starts_with("is negative") ? "" : hint});
}

}  // namespace mbs
