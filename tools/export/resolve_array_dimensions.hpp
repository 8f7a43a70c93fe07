// FMI 3.0's description of a model with resizable parameters.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/model/reader.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// States are those of the coordinates, so all sizes have the same: where the model leaves the
// choice open, the one that is best for the largest of the sizes that are tried.
struct CommonCoordinates {
  std::string keyword, explanation;
};
// None: there is nothing to choose.
std::optional<CommonCoordinates> common_coordinates(const Model& model, const std::string& resolved,
                                                    std::span<const std::string> resizable);

// Which sizes of the table's arrays are resizable parameters, and which structural parameters
// follow them: seen by reading the model once more for each of several sizes of each parameter.
// Differences between sizes of which an importer could not know are an error. If they concern only
// counters of events, or states and event indicators, the FMU goes without these, with a warning.
bool resolve_array_dimensions(VariableTable& table, const std::string& resolved,
                              std::span<const std::string> resizable, Diagnostics& diagnostics);

}  // namespace mbs
