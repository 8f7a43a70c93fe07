#include "engine/model/without_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
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

bool is_whole(double x) {
  return x == std::floor(x);
}
bool is_whole(const Code& x) {
  return x.size() == 1 && x[0].op == Op::constant && is_whole(x[0].number);
}
Code between(Code x, double lowest, double highest) {
  return std::move(x) + Code{number(0.3678794411714423),
                             {Op::add},
                             number(1.0),
                             {Op::hypot},
                             {Op::log},
                             {Op::sin},
                             number(0.4 * (highest - lowest)),
                             {Op::multiply},
                             number(0.5 * (highest + lowest)),
                             {Op::add}};
}
// s(x)
Code part(Code x) {
  return between(std::move(x), 0.0, 1.0);
}
// o(x)
Code odd(const Code& x) {
  return x + x + Code{number(1.0), {Op::hypot}, number(-0.9), {Op::power}, {Op::multiply}};
}
// |x|, which has two derivatives wherever drives need them
Code size(Code x) {
  return std::move(x) + Code{number(0.0), {Op::hypot}};
}
Code bent(Code x) {
  return size(std::move(x)) + Code{number(1.01), {Op::power}};
}
Code mixed(Code a, const Code& b) {
  return std::move(a) + Code{number(0.83), {Op::multiply}} + b +
         Code{number(0.57), {Op::multiply}, {Op::add}};
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
      return part(x[0]) + mixed(x[1], x[2]) + Code{{Op::multiply}};
    case Op::exp:
    case Op::cosh:
      return between(x[0], 0.5, 2.5);
    case Op::sign:
    case Op::tanh:
    case Op::atan:
    case Op::sinh:
      return odd(x[0]);
    case Op::asin:
      return x[0] + Code{{Op::sin}};
    case Op::acos:
      return x[0] + Code{{Op::cos}};
    case Op::floor:
    case Op::ceil:
    case Op::abs:
      return bent(x[0]);
    case Op::min:
    case Op::max:
    case Op::mod:
      return bent(mixed(x[0], x[1]));
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

class Replacement {
 public:
  explicit Replacement(WithoutPieces how) : how_(how) {}

  void operator()(Expression& law) {
    if (law.is_constant()) {
      if (!is_whole(law.constant())) law = Expression(blurred(law.constant()));
      return;
    }
    std::vector<Code> stack;
    for (const Instruction& step : law.program()) {
      if (step.op == Op::load) {
        stack.push_back(loaded(step, law.symbols()[static_cast<std::size_t>(step.argument)]));
        continue;
      }
      const auto first = stack.end() - operand_count(step.op);
      Code code = step.op == Op::constant ? Code{number(blurred(step.number))}
                                          : replaced(step, std::to_address(first), law);
      stack.erase(first, stack.end());
      stack.push_back(std::move(code));
    }
    law = Expression(std::move(stack.back()), {law.symbols().begin(), law.symbols().end()},
                     {law.curves().begin(), law.curves().end()});
  }

 private:
  Code loaded(const Instruction& step, const Symbol& symbol) const {
    if (symbol.kind != SymbolKind::discrete || !how_.discretes_elsewhere) return {step};
    return {step, number(0.37 + 0.11 * symbol.index), {Op::add}};
  }
  double blurred(double x) {
    if (!how_.blurred || is_whole(x)) return x;
    const double size = 0.2 + 0.8 * std::uniform_real_distribution(0.0, 1.0)(engine_);
    return x * (1.0 + (engine_() % 2 == 0 ? size : -size) * 1e-13);
  }

  WithoutPieces how_;
  std::mt19937 engine_{54321};
};

}  // namespace

Model without_pieces(Model model, WithoutPieces how) {
  Replacement one(how);
  const auto all = [&one](auto& laws) {
    for (Expression& law : laws) one(law);
  };
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
