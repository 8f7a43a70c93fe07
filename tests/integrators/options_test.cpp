// Options say what is wrong with them; the factory knows its keywords.

#include <gtest/gtest.h>

#include "engine/base/text.hpp"
#include "engine/model/quantities.hpp"

#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

std::string complaint(const IntegratorOptions& options, const std::string& keyword = "auto") {
  ProblemRun run("pendulum");
  try {
    make_integrator(keyword, *run.equations, run.context(), options);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

TEST(IntegratorOptions, DefaultsAreFine) {
  EXPECT_EQ(complaint({}), "");
}

TEST(IntegratorOptions, MessagesQuoteValueAndBound) {
  const auto with = [](auto change) {
    IntegratorOptions options;
    change(options);
    return complaint(options);
  };
  using O = IntegratorOptions;
  const double nan = std::nan("");
  EXPECT_EQ(with([](O& o) { o.rtol = 2.0; }),
            "rtol is 2, but must be at least 1e-15 and less than 1");
  EXPECT_EQ(with([](O& o) { o.rtol = 0.0; }),
            "rtol is 0, but must be at least 1e-15 and less than 1");
  EXPECT_EQ(with([&](O& o) { o.rtol = nan; }),
            "rtol is nan, but must be at least 1e-15 and less than 1");
  EXPECT_EQ(with([](O& o) { o.atol = -1e-6; }),
            "atol is -1e-06, but must be greater than 0 and finite");
  EXPECT_EQ(with([](O& o) { o.atol_each = Vector::Constant(3, 1e-6); }),
            "the number of values of atol is 3, but must be 4: one for each of 2 positions, "
            "2 velocities and 0 states, in this order");
  EXPECT_EQ(with([](O& o) {
              o.rtol_each = Vector::Constant(4, 1e-6);
              o.rtol_each[2] = 0.0;
            }),
            "rtol[3] is 0, but must be at least 1e-15 and less than 1");
  EXPECT_EQ(with([](O& o) { o.initial_step = -1.0; }),
            "initial_step is -1, but must be 0 (chosen by the method) or greater, and finite");
  EXPECT_EQ(with([](O& o) {
              o.max_step = 0.1;
              o.min_step = 0.2;
            }),
            "min_step is 0.2, but must not exceed max_step = 0.1");
  EXPECT_EQ(with([](O& o) { o.max_steps = -1; }),
            "max_steps is -1, but must be 0 (no limit) or greater");
  for (const int order : {1, 2, 14, 1000}) {
    EXPECT_EQ(with([&](O& o) { o.max_order = order; }),
              "max_order is " + std::to_string(order) +
                  ", but must be 0 (chosen) or lie in 3 ... 13 for the integrator extrapolation");
  }
  EXPECT_EQ(with([](O& o) { o.max_order = -1; }),
            "max_order is -1, but must be 0 (chosen) or greater");
  EXPECT_NE(with([](O& o) { o.linear = "magic"; }).find("magic"), std::string::npos);
}

TEST(IntegratorFactory, UnknownKeywordsListTheKnownOnes) {
  EXPECT_EQ(complaint({}, "extrapolation"), "");
  EXPECT_EQ(complaint({}, "euler"),
            "there is no integrator 'euler'; there are extrapolation, midpoint, radau, bdf, "
            "reduction, auto");
}

TEST(Statistics, HaveKeywordsAndNameThemInMessages) {
  Statistics s;
  s.rejected = 7;
  s.last_step = 0.25;
  EXPECT_EQ(s.by_keyword("rejected"), 7.0);
  EXPECT_EQ(s.by_keyword("last_step"), 0.25);
  for (const std::string_view keyword : Statistics::keywords())
    EXPECT_NO_THROW(s.by_keyword(keyword));
  try {
    s.by_keyword("step");
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_NE(std::string(e.what()).find("last_order"), std::string::npos);
  }
}

// The model file's keywords and the counters are the same.
TEST(Statistics, EachKeywordOfTheModelFileHasItsCounter) {
  const std::span<const std::string_view> counters = Statistics::keywords();
  const std::vector<std::string_view> keywords = split(statistics, '|');
  EXPECT_EQ(std::vector(counters.begin(), counters.end()), keywords);
  for (const std::string_view real : split(real_statistics, '|')) {
    EXPECT_NE(std::find(keywords.begin(), keywords.end(), real), keywords.end()) << real;
  }
}

}  // namespace
}  // namespace mbs::test
