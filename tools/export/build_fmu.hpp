// From a model file to an FMU.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/model/reader.hpp"
#include "fmu_src/variables.hpp"
#include "tools/import/model_description.hpp"

namespace mbs {

struct BuildRequest {
  std::filesystem::path model;
  import::FmiVersion version = import::FmiVersion::fmi2;
  std::filesystem::path output;  // empty: the model's name with .fmu, in the working folder
  std::vector<Override> overrides;
  std::filesystem::path runtime;                // empty: found beside the program
  std::function<void(const std::string&)> say;  // what is being done, line by line
};

// False when there is no FMU; why is in the diagnostics. An FMU that was there before stays as it
// was unless a complete new one takes its place. Throws std::runtime_error for trouble with files.
bool build_fmu(const BuildRequest& request, Diagnostics& diagnostics);

// Whether two tables are the same but for descriptions.
bool same_variables(const VariableTable& a, const VariableTable& b);

// The runtime library that goes into every FMU: named by the environment (MBSFMU_RUNTIME), in the
// tree that this program was built in, or beside it. Throws std::runtime_error.
std::filesystem::path find_runtime();

}  // namespace mbs
