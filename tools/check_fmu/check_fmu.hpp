// Checks an FMU file against what the standards demand and what importers are known to stumble
// over. Each rule has the id of the project's list; a rule looks at one thing and reports where it
// is, what is wrong and what to do.
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

// "modelDescription.xml:12: error: ... [M11]" and, on a line of its own, what to do.
std::string to_text(const Finding& finding);

struct Options {
  // Whether the library of this platform is loaded, in processes of its own: not at all, until it
  // is initialized, or for all trials.
  enum class Run { nothing, start, everything };
  Run run = Run::everything;
  std::chrono::milliseconds time_limit{20'000};  // of a trial's processor, or idle: it hangs
  import::ArchiveLimits limits = {};
};

// Never throws for what is in the file: an unreadable FMU is a finding.
std::vector<Finding> check_fmu(const std::filesystem::path& file, const Options& options = {});

}  // namespace mbs::check_fmu
