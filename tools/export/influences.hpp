// Dependencies for ModelStructure, as exact as they can be had.
#pragma once

#include <memory>

#include "engine/equations/equations.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Finds what acts on what while the model runs, on outputs, derivatives and event indicators, and
// what acts on the start values of states, derivatives and outputs: Variable::influences and
// start_influences. They are left out, so that all that may act is listed, where it would take too
// much (large models, many contacts), with contacts beside redundant constraints whose multipliers
// are of least norm, and at the start where that is at times of weeks.
//
// Of bodies in space they are those at Euler parameters of norm 1, which the FMU keeps to its
// tolerance. With another norm turns scale the body as well, and what cancels else does not: the
// turning of a disc that rolls then acts on its own rate, by as much as the norm is off.
void add_influences(VariableTable& table, const Model& model,
                    const std::shared_ptr<const Equations>& equations);

}  // namespace mbs
