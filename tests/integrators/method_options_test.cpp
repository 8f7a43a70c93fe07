// Options of single methods by name.

#include "engine/integrators/base/option_reader.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mbs::test {
namespace {

std::string refusal(const std::vector<MethodOption>& options) {
  try {
    OptionReader read("m", options);
    read.keyword("form", "one|two");
    read.number("theta", 0.5, 0.0, 1.0);
    read.integer("count", 3, 1, 9);
    read.boolean("reuse", true);
    read.finish();
    return {};
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
}

TEST(OptionReader, ReadsValuesAndDefaultsOfItsMethodAlone) {
  const std::vector<MethodOption> options{{"m", "form", "one"},    {"m", "form", "two"},
                                          {"m", "theta", "1e-3"},  {"m", "count", "7"},
                                          {"m", "reuse", "false"}, {"other", "count", "8"}};
  OptionReader read("m", options);
  EXPECT_EQ(read.keyword("form", "one|two"), 1);  // the last one counts
  EXPECT_EQ(read.number("theta", 0.5, 0.0, 1.0), 1e-3);
  EXPECT_EQ(read.integer("count", 3, 1, 9), 7);
  EXPECT_FALSE(read.boolean("reuse", true));
  EXPECT_NO_THROW(read.finish());
  OptionReader absent("m", {});
  EXPECT_EQ(absent.keyword("form", "one|two"), 0);
  EXPECT_EQ(absent.number("theta", 0.5, 0.0, 1.0), 0.5);
  EXPECT_EQ(absent.integer("count", 3, 1, 9), 3);
  EXPECT_TRUE(absent.boolean("reuse", true));
}

TEST(OptionReader, RefusalsQuoteValueAndBound) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{"m", "form", "six"}}), "m.form = 'six' must be one of one, two");
  EXPECT_EQ(refusal({{"m", "form", ""}}), "m.form = '' must be one of one, two");
  EXPECT_EQ(refusal({{"m", "theta", "2"}}), "m.theta = '2' must be a number from 0 to 1");
  EXPECT_EQ(refusal({{"m", "theta", "nan"}}), "m.theta = 'nan' must be a number from 0 to 1");
  EXPECT_EQ(refusal({{"m", "theta", ".5x"}}), "m.theta = '.5x' must be a number from 0 to 1");
  EXPECT_EQ(refusal({{"m", "count", "0"}}), "m.count = '0' must be a whole number from 1 to 9");
  EXPECT_EQ(refusal({{"m", "reuse", "yes"}}), "m.reuse = 'yes' must be true or false");
  EXPECT_EQ(refusal({{"m", "from", "one"}}),
            "m has no option 'from'; it has count, form, reuse, theta");
}

}  // namespace
}  // namespace mbs::test
