// The runtime as a file: its exports, the libraries it needs, the oldest system it runs on.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::set<std::string> interface_functions() {
  std::set<std::string> names;
#define FMI2_FUNCTION(result, name, parameters) names.insert("fmi2" #name);
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
#define FMI3_FUNCTION(result, name, parameters) names.insert("fmi3" #name);
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
  return names;
}

std::string output_of(const std::string& command) {
  const std::string line = command + " '" + std::getenv("MBSFMU_RUNTIME_FILE") + "'";
  FILE* pipe = popen(line.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << line;
  return text;
}

TEST(RuntimeBinary, ExportsTheFunctionsOfBothStandardsAlone) {
  std::istringstream lines(output_of("nm -D --defined-only"));
  std::set<std::string> names;
  for (std::string address, type, name; lines >> address >> type >> name;) {
    EXPECT_EQ(type, "T") << name;
    names.insert(name);
  }
  EXPECT_EQ(names, interface_functions());
}

TEST(RuntimeBinary, NeedsLibcAndLibmAlone) {
  std::istringstream lines(output_of("readelf -d"));
  std::set<std::string> needed;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.find("RPATH"), std::string::npos) << line;
    EXPECT_EQ(line.find("RUNPATH"), std::string::npos) << line;
    EXPECT_EQ(line.find("STATIC_TLS"), std::string::npos)
        << "many FMUs in one process would use up the static TLS block";
    if (line.find("(NEEDED)") == std::string::npos) continue;
    const std::size_t open = line.find('['), close = line.find(']');
    needed.insert(line.substr(open + 1, close - open - 1));
  }
  EXPECT_EQ(needed, (std::set<std::string>{"libc.so.6", "libm.so.6"}));
}

// Older glibc resolves thread-local variables lazily without a lock (bug 27137): two threads that
// throw first at the same time would race.
TEST(RuntimeBinary, IsBoundWhenItIsLoaded) {
  const std::string dynamic = output_of("readelf -d");
  EXPECT_NE(dynamic.find("BIND_NOW"), std::string::npos) << dynamic;
  EXPECT_EQ(dynamic.find("TLSDESC_PLT"), std::string::npos) << dynamic;
}

TEST(RuntimeBinary, RunsWithOldGlibc) {
  std::istringstream keywords(output_of("nm -D --undefined-only --with-symbol-versions"));
  std::map<std::pair<int, int>, std::vector<std::string>> by_version;
  for (std::string keyword; keywords >> keyword;) {
    const std::size_t at = keyword.find("@GLIBC_");
    if (at == std::string::npos) continue;
    std::pair<int, int> version;
    std::sscanf(keyword.c_str() + at, "@GLIBC_%d.%d", &version.first, &version.second);
    by_version[version].push_back(keyword.substr(0, at));
  }
  ASSERT_FALSE(by_version.empty());
  const auto& [version, symbols] = *by_version.rbegin();
  std::string list;
  for (const std::string& symbol : symbols) list += " " + symbol;
  std::printf("glibc floor %d.%d, set by:%s\n", version.first, version.second, list.c_str());
#if defined(__x86_64__)
  EXPECT_LE(version, std::pair(2, 17)) << "see fmu_src/old_glibc.cpp";
#endif
}

}  // namespace
