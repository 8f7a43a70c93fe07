// Robots of others: every description that is found is read, or its file says something wrong.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "tests/robots/descriptions.hpp"

namespace mbs::test {
namespace {

// Files that say wrong things, or nothing about rigid bodies. All others must be read.
bool has_known_error(const std::string& text) {
  for (const char* known :
       {"[urdf-tree]", "[inertia]", "[xml]", "[not-text]", "[duplicate-name]", "[unknown-name]",
        "[missing-tag]", "[missing-attribute]", "[duplicate-tag]", "[urdf-number]",
        "[unknown-keyword]", "[range]", "[unknown-tag]"}) {
    if (text.find(known) != std::string::npos) return true;
  }
  return false;
}

// 214 of the 240 descriptions of the packages named in CMakeLists.txt are in order.
int least_read(int found) {
  return found >= 200 ? 85 * found / 100 : std::min(5, found / 2);
}

TEST(Robots, AreRead) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  int read = 0;
  for (const std::filesystem::path& robot : robots()) {
    for (const bool free : {false, true}) {
      Diagnostics diagnostics;
      const Model model = read_model(workshop.model(robot, free, "", ""), diagnostics);
      if (diagnostics.ok()) {
        const auto equations = assemble(model, diagnostics);
        EXPECT_TRUE(equations) << robot << "\n" << diagnostics.text();
        read += free;
        continue;
      }
      const std::string text = diagnostics.text();
      EXPECT_TRUE(has_known_error(text)) << robot << "\n" << text;
      if (free) continue;
      std::printf("%s\n", robot.c_str());
      for (const Diagnostic& d : diagnostics.list()) {
        if (d.severity == Severity::error)
          std::printf("  line %d: %s [%s]\n", d.place.line, d.message.c_str(), d.code.c_str());
      }
    }
  }
  std::printf("%d of %zu descriptions read\n", read, robots().size());
  EXPECT_GE(read, least_read(static_cast<int>(robots().size())));
}

}  // namespace
}  // namespace mbs::test
