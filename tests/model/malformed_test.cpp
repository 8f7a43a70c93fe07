// Each file of malformed/ gives the messages of the text file of the same name. After a
// deliberate change of messages run the test with MBS_WRITE_GOLDEN=1 and read the difference.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/model/model_test.hpp"

namespace mbs::test {
namespace {

std::vector<std::string> malformed_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder() + "/malformed")) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".mbs.xml") && !name.starts_with("part_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string without_folder(std::string text) {
  const std::string path = folder() + "/malformed/";
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
    text.erase(at, path.size());
  }
  return text;
}

class Malformed : public ::testing::TestWithParam<std::string> {};

TEST_P(Malformed, GivesItsMessages) {
  const std::string path = folder() + "/malformed/" + GetParam();
  Diagnostics diagnostics;
  read_model(path, diagnostics);
  EXPECT_FALSE(diagnostics.ok());
  const std::string golden = path.substr(0, path.size() - 8) + ".txt";
  const std::string text = without_folder(diagnostics.text());
  if (std::getenv("MBS_WRITE_GOLDEN")) std::ofstream(golden) << text;
  EXPECT_EQ(text, contents(golden));
  // There is no text that an FMU could carry.
  Diagnostics again;
  EXPECT_EQ(read_resolved(path, again).text, "");
}

INSTANTIATE_TEST_SUITE_P(Files, Malformed, ::testing::ValuesIn(malformed_files()),
                         [](const auto& parameter) {
                           return parameter.param.substr(0, parameter.param.size() - 8);
                         });

TEST(MalformedFiles, AreAtLeastThirtyTwo) {
  EXPECT_GE(malformed_files().size(), 32u);
}

TEST(MalformedFiles, MissingFileAndFolderAreReported) {
  Diagnostics missing, folder_read;
  read_model(folder() + "/malformed/no_such_file.mbs.xml", missing);
  EXPECT_EQ(without_folder(missing.text()),
            "no_such_file.mbs.xml: error: the file cannot be read: there is none [cannot-read]\n");
  read_model(folder() + "/malformed", folder_read);
  EXPECT_NE(folder_read.text().find("it is a directory"), std::string::npos);
}

}  // namespace
}  // namespace mbs::test
