#pragma once

// Counts of each function's calls and statuses; a status that the standard forbids ends the
// program.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test::fuzz {

class Tally {
 public:
  // The status, for who goes on with it.
  int count(int version, std::string_view function, int status) {
    if (status < ok || status >= fatal || (status == discard && !discards(version, function))) {
      std::fprintf(stderr, "fmi%d%.*s answers %d\n", version, static_cast<int>(function.size()),
                   function.data(), status);
      std::abort();
    }
    ++calls_[{version, std::string(function)}][static_cast<std::size_t>(status)];
    return status;
  }

  void print() const {
    std::printf("%-36s %9s %9s %9s %9s\n", "", "ok", "warning", "discard", "error");
    for (const auto& [name, n] : calls_)
      std::printf("fmi%d%-32s %9ld %9ld %9ld %9ld\n", name.first, name.second.c_str(), n[0], n[1],
                  n[2], n[3]);
  }
  // Functions of both interfaces that have never succeeded though they can: of some, one call in
  // twelve is good.
  static constexpr long enough = 300;
  bool complete() const {
    bool all = true;
    for (const auto& [version, name] : every_function()) {
      const auto found = calls_.find({version, std::string(name)});
      const bool tried = found != calls_.end();
      const long good = tried ? found->second[0] + found->second[1] : 0;
      const long bad = tried ? found->second[2] + found->second[3] : 0;
      if (tried && (!can_succeed(name) || good > 0 || bad < enough)) continue;
      std::printf("fmi%d%s was never %s\n", version, std::string(name).c_str(),
                  tried ? "good" : "called");
      all = false;
    }
    return all;
  }

 private:
  // Values out of range, what has no value, trial steps and steps of FMI 2.0 that were not
  // completed.
  static bool discards(int version, std::string_view name) {
    if (name == "DoStep") return version == 2;
    for (const std::string_view state : {"SetFMU", "SetDebug", "SetTime"})
      if (name.starts_with(state)) return false;
    return name.starts_with("Set") || name.ends_with("Status") ||
           name == "CompletedIntegratorStep" || name.ends_with("Derivative") ||
           name.ends_with("Derivatives") || name == "GetEventIndicators";
  }
  // Functions that this FMU does not provide are refused.
  static bool can_succeed(std::string_view name) {
    for (const std::string_view never :
         {"CancelStep", "GetIntegerStatus", "InstantiateScheduledExecution",
          "GetNumberOfVariableDependencies", "GetVariableDependencies", "EvaluateDiscreteStates",
          "ActivateModelPartition"})
      if (name == never) return false;
    for (const std::string_view of_clocks : {"GetInterval", "SetInterval", "GetShift", "SetShift"})
      if (name.starts_with(of_clocks)) return false;
    return true;
  }
  static const std::vector<std::pair<int, std::string_view>>& every_function() {
    static const std::vector<std::pair<int, std::string_view>> all = {
#define FMI2_FUNCTION(result, name, parameters) {2, #name},
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
#define FMI3_FUNCTION(result, name, parameters) {3, #name},
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
    };
    return all;
  }

  std::map<std::pair<int, std::string>, std::array<long, 4>> calls_;
};

inline Tally& tally() {
  static Tally one;
  return one;
}

}  // namespace mbs::test::fuzz
