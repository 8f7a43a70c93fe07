#include "engine/equations/input_filter_states.hpp"

namespace mbs {

void set_filters_to_motion(const Equations& equations, const Context& context, State& x,
                           Workspace& ws) {
  if (const InputFilterStates* filters = equations.capabilities().input_filter_states)
    filters->set_filters_to_motion(context, x, ws);
}

std::string why_no_exchange(const Equations& equations, const Parameters& parameters) {
  const InputFilterStates* filters = equations.capabilities().input_filter_states;
  if (filters == nullptr) return {};
  for (const InputFilterStates::Following& one : filters->following())
    if (parameters.derived[one.lag] == 0.0)
      return "the drive '" + one.name +
             "' follows its input without a lag and needs the input's derivatives, which model "
             "exchange does not have";
  return {};
}

}  // namespace mbs
