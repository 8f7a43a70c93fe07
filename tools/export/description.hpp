// modelDescription.xml of FMI 2.0 and 3.0 from the table of variables that the runtime answers for.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

struct DescriptionStyle {
  bool flat = false;        // FMI 3: scalars instead of arrays
  bool structured = false;  // names follow the structured naming convention
};

struct DescriptionRequest {
  const Model& model;
  const VariableTable& table;
  std::string token;       // guid, instantiationToken
  std::string identifier;  // name of the library file: a C identifier
  std::string date;        // "2026-01-31T12:00:00Z"
  DescriptionStyle style = {};
};

std::string description_fmi2(const DescriptionRequest& request);
std::string description_fmi3(const DescriptionRequest& request);

// The name in the structured convention: as it is where it follows the grammar, otherwise quoted.
std::string structured_name(const std::string& name);

// A C identifier of at most 60 characters from the name of a model.
std::string c_identifier(const std::string& name);

}  // namespace mbs
