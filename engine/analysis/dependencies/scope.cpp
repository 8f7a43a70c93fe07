#include "engine/analysis/dependencies/scope.hpp"

#include <algorithm>

namespace mbs {

void TraceScope::open_scope() const {
  for (const int node : scope_) bit_of_[static_cast<std::size_t>(node)] = -1;
  scope_.clear();
}

// The last number stands for all nodes for which there are no others left.
Traced TraceScope::variable(int node) const {
  bit_of_.resize(static_cast<std::size_t>(graph().size()), -1);
  int& bit = bit_of_[static_cast<std::size_t>(node)];
  if (bit < 0) {
    if (scope_.size() < most_traced - 1) {
      bit = static_cast<int>(scope_.size());
      scope_.push_back(node);
    } else {
      if (scope_.size() == most_traced - 1) scope_.push_back(graph().add_nodes(1));
      graph().depend(scope_.back(), node, false);
      return dependent(Traced::variable(most_traced - 1));
    }
  }
  return Traced::variable(static_cast<std::size_t>(bit));
}

void TraceScope::emit(int node, const Traced& value) const {
  for (std::size_t k = 0; k < scope_.size(); ++k)
    if (value.any[k]) graph().depend(node, scope_[k], !value.nonlinear[k]);
}

int TraceScope::node_of(const Traced& value) const {
  const int node = graph().add_nodes(1);
  emit(node, value);
  return node;
}

Entry TraceScope::keep(const Traced& value) const {
  if (value.constant()) return Entry(value.value);
  Entry entry;
  if (value.any.count() == 1 && value.nonlinear.none()) {
    std::size_t k = 0;
    while (!value.any[k]) ++k;
    entry.node = scope_[k];
  } else {
    entry.node = node_of(value);
  }
  return entry;
}

Traced TraceScope::expression(const Expression& e, std::span<const Traced> arguments) const {
  if (e.is_constant()) return e.constant();
  using Op = Instruction::Op;
  std::vector<Traced> stack;
  for (const Instruction& step : e.program()) {
    if (step.op == Op::constant || step.op == Op::load) {
      stack.push_back(step.op == Op::load ? arguments[static_cast<std::size_t>(step.argument)]
                                          : Traced(step.number));
      continue;
    }
    const auto count = static_cast<std::size_t>(operand_count(step.op));
    const Traced* a = stack.data() + stack.size() - count;
    Traced result = a[0];
    if (step.op == Op::add) {
      result = a[0] + a[1];
    } else if (step.op == Op::subtract) {
      result = a[0] - a[1];
    } else if (step.op == Op::multiply) {
      result = a[0] * a[1];
    } else if (step.op == Op::divide) {
      result = a[0] / a[1];
    } else if (step.op == Op::negate) {
      result = -a[0];
    } else if (std::all_of(a, a + count, [](const Traced& t) { return t.constant(); }) &&
               step.op != Op::curve) {
      const double values[3] = {a[0].value, count > 1 ? a[1].value : 0.0,
                                count > 2 ? a[2].value : 0.0};
      result = apply(step.op, values);
    } else {
      for (std::size_t k = 0; k < count; ++k) result = dependent(result, a[k]);
    }
    stack.resize(stack.size() - count);
    stack.push_back(result);
  }
  return stack.back();
}

Traced TraceScope::at_parameters(const Expression& e) const {
  std::vector<Traced> arguments;
  for (const Symbol& symbol : e.symbols())
    arguments.push_back(variable(trace_.parameter + symbol.index));
  return expression(e, arguments);
}

}  // namespace mbs
