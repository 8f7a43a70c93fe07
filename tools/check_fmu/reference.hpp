// Within the checker: reference results that an FMU brings (layered standard fmi-ls-ref).
#pragma once

#include <string_view>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {

inline constexpr const char* reference_standard = "org.fmi-standard.fmi-ls-ref";

// The reference results that the manifest names. Drafts of the standard had the suffix .xml.
bool is_experiments_file(std::string_view role, std::string_view path);

// Runs each experiment and compares with its results.
std::vector<TrialEntry> reference_trials();

}  // namespace mbs::check_fmu
