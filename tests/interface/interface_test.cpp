// The lists of functions: complete, without repetition, and equal to the names in the official
// headers where these are present. That the types agree is shown at compile time by
// compare_fmi2.cpp and compare_fmi3.cpp.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fmu_src/interface/fmi2.h"
#include "fmu_src/interface/fmi3.h"

extern "C" {
size_t size_of_callbacks_in_c(void);
size_t size_of_event_info_in_c(void);
size_t size_of_status3_in_c(void);
size_t size_of_boolean3_in_c(void);
}

namespace {

const std::vector<std::string> fmi2_names = {
#define FMI2_FUNCTION(result, name, parameters) "fmi2" #name,
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
};

const std::vector<std::string> fmi3_names = {
#define FMI3_FUNCTION(result, name, parameters) "fmi3" #name,
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
};

std::set<std::string> as_set(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

TEST(Interface, ListsEachFunctionOnce) {
  EXPECT_EQ(as_set(fmi2_names).size(), fmi2_names.size());
  EXPECT_EQ(as_set(fmi3_names).size(), fmi3_names.size());
}

TEST(Interface, StructuresHaveTheSameSizeInC) {
  EXPECT_EQ(size_of_callbacks_in_c(), sizeof(fmi2CallbackFunctions));
  EXPECT_EQ(size_of_event_info_in_c(), sizeof(fmi2EventInfo));
  EXPECT_EQ(size_of_status3_in_c(), sizeof(fmi3Status));
  EXPECT_EQ(size_of_boolean3_in_c(), sizeof(fmi3Boolean));
}

#ifdef OFFICIAL_HEADERS
std::set<std::string> official_names(const std::string& header, const std::string& prefix) {
  std::ifstream file(std::string(OFFICIAL_HEADERS) + "/" + header);
  EXPECT_TRUE(file) << header;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string full =
      prefix + "FullName(" + prefix;  // as in: #define fmi2Reset fmi2FullName(fmi2Reset)
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find(full, at)) != std::string::npos;) {
    const std::size_t name = at + full.size();
    at = text.find(')', name);
    names.insert(prefix + text.substr(name, at - name));
  }
  return names;
}

TEST(Interface, HasTheFunctionsOfTheOfficialHeaders) {
  EXPECT_EQ(as_set(fmi2_names), official_names("FMI2/fmi2Functions.h", "fmi2"));
  EXPECT_EQ(as_set(fmi3_names), official_names("FMI3/fmi3Functions.h", "fmi3"));
}
#else
TEST(Interface, HasTheFunctionsOfTheOfficialHeaders) {
  GTEST_SKIP() << "no official headers: configure with -DFMILIB_ROOT=<installed FMI Library>";
}
#endif

}  // namespace
