#include "tests/harness/harness.hpp"

#include <cstdlib>
#include <sstream>

#ifdef HAS_FMILIB
#include "tests/harness/fmilib.hpp"
#endif

namespace mbs::test {

std::vector<Importer> importers() {
  std::vector<Importer> list;
  list.push_back({"own", [](const std::filesystem::path& file) { return import::open_fmu(file); }});
#ifdef HAS_FMILIB
  list.push_back({"FmiLibrary", open_fmu_fmilib});
#endif
  return list;
}

std::vector<std::filesystem::path> harness_fmus() {
  std::vector<std::filesystem::path> files;
  const char* text = std::getenv("MBS_HARNESS_FMUS");
  std::istringstream stream(text ? text : "");
  for (std::string file; std::getline(stream, file, ':');)
    if (!file.empty()) files.emplace_back(file);
  return files;
}

}  // namespace mbs::test
