// All templates: how many entries of the lists of dependencies have been seen to act, by what they
// are entries of, and why the others are listed.
#include "tests/harness/structured.hpp"

namespace mbs::test {
namespace {

// Seen by hand: a contact that slides alone turns the sleeve about its centre of mass.
const std::map<std::string, Names> by_hand = {{"der(sleeve.omega)", {"mu"}}};

class Listed : public Structured {
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
  Listed() { part_ = 1e-12, points_ = 10; }
  void count(const std::vector<Unknown>& unknowns, Acting& seen, const std::string& of,
             std::map<std::string, Count>& counts) const {
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      for (const std::uint32_t given : unknown.dependencies) {
        const Variable& known = description().variables.at(*description().position(given));
        Count& here = counts[of + kind_of(known)];
        ++here.listed;
        const auto told = by_hand.find(name);
        const bool acts = seen[name].contains(known.name) ||
                          (told != by_hand.end() && told->second.contains(known.name));
        here.unseen += !acts;
        if (!acts && std::getenv("MBS_LISTED"))
          std::printf("  %s: %s\n", name.c_str(), known.name.c_str());
      }
    }
  }
};

// Templates with entries that are not seen here, at most so many (lists that get longer show): all
// others have none.
const std::map<std::string, int> reasons = {
    // Contacts that are open at the points, or do not slide; what tells their modes at the start.
    {"belt_slider", 32},
    {"bouncing_ball", 19},
    {"newtons_cradle", 135},
    {"rocking_block", 55},
    {"woodpecker", 160},
    // Rollers that touch no sprocket there.
    {"sprocket_chain", 674},
    // Other pieces of laws and of elements with ends: tyres in the air, valves that open the other
    // way, limits, sums that are zero at the start; an input in the last digits.
    {"hydraulic_actuator", 2},
    {"passenger_car", 289},
    {"quarter_car", 10},
    {"quarter_car_actuator", 1},
    {"quarter_car_vehicle", 5},
    {"truck", 114},
    // Too small beside the energy.
    {"double_pendulum", 6}};

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
    Acting running, starting;
    // The vehicle has no accelerations far from where it stands.
    look_while_it_runs(running, false, name == "all_terrain_vehicle" ? 0.004 : 0.2);
    look_at_starts(starting, true);
    std::map<std::string, Count> counts;
    count(running_unknowns(), running, "", counts);
    count(description().structure.initial_unknowns, starting, "start: ", counts);
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
