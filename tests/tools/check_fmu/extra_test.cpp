// Rules A8 and A9, about files next to the description: terminals and icons, layered standards;
// each with its defects.
#include <array>

#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

class CheckExtra : public testing::TestWithParam<int> {
 protected:
  CheckExtra() : entries_(tiny_entries(GetParam())) {}
  void expect(const std::string& rule, const std::string& what) {
    expect_one(check_entries(entries_), rule, what);
  }
  std::vector<ZipEntry> entries_;
};

// A good file of terminals, and each defect of it.
TEST_P(CheckExtra, WantsTerminalsThatCanBeConnected) {
  const std::string good = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <GraphicalRepresentation>
    <CoordinateSystem x1="-100" y1="-100" x2="100" y2="100" suggestedScalingFactorTo_mm="0.1"/>
    <Icon x1="-100" y1="-100" x2="100" y2="100"/>
  </GraphicalRepresentation>
  <Terminals>
    <Terminal name="flange" matchingRule="bus" terminalKind="_x.y">
      <TerminalMemberVariable variableName="u" memberName="f" variableKind="inflow"/>
      <TerminalMemberVariable variableName="x" memberName="q" variableKind="signal"/>
      <Terminal name="flange" matchingRule="org.example.rule"/>
      <TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="icon"
          defaultConnectionColor="1 2 3"/>
    </Terminal>
  </Terminals>
</fmiTerminalsAndIcons>
)";
  entries_.push_back({"terminalsAndIcons/icon.png", "png"});
  if (GetParam() == 2) entries_.push_back({"model.png", "png"});
  entries_.push_back({"terminalsAndIcons/terminalsAndIcons.xml", good});
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  const std::array<const char*, 3> defects[] = {
      {"fmiVersion=\"3.0\"", "fmiVersion=\"2.0\"", "fmiVersion is '2.0'"},
      {"x1=\"-100\" y1", "x1=\"200\" y1", "the coordinate system is empty"},
      {"name=\"flange\" matchingRule=\"bus\"", "name=\"\" matchingRule=\"bus\"", "has no name"},
      {"matchingRule=\"bus\"", "matchingRule=\"plugg\"", "has the matching rule 'plugg'"},
      {" memberName=\"f\"", "", "has no memberName"},
      {"memberName=\"f\"", "memberName=\"q\"", "has two members 'q'"},
      {"variableName=\"u\"", "variableName=\"nothing\"", "'nothing', which is no variable"},
      {"variableName=\"u\"", "variableName=\"time\"", "'time' is independent and member"},
      {"\"inflow\"", "\"flow\"", "has the kind 'flow'"},
      {"iconBaseName=\"icon\"", "iconBaseName=\"other\"", "'other.png', is not there"},
      {"\"1 2 3\"", "\"1 2 300\"", "the colour of terminal 'flange' is '1 2 300'"},
      {"<Terminal name=\"flange\" matchingRule=\"org.example.rule\"/>",
       "<TerminalStreamMemberVariable inStreamMemberName=\"a\" outStreamMemberName=\"b\" "
       "inStreamVariableName=\"u\" outStreamVariableName=\"gone\"/>",
       "'gone', which is no variable"},
      {"\"1 2 3\"", "\"1 2\"", "the colour of terminal 'flange' is '1 2'"},
      {"</fmiTerminalsAndIcons>", "", ""},
  };
  for (const auto& [from, to, what] : defects) {
    std::string xml = good;
    replace_once(xml, from, to);
    entries_.back().content = xml;
    expect("A8", what);
  }
  std::string twice = good;
  replace_once(twice, "  </Terminals>",
               "<Terminal name=\"flange\" matchingRule=\"none\"/></Terminals>");
  entries_.back().content = twice;
  expect("A8", "there are two terminals 'flange'");
  std::string other = good;
  replace_once(other, "<fmiTerminalsAndIcons", "<terminals");
  replace_once(other, "</fmiTerminalsAndIcons", "</terminals");
  entries_.back().content = other;
  expect("A8", "the root is <terminals>");
}

TEST_P(CheckExtra, WantsAnIconThatIsThere) {
  entries_.push_back({"terminalsAndIcons/icon.svg", "<svg/>"});
  expect("A8", "has no icon.png next to it");
  entries_.back() = {"terminalsAndIcons/terminalsAndIcons.xml",
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons "
                     "fmiVersion=\"3.0\"><GraphicalRepresentation><Icon x1=\"0\" y1=\"0\" x2=\"1\" "
                     "y2=\"1\"/></GraphicalRepresentation></fmiTerminalsAndIcons>"};
  expect("A8", "has an icon, but there is no terminalsAndIcons/icon.png");
}

TEST_P(CheckExtra, WantsManifestsThatFit) {
  const std::string folder = "extra/org.fmi-standard.fmi-ls-ref/";
  const std::string good = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiReferences xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
    fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-ref" fmi-ls:fmi-ls-version="1.0.0"
    fmi-ls:fmi-ls-description="related files">
  <Related source="experiments.xml" role="experiment/smoke-test"/>
  <Related source="../../modelDescription.xml" role="other"/>
  <Related source="https://example.org/model" role="model"/>
</fmiReferences>
)";
  const std::string experiments =
      "<Experiments name=\"e\"><Experiment name=\"x\"><References source=\"r.csv\"/>"
      "</Experiment></Experiments>";
  entries_.push_back({folder + "r.csv", "time,y\n0,0\n"});
  entries_.push_back({folder + "experiments.xml", experiments});
  entries_.push_back({folder + "fmi-ls-manifest.xml", good});
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  const std::array<const char*, 3> defects[] = {
      {"\"org.fmi-standard.fmi-ls-ref\"", "\"org.other\"", "is the manifest of 'org.other'"},
      {" fmi-ls:fmi-ls-version=\"1.0.0\"", "", "has no fmi-ls-version"},
      {"role=\"other\"", "role=\"others\"", "has the role 'others'"},
      {"../../modelDescription.xml", "../../../etc", "refers to '../../../etc'"},
      {"../../modelDescription.xml", "/etc/passwd", "refers to '/etc/passwd'"},
      {"experiments.xml", "more.xml", "refers to 'more.xml'"},
      {"</fmiReferences>", "", ""},
  };
  for (const auto& [from, to, what] : defects) {
    std::string xml = good;
    replace_once(xml, from, to);
    entries_.back().content = xml;
    expect("A9", what);
  }
  entries_.back().content = good;
  replace_once(entries_[entries_.size() - 2].content, "r.csv", "s.csv");
  expect("A9", "refers to 's.csv', which is not there");
}

// Reference results of the FMU: `count` goes up at 1 s, 2 s, ..., and x'' = u - 4 x.
class CheckReference : public CheckExtra {
 protected:
  static constexpr const char* folder = "extra/org.fmi-standard.fmi-ls-ref/";

  // The one finding of rule A9 when these files are there, or nothing.
  std::string found(const std::string& related, const std::vector<ZipEntry>& files) {
    auto entries = entries_;
    entries.push_back({std::string(folder) + "fmi-ls-manifest.xml",
                       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiReferences "
                       "xmlns:fmi-ls=\"http://fmi-standard.org/fmi-ls-manifest\" "
                       "fmi-ls:fmi-ls-name=\"org.fmi-standard.fmi-ls-ref\" "
                       "fmi-ls:fmi-ls-version=\"1.0.0\" fmi-ls:fmi-ls-description=\"d\">" +
                           related + "</fmiReferences>"});
    for (const ZipEntry& file : files) entries.push_back({folder + file.name, file.content});
    const auto findings = check_entries(entries, true);
    if (findings.empty()) return "";
    expect_one(findings, "A9", "");
    return findings.front().what;
  }
  // An experiment `inside`, with these results.
  std::string tried(const std::string& inside, const std::string& results,
                    const std::vector<ZipEntry>& more = {}) {
    std::vector<ZipEntry> files = more;
    files.push_back({"r.csv", results});
    files.push_back({"x.exp", "<Experiments name=\"e\"><Experiment name=\"one\">" + inside +
                                  "<References source=\"r.csv\"/>" + promise_ +
                                  "</Experiment></Experiments>"});
    return found("<Related source=\"x.exp\" role=\"experiment/smoke-test\"/>", files);
  }
  static std::string simulation(const std::string& stop) {
    return "<TransientSimulation startTime=\"0\" stopTime=\"" + stop + "\" stepSize=\"0.5\"/>";
  }

  std::string promise_ =
      "<Annotations><Annotation type=\"t\"><comparison><output name=\"count\" within=\"0.1\"/>"
      "</comparison></Annotation></Annotations>";
};

TEST_P(CheckReference, ComparesAllOfTheResults) {
  const auto rows = [&](const std::string& text, const std::string& stop = "3") {
    return tried(simulation(stop), "time,count\n" + text);
  };
  EXPECT_EQ(rows("0,0\n0.5,0\n1.5,1\n2.5,2\n"), "");
  const std::string begin = "the reference experiment 'one': ";
  EXPECT_EQ(rows("0,0\n0.5,0\n1.5,7\n2.5,2\n"),
            begin + "'count' differs at time 1.5 by 6, 0.1 is allowed");
  EXPECT_EQ(rows("0,0\n0.5,nan\n1.5,1\n2.5,2\n"),
            begin + "'count' differs at time 0.5 by not a number, 0.1 is allowed");
  EXPECT_EQ(rows("0,0\n0.5,0\n1.5,1\n7,7\n"), begin + "it ends at time 3, its results at 7");
  EXPECT_EQ(rows("0,0\n0.5,0\n1.5,1\n2.5,2\n", "2"),
            begin + "it ends at time 2, its results at 2.5");
  EXPECT_EQ(rows("0.1,0\n0.2,0\n"), begin + "none of its results is at a communication point");
}

TEST_P(CheckReference, SaysWhatIsNotTried) {
  const std::string results = "time,count\n0,0\n0.5,0\n";
  EXPECT_EQ(tried("<SteadyState/>", results),
            "the experiment 'one' is not tried: it is no simulation but <SteadyState>");
  EXPECT_EQ(
      tried(simulation("3") + "<Parameters source=\"p.csv\"/>", results, {{"p.csv", "k\n1\n"}}),
      "the experiment 'one' is not tried: it has a file of parameters");
}

TEST_P(CheckReference, WantsVariablesOfTheFmu) {
  for (const bool promised : {true, false}) {  // an error, and advice
    if (!promised) promise_.clear();
    EXPECT_EQ(
        tried(simulation("3"), "time,gone\n0,0\n"),
        "the reference experiment 'one': its results have 'gone', which is no variable of the "
        "FMU");
  }
  if (GetParam() == 2) return;  // which has no arrays
  EXPECT_EQ(tried(simulation("3"), "time,weights\n0,0\n"),
            "the reference experiment 'one': its results have 'weights', which is an array: "
            "columns are elements, such as 'weights[1]'");
}

TEST_P(CheckReference, GivesTheInputs) {
  const auto with = [&](const std::string& stimuli) {
    return tried(simulation("1") + "<Stimuli source=\"u.csv\"/>", "time,x\n0,1\n0.5,1\n1,1\n",
                 {{"u.csv", stimuli}});
  };
  EXPECT_EQ(with("time,u\n0,4\n1,4\n"), "");  // u = k x: rest
  EXPECT_NE(with("time,u\n0,0\n1,0\n").find("'x' differs at time 1 by 1.4"), std::string::npos);
}

// Results without an experiment belong to the default experiment.
TEST_P(CheckReference, ComparesResultsAlone) {
  const std::string related = "<Related source=\"r.csv\" role=\"result\"/>";
  EXPECT_EQ(found(related, {{"r.csv", "time,count\n0,0\n0.5,0\n1.5,1\n"}}), "");
  EXPECT_NE(found(related, {{"r.csv", "time,count\n0,0\n0.5,3\n1.5,1\n"}})
                .find("'default': 'count' differs at time 0.5 by 3"),
            std::string::npos);
  const std::string unread = found(related, {{"r.csv", "time,count\n0,zero\n"}});
  EXPECT_TRUE(unread.starts_with("cannot be compared: ")) << unread;
  EXPECT_EQ(unread.find("/tmp"), std::string::npos) << unread;
}

INSTANTIATE_TEST_SUITE_P(Versions, CheckExtra, testing::Values(2, 3));
INSTANTIATE_TEST_SUITE_P(Versions, CheckReference, testing::Values(2, 3));

}  // namespace
}  // namespace mbs::test
