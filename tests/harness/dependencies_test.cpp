// All templates and all models of the suite, in both versions: each known that is seen to act on an
// unknown, while it runs, at the start and in all modes of contacts of the settings, is listed.
// Knowns that are listed and have not been seen to act are counted, and must not be more than is
// recorded.
#include "tests/harness/at_settings.hpp"
#include "tests/harness/dependency_excess.hpp"

namespace mbs::test {
namespace {

class Dependencies : public AtSettings {
 protected:
  Dependencies() { points_ = 4; }
  // Goes back to the steps before any setting.
  void begin() { part_ = finest, relative_ = false, steps_ = {0.017, 0.3, -0.4}; }

  struct Count {
    int declared = 0, undetected = 0;
    void add(const Count& more) { declared += more.declared, undetected += more.undetected; }
  };
  Count count(const std::vector<Unknown>& unknowns, Detected& seen) {
    Count count;
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      for (const std::uint32_t known : unknown.dependencies) {
        const std::string& other = description().variables.at(*description().position(known)).name;
        ++count.declared;
        if (seen.any[name].contains(other)) continue;
        ++count.undetected;
        if (std::getenv("MBS_LISTED")) std::printf("  %s: %s\n", name.c_str(), other.c_str());
      }
    }
    return count;
  }

  void expect_all_declared(const char* folder_name) {
    const char* folder = std::getenv(folder_name);
    const std::string ending = "_fmi" + std::to_string(std::get<1>(GetParam())) + ".fmu";
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(folder ? folder : "."))
      if (const std::string file = entry.path().filename().string(); file.ends_with(ending))
        names.insert(file.substr(0, file.size() - ending.size()));
    ASSERT_GT(names.size(), 15u);
    Count all_running, all_starting;
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      open(name, folder_name);
      if (!description().model_exchange) continue;
      // Arrays have a test of their own, at two sizes.
      if (std::ranges::any_of(description().variables,
                              [](const Variable& v) { return !v.dimensions.empty(); }))
        continue;
      begin();
      Detected running, starting;
      // The vehicle has no accelerations far from where it stands.
      look_while_it_runs(running, false, name == "all_terrain_vehicle" ? 0.004 : 0.2);
      look_at_starts(starting, true);
      if (const auto own = settings.find(name); own != settings.end())
        for (const Setting& setting : own->second) look_at(setting, running, starting);
      compare(running_unknowns(), running, knows_parameters(), false);
      compare(description().structure.initial_unknowns, starting, true, false);
      const Count run = count(running_unknowns(), running),
                  start = count(description().structure.initial_unknowns, starting);
      std::printf("%s: %d declared, %d not detected; at the start %d, %d\n", name.c_str(),
                  run.declared, run.undetected, start.declared, start.undetected);
      all_running.add(run);
      all_starting.add(start);
      const auto most = dependency_excess.find(name);
      if (most == dependency_excess.end()) {
        ADD_FAILURE() << "no excess is recorded";
        continue;
      }
      EXPECT_LE(run.undetected, most->second.running);
      EXPECT_LE(start.undetected, most->second.starting);
    }
    std::printf("all: %d declared, %d not detected; at the start %d, %d\n", all_running.declared,
                all_running.undetected, all_starting.declared, all_starting.undetected);
  }
};

TEST_P(Dependencies, OfTemplatesListAllThatActs) {
  expect_all_declared("MBS_FMUS");
}

TEST_P(Dependencies, OfModelsListAllThatActs) {
  expect_all_declared("MBS_HARNESS_MODELS");
}

INSTANTIATE_TEST_SUITE_P(Own, Dependencies,
                         testing::Combine(testing::Values(importers().front()),
                                          testing::Values(2, 3)));

}  // namespace
}  // namespace mbs::test
