#pragma once

// Makes the Equations of a Model. This is the only way in from the model language.
//
// Correspondence that the rest of the program relies on:
//   Parameters::values[i]  Model::parameters[i]  all of them; derive() recomputes calculated ones
//   Inputs::value[i]       Model::inputs[i]
//   y[i]                   Model::outputs[i]
//   r[i] for i < n         Model::states[i]; further r may follow (turn counters of joint angles)
//   w[i]                   Model::algebraics[i]

#include <memory>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"

namespace mbs {

// Errors (an axis of length zero after evaluation, a particle in a joint that needs an orientation,
// an unknown coordinate keyword, ...) go to the diagnostics with the element's place; the result is
// then null. `coordinates`, when it is given, says which were taken, and from `auto` why.
std::shared_ptr<const Equations> assemble(const Model& model, Diagnostics& diagnostics,
                                          std::string* coordinates = nullptr);

}  // namespace mbs
