#pragma once

// The memory that r and z have of the start (distances, turns, counters) and of the inputs that
// drives follow.

#include "engine/equations/input_filter_states.hpp"
#include "engine/multibody/evaluation.hpp"

namespace mbs {

// Counters and turns are those next to the start values, or to where drives take them. The
// evaluation is one of x.
template <class Space>
void initialize_memory(const Evaluation<Space>& here, State& x);

// InputFilterStates, for drives.
template <class Space>
std::string change_filters(const Mechanism<Space>&, const Vector& g_scale, const Context& before,
                           const Context& after, double t, Vector& z);
template <class Space>
std::vector<InputFilterStates::Following> following_drives(const Mechanism<Space>&);
template <class Space>
void set_filters_to_motion(const Evaluation<Space>& here, State& x);

// Turns the bodies of joints that are closed half a turn off; the names of these joints.
std::vector<std::string> choose_assembly_branch(const Mechanism<Spatial>&, const double* derived,
                                                State& x);

}  // namespace mbs
