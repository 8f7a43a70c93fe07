#include "engine/model/without_pieces.hpp"

#include <algorithm>
#include <utility>

namespace mbs {
namespace {

using Op = Instruction::Op;
using Code = std::vector<Instruction>;

Instruction number(double x) {
  return {Op::constant, 0, x};
}

Code operator+(Code a, const Code& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// middle + half (4/5 sin x)
Code between(Code x, double lowest, double highest) {
  return std::move(x) + Code{{Op::sin},
                             number(0.4 * (highest - lowest)),
                             {Op::multiply},
                             number(0.5 * (highest + lowest)),
                             {Op::add}};
}
Code part(Code x) {
  return between(std::move(x), 0.0, 1.0);
}
// sqrt(x^2 + y^2): |a| for y = 0, which has two derivatives wherever drives need them
Code size(Code x, const Code& y) {
  return std::move(x) + y + Code{{Op::hypot}};
}
Code size(Code x) {
  return size(std::move(x), {number(0.0)});
}
Code bent(Code x) {
  return std::move(x) + Code{number(1.01), {Op::power}};
}
bool is_whole(const Code& x) {
  return x.size() == 1 && x[0].op == Op::constant && x[0].number == static_cast<int>(x[0].number);
}

// One operation on operands that have been replaced already.
Code replaced(const Instruction& step, const Code* x, const Expression& law) {
  switch (step.op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
      return part(x[0] + x[1] + Code{{Op::subtract}});
    case Op::logical_and:
      return part(x[0] + x[1] + Code{{Op::multiply}});
    case Op::logical_or:
      return part(x[0] + x[1] + Code{{Op::add}});
    case Op::logical_not:
      return part(x[0]);
    case Op::choose:
      return part(x[0]) + x[1] + Code{number(0.8), {Op::multiply}} + x[2] +
             Code{number(0.55), {Op::multiply}, {Op::add}, {Op::multiply}};
    case Op::exp:
    case Op::cosh:
      return between(x[0], 0.5, 2.5);
    case Op::sign:
    case Op::asin:
    case Op::tanh:
    case Op::atan:
    case Op::sinh:
      return x[0] + Code{{Op::sin}};
    case Op::acos:
      return x[0] + Code{{Op::cos}};
    case Op::floor:
    case Op::ceil:
    case Op::abs:
      return bent(size(x[0]));
    case Op::min:
    case Op::max:
    case Op::mod:
      return bent(size(x[0], x[1]));
    case Op::curve: {
      const auto [lowest, highest] = law.curves()[static_cast<std::size_t>(step.argument)]->range();
      return between(x[0], lowest, highest);
    }
    case Op::sqrt:
    case Op::log:
    case Op::log10:
      return size(x[0]) + Code{step};
    case Op::power:
      return (is_whole(x[1]) ? x[0] : size(x[0])) + x[1] + Code{step};
    default: {
      Code code;
      for (int k = 0; k < operand_count(step.op); ++k) code = std::move(code) + x[k];
      return std::move(code) + Code{step};
    }
  }
}

void replace(Expression& law, Discretes discretes) {
  if (law.is_constant()) return;
  std::vector<Code> stack;
  for (const Instruction& step : law.program()) {
    if (step.op == Op::load) {
      const Symbol& symbol = law.symbols()[static_cast<std::size_t>(step.argument)];
      const bool moved = symbol.kind == SymbolKind::discrete && discretes == Discretes::elsewhere;
      stack.push_back(moved ? Code{step, number(0.37 + 0.11 * symbol.index), {Op::add}}
                            : Code{step});
      continue;
    }
    const auto first = stack.end() - operand_count(step.op);
    Code code = replaced(step, std::to_address(first), law);
    stack.erase(first, stack.end());
    stack.push_back(std::move(code));
  }
  law = Expression(std::move(stack.back()), {law.symbols().begin(), law.symbols().end()},
                   {law.curves().begin(), law.curves().end()});
}

}  // namespace

Model without_pieces(Model model, Discretes discretes) {
  const auto all = [discretes](auto& laws) {
    for (Expression& law : laws) replace(law, discretes);
  };
  const auto one = [discretes](Expression& law) { replace(law, discretes); };
  for (Parameter& parameter : model.parameters) one(parameter.value);
  for (Input& input : model.inputs) one(input.start);
  for (StateVariable& state : model.states) one(state.start), one(state.der);
  for (AlgebraicVariable& w : model.algebraics) one(w.start), one(w.residual);
  for (DiscreteVariable& z : model.discretes) one(z.start);
  for (InitialCondition& condition : model.conditions) one(condition.value), one(condition.equals);
  for (Frame& frame : model.frames) all(frame.position), all(frame.rotation);
  for (Output& output : model.outputs) one(output.value);
  for (Element& element : model.elements)
    for (AttributeValue& attribute : element.attributes) all(attribute.numbers);
  all(model.gravity);
  model.without_pieces = true;
  return model;
}

}  // namespace mbs
