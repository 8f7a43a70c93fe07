// Numbers as XML schema writes them.
#include "tools/import/values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mbs::import {
namespace {

TEST(Values, ReadsRealsAsXmlSchemaWritesThem) {
  EXPECT_EQ(parse_real("0.1"), 0.1);
  EXPECT_EQ(parse_real("+1e-8"), 1e-8);
  EXPECT_EQ(parse_real("-.5"), -0.5);
  EXPECT_EQ(parse_real("0.1", VariableType::float32), static_cast<double>(0.1f));
  EXPECT_EQ(parse_real("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*parse_real("NaN")));
  for (const char* text :
       {"", "0,1", "1 2", "inf", "nan", "0x10", "1e", "--1", "+-1", "1f", "infinity"})
    EXPECT_FALSE(parse_real(text)) << text;
}

TEST(Values, KeepsEachWholeTypeInItsRange) {
  EXPECT_EQ(parse_integer("-128", VariableType::int8), -128);
  EXPECT_FALSE(parse_integer("128", VariableType::int8));
  EXPECT_EQ(parse_integer("255", VariableType::uint8), 255);
  EXPECT_FALSE(parse_integer("-1", VariableType::uint8));
  EXPECT_FALSE(parse_integer("32768", VariableType::int16));
  EXPECT_FALSE(parse_integer("65536", VariableType::uint16));
  EXPECT_FALSE(parse_integer("2147483648", VariableType::int32));
  EXPECT_FALSE(parse_integer("4294967296", VariableType::uint32));
  EXPECT_FALSE(parse_integer("9223372036854775808", VariableType::int64));
  const auto large = parse_integer("18446744073709551615", VariableType::uint64);
  ASSERT_TRUE(large);
  EXPECT_EQ(to_text(Value(Integers{*large}), VariableType::uint64), "18446744073709551615");
  EXPECT_FALSE(parse_integer("1.0", VariableType::int32));
  EXPECT_EQ(parse_integer("true", VariableType::boolean), 1);
  EXPECT_FALSE(parse_integer("True", VariableType::boolean));
}

TEST(Values, ReadsListsAndNamesTheWrongItem) {
  std::string wrong;
  EXPECT_EQ(parse_value({"1", "2.5"}, VariableType::float64, wrong), Value(Reals{1, 2.5}));
  EXPECT_EQ(parse_value({"cafe", ""}, VariableType::binary, wrong), Value(Strings{"\xca\xfe", ""}));
  EXPECT_FALSE(parse_value({"1", "2,5"}, VariableType::float64, wrong));
  EXPECT_EQ(wrong, "2,5");
  EXPECT_FALSE(parse_value({"caf"}, VariableType::binary, wrong));
  EXPECT_FALSE(parse_value({"0xff"}, VariableType::binary, wrong));
}

TEST(Values, ComparesBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same_bits(Reals{nan, 1}, Reals{nan, 1}));
  EXPECT_FALSE(same_bits(Reals{0.0}, Reals{-0.0}));
  EXPECT_FALSE(same_bits(Reals{1.0}, Reals{std::nextafter(1.0, 2.0)}));
  EXPECT_FALSE(same_bits(Reals{1}, Reals{1, 1}));
  EXPECT_FALSE(same_bits(Reals{1}, Integers{1}));
}

}  // namespace
}  // namespace mbs::import
