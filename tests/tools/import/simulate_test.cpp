// The master: grid of communication points, inputs, start values, events before and after, messages
// for wrong options.
#include "tools/import/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/import/zip_builder.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the test is about all of it

class Simulate : public testing::TestWithParam<int> {
 protected:
  std::string refusal(const SimulateOptions& options) {
    try {
      simulate(*fmu_, options);
      return "";
    } catch (const ImportError& error) {
      return error.what();
    }
  }
  std::unique_ptr<Fmu> fmu_ = open_fmu(GetParam() == 2 ? TINY_FMU2 : TINY_FMU3);
};

TEST_P(Simulate, FollowsTheDefaultExperiment) {
  const SimulateResult result = simulate(*fmu_, {.event_mode = false});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.names, (std::vector<std::string>{"x", "v", "count"}));
  ASSERT_EQ(result.times.size(), 13u);
  for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(result.times[i], 0.25 * static_cast<double>(i));
  EXPECT_EQ(result.rows.front(), (Reals{1, 0, 0}));
  EXPECT_EQ(result.rows.back()[2], 3);
  EXPECT_NEAR(result.rows.back()[0], std::cos(6.0), 0.01);
}

TEST_P(Simulate, EndsExactlyAndShortensTheLastStep) {
  const SimulateResult result = simulate(*fmu_, {.start = 0.1, .stop = 0.75, .step = 0.2});
  EXPECT_EQ(result.times,
            (std::vector<double>{0.1, 0.1 + 0.2, 0.1 + 2 * 0.2, 0.1 + 3 * 0.2, 0.75}));
  const SimulateResult tenth = simulate(*fmu_, {.stop = 0.9, .step = 0.1});  // 0.9 / 0.1 > 9
  EXPECT_EQ(tenth.times.size(), 10u);
  EXPECT_EQ(tenth.times.back(), 0.9);
}

TEST_P(Simulate, SetsStartValuesOfAllTypes) {
  const SimulateResult result = simulate(*fmu_, {.start_values = {{"x0", "2"},
                                                                  {"ticking", "false"},
                                                                  {"label", "two keywords"},
                                                                  {"mode", "1"},
                                                                  {"k", "0"}},
                                                 .outputs = {"x", "count", "mode", "ticking"}});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.rows.back(), (Reals{2, 0, 1, 0}));
}

TEST_P(Simulate, AppliesInputs) {
  // A constant input of k moves the rest position to 1: the mass stays where it starts.
  const SimulateResult constant = simulate(*fmu_, {.start_values = {{"u", "4"}}});
  for (const Reals& row : constant.rows) EXPECT_EQ(row[0], 1);
  SimulateOptions options;
  options.outputs = {"u"};
  options.event_mode = false;
  options.inputs = {{"u"}, {0.5, 1, 1, 2}, {{1}, {3}, {5}, {5}}};
  const SimulateResult table = simulate(*fmu_, options);
  ASSERT_EQ(table.rows.size(), 13u);
  EXPECT_EQ(table.rows[0][0], 1);  // held before the first row
  EXPECT_EQ(table.rows[4][0], 2);  // what was set for the step from 0.75 to 1
  EXPECT_EQ(table.rows[5][0], 5);  // after the jump
  EXPECT_EQ(table.rows[12][0], 5);
}

TEST_P(Simulate, RefusesOptionsThatDoNotFit) {
  const std::pair<SimulateOptions, const char*> cases[] = {
      {{.start = 1, .stop = 1}, "stop time 1 must be beyond the start time 1"},
      {{.stop = NAN}, "stop time not a number must be beyond"},
      {{.step = 0}, "step 0 must be positive"},
      {{.step = -1}, "step -1 must be positive"},
      {{.step = 1e-9}, "communication points, the limit is 1e+08"},
      {{.tolerance = -1e-6}, "tolerance -1e-06 must be positive"},
      {{.start_values = {{"y", "1"}}}, "the FMU 'Tiny' has no variable 'y'"},
      {{.start_values = {{"k", "1,5"}}}, "'1,5' is no value for 'k' of type Float64"},
      {{.start_values = {{"k", "1 2"}}}, "'k' has 1 elements, 2 values were given"},
      {{.start_values = {{"x", "1"}}}, "'x' cannot be set: it is a output that the FMU computes"},
      {{.inputs = {{"k"}, {0}, {{1}}}}, "'k' of the input table is a parameter, not an input"},
      {{.inputs = {{"u"}, {0, 1}, {{1}}}}, "the input table has 2 times for 1 rows"},
      {{.inputs = {{"u"}, {0}, {{1, 2}}}}, "row 1 of the input table has 2 values for 1 names"},
      {{.inputs = {{"u"}, {1, 0}, {{1}, {2}}}}, "row 2 of the input table: time 0 goes back"},
      {{.outputs = {"label"}}, "'label' is a text"},
  };
  for (const auto& [options, expected] : cases)
    EXPECT_NE(refusal(options).find(expected), std::string::npos) << refusal(options);
}

TEST_P(Simulate, ReportsAFailedCall) {
  SimulateOptions options;
  options.logging = true;
  options.start_values = {{"label", std::string(100, 'x')}};  // longer than the FMU's buffer
  const SimulateResult result = simulate(*fmu_, options);
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.failure, "setting 'label' at time 0 answered error");
  EXPECT_EQ(result.messages.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Versions, Simulate, testing::Values(2, 3));

TEST(SimulateFmi3, ShowsEventsBeforeAndAfter) {
  const auto fmu = open_fmu(TINY_FMU3);
  const SimulateResult result =
      simulate(*fmu, {.start = 0.5, .stop = 2.5, .step = 0.8, .outputs = {"count", "weights"}});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.names,
            (std::vector<std::string>{"count", "weights[1]", "weights[2]", "weights[3]"}));
  EXPECT_EQ(result.times, (std::vector<double>{0.5, 1, 1, 0.5 + 0.8, 2, 2, 0.5 + 2 * 0.8, 2.5}));
  std::vector<double> counts;
  for (const Reals& row : result.rows) counts.push_back(row[0]);
  EXPECT_EQ(counts, (std::vector<double>{0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(result.early_returns, 2u);
  EXPECT_EQ(result.events, 2u);
}

TEST(SimulateFmi3, HandlesAnEventExactlyAtACommunicationPoint) {
  const auto fmu = open_fmu(TINY_FMU3);
  const SimulateResult result = simulate(*fmu, {.stop = 2, .step = 1, .outputs = {"count"}});
  EXPECT_EQ(result.times, (std::vector<double>{0, 1, 1, 2, 2}));
  EXPECT_EQ(result.rows[3][0], 1);
  EXPECT_EQ(result.rows[4][0], 2);
  EXPECT_EQ(result.early_returns, 0u);
}

TEST(SimulateFmi3, FillsArraysFromOneValue) {
  const auto fmu = open_fmu(TINY_FMU3);
  const SimulateResult result =
      simulate(*fmu, {.start_values = {{"weights", "7"}, {"u8", "255"}, {"i64", "-9000000000"}},
                      .outputs = {"weights", "u8", "i64"}});
  EXPECT_EQ(result.rows.front(), (Reals{7, 7, 7, 255, -9e9}));
}

// Limits before memory: a description may claim any size.
class HugeArrays : public testing::Test {
 protected:
  std::string refusal(const std::string& dimension, const SimulateOptions& options,
                      const std::string& causality = "parameter") {
    auto entries = tiny_entries(3);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, "start=\"1 2 3\"", "start=\"1\"");
    replace_once(xml, "<Dimension start=\"3\"/>", dimension);
    replace_once(xml, "\"weights\" valueReference=\"10\" causality=\"parameter\"",
                 "\"weights\" valueReference=\"10\" causality=\"" + causality + "\"");
    const TemporaryFolder folder;
    make_zip(folder.path() / "x.fmu", entries);
    const auto fmu = open_fmu(folder.path() / "x.fmu");
    try {
      simulate(*fmu, options);
    } catch (const ImportError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(HugeArrays, AreRefusedWithValueAndBound) {
  const std::string huge = "<Dimension start=\"4000000000\"/>";
  for (const SimulateOptions& options : {SimulateOptions{.outputs = {"weights"}},
                                         SimulateOptions{.start_values = {{"weights", "1"}}}})
    EXPECT_EQ(refusal(huge, options),
              "the array 'weights' has 4000000000 elements, the limit is 10000000");
  EXPECT_NE(refusal(huge + huge + huge, {.outputs = {"weights"}}).find("the limit is 10000000"),
            std::string::npos);
}

// Arrays without elements are forbidden by the standard, but a description may have them.
TEST_F(HugeArrays, WithoutElementsAreHandled) {
  const std::string none = "<Dimension start=\"0\"/><Dimension start=\"2\"/>";
  EXPECT_EQ(refusal(none, {.outputs = {"x", "weights"}}), "accepted");
  EXPECT_EQ(refusal(none, {.start_values = {{"weights[1,1]", "1"}}}),
            "the FMU 'Tiny' has no variable 'weights[1,1]'");
  SimulateOptions options;
  options.inputs = {{"weights"}, {0.0}, {{1.0}}};
  EXPECT_EQ(refusal(none, options, "input"),
            "'weights': the input table holds scalar numbers alone; name elements, 'weights[1,1]'");
}

TEST_F(HugeArrays, CountTogether) {
  EXPECT_EQ(refusal("<Dimension start=\"6000000\"/>", {.outputs = {"weights", "weights"}}),
            "the outputs have 12000000 elements together, the limit is 10000000");
}

}  // namespace
}  // namespace mbs::test
