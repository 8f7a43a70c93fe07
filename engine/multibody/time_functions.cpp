#include "engine/multibody/time_functions.hpp"

#include <algorithm>
#include <array>

namespace mbs {

// The stack machine run over what its values depend on. A value is made by the instructions from
// `begin` to where the next one begins.
TimeFunctions::TimeFunctions(const std::vector<Law>& laws) {
  struct Value {
    std::size_t begin;
    bool time, other;
  };
  using Op = Instruction::Op;
  for (const Law& law : laws) {
    const auto program = law.expression.program();
    std::vector<Value> stack;
    const auto is_function = [](const Value& value) { return value.time && !value.other; };
    for (std::size_t k = 0; k < program.size(); ++k) {
      const Instruction& instruction = program[k];
      if (instruction.op == Op::constant) {
        stack.push_back({k, false, false});
        continue;
      }
      if (instruction.op == Op::load) {
        const auto kind = law.arguments[static_cast<std::size_t>(instruction.argument)].kind;
        stack.push_back({k, kind == SymbolKind::time,
                         kind != SymbolKind::time && kind != SymbolKind::parameter});
        continue;
      }
      const auto operands =
          instruction.op == Op::curve ? 1u : static_cast<unsigned>(operand_count(instruction.op));
      const std::size_t first = stack.size() - operands;
      Value result{stack[first].begin, false, false};
      for (std::size_t i = first; i < stack.size(); ++i) {
        result.time |= stack[i].time;
        result.other |= stack[i].other;
      }
      for (std::size_t i = first; result.other && i < stack.size(); ++i) {
        if (is_function(stack[i])) {
          add(law, stack[i].begin, i + 1 < stack.size() ? stack[i + 1].begin : k);
        }
      }
      stack.resize(first);
      stack.push_back(result);
    }
    if (!stack.empty() && is_function(stack.back())) add(law, stack.back().begin, program.size());
  }
}

void TimeFunctions::add(const Law& law, std::size_t begin, std::size_t end) {
  const auto program = law.expression.program();
  const auto symbols = law.expression.symbols();
  const auto curves = law.expression.curves();
  std::vector<Instruction> part(program.begin() + static_cast<std::ptrdiff_t>(begin),
                                program.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<int> used;  // arguments of the law
  Function function;
  std::vector<Symbol> arguments;
  for (Instruction& instruction : part) {
    if (instruction.op != Instruction::Op::load) continue;
    const auto found = std::find(used.begin(), used.end(), instruction.argument);
    if (found == used.end()) {
      const auto k = static_cast<std::size_t>(instruction.argument);
      arguments.push_back(symbols[k]);
      const Law::Argument& argument = law.arguments[k];
      function.parameters.push_back(argument.kind == SymbolKind::time ? -1 : argument.index);
      used.push_back(instruction.argument);
      instruction.argument = static_cast<int>(used.size()) - 1;
    } else {
      instruction.argument = static_cast<int>(found - used.begin());
    }
  }
  function.expression =
      Expression(std::move(part), std::move(arguments), {curves.begin(), curves.end()});
  if (std::find(functions_.begin(), functions_.end(), function) == functions_.end()) {
    functions_.push_back(std::move(function));
  }
}

void TimeFunctions::values(const Context& context, double t, Eigen::Ref<Vector> u) const {
  std::array<double, Expression::max_arguments> x{};
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Function& function = functions_[i];
    const std::size_t n = function.parameters.size();
    for (std::size_t k = 0; k < n; ++k) {
      const int parameter = function.parameters[k];
      x[k] = parameter < 0 ? t : context.parameters.values[parameter];
    }
    u[static_cast<Eigen::Index>(i)] = function.expression.value(std::span(x).first(n));
  }
}

}  // namespace mbs
