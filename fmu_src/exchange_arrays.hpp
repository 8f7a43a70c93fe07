#pragma once

// Continuous states, their derivatives and event indicators as FMI 3's arrays, so that a model with
// resizable parameters is for model exchange, too: their number changes with the sizes, the number
// of their arrays does not. Unknowns of repeated elements are named after these, so the
// names without indices are the arrays: link[1].x ... link[N].x is one of N elements.
//
//   arrays of states   those of p, of v, of counters of turns, each by name, whatever order the
//                      unknowns of one size have; then the model's own states, which have arrays
//                      already
//   their derivatives  der(link.x) of link.x, likewise
//   indicators         by name
//
// Elements are ordered by their indices, row by row; ExchangeArrays is the permutation from the
// order of the unknowns.

#include "fmu_src/variables.hpp"

namespace mbs {

// Adds them to a table that has everything else. Where something is no element of a complete array
// there are none, and the table holds the reason.
void add_exchange_arrays(VariableTable& table, const Sizes& n);

// Whether an array is one of these.
bool is_exchange_array(const ArrayVariable& array);

}  // namespace mbs
