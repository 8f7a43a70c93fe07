// All templates: how many entries of the lists of dependencies have been seen to act, by what they
// are entries of, and why the others are listed.
#include "tests/harness/at_settings.hpp"

namespace mbs::test {
namespace {

class Listed : public AtSettings {
 protected:
  struct Count {
    int listed = 0, unseen = 0;
  };

  static std::string kind_of(const Variable& known) {
    switch (known.causality) {
      case Causality::input:
        return "inputs";
      case Causality::independent:
        return "time";
      case Causality::parameter:
      case Causality::calculated_parameter:
        return "parameters";
      default:
        return "states";
    }
  }
  Listed() { points_ = 10; }
  // As before any setting.
  void begin() { part_ = finest, relative_ = false, steps_ = {0.017, 0.3, -0.4}; }

  // starting: inputs in their last digits count, as they do for who lists them.
  void count(const std::vector<Unknown>& unknowns, Acting& seen, bool starting,
             std::map<std::string, Count>& counts) {
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      Names& acting = seen.any[name];
      if (starting) acting.merge(reacting_in_digits(unknown));
      for (const std::uint32_t given : unknown.dependencies) {
        const Variable& known = description().variables.at(*description().position(given));
        Count& here = counts[(starting ? "start: " : "") + kind_of(known)];
        const bool acts = acting.contains(known.name);
        ++here.listed;
        here.unseen += !acts;
        if (!acts && std::getenv("MBS_LISTED"))
          std::printf("  %s: %s\n", name.c_str(), known.name.c_str());
      }
    }
  }
};

// Templates with entries that act too little to be seen, at most so many (lists that get longer
// show): all others have none.
const std::map<std::string, int> reasons = {
    // Starts within the tolerance of closing, and modes at a force of zero.
    {"newtons_cradle", 5},
    // Likewise; and indicators of contacts that are closed together.
    {"rocking_block", 4},
    // Those, and a sleeve of height 0: with any other it is kept from turning.
    {"woodpecker", 19},
    // What the start leaves of its loops, and residuals that are not the largest there.
    {"passenger_car", 4}};

// Seen, but not listed.
const std::map<std::string, std::map<std::string, Names>> not_listed = {
    // Which of two feet is the one that is held, by rounding.
    {"rocking_block", {{"left.mode", {"m"}}, {"right.mode", {"m"}}}},
    // Euler parameters of another norm than 1.
    {"rolling_disc", {{"along", {"disc.omega_z"}}, {"der(disc.omega_z)", {"disc.omega_z"}}}}};

TEST_P(Listed, AreSeenOrThereIsAReason) {
  const char* folder = std::getenv("MBS_FMUS");
  Names templates;
  for (const auto& entry : std::filesystem::directory_iterator(folder ? folder : "."))
    if (const std::string file = entry.path().filename().string(); file.ends_with("_fmi3.fmu"))
      templates.insert(file.substr(0, file.size() - 9));
  ASSERT_GT(templates.size(), 20u);
  std::map<std::string, Count> all;
  for (const std::string& name : templates) {
    SCOPED_TRACE(name);
    open(name, "MBS_FMUS");
    begin();
    Acting running, starting;
    // The vehicle has no accelerations far from where it stands.
    look_while_it_runs(running, false, name == "all_terrain_vehicle" ? 0.004 : 0.2);
    look_at_starts(starting, true);
    if (const auto own = settings.find(name); own != settings.end())
      for (const Setting& setting : own->second) look_at(setting, running, starting);
    if (const auto left_out = not_listed.find(name); left_out != not_listed.end())
      for (const auto& [unknown, knowns] : left_out->second)
        for (const std::string& known : knowns)
          for (Acting* seen : {&running, &starting}) seen->clearly[unknown].erase(known);
    compare(running_unknowns(), running, true, false);
    compare(description().structure.initial_unknowns, starting, true, false);
    std::map<std::string, Count> counts;
    count(running_unknowns(), running, false, counts);
    count(description().structure.initial_unknowns, starting, true, counts);
    std::printf("%s:", name.c_str());
    int unseen = 0;
    for (const auto& [kind, c] : counts) {
      std::printf("  %s %d, %d unseen", kind.c_str(), c.listed, c.unseen);
      all[kind].listed += c.listed;
      all[kind].unseen += c.unseen;
      unseen += c.unseen;
    }
    std::printf("\n");
    const auto reason = reasons.find(name);
    EXPECT_LE(unseen, reason == reasons.end() ? 0 : reason->second);
  }
  for (const auto& [kind, c] : all)
    std::printf("all: %s %d, %d unseen\n", kind.c_str(), c.listed, c.unseen);
}
INSTANTIATE_TEST_SUITE_P(Own, Listed,
                         testing::Combine(testing::Values(importers().front()),
                                          testing::Values(3)));

}  // namespace
}  // namespace mbs::test
