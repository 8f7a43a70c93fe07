// All templates: how many entries of the lists of dependencies have been seen to act, by what they
// are entries of, and why the others are listed.
#include "tests/harness/structured.hpp"

namespace mbs::test {
namespace {

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
  Listed() { part_ = 1e-12; }
  void count(const std::vector<Unknown>& unknowns, Acting& seen, const std::string& of,
             std::map<std::string, Count>& counts) const {
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      for (const std::uint32_t given : unknown.dependencies) {
        const Variable& known = description().variables.at(*description().position(given));
        Count& here = counts[of + kind_of(known)];
        ++here.listed;
        const bool acts = seen[name].contains(known.name);
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
    {"belt_slider", 34},
    {"bouncing_ball", 19},
    {"newtons_cradle", 135},
    {"rocking_block", 55},
    {"rolling_disc", 32},  // and what symmetry hides
    {"woodpecker", 162},
    // Rollers that touch no sprocket there.
    {"sprocket_chain", 965},
    // Other pieces of laws and of elements with ends: tyres in the air, valves that open the other
    // way, limits, sums that are zero at the start. And effects of less than 1e-9 of a value: what
    // wheels that spin do to a car, and masses, far from what they are, to where its loops close.
    {"all_terrain_vehicle", 1},
    {"hydraulic_actuator", 1},
    {"passenger_car", 692},
    {"quarter_car", 10},
    {"quarter_car_actuator", 1},
    {"quarter_car_controller", 2},
    {"quarter_car_vehicle", 5},
    {"railway_carriage", 3},
    {"truck", 114},
    // With the default values of other parameters it has no effect (no damping), or too small a one
    // beside the energy.
    {"andrews", 3},
    {"double_pendulum", 6},
    // Residuals at the start: what the solver leaves of them.
    {"gimbal", 1},
    {"n_four_bar", 1}};

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
