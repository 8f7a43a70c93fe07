// Checks an FMU file against the rules of the standards and against known problems of importers.
// Each rule has an id (rules.md), checks one property and reports the place, the error and a
// remedy.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/archive.hpp"

namespace mbs::check_fmu {

// An error breaks the standard; advice is right by the standard but known to cause problems.
enum class Severity { error, advice };

struct Finding {
  std::string rule;
  Severity severity = Severity::error;
  std::string file;  // within the FMU; empty: the archive itself
  int line = 0;      // 0: none
  std::string what;
  std::string advice;  // what to do
};

// "modelDescription.xml:12: error: ... [M11]" and, on a line of its own, the remedy.
std::string to_text(const Finding& finding);

struct Options {
  // Whether the library of this platform is loaded, in processes of its own: not at all, until it
  // is initialized, or for all trials.
  enum class Run { nothing, start, everything };
  Run run = Run::everything;
  std::chrono::milliseconds time_limit{20'000};  // of a trial's processor, or idle: it hangs
  import::ArchiveLimits limits = {};
};

// Never throws because of the file's content: an unreadable FMU is a finding.
std::vector<Finding> check_fmu(const std::filesystem::path& file, const Options& options = {});

}  // namespace mbs::check_fmu
