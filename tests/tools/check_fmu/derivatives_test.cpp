// Partial derivatives: the libraries of the other defects with one more output, a = u - k x, that
// the description declares derivatives of. In FMI 3 they have model exchange, too.
#include <algorithm>

#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

struct Case {
  int version;
  std::string name, rule, what;
  std::vector<std::string> also = {};
};

void declare2(std::string& xml) {
  replace_once(xml, "maxOutputDerivativeOrder=\"1\"", "providesDirectionalDerivative=\"true\"");
  replace_once(xml, "  </ModelVariables>",
               "    <ScalarVariable name=\"a\" valueReference=\"40\" causality=\"output\" "
               "variability=\"continuous\" initial=\"calculated\">\n"
               "      <Real derivative=\"6\"/>\n    </ScalarVariable>\n  </ModelVariables>");
  replace_once(xml, "    </Outputs>\n",
               "      <Unknown index=\"12\" dependencies=\"4 5\"/>\n    </Outputs>\n"
               "    <Derivatives>\n      <Unknown index=\"6\" dependencies=\"6\"/>\n"
               "      <Unknown index=\"12\" dependencies=\"4 5\"/>\n    </Derivatives>\n");
  replace_once(xml, "    </InitialUnknowns>",
               "      <Unknown index=\"12\" dependencies=\"2 3 4\"/>\n    </InitialUnknowns>");
}

void declare3(std::string& xml) {
  const std::string capabilities =
      "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
  replace_once(xml, "maxOutputDerivativeOrder=\"1\"", capabilities);
  replace_once(xml, "  <CoSimulation",
               "  <ModelExchange modelIdentifier=\"tiny\" " + capabilities + "/>\n  <CoSimulation");
  replace_once(xml, "  </ModelVariables>",
               "    <Float64 name=\"a\" valueReference=\"40\" causality=\"output\" "
               "variability=\"continuous\" initial=\"calculated\" derivative=\"5\"/>\n"
               "  </ModelVariables>");
  replace_once(xml, "    <InitialUnknown valueReference=\"4\"",
               "    <Output valueReference=\"40\" dependencies=\"1 3 4\"/>\n"
               "    <ContinuousStateDerivative valueReference=\"5\" dependencies=\"5\"/>\n"
               "    <ContinuousStateDerivative valueReference=\"40\" dependencies=\"1 3 4\"/>\n"
               "    <InitialUnknown valueReference=\"4\"");
  replace_once(xml, "    <InitialUnknown valueReference=\"6\" dependencies=\"\"/>\n",
               "    <InitialUnknown valueReference=\"6\" dependencies=\"\"/>\n"
               "    <InitialUnknown valueReference=\"40\" dependencies=\"1 2 3\"/>\n");
}

std::vector<ZipEntry> entries_with(int version, const std::string& defect) {
  auto entries = defective_entries(version, defect);
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  version == 2 ? declare2(xml) : declare3(xml);
  return entries;
}

const std::string of_a_by_u = "the directional derivative of 'a' by 'u' ";

const Case cases[] = {
    {2, "jacobian-refused", "D12", "by 'u' after a step answers error"},
    {2, "jacobian-nan", "D12", of_a_by_u + "after a step is answered with ok and is not a number"},
    {2, "jacobian-unit-seed", "D12",
     "with twice the seed in initialization mode is 1 instead of 2"},
    {2, "jacobian-wrong-input", "D13",
     of_a_by_u + "in initialization mode is 2, differences of the values say 1"},
    {2, "jacobian-hidden", "S6", "the directional derivative of 'a' by 'v' after a step is 1"},
    {2, "jacobian-any-reference", "D15", "of a value reference that does not exist answers ok"},
    {2, "jacobian-crashes", "D15", "crashes in the directional derivative of a value reference"},
    {3, "jacobian-refused", "D12", "by 'u' in continuous-time mode answers error", {"D14"}},
    {3, "jacobian-nan", "D12", "in continuous-time mode is answered with ok and is not a number"},
    {3, "jacobian-unit-seed", "D12",
     "with twice the seed in initialization mode is 1 instead of 2"},
    {3, "jacobian-last-known", "D12", "by several knowns together"},
    {3, "jacobian-no-exchange", "D12",
     "cannot be brought to where it has derivatives, in continuous-time mode"},
    {3, "jacobian-state-count", "D12", "has 3 continuous states, but the model structure lists"},
    {3, "jacobian-wrong-input", "D13",
     of_a_by_u + "in continuous-time mode is 2, differences of the values say 1"},
    {3, "jacobian-wrong-state", "D13",
     "of 'a' by 'x' in continuous-time mode is -8, differences of the values say -4"},
    {3, "jacobian-adjoint-refused", "D14", "the adjoint derivative after a step answers error"},
    {3, "jacobian-adjoint-wrong", "D14",
     "the adjoint derivative by 'x' in continuous-time mode is"},
    {3, "jacobian-hidden", "S6", "by 'v' in continuous-time mode is 1, but its dep", {"D13"}},
    {3, "jacobian-any-reference", "D15", "by a value reference that does not exist answers ok"},
    {3, "jacobian-any-count", "D15",
     "the directional derivative with one value too few in the result answers ok"},
};

class WrongDerivatives : public testing::TestWithParam<Case> {};

TEST_P(WrongDerivatives, AreCaughtByTheirRule) {
  const Case& one = GetParam();
  expect_among(check_entries(entries_with(one.version, one.name), true), one.rule, one.what,
               one.also);
}

INSTANTIATE_TEST_SUITE_P(One, WrongDerivatives, testing::ValuesIn(cases), [](const auto& one) {
  std::string name = "Fmi" + std::to_string(one.param.version) + "_" + one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// FMI 2 with model exchange, and a library that misbehaves there alone.
TEST(Exchange, AllowsWhatItsModesAllow) {
  for (const auto& [name, what] :
       {std::pair{"jacobian-good", ""},
        {"jacobian-states-together", "the state 'x' cannot be set in continuous-time mode: error"},
        {"jacobian-one-event", "EnterEventMode in event mode answers error"}}) {
    auto entries = entries_with(2, name);
    replace_once(entry_named(entries, "modelDescription.xml").content, "  <CoSimulation",
                 "  <ModelExchange modelIdentifier=\"tiny\" "
                 "providesDirectionalDerivative=\"true\"/>\n  <CoSimulation");
    const auto findings = check_entries(entries, true);
    if (std::string(what).empty())
      EXPECT_EQ(all_of(findings), "");
    else
      expect_one(findings, "L16", what);
  }
}

// An event of the library with this defect changes v.
TEST(Reinit, IsOfStatesThatEventsChange) {
  auto entries = entries_with(3, "jacobian-reinit");
  const auto findings = check_entries(entries, true);
  expect_one(findings, "M18", "'v' is changed by an event at 1 but does not say so");
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  replace_once(xml, "start=\"0\" derivative=\"4\"", "start=\"0\" derivative=\"4\" reinit=\"true\"");
  EXPECT_EQ(all_of(check_entries(entries, true)), "");
}

TEST(Reinit, IsOfContinuousStatesAlone) {
  for (const int version : {2, 3})
    for (const char* value : {"true", "false"}) {
      auto entries = entries_with(version, "jacobian-good");
      std::string& xml = entry_named(entries, "modelDescription.xml").content;
      const std::string with = std::string(" reinit=\"") + value + "\"";
      if (version == 2) {
        replace_once(xml, "  <CoSimulation",
                     "  <ModelExchange modelIdentifier=\"tiny\"/>\n  <CoSimulation");
        replace_once(xml, "<Real derivative=\"6\"/>", "<Real derivative=\"6\"" + with + "/>");
      } else {
        replace_once(xml, "derivative=\"5\"/>", "derivative=\"5\"" + with + "/>");
      }
      expect_one(check_entries(entries), "M18", "'a' has reinit but is no continuous state");
      replace_once(xml, with, "");
      replace_once(xml, version == 2 ? "derivative=\"5\"" : "derivative=\"4\"",
                   (version == 2 ? "derivative=\"5\"" : "derivative=\"4\"") + with);
      EXPECT_EQ(all_of(check_entries(entries)), "");
    }
}

// Right derivatives are accepted also at a kink or a jump of the values.
TEST(Derivatives, GoodOnesHaveNoFinding) {
  for (const int version : {2, 3})
    for (const char* name : {"jacobian-good", "jacobian-kink", "jacobian-jump"})
      EXPECT_EQ(all_of(check_entries(entries_with(version, name), true)), "") << name;
}

// The library is the same, the description is that of the tiny FMU.
TEST(Derivatives, AreRefusedWhereNotDeclared) {
  expect_one(check_entries(defective_entries(2, "jacobian-any-reference"), true), "D15",
             "the directional derivative that is not declared for co-simulation answers ok");
  auto entries = entries_with(3, "jacobian-good");
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  replace_once(xml, " providesAdjointDerivatives=\"true\"", "");
  expect_one(check_entries(entries, true), "D15",
             "the adjoint derivative that is not declared for model exchange answers ok");
}

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.name;
}

}  // namespace
}  // namespace mbs::test
