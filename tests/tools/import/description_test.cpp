// Reading of model descriptions: all parts of good ones, lines and messages of bad ones.
#include <gtest/gtest.h>

#include "tests/tools/import/zip_builder.hpp"
#include "tools/import/fmu.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the test is about all of it

std::string tiny_text(int version) {
  auto entries = tiny_entries(version);
  return entry_named(entries, "modelDescription.xml").content;
}

ModelDescription read(const std::string& text) {
  return read_model_description(XmlFile("modelDescription.xml", text));
}

TEST(Description, ReadsFmi2) {
  const ModelDescription d = read(tiny_text(2));
  EXPECT_EQ(d.version, FmiVersion::fmi2);
  EXPECT_TRUE(d.problems.empty());
  EXPECT_EQ(d.token, "{tiny-1}");
  EXPECT_EQ(d.naming_convention, "structured");
  ASSERT_TRUE(d.co_simulation);
  EXPECT_FALSE(d.model_exchange);
  EXPECT_EQ(d.co_simulation->model_identifier, "tiny");
  EXPECT_TRUE(d.co_simulation->can_get_and_set_state);
  EXPECT_TRUE(d.co_simulation->can_serialize_state);
  EXPECT_FALSE(d.co_simulation->has_event_mode);
  EXPECT_EQ(d.co_simulation->max_output_derivative_order, 1u);
  ASSERT_EQ(d.units.size(), 3u);
  EXPECT_EQ(d.units[1].exponents, (std::array<int, 8>{0, 1, -1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(d.units[0].display_units[0].factor, 1000);
  ASSERT_EQ(d.types.size(), 2u);
  EXPECT_EQ(d.types[1].items[1].name, "fast");
  EXPECT_EQ(d.default_experiment->step, 0.25);
  EXPECT_EQ(d.log_categories.at(0).name, "logStatusError");
  ASSERT_EQ(d.variables.size(), 11u);

  const Variable& x0 = *d.find("x0");
  EXPECT_EQ(x0.attributes.unit, "m");  // from its declared type
  EXPECT_EQ(x0.attributes.display_unit, "mm");
  EXPECT_EQ(x0.start, Value(Reals{1}));
  EXPECT_EQ(x0.initial, Initial::exact);  // by default
  EXPECT_FALSE(x0.has_initial);
  EXPECT_FALSE(d.find("u")->initial);  // inputs have none in FMI 2
  EXPECT_EQ(d.find("x")->initial, Initial::calculated);
  EXPECT_EQ(d.find("count")->type, VariableType::int32);
  EXPECT_EQ(d.find("ticking")->start, Value(Integers{1}));
  EXPECT_EQ(d.find("label")->start, Value(Strings{"tiny"}));
  EXPECT_EQ(d.find("k")->attributes.max, Value(Reals{100}));
  EXPECT_EQ(d.find("none"), nullptr);

  ASSERT_EQ(d.structure.initial_unknowns.size(), 2u);
  EXPECT_EQ(d.structure.initial_unknowns[0].variable, 4u);
  EXPECT_EQ(d.structure.initial_unknowns[0].dependencies, std::vector<std::uint32_t>{3});
  EXPECT_TRUE(d.structure.initial_unknowns[1].has_dependencies);
  EXPECT_TRUE(d.structure.initial_unknowns[1].dependencies.empty());
}

TEST(Description, ReadsFmi3) {
  const ModelDescription d = read(tiny_text(3));
  EXPECT_EQ(d.version, FmiVersion::fmi3);
  EXPECT_TRUE(d.problems.empty());
  EXPECT_TRUE(d.co_simulation->has_event_mode);
  EXPECT_TRUE(d.co_simulation->might_return_early);
  EXPECT_TRUE(d.co_simulation->can_get_and_set_state);
  EXPECT_EQ(d.find("u")->initial, Initial::exact);
  EXPECT_EQ(d.find("body.x"), d.find("x"));
  EXPECT_EQ(d.find("x")->aliases.at(0).display_unit, "mm");
  EXPECT_EQ(d.find("weights")->start, Value(Reals{1, 2, 3}));
  EXPECT_EQ(element_count(d, *d.find("weights")), 3u);
  EXPECT_EQ(element_count(d, *d.find("x")), 1u);
  EXPECT_EQ(d.find("blob")->start, Value(Strings{"\xca\xfe"}));
  EXPECT_EQ(d.find("label")->start, Value(Strings{"tiny"}));
  EXPECT_EQ(d.find("single")->start, Value(Reals{static_cast<double>(0.1f)}));
  EXPECT_EQ(d.find("u64")->type, VariableType::uint64);
  EXPECT_EQ(d.find("v")->derivative, 4u);
  EXPECT_EQ(d.structure.outputs[1].variable, 5u);
}

TEST(Description, ResizableArraysFollowTheirParameter) {
  std::string text = tiny_text(3);
  replace_once(text, "<Dimension start=\"3\"/>",
               "<Dimension valueReference=\"99\"/><Dimension start=\"2\"/>");
  replace_once(text, "<Int8 name=\"i8\"",
               "<UInt64 name=\"n\" valueReference=\"99\" causality=\"structuralParameter\" "
               "start=\"5\"/><Int8 name=\"i8\"");
  const ModelDescription d = read(text);
  EXPECT_EQ(element_count(d, *d.find("weights")), 10u);
  EXPECT_EQ(d.find("n")->variability, Variability::fixed);  // by default
}

TEST(Description, ListsEveryProblemWithItsLine) {
  std::string text = tiny_text(2);
  replace_once(text, "start=\"4\" min=\"0\"", "start=\"4,5\" min=\"zero\"");
  replace_once(text, "valueReference=\"3\"", "valueReference=\"-3\"");
  replace_once(text, "variability=\"discrete\"", "variability=\"jumpy\"");
  replace_once(text, "canSerializeFMUstate=\"true\"", "canSerializeFMUstate=\"yes\"");
  replace_once(text, "guid=\"{tiny-1}\"", "");
  const ModelDescription d = read(text);
  std::string all;
  for (const Problem& problem : d.problems)
    all += std::to_string(problem.line) + ": " + problem.what + "\n";
  EXPECT_EQ(all,
            "2: <fmiModelDescription> lacks the attribute guid\n"
            "3: attribute canSerializeFMUstate=\"yes\" of <CoSimulation> should be true or false\n"
            "36: attribute min=\"zero\" of <Real> should be one number of type Float64\n"
            "36: attribute start=\"4,5\" of <Real> should be a value of type Float64\n"
            "41: attribute valueReference=\"-3\" of <ScalarVariable> should be a whole number from "
            "0 to 4294967295\n"
            "50: attribute variability=\"jumpy\" of <ScalarVariable> should be one of constant, "
            "fixed, tunable, discrete, continuous\n");
}

void expect_error(const std::string& text, const std::string& expected,
                  const XmlLimits& limits = {}) {
  try {
    read_model_description(XmlFile("modelDescription.xml", text, limits));
    FAIL() << "accepted";
  } catch (const ImportError& error) {
    EXPECT_EQ(std::string(error.what()), expected);
  }
}

TEST(Description, RefusesWhatIsNone) {
  expect_error("", "modelDescription.xml:1: is not well-formed XML: No document element found");
  expect_error("<a>\n<b>\n</a>",
               "modelDescription.xml:3: is not well-formed XML: Start-end tags mismatch");
  expect_error("\n<other/>",
               "modelDescription.xml:2: the root element is <other>, not <fmiModelDescription>");
  expect_error("<fmiModelDescription fmiVersion=\"1.0\"/>",
               "modelDescription.xml:1: fmiVersion=\"1.0\" is not supported; 2.0 and 3.0 are");
  expect_error("<a/>", "modelDescription.xml: has 4 bytes, the limit is 3", {.bytes = 3});
}

TEST(Description, SurvivesDeepNesting) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "<a>";
  for (int i = 0; i < 1'000'000; ++i) text += "</a>";
  expect_error(text, "modelDescription.xml:1: elements are nested deeper than 64");
}

TEST(Description, SurvivesDamageAtEveryByte) {
  for (const int version : {2, 3}) {
    const std::string whole = tiny_text(version);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = damaged[i] == '"' ? ' ' : '"';
      try {
        read(damaged);
      } catch (const ImportError&) {  // all that may come
      }
    }
  }
}

}  // namespace
}  // namespace mbs::test
