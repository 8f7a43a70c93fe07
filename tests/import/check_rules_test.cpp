// tools/check_fmu/rules.md, the checker and the tests speak of the same rules.
#include <regex>
#include <set>
#include <sstream>

#include "tests/import/check_case.hpp"

namespace mbs::test {
namespace {

const std::filesystem::path source = SOURCE_FOLDER;

struct Row {
  std::string id, what, seen_by;
};

std::vector<Row> table() {
  std::vector<Row> rows;
  std::istringstream text(read_file(source / "tools/check_fmu/rules.md"));
  const std::regex form(R"(\| ([A-Z]\d+) \| (.+) \| (.+) \|)");
  std::smatch match;
  for (std::string line; std::getline(text, line);)
    if (std::regex_match(line, match, form)) rows.push_back({match[1], match[2], match[3]});
  return rows;
}

// The rules that a folder's files name in quotes.
std::set<std::string> ids_in(const std::filesystem::path& folder, const std::string& begin) {
  std::set<std::string> ids;
  const std::regex quoted("\"([AMSLDFRB]\\d+)\"");
  for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(".cpp")) continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), quoted), end; i != end; ++i)
      ids.insert((*i)[1]);
  }
  return ids;
}

TEST(Rules, AreAllInTheTable) {
  std::set<std::string> expected, found;
  const std::pair<char, int> kinds[] = {{'A', 7},  {'M', 17}, {'S', 5}, {'L', 15},
                                        {'D', 11}, {'F', 8},  {'R', 3}, {'B', 5}};
  for (const auto& [letter, count] : kinds)
    for (int i = 1; i <= count; ++i) expected.insert(letter + std::to_string(i));
  for (const Row& row : table()) EXPECT_TRUE(found.insert(row.id).second) << row.id << " twice";
  EXPECT_EQ(found, expected);
}

TEST(Rules, AreCheckedAndTestedAsTheTableSays) {
  const std::set<std::string> in_checker = ids_in("tools/check_fmu", ""),
                              in_tests = ids_in("tests/import", "check_");
  std::set<std::string> checked;
  for (const Row& row : table()) {
    if (row.seen_by == "check") {
      checked.insert(row.id);
      EXPECT_TRUE(in_tests.contains(row.id)) << row.id << ": no FMU breaks it";
    } else if (row.seen_by.starts_with("tests/")) {
      EXPECT_NE(read_file(source / row.seen_by).find("(" + row.id + ")"), std::string::npos)
          << row.seen_by << " does not name " << row.id;
    } else {
      EXPECT_TRUE(row.seen_by.starts_with("none: ")) << row.id;
    }
  }
  EXPECT_EQ(checked, in_checker);
}

}  // namespace
}  // namespace mbs::test
