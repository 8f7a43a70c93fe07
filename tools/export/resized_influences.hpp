// Dependencies of a model with resizable parameters.
#pragma once

#include <span>
#include <string>

#include "fmu_src/variables.hpp"

namespace mbs {

// Like add_influences() (influences.hpp), for FMI 3.0's arrays: what acts on an array are the
// arrays of which an element acts on one of its elements at some size. Found at small sizes, at the
// one that the FMU is made with, at those where a formula may turn (turning_sizes()) and beside
// them, and where there are such at 17 and 65; what is so at all of these is taken to be so at all.
// (A formula that is another one at a single larger size, if(2*N == 38, ...), is not seen.)
//
// A size acts on arrays that have it, on what follows such arrays, and where it enters by itself
// (size_effects.hpp).
//
// Lists are left out where there are too many such sizes, where one of them takes too much, and
// where sizes have no end below 65 and laws may turn farther away.
void add_resized_influences(VariableTable& table, const std::string& resolved,
                            std::span<const std::string> resizable);

}  // namespace mbs
