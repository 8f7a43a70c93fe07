#pragma once

// Physical dimensions and units. All values inside are SI and radian; units exist only in files.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace mbs {

// Exponents of kg, m, s, A, K, mol, cd, rad.
struct Dimension {
  std::array<signed char, 8> exponents{};
  bool operator==(const Dimension&) const = default;
};

// Equal but for the radian, which is a ratio of lengths: r*phi is a length.
bool same_up_to_angle(const Dimension& a, const Dimension& b);
Dimension product(const Dimension& a, const Dimension& b, int power_of_b = 1);

struct Unit {
  std::string name;  // as written: "kN/mm"
  Dimension dimension;
  double factor = 1.0;  // SI value = factor * value + offset
  double offset = 0.0;  // only for a lone temperature (degC)
};

// "N.m.s/rad", "m/s^2", "kN/mm", "1/s", "deg"; nothing when it is no unit.
std::optional<Unit> parse_unit(std::string_view text);
// The unit SI gives a dimension, composed of base units or a common name ("N", "J", "N.m.s/rad").
std::string si_unit_name(const Dimension& dimension);

}  // namespace mbs
