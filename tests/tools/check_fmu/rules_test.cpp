// tools/check_fmu/rules.md, the checker and the tests have the same rules, and each rule of the
// checker has caught an FMU with one defect.
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

const std::filesystem::path source = SOURCE_FOLDER;

struct Row {
  std::string id, what, seen_by;
};

constexpr std::string_view digits = "0123456789";

// A letter of `letters` and a number.
bool is_id(std::string_view text, std::string_view letters) {
  return text.size() > 1 && letters.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of(digits, 1) == std::string_view::npos;
}

// Lines of the form "| D3 | what | seen by |".
std::vector<Row> table() {
  constexpr std::string_view bar = " | ", end = " |";
  std::vector<Row> rows;
  std::istringstream text(read_file(source / "tools/check_fmu/rules.md"));
  for (std::string line; std::getline(text, line);) {
    const std::size_t first = line.find(bar), last = line.rfind(bar);
    if (!line.starts_with("| ") || !line.ends_with(end) || first >= last) continue;
    const std::string id = line.substr(2, first - 2);
    if (!is_id(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) continue;
    const std::size_t what = first + bar.size(), seen_by = last + bar.size();
    rows.push_back({id, line.substr(what, last - what),
                    line.substr(seen_by, line.size() - end.size() - seen_by)});
  }
  return rows;
}

// The rules that the checker's files name in quotes.
std::set<std::string> ids_in_checker() {
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(source / "tools/check_fmu")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path());
    for (std::size_t open = text.find('"'); open != std::string::npos;
         open = text.find('"', open + 1)) {
      const std::string keyword = text.substr(open + 1, text.find('"', open + 1) - open - 1);
      if (is_id(keyword, "AMSLDFRB")) ids.insert(keyword);
    }
  }
  return ids;
}

TEST(Rules, AreAllInTheTable) {
  std::set<std::string> expected, found;
  const std::pair<char, int> kinds[] = {{'A', 9},  {'M', 18}, {'S', 6}, {'L', 16},
                                        {'D', 15}, {'F', 8},  {'R', 3}, {'B', 5}};
  for (const auto& [letter, count] : kinds)
    for (int i = 1; i <= count; ++i) expected.insert(letter + std::to_string(i));
  for (const Row& row : table()) EXPECT_TRUE(found.insert(row.id).second) << row.id << " twice";
  EXPECT_EQ(found, expected);
}

TEST(Rules, AreCheckedAndTestedAsTheTableSays) {
  std::set<std::string> checked;
  for (const Row& row : table()) {
    if (row.seen_by == "check") {
      checked.insert(row.id);
    } else if (row.seen_by.starts_with("tests/")) {
      EXPECT_NE(read_file(source / row.seen_by).find("(" + row.id + ")"), std::string::npos)
          << row.seen_by << " does not name " << row.id;
    } else {
      EXPECT_TRUE(row.seen_by.starts_with("none: ")) << row.id;
    }
  }
  EXPECT_EQ(checked, ids_in_checker());
}

// Prints after a whole run how many defects each rule has caught.
class Coverage : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*" || std::getenv("GTEST_TOTAL_SHARDS") != nullptr) return;
    int rules = 0, defects = 0;
    for (const Row& row : table()) {
      if (row.seen_by != "check") continue;
      const auto found = caught().find(row.id);
      EXPECT_TRUE(found != caught().end() || hidden().contains(row.id))
          << row.id << ": no FMU breaks it";
      if (found == caught().end()) continue;
      ++rules;
      defects += found->second;
    }
    EXPECT_GE(defects, 40);
    std::cout << defects << " FMUs with one defect each, caught by " << rules << " rules\n";
  }
};
const testing::Environment* const coverage = testing::AddGlobalTestEnvironment(new Coverage);

}  // namespace
}  // namespace mbs::test
