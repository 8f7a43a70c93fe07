// The Reference FMUs of the standard's authors: no error is reported but the few that they have.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

// The known findings, checked one by one.
const std::map<std::string, std::string> known = {
    // Steps below the fixed internal one are accepted and go nowhere; FMI 2 cannot declare it.
    {"2/Feedthrough", "D3"},
    {"2/Resource", "D3"},
    // References and numbers of derivatives are not checked, as their source says.
    {"2/VanDerPol", "D15"},
    {"3/VanDerPol", "D15"},
    {"3/Roberts", "A1"},  // a file is there twice
    {"3/Stair", "F3"},    // mightReturnEarlyFromDoStep is not set
};

TEST(ReferenceFmus, HaveNoErrorsButTheKnownOnes) {
  const char* folder = std::getenv("MBS_REFERENCE_FMUS");
  if (!folder) GTEST_SKIP() << "MBS_REFERENCE_FMUS: the folder with 2/*.fmu and 3/*.fmu";
  int count = 0;
  for (const char* version : {"2", "3"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(folder) / version)) {
      if (entry.path().extension() != ".fmu") continue;
      ++count;
      auto findings =
          check_fmu::check_fmu(entry.path(), {.time_limit = std::chrono::milliseconds(8000)});
      std::erase_if(findings, [](const check_fmu::Finding& finding) {
        return finding.severity == check_fmu::Severity::advice;
      });
      const auto expected = known.find(version + ("/" + entry.path().stem().string()));
      for (const check_fmu::Finding& finding : findings)
        EXPECT_EQ(finding.rule, expected == known.end() ? "" : expected->second)
            << to_text(finding);
    }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace mbs::test
