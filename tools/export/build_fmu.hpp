// Builds an FMU of a model file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/model/reader.hpp"
#include "fmu_src/variables.hpp"
#include "tools/export/description.hpp"
#include "tools/import/model_description.hpp"

namespace mbs {

struct BuildRequest {
  std::filesystem::path model;
  import::FmiVersion version = import::FmiVersion::fmi2;
  std::filesystem::path output;  // empty: the model's name with .fmu, in the working folder
  std::vector<Override> overrides;
  DescriptionStyle style = {};
  bool reference = false;                       // with the results of the default experiment
  bool clocks = false;                          // FMI 3: triggered output clocks of the events
  std::filesystem::path runtime;                // empty: found next to the program
  std::function<void(const std::string&)> say;  // what is being done, line by line
};

// False when there is no FMU; why is in the diagnostics. An FMU that was there before stays as it
// was unless a complete new one takes its place. Throws std::runtime_error where a file cannot be
// read or written.
bool build_fmu(const BuildRequest& request, Diagnostics& diagnostics);

// The contents of an FMU, wherever its model comes from.
struct FmuContents {
  const Model& model;
  const VariableTable& table;
  std::string token;  // the runtime's
  std::filesystem::path runtime;
  std::string resolved;          // the model file in the resources; empty: none
  std::string coordinates = {};  // which ones and why
};
struct FmuTarget {
  import::FmiVersion version;
  std::filesystem::path output;
  std::function<void(const std::string&)> say;
  DescriptionStyle style = {};
  bool reference = false;
};
bool write_fmu(const FmuContents& contents, const FmuTarget& target, Diagnostics& diagnostics);

// Consistent initial values with the start values: what cannot start is not shipped.
bool starts(const Model& model, const std::shared_ptr<const Equations>& equations,
            Diagnostics& diagnostics);

// The runtime library that goes into every FMU: named by the environment (MBSFMU_RUNTIME), in the
// tree that this program was built in, next to it, or where it is installed. Throws
// std::runtime_error.
std::filesystem::path find_runtime();

}  // namespace mbs
