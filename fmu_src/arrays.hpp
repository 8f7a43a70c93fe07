#pragma once

// FMI 3's arrays over the table of variables: those whose names differ in indices alone, phi[1] ...
// phi[N] or R[1,1] ... R[3,3], are the elements of one array, row by row. A scalar keeps its
// reference; an array has one of its own, beyond those of all scalars, so that the same runtime
// answers for FMUs with arrays and for flat ones.
//
// In a model with resizable parameters scalars have such a reference, too, in the order of
// appearance: their indices in the table change with the sizes, these references do not.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/variables.hpp"

namespace mbs {

// The arrays among these variables: complete, of one kind, unit and range.
std::vector<ArrayVariable> find_arrays(std::span<const Variable> variables);

// The sizes of the dimensions, if these are the indices of all elements row by row, 1 ... n in
// each; otherwise empty.
std::vector<int> sizes_of(std::span<const std::vector<int>> indices);

// All variables as arrays or scalars by their names without any index, "fl[2].x" as "fl.x".
// Throws std::runtime_error where something is no element of a complete array.
std::vector<ArrayVariable> group_all(std::span<const Variable> variables);

// The scalars that references stand for, those of an array one after the other. `buffer` holds them
// where there are arrays. Throws std::out_of_range with the reference that is none.
std::span<const std::uint32_t> scalars_of(const VariableTable& table,
                                          std::span<const std::uint32_t> references,
                                          std::vector<std::uint32_t>& buffer);

}  // namespace mbs
