#pragma once

// A mechanism from a model: frames and bodies, joints with their constraints, forces, then what the
// model names (measures, states, outputs, events, conditions), and at the end the numbers of rows.

#include "engine/multibody/mechanism.hpp"

namespace mbs {

// Null when there were errors.
template <class Space>
std::unique_ptr<Mechanism<Space>> make_mechanism(const Model& model, Diagnostics& diagnostics);

}  // namespace mbs
