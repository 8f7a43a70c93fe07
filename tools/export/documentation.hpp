// What a person finds in the FMU: documentation/index.html and the licences.
#pragma once

#include <string>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

std::string documentation_html(const Model& model, const VariableTable& table);
std::string licences_text();

}  // namespace mbs
