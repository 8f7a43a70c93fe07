// Dependencies of a model with resizable parameters.
#pragma once

#include <span>
#include <string>

#include "fmu_src/variables.hpp"

namespace mbs {

// Like add_influences() (influences.hpp), for FMI 3.0's arrays: what acts on an array are the
// arrays of which an element acts on one of its elements at some size. Found at small sizes, at the
// one that the FMU is made with and at those where a formula may turn (turning_sizes()); what is so
// at all of these is taken to be so at all.
//
// A size acts on arrays that have it, on what follows such arrays, and where it enters by itself
// (size_effects.hpp).
//
// Lists are left out where there are too many such sizes, or where one of them takes too much.
void add_resized_influences(VariableTable& table, const std::string& resolved,
                            std::span<const std::string> resizable);

}  // namespace mbs
