// Within the checker: reference results that an FMU brings (layered standard fmi-ls-ref).
#pragma once

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {

inline constexpr const char* reference_standard = "org.fmi-standard.fmi-ls-ref";

// Runs each experiment and compares with its results.
std::vector<TrialEntry> reference_trials();

}  // namespace mbs::check_fmu
