// Features of FMI 3 alone: arrays, clocks, intermediate updates, each with its defects.
#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

TEST(CheckFmi3, FindsDefectsOfArrays) {
  const std::string dimension = "<Dimension start=\"3\"/>", line = "name=\"weights\"";
  const CheckCase cases[] = {
      {3, "F7", dimension, "<Dimension start=\"4\"/>",
       "'weights' has 4 elements and 3 start values", line},
      {3, "F7", dimension, "<Dimension/>", "has both start and valueReference, or none", line},
      {3, "F7", dimension, "<Dimension start=\"0\"/>", "a dimension of 'weights' is 0", line},
      {3, "F7", dimension, "<Dimension valueReference=\"99\"/>",
       "refers to 99, which is no variable", line},
      {3, "F7", dimension, "<Dimension valueReference=\"1\"/>",
       "a dimension of 'weights' refers to 'k'", line},
      {3, "F7", "unit=\"m/s\" start=\"0\" derivative=\"4\"/>",
       "unit=\"m/s\" start=\"0\" derivative=\"4\"><Dimension start=\"2\"/></Float64>",
       "'v' has other dimensions than 'x', whose derivative it is", "name=\"v\""},
  };
  for (const CheckCase& one : cases) run_case(one);
}

TEST(CheckFmi3, FindsDefectsOfSizes) {
  const auto with_size = [](const std::string& from, const std::string& to) {
    auto entries = tiny_entries(3);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, "<Dimension start=\"3\"/>", "<Dimension valueReference=\"50\"/>");
    replace_once(xml, "  </ModelVariables>",
                 "    <UInt64 name=\"n\" valueReference=\"50\" causality=\"structuralParameter\" "
                 "variability=\"fixed\" start=\"3\"/>\n  </ModelVariables>");
    replace_once(xml, from, to);
    return check_entries(entries);
  };
  const std::string fixed = "\"structuralParameter\" variability=\"fixed\" ";
  const std::string size = fixed + "start=\"3\"/>";
  EXPECT_EQ(all_of(with_size(size, size)), "");
  expect_one(with_size(size, fixed + "start=\"4\"/>"), "F7",
             "'weights' has 4 elements and 3 start values");
  expect_one(with_size(size, fixed + "start=\"3\"><Dimension start=\"1\"/></UInt64>"), "F7",
             "the structural parameter 'n' is an array");
  expect_one(with_size(size, fixed + "start=\"0\"/>"), "F7",
             "a dimension of 'weights' is 'n', which is 0");
  expect_one(with_size("causality=\"structuralParameter\" variability=\"fixed\" start=\"3\"",
                       "causality=\"parameter\" variability=\"fixed\" start=\"3\""),
             "F7", "a dimension of 'weights' refers to 'n'");
}

TEST(CheckFmi3, FindsArraysBeyondAllMemory) {
  auto entries = tiny_entries(3);
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  replace_once(xml, "start=\"1 2 3\"", "start=\"1\"");
  replace_once(xml, "<Dimension start=\"3\"/>", "<Dimension start=\"4000000000\"/>");
  expect_one(check_entries(entries, true), "F7", "'weights' has 4000000000 elements");
}

TEST(CheckFmi3, FindsDefectsOfInputClocks) {
  const std::string line = "name=\"c\"";
  const std::pair<const char*, const char*> defects[] = {
      {"intervalVariability=\"triggered\" intervalDecimal=\"1\"", "clock 'c' has an interval"},
      {"intervalVariability=\"constant\" intervalDecimal=\"0\"",
       "the interval of clock 'c' is not positive"},
      {"intervalVariability=\"constant\"", "clock 'c' has no interval"},
      {"variability=\"tunable\" intervalVariability=\"triggered\"", "clock 'c' is not discrete"},
  };
  for (const auto& [attributes, what] : defects)
    run_case({3, "F6", "    <Int8",
              std::string("    <Clock name=\"c\" valueReference=\"50\" causality=\"input\" ") +
                  attributes + "/>\n    <Int8",
              what});
  // Fixed and tunable intervals may be asked for.
  auto entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content, "    <Int8",
               "    <Clock name=\"c\" valueReference=\"50\" causality=\"input\" "
               "intervalVariability=\"fixed\"/>\n    <Int8");
  EXPECT_EQ(all_of(check_entries(entries)), "");
}

TEST(CheckFmi3, FindsDefectsOfOtherClocks) {
  const auto with_clock = [](const std::string& from, const std::string& to) {
    auto entries = tiny_entries(3);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, "    <Int8",
                 "    <Clock name=\"c\" valueReference=\"50\" causality=\"output\" "
                 "intervalVariability=\"triggered\"/>\n    <Int8");
    replace_once(xml, "    <InitialUnknown valueReference=\"4\"",
                 "    <Output valueReference=\"50\" dependencies=\"\"/>\n"
                 "    <InitialUnknown valueReference=\"4\"");
    replace_once(xml, from, to);
    return check_entries(entries);
  };
  const std::string clock = "\"output\" intervalVariability=\"triggered\"";
  EXPECT_EQ(all_of(with_clock(clock, clock)), "");
  expect_one(with_clock("\"triggered\"", "\"changing\""), "F6",
             "output clock 'c' is not triggered");
  expect_one(with_clock(" hasEventMode=\"true\"", ""), "F6", "has clocks and no event mode");
  expect_one(with_clock("initial=\"calculated\" min=\"0\"",
                        "initial=\"calculated\" min=\"0\" clocks=\"5\""),
             "F6", "'count' names the clock 5, which is no clock");
  expect_one(with_clock("<UInt8 name=\"u8\"", "<UInt8 clocks=\"50\" name=\"u8\""), "F6",
             "'u8' has clocks and is fixed");
  auto entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content, "    <Int8",
               "    <Clock name=\"c\" valueReference=\"50\" causality=\"local\" "
               "intervalVariability=\"changing\"/>\n    <Int8");
  expect_one(check_entries(entries), "F6", "local clock 'c' is not triggered");
}

TEST(CheckFmi3, FindsDefectsOfIntermediateUpdates) {
  const CheckCase cases[] = {
      {3, "F3", "providesIntermediateUpdate=\"true\"",
       "canReturnEarlyAfterIntermediateUpdate=\"true\"",
       "canReturnEarlyAfterIntermediateUpdate without providesIntermediateUpdate"},
      {3, "F5", "initial=\"calculated\" min=\"0\"",
       "initial=\"calculated\" min=\"0\" intermediateUpdate=\"true\"",
       "'count' is not continuous and has intermediateUpdate"},
  };
  for (const CheckCase& one : cases) run_case(one);
  auto entries = tiny_entries(3);
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  replace_once(xml, " providesIntermediateUpdate=\"true\"", "");
  replace_once(xml, "<Float64 name=\"u\"", "<Float64 intermediateUpdate=\"true\" name=\"u\"");
  expect_one(check_entries(entries), "F5",
             "'u' has intermediateUpdate, but the FMU does not provide intermediate updates");
}

}  // namespace
}  // namespace mbs::test
