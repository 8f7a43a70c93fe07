// FMI 3.0's description of a model with resizable parameters.
#pragma once

#include <span>
#include <string>

#include "engine/model/reader.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Which sizes of the table's arrays are resizable parameters, and which structural parameters
// follow them: seen by reading the model once more for each parameter, one larger. What an importer
// could not know of the model of another size is an error.
bool promise_sizes(VariableTable& table, const std::string& resolved,
                   std::span<const std::string> resizable, Diagnostics& diagnostics);

}  // namespace mbs
