// The conformance run: one library a version in which one thing misbehaves, and the rule that must
// name it. The same libraries without a defect have no finding.
#include <algorithm>

#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

struct Defect {
  int version;
  std::string name, rule, what;
  // Rules that the same defect breaks as well.
  std::vector<std::string> also = {};
};

const Defect defects[] = {
    {3, "crash", "L4", "crashes in Instantiate (trial: a run as every importer does it): Segm"},
    {3, "exit", "L4", "ends the process in Instantiate"},
    {3, "step-hangs", "L4", "did not come back in DoStep at 0"},
    {3, "step-fails", "L4", "DoStep from 0 by 0.25 answers error"},
    {3, "folder", "L4", "changes the working folder"},
    {3, "locale", "L4", "changes the locale"},
    {3, "rounding", "L4", "changes the rounding mode"},
    {3, "signals", "L4", "changes signal handlers"},
    {3, "prints", "L4", "prints to the standard output"},
    {3, "writes-here", "L4", "writes 'log.txt' into the working folder"},
    {3, "writes-resources", "A4", "changes the files of the unpacked FMU"},
    {3, "version", "M1", "GetVersion answers '3.1'"},
    {3, "takes-any-token", "M3", "accepts a wrong token"},
    {3, "logs-undeclared", "M17", "logs the category 'logDetails'"},
    {3, "no-initialization", "L13",
     "entering initialization with the default start values answers"},
    {3, "starts-with-nan", "L13", "'x' is not a number after the initialization"},
    {3, "returns-nan", "D5", "'x' is not a number at 0.25 although every call returned ok"},
    {3, "name-not-checked", "L2", "is instantiated without a name"},
    {3, "token-not-checked", "L2", "is instantiated without a token"},
    {3, "needs-logger", "L2", "crashes in Instantiate without a logger", {"L9"}},
    {3, "other-environment", "L2", "calls the logger with another environment", {"F5"}},
    {3, "null-arrays", "L2", "crashes in reading one value with null arrays"},
    {3, "resources-needed", "L2", "crashes in Instantiate with resources at null", {"*"}},
    {3, "resources-with-slash", "L3", "does not start with its resources at"},
    {3, "shared-state", "L5", "next to another instance 'x' is", {"L5", "*"}},
    {3, "free-null", "L6", "crashes in FreeInstance of null", {"*"}},
    {3, "leaks-instances", "L6", "bytes of each instance that is freed"},
    {3, "any-reference", "L7",
     "reading a real of a value reference that does not exist answers ok"},
    {3, "unreadable", "L7", "'time' cannot be read after Terminate: error"},
    {3, "mute-after-errors", "L7", "'time' cannot be read after an error: error"},
    {3, "no-state-after-errors", "L7", "GetFMUState after an error answers error"},
    {3, "sets-outputs", "L7", "setting the output 'x' answers ok"},
    {3, "steps-uninitialized", "L7", "DoStep before the initialization is accepted"},
    {3, "late-inputs", "L8", "the input 'u' cannot be set before the initialization"},
    {3, "logs-errors-when-off", "L9", "logs errors although loggingOn is false: no such Float64"},
    {3, "logs-when-off", "L9", "logs although loggingOn is false: hello"},
    {3, "reset-crashes", "L10", "crashes in Reset (trial: reset)"},
    {3, "reset-hangs", "L10", "did not come back in Reset"},
    {3, "reset-refused", "L10", "Reset answers error"},
    {3, "reset-does-nothing", "L10", "after Reset"},
    {3, "reset-keeps-parameters", "L10", "parameters or inputs after Reset are not what they were"},
    {3, "reset-keeps-states", "L10", "after Reset"},
    {3, "no-stop-time", "L11", "DoStep past the stop time answers ok"},
    {3, "not-tunable", "L14", "setting the tunable parameter 'k' between steps answers error"},
    {3, "fixed-settable", "L14", "setting the fixed parameter 'x0' between steps is accepted"},
    {3, "keeps-strings", "L15", "'label' changes with the buffer it was set from"},
    {3, "hidden-dependency", "S5", "'x' reacts to 'u', which its dependencies do not list"},
    {3, "any-step", "D1", "DoStep by 0 answers ok"},
    {3, "nan-step", "D1", "DoStep by NaN answers ok"},
    {3, "any-time", "D2", "DoStep from 0.375 is accepted after a step to 0.25"},
    {3, "strict-time", "D2", "with times that are sums of steps, DoStep number", {"D8", "D1"}},
    {3, "other-end", "D3", "a step to 0.25 says that it ended at 0.250000001", {"F2"}},
    {3, "other-time", "D3", "'time' is 0 after a step to 0.25", {"*"}},
    {3, "no-derivative", "D7", "derivative 1 of 'x' is not a number"},
    {3, "derivative-0", "D7", "an output derivative of order 0 answers ok"},
    {3, "no-tiny-step", "D8", "by 3e-10 answers error"},
    {3, "minds-the-flag", "D10", "with noSetFMUStatePriorToCurrentPoint = true 'x' is"},
    {3, "address", "B5", "memory layout end with different outputs", {"*"}},
    {3, "state-none", "R1", "GetFMUState answers ok and gives no state", {"*"}},
    {3, "state-refused", "R1", "SetFMUState answers error", {"*"}},
    {3, "state-without-speed", "R1", "after a state was restored 'v' is", {"F8", "R2"}},
    {3, "state-without-time", "R1", "answers error", {"*"}},
    {3, "state-spoilt", "R1", "after a state was restored 'x' is", {"*"}},
    {3, "serialize-crashes", "R2", "crashes or hangs in SerializeFMUState", {"L7", "R1", "R3"}},
    {3, "serializes-pointers", "R2", "a run from a serialized state ends with 'x' is"},
    {3, "takes-half-states", "R2", "takes half of a serialized state"},
    {3, "takes-altered-states", "R2", "takes a serialized state with one bit changed"},
    {3, "state-leaks", "R3", "bytes each time that a state is saved and restored", {"F8"}},
    {3, "state-always-new", "F8", "GetFMUState over a state makes another one", {"R3"}},
    {3, "state-not-null", "F8", "FreeFMUState leaves the pointer as it was", {"*"}},
    {3, "free-state-null", "F8", "crashes in FreeFMUState of null"},
    {3,
     "updates-for-ever",
     "F1",
     "UpdateDiscreteStates asks for another one a hundred times",
     {"F2"}},
    {3, "chatters", "F1", "returns early 10000 times before"},
    {3, "returns-beyond", "F2", "returns early from a step of 0 to 0.25 at 0.5", {"F1"}},
    {3, "always-early", "F2", "returns early although earlyReturnAllowed is false", {"*"}},
    {3, "always-events", "F2", "asks for event mode although eventModeUsed is false"},
    {3, "changes-discrete", "F4", "outside of event mode, the discrete output 'count' is"},
    {3, "late-update", "F5", "the intermediate update is called for"},
    {3, "update-goes-back", "F5", "the intermediate update goes back from 0.25 to 0"},
    {3, "any-count", "F7", "reading the scalar 'time' as 0 values answers ok", {"*"}},
    {2, "platform", "M1", "fmi2GetTypesPlatform answers 'other'"},
    {2, "needs-two-slashes", "L3", "does not start with its resources at 'file:/"},
    {2, "callbacks-not-checked", "L2", "crashes in Instantiate without a logger"},
    {2, "callbacks-not-copied", "L2", "crashes in a message after the callbacks are gone", {"*"}},
    {2, "reset-crashes", "L10", "crashes in Reset"},
    {2, "reset-does-nothing", "L10", "entering initialization with the default start values"},
    {2, "mute-discard", "D4", "DoStep from 0 by 0.25 answers discard"},
    {2, "other-time", "D3", "'time' is 0 after a step to 0.25", {"*"}},
    {2, "state-without-speed", "R1", "after a state was restored 'v' is", {"F8", "R2"}},
};

class Defective : public testing::TestWithParam<Defect> {};

// The address sanitizer hides some defects from the checker that it is built into: it has an
// allocator of its own, stops at the use of freed memory and lays memory out in its own way.
bool is_hidden([[maybe_unused]] const std::string& defect) {
#ifdef __SANITIZE_ADDRESS__
  for (const char* one : {"leaks-instances", "keeps-strings", "address", "state-leaks"})
    if (defect == one) return true;
#endif
  return false;
}

TEST_P(Defective, IsCaughtByItsRule) {
  const Defect& defect = GetParam();
  if (is_hidden(defect.name)) {
    hidden().insert(defect.rule);
    GTEST_SKIP() << "the address sanitizer hides it";
  }
  const import::TemporaryFolder folder;
  make_zip(folder.path() / "x.fmu", defective_entries(defect.version, defect.name));
  const auto findings = check_fmu::check_fmu(folder.path() / "x.fmu",
                                             {.time_limit = std::chrono::milliseconds(3000)});
  expect_among(findings, defect.rule, defect.what, defect.also);
}

INSTANTIATE_TEST_SUITE_P(One, Defective, testing::ValuesIn(defects), [](const auto& one) {
  std::string name = "Fmi" + std::to_string(one.param.version) + "_" + one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Defects, AreTheOnlyThingWrong) {
  for (const int version : {2, 3})
    EXPECT_EQ(all_of(check_entries(defective_entries(version, "none"), true)), "");
}

TEST(Defects, EventModeWithoutCapabilityIsFound) {
  auto entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content,
               " mightReturnEarlyFromDoStep=\"true\" hasEventMode=\"true\"", "");
  expect_one(check_entries(entries, true), "F1", "although hasEventMode is false");
}

TEST(Defects, EarlyReturnWithoutCapabilityIsFound) {
  auto entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content,
               " mightReturnEarlyFromDoStep=\"true\"", "");
  replace_once(entry_named(entries, "modelDescription.xml").content, "stepSize=\"0.25\"",
               "stepSize=\"0.3\"");  // the FMU's events are at full seconds
  expect_one(check_entries(entries, true), "F3", "although mightReturnEarlyFromDoStep is false");
}

// Both libraries have first derivatives alone.
TEST(Defects, MissingOutputDerivativesAreFound) {
  for (const int version : {2, 3}) {
    auto entries = tiny_entries(version);
    replace_once(entry_named(entries, "modelDescription.xml").content,
                 "maxOutputDerivativeOrder=\"1\"", "maxOutputDerivativeOrder=\"2\"");
    expect_one(check_entries(entries, true), "D7", "derivative 2 of 'x' answers error");
  }
}

TEST(Defects, WrongOutputClocksAreFound) {
  const auto with_clock = [](const std::string& defect) {
    auto entries = defective_entries(3, defect);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, "  </ModelVariables>",
                 "    <Clock name=\"tick\" valueReference=\"99\" causality=\"output\" "
                 "intervalVariability=\"triggered\"/>\n  </ModelVariables>");
    replace_once(xml, "    <InitialUnknown valueReference=\"4\"",
                 "    <Output valueReference=\"99\" dependencies=\"\"/>\n"
                 "    <InitialUnknown valueReference=\"4\"");
    return check_entries(entries, true);
  };
  EXPECT_EQ(all_of(with_clock("none")), "");
  expect_one(with_clock("clock-ticks-on"), "F6", "these clocks tick: 'tick'");
  expect_one(with_clock("clock-unreadable"), "F6", "GetClock of 'tick' in event mode");
}

// Two variables more: an array, and the parameter of its size.
TEST(Defects, WrongSizesAreFound) {
  const auto with_sizes = [](const std::string& defect) {
    auto entries = defective_entries(3, defect);
    replace_once(
        entry_named(entries, "modelDescription.xml").content, "  </ModelVariables>",
        "    <UInt64 name=\"n\" valueReference=\"30\" causality=\"structuralParameter\" "
        "variability=\"fixed\" start=\"2\" min=\"1\" max=\"8\"/>\n"
        "    <Float64 name=\"track\" valueReference=\"31\" causality=\"parameter\" "
        "variability=\"tunable\" start=\"1 2\"><Dimension valueReference=\"30\"/></Float64>"
        "\n  </ModelVariables>");
    return check_entries(entries, true);
  };
  EXPECT_EQ(all_of(with_sizes("none")), "");
  expect_one(with_sizes("sizes-stay"), "F7",
             "'track' cannot be read with 3 values after its size has changed");
  expect_one(with_sizes("no-configuration"), "F7", "entering configuration mode answers error");
  expect_one(with_sizes("one-size-alone"), "F7", "no other size is taken in configuration mode");
}

void PrintTo(const Defect& defect, std::ostream* stream) {
  *stream << defect.name;
}

}  // namespace
}  // namespace mbs::test
