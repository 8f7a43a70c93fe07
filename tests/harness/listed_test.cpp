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

TEST_P(Listed, AreSeenOrThereIsAReason) {
  const char* names = std::getenv("MBS_LISTED_NAMES");
  std::istringstream list(names ? names : "");
  std::map<std::string, Count> all;
  for (std::string name; list >> name;) {
    SCOPED_TRACE(name);
    open(name, "MBS_FMUS");
    Acting running, starting;
    look_while_it_runs(running, false);
    look_at_starts(starting);
    std::map<std::string, Count> counts;
    count(running_unknowns(), running, "", counts);
    count(description().structure.initial_unknowns, starting, "start: ", counts);
    std::printf("%s:", name.c_str());
    for (const auto& [kind, c] : counts) {
      std::printf("  %s %d, %d unseen", kind.c_str(), c.listed, c.unseen);
      all[kind].listed += c.listed;
      all[kind].unseen += c.unseen;
    }
    std::printf("\n");
  }
  for (const auto& [kind, c] : all)
    std::printf("all: %s %d, %d unseen\n", kind.c_str(), c.listed, c.unseen);
}
INSTANTIATE_TEST_SUITE_P(Own, Listed,
                         testing::Combine(testing::Values(importers().front()),
                                          testing::Values(3)));

}  // namespace
}  // namespace mbs::test
