// Rules M, S and the FMI 3 rules: every one with its defects, in both versions where it exists in
// both. The unchanged FMUs have no finding, so each finding is the defect's own.
#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

class GoodFmu : public testing::TestWithParam<int> {};

TEST_P(GoodFmu, HasNoFinding) {
  EXPECT_EQ(all_of(check_entries(tiny_entries(GetParam()), true)), "");
}

INSTANTIATE_TEST_SUITE_P(Versions, GoodFmu, testing::Values(2, 3));

const std::string experiment =
    "<DefaultExperiment startTime=\"0\" stopTime=\"3\" tolerance=\"1e-6\" stepSize=\"0.25\"/>";
const std::string categories =
    "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"refused calls\"/>\n"
    "  </LogCategories>\n";

// Elements that both versions have with the same meaning.
std::vector<CheckCase> common_cases(int version) {
  std::vector<CheckCase> cases = {
      {0, "M1", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"?>",
       "does not declare UTF-8"},
      {0, "M1", " encoding=\"UTF-8\"?>", " encoding=\"ISO-8859-1\"?>", "does not declare UTF-8"},
      {0, "M4", "T00:00:00Z", "T00:00:00", "is no time in UTC"},
      {0, "M4", "2024-01-01T", "2024-13-01T", "is no time in UTC"},
      {0, "M5", "name=\"k\"", "name=\"\"", "a variable has no name"},
      {0, "M5", "name=\"k\"", "name=\"k&#10;\"", "has a line break or tab"},
      {0, "M5", "name=\"k\"", "name=\"k one\"", "'k one' is no structured name"},
      {0, "M5", "name=\"k\"", "name=\"k[1\"", "'k[1' is no structured name"},
      {0, "M5", "name=\"k\"", "name=\"der(k\"", "'der(k' is no structured name"},
      {0, "M11", "start=\"4\" min=\"0\" max=\"100\"", "start=\"101\" min=\"0\" max=\"100\"",
       "start 101 of 'k' is above max 100", "name=\"k\""},
      {0, "M11", "start=\"4\" min=\"0\" max=\"100\"", "start=\"-1\" min=\"0\" max=\"100\"",
       "start -1 of 'k' is below min 0", "name=\"k\""},
      {0, "M11", "nominal=\"1\"", "nominal=\"0\"", "nominal 0 of 'k' is not positive",
       "name=\"k\""},
      {0, "M11", "stopTime=\"3\"", "stopTime=\"0\"", "stopTime 0 is not beyond startTime 0"},
      {0, "M11", "stepSize=\"0.25\"", "stepSize=\"0\"", "stepSize 0 is not positive"},
      {0, "M11", "tolerance=\"1e-6\"", "tolerance=\"-1\"", "tolerance -1 is not positive"},
      {0, "M11", "startTime=\"0\" ", "", "<DefaultExperiment> lacks startTime"},
      {0, "M11", "  " + experiment + "\n", "", "has no <DefaultExperiment>", "NONE"},
      {0, "M12", "startTime=\"0\"", "startTime=\"zero\"",
       "startTime=\"zero\" of <DefaultExperiment>"},
      {0, "M15", "dependencies=\"\"", "dependencies=\" \"", "has surplus blanks"},
      {0, "M17", categories, "", "declares no log categories", "NONE"},
      {0, "M17", "<Category name=\"logStatusError\" description=\"refused calls\"/>",
       "<Category name=\"logEvents\"/><Category name=\"logEvents\"/>",
       "log category 'logEvents' is there twice"},
      {0, "M17", "name=\"logStatusError\"", "name=\"errors\"",
       "log category 'errors' is none of the standard"},
      {0, "M17", "name=\"logStatusError\"", "name=\"\"", "a log category has no name"},
  };
  for (CheckCase& one : cases) one.version = version;
  return cases;
}

TEST(CheckDescription, FindsWhatBothVersionsShare) {
  for (const int version : {2, 3})
    for (const CheckCase& one : common_cases(version)) run_case(one);
}

TEST(CheckDescription, FindsDefectsOfFmi2) {
  const std::string k = "<Real start=\"4\" min=\"0\" max=\"100\" nominal=\"1\"/>";
  const std::string output6 = "      <Unknown index=\"6\" dependencies=\"\"/>\n";
  const CheckCase cases[] = {
      {2, "M1", "fmiVersion=\"2.0\"", "fmiVersion=\"2.0.5\"", "fmiVersion is '2.0.5'"},
      {2, "M3", "guid=\"{tiny-1}\"", "guid=\"\"", "guid is empty"},
      {2, "M2", "max=\"100\"", "max=\"INF\"", "'k' has a number that is not finite", "name=\"k\""},
      {2, "M5", "name=\"body.x\"", "name=\"x\"", "the name 'x' is used in line 44 already"},
      {2, "M6", "causality=\"parameter\" variability=\"tunable\"",
       "causality=\"parameter\" variability=\"discrete\"",
       "causality parameter does not go with variability discrete"},
      {2, "M6", "causality=\"input\" variability=\"continuous\"",
       "causality=\"input\" variability=\"continuous\" initial=\"exact\"",
       "'u' is input and has initial"},
      {2, "M6", "causality=\"independent\"", "causality=\"independent\" initial=\"calculated\"",
       "'time' is independent and has initial"},
      {2, "M6", "variability=\"tunable\"", "variability=\"tunable\" initial=\"approx\"",
       "initial=\"approx\" is not allowed for causality parameter"},
      {2, "M6", k, "<Real min=\"0\" max=\"100\"/>", "'k' needs a start value", "name=\"k\""},
      {2, "M6", "<Integer min=\"0\"/>", "<Integer start=\"0\"/>",
       "'count' is calculated and has a start value", "name=\"count\""},
      {2, "M6", "<Real unit=\"s\"/>", "<Real unit=\"s\" start=\"0\"/>",
       "'time' is independent and has a start value", "name=\"time\""},
      {2, "M7", "variability=\"discrete\" initial=\"calculated\"", "initial=\"calculated\"",
       "'count' is a Int32 and continuous"},
      {2, "M8", "unit=\"m/s\" start", "unit=\"km\" start", "unit 'km' of 'v' is not defined",
       "name=\"v\""},
      {2, "M8", "unit=\"m/s\" start", "unit=\"\" start", "unit '' of 'v' is not defined",
       "name=\"v\""},
      {2, "M8", "unit=\"m/s\" start", "unit=\"m/s\" displayUnit=\"km/h\" start",
       "display unit 'km/h' of 'v' is not defined under the unit 'm/s'", "name=\"v\""},
      {2, "M8", "unit=\"m/s\" start", "displayUnit=\"mm\" start",
       "'v' has a displayUnit and no unit", "name=\"v\""},
      {2, "M8", "<Unit name=\"m/s\">", "<Unit name=\"\"/><Unit name=\"m/s\">",
       "defines a unit without a name"},
      {2, "M8", "<Unit name=\"m/s\">", "<Unit name=\"m/s\"/><Unit name=\"m/s\">",
       "unit 'm/s' is defined twice"},
      {2, "M8", "declaredType=\"Position\" start", "declaredType=\"None\" start",
       "declared type 'None' of 'x0' is not defined", "name=\"x0\""},
      {2, "M8", "<Integer min=\"0\"/>", "<Integer declaredType=\"Position\"/>",
       "declared type 'Position' of 'count' is a Float64", "name=\"count\""},
      {2, "M9",
       "valueReference=\"4\" causality=\"local\" variability=\"continuous\" "
       "initial=\"calculated\">\n      <Real declaredType=\"Position\"/>",
       "valueReference=\"0\" causality=\"independent\">\n      <Real unit=\"s\"/>",
       "'body.x' is a second independent variable"},
      {2, "M10",
       "valueReference=\"4\" causality=\"local\" variability=\"continuous\" "
       "initial=\"calculated\">\n      <Real declaredType=\"Position\"/>",
       "valueReference=\"4\" causality=\"local\" variability=\"constant\" "
       "initial=\"exact\">\n      <Real declaredType=\"Position\" start=\"1\"/>",
       "'body.x' and its alias 'x': one is constant and one is not"},
      {2, "M10",
       "<ScalarVariable name=\"body.x\" valueReference=\"4\" causality=\"local\" "
       "variability=\"continuous\" initial=\"calculated\">\n      <Real "
       "declaredType=\"Position\"/>",
       "<ScalarVariable name=\"body.x\" valueReference=\"4\" causality=\"local\" "
       "variability=\"continuous\" initial=\"calculated\">\n      <Real unit=\"s\"/>",
       "'body.x' and its alias 'x' have different units"},
      {2, "M10",
       "valueReference=\"4\" causality=\"local\" variability=\"continuous\" "
       "initial=\"calculated\">\n      <Real declaredType=\"Position\"/>",
       "valueReference=\"2\" causality=\"local\" variability=\"continuous\" "
       "initial=\"exact\">\n      <Real declaredType=\"Position\" start=\"1\"/>",
       "'body.x' and its alias 'x0' have 2 start values"},
      {2, "M12", "<Real start=\"0\"/>", "<Real start=\"0\" begin=\"0\"/>",
       "<Real> has no attribute begin"},
      {2, "M12", "canSerializeFMUstate=\"true\"/>", "canserializefmustate=\"true\"/>",
       "<CoSimulation> has no attribute canserializefmustate"},
      {2, "M12", "description=\"Oscillator with a counter of seconds\"", "desc=\"x\"",
       "<fmiModelDescription> has no attribute desc"},
      {2, "M12", "modelName=\"Tiny\" ", "", "<fmiModelDescription> lacks the attribute modelName"},
      {2, "M12", "name=\"u\"", "name=\"u\" name=\"u\"",
       "<ScalarVariable> has the attribute name twice"},
      {2, "M13", " canNotUseMemoryManagementFunctions=\"true\"", "",
       "canNotUseMemoryManagementFunctions is not true"},
      {2, "M14", "derivative=\"5\"", "derivative=\"5\" reinit=\"true\"",
       "'v' has reinit in a co-simulation FMU", "name=\"v\""},
      {2, "M14", "variableNamingConvention=\"structured\">",
       "variableNamingConvention=\"structured\" numberOfEventIndicators=\"2\">",
       "numberOfEventIndicators is ignored"},
      {2, "M15", "dependencies=\"3\"", "dependencies=\"3 \"", "has surplus blanks"},
      {2, "M16", "    <Unit name=\"m/s\">", "    <Thing/>\n    <Unit name=\"m/s\">",
       "<Thing> does not belong in <UnitDefinitions>"},
      {2, "M16", categories + "  " + experiment, "  " + experiment + "\n" + categories,
       "<LogCategories> must come before <DefaultExperiment>", "<LogCategories>"},
      {2, "M16", "    <InitialUnknowns>", "    <Derivatives/><InitialUnknowns>",
       "<Derivatives> lacks <Unknown>"},
      {2, "M16", experiment, experiment + experiment, "has 2 times <DefaultExperiment>",
       "<fmiModelDescription"},
      {2, "S1", output6, "", "<Outputs> lacks 'v'", "<ModelStructure>"},
      {2, "S1", output6, output6 + "      <Unknown index=\"3\" dependencies=\"\"/>\n",
       "<Outputs> must not list 'x0'", "<ModelStructure>"},
      {2, "S1", output6, output6 + "<!-- -->" + output6, "<Outputs> lists 6 twice", "<!-- -->"},
      {2, "S1", output6, output6 + "      <Unknown index=\"99\" dependencies=\"\"/>\n",
       "<Outputs> lists 99, which is no variable", "index=\"99\""},
      {2, "S2", "      <Unknown index=\"5\" dependencies=\"3\" dependenciesKind=\"dependent\"/>\n",
       "", "<InitialUnknowns> lacks 'x'", "<ModelStructure>"},
      {2, "S2", "    </InitialUnknowns>", "      <Unknown index=\"8\"/>\n    </InitialUnknowns>",
       "<InitialUnknowns> must not list 'ticking'", "<ModelStructure>"},
      {2, "S2",
       "    <InitialUnknowns>\n      <Unknown index=\"5\" dependencies=\"3\" "
       "dependenciesKind=\"dependent\"/>\n      <Unknown index=\"7\" dependencies=\"\"/>",
       "    <InitialUnknowns>\n      <Unknown index=\"7\" dependencies=\"\"/>\n      <Unknown "
       "index=\"5\" dependencies=\"3\" dependenciesKind=\"dependent\"/>",
       "<InitialUnknowns> is not in the order of the variables", "index=\"5\" dependencies=\"3\""},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>", "<Unknown index=\"5\"/>",
       "no dependencies are given for 'x'"},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>",
       "<Unknown index=\"5\" dependencies=\"6\"/>", "dependency 'v' is not known there"},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>",
       "<Unknown index=\"5\" dependencies=\"2\"/>",
       "dependency 'k' is not known outside of initialization: it is a parameter"},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>",
       "<Unknown index=\"5\" dependencies=\"44\"/>", "dependency 44 is no variable"},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>",
       "<Unknown index=\"5\" dependencies=\"4 4\"/>", "dependency 4 is listed twice"},
      {2, "S3", "<Unknown index=\"5\" dependencies=\"\"/>",
       "<Unknown index=\"5\" dependencies=\"4 1\"/>",
       "the dependencies are not in the order of the variables"},
      {2, "S3", "dependencies=\"3\"", "dependencies=\"7\"",
       "dependency 'count' is not known in init"},
      {2, "S4", "dependencies=\"3\" dependenciesKind=\"dependent\"",
       "dependenciesKind=\"dependent\"", "dependenciesKind without dependencies"},
      {2, "S4", "dependenciesKind=\"dependent\"", "dependenciesKind=\"dependent constant\"",
       "2 kinds for 1 dependencies"},
      {2, "S4", "dependenciesKind=\"dependent\"", "dependenciesKind=\"fixed\"",
       "kind 'fixed' in an initial unknown"},
      {2, "S4", "dependenciesKind=\"dependent\"", "dependenciesKind=\"odd\"",
       "'odd' is no kind of dependency"},
      {2, "R1", " canGetAndSetFMUstate=\"true\"", "", "can be serialized but not saved"},
      {2, "M11", "declaredType=\"Mode\" start=\"2\"", "declaredType=\"Mode\" start=\"3\"",
       "start 3 of 'mode' is no item of 'Mode'", "name=\"mode\""},
  };
  for (const CheckCase& one : cases) run_case(one);
}

TEST(CheckDescription, FindsDefectsOfFmi3) {
  const std::string output5 = "    <Output valueReference=\"5\" dependencies=\"\"/>\n";
  const CheckCase cases[] = {
      {3, "M1", "fmiVersion=\"3.0\"", "fmiVersion=\"3.0.2\"", "fmiVersion is '3.0.2'"},
      {3, "M3", "instantiationToken=\"{tiny-1}\"", "instantiationToken=\"\"",
       "instantiationToken is empty"},
      {3, "M5", "<Alias name=\"body.x\"", "<Alias name=\"x\"", "the name 'x' is used in line"},
      {3, "M6", "causality=\"parameter\" variability=\"tunable\" start=\"4\"",
       "causality=\"parameter\" variability=\"continuous\" start=\"4\"",
       "causality parameter does not go with variability continuous"},
      {3, "M6", "variability=\"continuous\" start=\"0\"/>",
       "variability=\"continuous\" initial=\"approx\" start=\"0\"/>",
       "initial=\"approx\" is not allowed for causality input"},
      {3, "M6", "causality=\"input\" variability=\"continuous\" start=\"0\"",
       "causality=\"input\" variability=\"continuous\"", "'u' needs a start value"},
      {3, "M6", "      <Start value=\"tiny\"/>\n", "", "'label' needs a start value",
       "name=\"label\""},
      {3, "M6", "initial=\"calculated\" min=\"0\"", "initial=\"calculated\" start=\"0\"",
       "'count' is calculated and has a start value"},
      {3, "M7", "variability=\"discrete\" initial", "variability=\"continuous\" initial",
       "'count' is a Int32 and continuous"},
      {3, "M8", "unit=\"m/s\" start", "unit=\"km\" start", "unit 'km' of 'v' is not defined"},
      {3, "M8", "displayUnit=\"mm\"/>\n    </Float64>", "displayUnit=\"km\"/>\n    </Float64>",
       "display unit 'km' of the alias 'body.x'", "<Alias"},
      {3, "M8", "declaredType=\"Mode\"", "declaredType=\"Position\"",
       "declared type 'Position' of 'mode' is a Float64"},
      {3, "M8", "<DisplayUnit name=\"mm\" factor=\"1000\"/>",
       "<DisplayUnit name=\"mm\" factor=\"1000\" offset=\"1\" inverse=\"true\"/>",
       "has inverse and offset", "<Unit name=\"m\""},
      {3, "M8", "<DisplayUnit name=\"mm\" factor=\"1000\"/>",
       "<DisplayUnit name=\"mm\" factor=\"1000\"/><DisplayUnit name=\"mm\" factor=\"1\"/>",
       "display unit 'mm' is defined twice", "<Unit name=\"m\""},
      {3, "M8", "<EnumerationType name=\"Mode\">",
       "<Float64Type name=\"Position\"/><EnumerationType name=\"Mode\">",
       "type 'Position' is defined twice"},
      {3, "M9", "causality=\"independent\" variability=\"continuous\" unit=\"s\"",
       "causality=\"local\" variability=\"continuous\" unit=\"s\"", "has no independent variable",
       "NONE"},
      {3, "M10", "name=\"i8\" valueReference=\"20\"", "name=\"i8\" valueReference=\"12\"",
       "'i8' has the value reference of 'single', 12"},
      {3, "M11", "initial=\"calculated\" min=\"0\"", "initial=\"calculated\" min=\"2\" max=\"1\"",
       "max 1 of 'count' is below min 2"},
      {3, "M11", "start=\"8\"/>", "start=\"8\" min=\"18446744073709551615\"/>",
       "start 8 of 'u64' is below min 18446744073709551615"},
      {3, "M11", "start=\"1 2 3\"", "start=\"1 2 3\" max=\"2.5\"",
       "start 1 2 3 of 'weights' is above max 2.5"},
      {3, "M12", "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"",
       "canGetAndSetFMUState=\"true\" canSerializeFMUstate=\"true\"",
       "<CoSimulation> has no attribute canSerializeFMUstate"},
      {3, "M12", "start=\"1\"/>\n    <UInt8", "start=\"1000\"/>\n    <UInt8",
       "start=\"1000\" of <Int8> should be a value of type Int8"},
      {3, "M12", "<Start value=\"cafe\"/>", "<Start value=\"cafe9\"/>",
       "value=\"cafe9\" of <Binary> should be a value of type Binary", "name=\"blob\""},
      {3, "M17", "name=\"logStatusError\"", "name=\"logAll\"",
       "log category 'logAll' is none of the standard"},
      {3, "M15", "start=\"1 2 3\"", "start=\"1  2 3\"", "has surplus blanks"},
      {3, "M15", "dependencies=\"2\"", "dependencies=\" 2\"", "has surplus blanks"},
      {3, "M16", "    <InitialUnknown valueReference=\"4\"",
       "    <Input/>\n    <InitialUnknown valueReference=\"4\"",
       "<Input> does not belong in <ModelStructure>"},
      {3, "S1", output5, "", "<Output> lacks 'v'", "<ModelStructure>"},
      {3, "S1", output5, output5 + "<!-- -->" + output5, "<Output> lists 5 twice", "<!-- -->"},
      {3, "S1", output5, output5 + "    <Output valueReference=\"2\" dependencies=\"\"/>\n",
       "<Output> must not list 'x0'", "<ModelStructure>"},
      {3, "S2", "    <InitialUnknown valueReference=\"6\" dependencies=\"\"/>\n", "",
       "<InitialUnknown> lacks 'count'", "<ModelStructure>"},
      {3, "S2", "  </ModelStructure>",
       "    <InitialUnknown valueReference=\"5\"/>\n  </ModelStructure>",
       "<InitialUnknown> must not list 'v'", "<ModelStructure>"},
      {3, "S3", "<Output valueReference=\"5\" dependencies=\"\"/>",
       "<Output valueReference=\"5\" dependencies=\"6\"/>",
       "dependency 'count' is not known there"},
      {3, "S3", "<Output valueReference=\"5\" dependencies=\"\"/>",
       "<Output valueReference=\"5\"/>", "no dependencies are given for 'v'"},
      {3, "S4", "dependenciesKind=\"dependent\"", "dependenciesKind=\"dependent dependent\"",
       "2 kinds for 1 dependencies"},
      {3, "R1", "canGetAndSetFMUState=\"true\" ", "", "can be serialized but not saved"},
  };
  for (const CheckCase& one : cases) run_case(one);
}

// Derivatives of states have a use in co-simulation only with directional derivatives.
TEST(CheckDescription, IgnoredDerivativesLeaveNoStates) {
  const std::pair<int, std::pair<const char*, const char*>> edits[] = {
      {2,
       {"<Unknown index=\"7\" dependencies=\"\"/>\n    </Outputs>",
        "<Unknown index=\"7\" dependencies=\"5\"/>\n    </Outputs>\n    <Derivatives>"
        "<Unknown index=\"6\" dependencies=\"\"/></Derivatives>"}},
      {3,
       {"<Output valueReference=\"6\" dependencies=\"\"/>",
        "<Output valueReference=\"6\" dependencies=\"4\"/>\n    "
        "<ContinuousStateDerivative valueReference=\"5\" dependencies=\"\"/>"}}};
  for (const auto& [version, edit] : edits) {
    SCOPED_TRACE(version);
    auto entries = tiny_entries(version);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, edit.first, edit.second);
    const std::string text = all_of(check_entries(entries));
    EXPECT_NE(text.find("advice: "), std::string::npos) << text;
    EXPECT_NE(text.find("is ignored in co-simulation without directional derivatives [M14]"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("dependency 'x' is not known there [S3]") != std::string::npos,
              version == 2)
        << text;
    // Dependencies count with directional derivatives, or with model exchange as well.
    auto with = entries;
    replace_once(entry_named(with, "modelDescription.xml").content, "<CoSimulation ",
                 version == 2 ? "<CoSimulation providesDirectionalDerivative=\"true\" "
                              : "<CoSimulation providesDirectionalDerivatives=\"true\" ");
    EXPECT_EQ(all_of(check_entries(with)), "");
  }
}

// Defects that cause others.
TEST(CheckDescription, FindsDefectsAmongOthers) {
  const auto found = [](int version, const std::string& from, const std::string& to) {
    auto entries = tiny_entries(version);
    replace_once(entry_named(entries, "modelDescription.xml").content, from, to);
    return check_entries(entries);
  };
  expect_among(found(2, "name=\"u\" valueReference=\"3\"", "name=\"u\" valueReference=\"1\""),
               "M10", "'u' and its alias 'k' can both be set", {});
  expect_among(found(2, "<Real unit=\"s\"/>", "<Integer/>"), "M9",
               "the independent variable is a Int32", {"M7"});
  expect_among(found(3, "declaredType=\"Mode\" start=\"2\"", "start=\"2\""), "M8",
               "enumeration 'mode' declares no type", {"M12"});
  expect_among(found(3, "  </ModelStructure>",
                     "    <ContinuousStateDerivative valueReference=\"4\"/>\n  </ModelStructure>"),
               "S2", "'x' is no derivative of a variable", {"M14", "M16", "S3"});
}

TEST(CheckDescription, EventIndicatorsAreIgnoredInCoSimulation) {
  auto entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content, "  </ModelStructure>",
               "    <EventIndicator valueReference=\"4\" dependencies=\"\"/>\n  </ModelStructure>");
  expect_one(check_entries(entries), "M14", "<EventIndicator> is ignored in co-simulation");
}

TEST(CheckDescription, AcceptsWhatOnlyLooksOdd) {
  const CheckCase cases[] = {
      {2, "", "name=\"k\"", "name=\"der(a.'x y'[1,2].b,2)\"", ""},
      {2, "", "min=\"0\" max=\"100\"", "min=\"4\" max=\"4\"", ""},
      {3, "", "start=\"1 2 3\"", "start=\"7\"", ""},
      {3, "", "modelName=\"Tiny\"", "xmlns:v=\"urn:x\" v:more=\"1\" modelName=\"Tiny\"", ""},
      {3, "", "mightReturnEarly", "mightReturnEarly", ""},
      {3, "", "<DefaultExperiment", "<!-- a comment -->\n  <DefaultExperiment", ""},
      {3, "", "max=\"100\"", "max=\"INF\"", ""},
  };
  for (const CheckCase& one : cases) {
    auto entries = tiny_entries(one.version);
    replace_once(entry_named(entries, "modelDescription.xml").content, one.from, one.to);
    EXPECT_EQ(all_of(check_entries(entries)), "") << one.to;
  }
}

TEST(CheckDescription, ReportsAFileThatCannotBeRead) {
  auto entries = tiny_entries(2);
  entry_named(entries, "modelDescription.xml").content = "<a><b></a>";
  expect_one(check_entries(entries), "M1", "modelDescription.xml:1: is not well-formed XML");
  entries.erase(entries.begin());
  expect_one(check_entries(entries), "M1", "has no modelDescription.xml");
}

}  // namespace
}  // namespace mbs::test
