#include "engine/equations/input_memory.hpp"

namespace mbs {

void remember_motion(const Equations& equations, const Context& context, State& x, Workspace& ws) {
  if (const auto* memory = dynamic_cast<const InputMemory*>(&equations))
    memory->remember_motion(context, x, ws);
}

std::string why_no_exchange(const Equations& equations, const Parameters& parameters) {
  if (const auto* memory = dynamic_cast<const InputMemory*>(&equations))
    for (const InputMemory::Following& one : memory->following())
      if (parameters.derived[one.lag] == 0.0)
        return "the drive '" + one.name +
               "' follows its input without a lag and needs the input's derivatives, which model "
               "exchange does not have";
  return {};
}

}  // namespace mbs
