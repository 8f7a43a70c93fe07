// Models whose files are in order and that cannot be: each file of impossible/ gives the message of
// the text next to it, when it is assembled or started. After a deliberate change of keywords run
// the test with MBS_WRITE_GOLDEN=1 and read the difference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"

namespace mbs::test {
namespace {

std::vector<std::string> impossible_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(MBS_IMPOSSIBLE)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".mbs.xml")) names.push_back(name.substr(0, name.size() - 8));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string message_of(const std::string& path) {
  Diagnostics diagnostics;
  const Model model = read_model(path, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  const std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  std::string text = diagnostics.text();
  const std::string folder = std::string(MBS_IMPOSSIBLE) + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
    text.erase(at, folder.size());
  }
  if (!equations) return text;
  try {
    CoSimulationDriver simulation(equations, solver_choice(model));
    const InitialReport report = simulation.initialise(0.0);
    EXPECT_FALSE(report.ok);
    return report.message + "\n";
  } catch (const std::exception& refused) {
    return std::string(refused.what()) + "\n";
  }
}

class Impossible : public testing::TestWithParam<std::string> {};

TEST_P(Impossible, GivesItsMessage) {
  const std::string base = std::string(MBS_IMPOSSIBLE) + "/" + GetParam();
  const std::string text = message_of(base + ".mbs.xml"), golden = base + ".txt";
  if (std::getenv("MBS_WRITE_GOLDEN")) std::ofstream(golden) << text;
  std::ifstream file(golden);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

INSTANTIATE_TEST_SUITE_P(Files, Impossible, testing::ValuesIn(impossible_files()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace mbs::test
