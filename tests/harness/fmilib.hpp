// The importer FMI Library behind the same interface as the project's own, so that one suite runs
// through both.
#pragma once

#include "tools/import/fmu.hpp"

namespace mbs::test {

// Unpacks with the project's own code; everything else (description, library, calls) is FMI
// Library's. Each instance parses the description and loads the library anew, since FMI Library
// holds one instance per FMU. It takes the token from the description: InstanceOptions::token is
// refused.
std::unique_ptr<import::Fmu> open_fmu_fmilib(const std::filesystem::path& file);

}  // namespace mbs::test
