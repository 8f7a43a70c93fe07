#pragma once

// What a model names besides its elements, bound to a mechanism: variables, measures, outputs,
// events and conditions on the start.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void add_variables(const Model& model, Mechanism<Space>& mechanism);
template <class Space>
void add_measures(Assembly<Space>& to);
// The derivatives of <state>s and the residuals of <algebraic>s.
template <class Space>
void add_rates_and_residuals(Assembly<Space>& to);
template <class Space>
void add_outputs(Assembly<Space>& to);
template <class Space>
void add_events(Assembly<Space>& to);
template <class Space>
void add_conditions(Assembly<Space>& to);

}  // namespace mbs
