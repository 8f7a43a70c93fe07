// Units of files and the dimensions they have.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/model/dimension.hpp"
#include "engine/model/syntax.hpp"
#include "engine/model/units.hpp"

namespace mbs {
namespace {

TEST(Units, HaveKnownFactors) {
  const std::pair<const char*, double> known[] = {{"mm", 1e-3},
                                                  {"km/h", 1 / 3.6},
                                                  {"N.m.s/rad", 1},
                                                  {"kN/mm", 1e6},
                                                  {"g", 1e-3},
                                                  {"t", 1e3},
                                                  {"min", 60},
                                                  {"deg", std::numbers::pi / 180},
                                                  {"rpm", std::numbers::pi / 30},
                                                  {"1/s", 1},
                                                  {"m/s^2", 1},
                                                  {"kg.m^2", 1},
                                                  {"MPa", 1e6},
                                                  {"cm^2", 1e-4},
                                                  {"%", 1e-2},
                                                  {"1/min", 1.0 / 60},
                                                  {"kWh", 3.6e6},
                                                  {"in", 0.0254},
                                                  {"lbf", 4.4482216152605},
                                                  {"l/min", 1e-3 / 60},
                                                  {"mrad", 1e-3},
                                                  {"m^-1", 1},
                                                  {"1", 1}};
  for (const auto& [text, factor] : known) {
    const std::optional<Unit> unit = parse_unit(text);
    ASSERT_TRUE(unit) << text;
    EXPECT_NEAR(unit->factor, factor, 1e-15 * factor) << text;
    EXPECT_EQ(unit->offset, 0.0) << text;
    EXPECT_EQ(unit->name, text);
  }
  EXPECT_EQ(parse_unit("degC")->offset, 273.15);
}

TEST(Units, RefuseOtherSymbols) {
  for (const char* text : {"", "x", "mmm", "N..m", "N/", ".m", "N*m", "m^", "m^99", "N m", "kdeg",
                           "kin", "2", "m/1", "Mmin", "1/", "m^2.5"}) {
    EXPECT_FALSE(parse_unit(text)) << text;
  }
}

TEST(Units, DivideByOneUnitForEachSlash) {
  EXPECT_EQ(parse_unit("N/m/s")->dimension, parse_unit("kg/s^3")->dimension);
  EXPECT_EQ(parse_unit("N/m.s")->dimension, parse_unit("kg/s")->dimension);
}

TEST(Units, AgreeWithTheirDefinitions) {
  const std::pair<const char*, const char*> same[] = {
      {"N", "kg.m/s^2"}, {"J", "N.m"}, {"W", "J/s"},  {"Pa", "N/m^2"}, {"V", "W/A"},
      {"Ohm", "V/A"},    {"C", "A.s"}, {"F", "C/V"},  {"H", "V.s/A"},  {"Wb", "V.s"},
      {"T", "Wb/m^2"},   {"S", "A/V"}, {"Hz", "1/s"}, {"l", "m^3"}};
  for (const auto& [a, b] : same) {
    EXPECT_EQ(parse_unit(a)->dimension, parse_unit(b)->dimension) << a;
  }
  EXPECT_TRUE(same_up_to_angle(parse_unit("rpm")->dimension, parse_unit("Hz")->dimension));
  EXPECT_FALSE(parse_unit("rpm")->dimension == parse_unit("Hz")->dimension);
  EXPECT_FALSE(same_up_to_angle(parse_unit("N")->dimension, parse_unit("J")->dimension));
}

TEST(Units, HaveNamesOfDimensionsThatReadBack) {
  for (const char* text : {"N", "N.m", "N/m", "N.m.s/rad", "kg.m^2", "m/s^2", "1/s", "kg.m/s^3",
                           "rad/s", "Pa", "V", "K", "m^2", "1", "mol/cd"}) {
    const Dimension dimension = parse_unit(text)->dimension;
    const std::string name = si_unit_name(dimension);
    const std::optional<Unit> back = parse_unit(name);
    ASSERT_TRUE(back) << name;
    EXPECT_EQ(back->dimension, dimension) << name;
    EXPECT_EQ(back->factor, 1.0) << name;
  }
  EXPECT_EQ(si_unit_name(parse_unit("kg.m^2/s^2")->dimension), "N.m");
}

TEST(Units, BindToLiterals) {
  const auto number = [](const char* text) {
    const SyntaxTree tree = parse_list(text, 100);
    const SyntaxTree::Node& node = tree.nodes.at(tree.roots.at(0));
    EXPECT_EQ(node.kind, SyntaxTree::Kind::number) << text;
    return node.number;
  };
  EXPECT_DOUBLE_EQ(number("150 mm"), 0.15);
  EXPECT_DOUBLE_EQ(number("150mm"), 0.15);
  EXPECT_DOUBLE_EQ(number("12 kN/mm"), 12e6);
  EXPECT_DOUBLE_EQ(number("5 1/s"), 5);
  EXPECT_DOUBLE_EQ(number("9.81 m/s^2"), 9.81);
  EXPECT_DOUBLE_EQ(number("20 degC"), 293.15);
  EXPECT_DOUBLE_EQ(number("-20 degC"), 253.15);
  EXPECT_DOUBLE_EQ(number("2e3 g"), 2);
  // A unit reaches as far as it can be read without a space.
  const SyntaxTree divided = parse_list("12 N / m", 100);
  EXPECT_EQ(divided.names.size(), 1u);
  const SyntaxTree times = parse_list("2 m/r", 100);
  EXPECT_EQ(times.names.size(), 1u);
  EXPECT_EQ(times.names[0].text, "r");
}

}  // namespace
}  // namespace mbs
