// The generated files are fresh, and what they say is true.

#include "engine/model/schema.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/base/text.hpp"
#include "engine/model/quantities.hpp"
#include "engine/model/schema/variables.hpp"
#include "engine/model/schema_docs.hpp"
#include "tests/model/model_test.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {
namespace {

TEST(Schema, HasFreshGeneratedFiles) {
  const std::string advice = "run: mbs_schema_docs engine/model/generated";
  EXPECT_EQ(contents(MBS_GENERATED "/mbs.xsd"), xsd_text()) << advice;
  EXPECT_EQ(contents(MBS_GENERATED "/manual.md"), manual_text()) << advice;
}

TEST(Schema, HasCompleteTables) {
  std::set<std::string_view> names;
  for (const TagSchema& tag : schema()) {
    EXPECT_TRUE(names.insert(tag.name).second) << tag.name << " twice";
    EXPECT_FALSE(tag.doc.empty()) << tag.name;
    EXPECT_FALSE(tag.example.empty()) << tag.name;
    EXPECT_FALSE(tag.parents.empty()) << tag.name;
    EXPECT_EQ(find_tag(tag.name), &tag);
    std::set<std::string_view> attributes;
    for (const AttributeSchema& a : tag.attributes) {
      const std::string where = std::string(tag.name) + "." + std::string(a.name);
      EXPECT_TRUE(attributes.insert(a.name).second) << where << " twice";
      EXPECT_FALSE(a.doc.empty()) << where;
      if (!a.dimension.empty() && a.dimension[0] != '?') {
        EXPECT_TRUE(parse_unit(a.dimension)) << where;
      }
      EXPECT_EQ(a.type == AttributeType::keyword, !a.choices.empty()) << where;
      if (a.type == AttributeType::keyword && !a.default_value.empty()) {
        EXPECT_TRUE(contains(a.choices, '|', a.default_value)) << where;
      }
      EXPECT_FALSE(a.required && !a.default_value.empty()) << where;
    }
  }
  EXPECT_EQ(find_tag("joint"), nullptr);
}

// Each element has its page: a formula, an example, a picture where the manual shows one.
TEST(Schema, DescribesEveryElement) {
  std::set<std::string> drawn;
  for (const auto& entry : std::filesystem::directory_iterator(MBS_GENERATED "/../pictures")) {
    drawn.insert(entry.path().stem());
  }
  const std::string manual = contents(MBS_GENERATED "/manual.md");
  for (const TagSchema& tag : schema()) {
    const std::string name(tag.name);
    EXPECT_NE(manual.find("### `<" + name + ">`"), std::string::npos) << name;
    EXPECT_TRUE(!tag.formula.empty() || tag.role == TagRole::structure) << name;
    const bool shown = manual.find("pictures/" + name + ".svg") != std::string::npos;
    EXPECT_EQ(shown, drawn.contains(name)) << name;
    drawn.erase(name);
  }
  EXPECT_TRUE(drawn.empty()) << *drawn.begin();
}

TEST(Schema, NamesTheQuantitiesOfTheTable) {
  std::string keywords;
  for (const QuantitySchema& q : quantity_schema()) {
    keywords += (keywords.empty() ? "" : "|") + std::string(q.keyword);
  }
  EXPECT_EQ(keywords, tables::quantities);
}

TEST(Schema, HasExamplesThatCanBeRead) {
  for (const TagSchema& tag : schema()) {
    std::string text(tag.example);
    if (tag.name != "mbs") {
      text = tag.space == SpaceSupport::spatial ? spatial(text) : planar(text);
    }
    Diagnostics diagnostics;
    // Files that they name are those of the tests.
    read_model_text(text, folder() + "/models/robots/" + std::string(tag.name), diagnostics);
    EXPECT_EQ(diagnostics.text(), "") << text;
  }
}

// Model files of the tests and the templates against the XSD, by xmllint where it is installed.
TEST(Schema, ValidatesModelsByTheXsd) {
  if (std::system("xmllint --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no xmllint";
  std::vector<std::string> files;
  for (const std::string& folder : {std::string(MBS_TEMPLATES), test::folder() + "/models"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().string().ends_with(".mbs.xml")) files.push_back(entry.path());
    }
  }
  ASSERT_FALSE(files.empty());
  const std::string command = "xmllint --noout --nonet --schema " MBS_GENERATED "/mbs.xsd ";
  for (const std::string& file : files) {
    EXPECT_EQ(std::system((command + "'" + file + "'").c_str()), 0) << file;
  }
  // A file that does not fit is found.
  const std::string wrong = own_folder() + "wrong.mbs.xml";
  std::ofstream(wrong) << planar("<body name='b' mas='1'/>");
  EXPECT_NE(std::system((command + "'" + wrong + "' 2> /dev/null").c_str()), 0);
  std::filesystem::remove(wrong);
}

}  // namespace
}  // namespace mbs::test
