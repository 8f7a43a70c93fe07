// The files of the FMU that are made for a person: documentation/index.html and the licences.
#pragma once

#include <string>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

struct DocumentationRequest {
  const Model& model;
  const VariableTable& table;
  std::string coordinates;  // which ones and why; empty: there was no choice
  std::string solver;       // what integrates and why; empty: not known
  std::string picture;      // SVG; empty: none
  bool reference = false;   // there is a reference trajectory
  bool resizable = false;   // sizes are set in the FMU
};

// One page that needs nothing from outside.
std::string documentation_html(const DocumentationRequest& request);
std::string licences_text();

}  // namespace mbs
