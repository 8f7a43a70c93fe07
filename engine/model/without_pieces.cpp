#include "engine/model/without_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
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
bool is_number(const Code& x) {
  return x.size() == 1 && x[0].op == Op::constant;
}
bool is_whole(const Code& x) {
  return is_number(x) && is_whole(x[0].number);
}
// l(x); at zero a number, too.
Code size_log(Code x) {
  return std::move(x) + Code{number(1e-90), {Op::hypot}, {Op::log}};
}
// By the sine of x and a phase.
Code between(Code x, double phase, double lowest, double highest) {
  return std::move(x) + Code{number(phase),  {Op::add},
                             {Op::sin},      number(0.4 * (highest - lowest)),
                             {Op::multiply}, number(0.5 * (highest + lowest)),
                             {Op::add}};
}
// s(a), s(a, b)
Code part(Code a, double phase) {
  return between(size_log(std::move(a)), phase, 0.0, 1.0);
}
Code part(Code a, Code b, double phase) {
  return between(size_log(std::move(a)) + size_log(std::move(b)) +
                     Code{number(1.3), {Op::multiply}, {Op::add}},
                 phase, 0.0, 1.0);
}
// o(x)
Code odd(const Code& x) {
  return x + x + Code{number(1.0), {Op::hypot}, number(-0.9), {Op::power}, {Op::multiply}};
}
// |x|, which has two derivatives wherever drives need them
Code size(Code x) {
  return std::move(x) + Code{number(0.0), {Op::hypot}};
}
Code bent(Code x, double weight = 1.0) {
  return size(std::move(x)) + Code{number(1.01), {Op::power}, number(weight), {Op::multiply}};
}
// m(a, b)
Code mixed(const Code& a, const Code& b, double weight) {
  if (is_number(a) && is_number(b)) {
    const double x = a[0].number, y = b[0].number;
    return {number(x == y ? x : weight * std::max(std::abs(x), std::abs(y)))};
  }
  if (is_number(a)) return bent(b, weight);
  if (is_number(b)) return bent(a, weight);
  const auto share = [](const Code& x) { return x + Code{number(1.0), {Op::hypot}, {Op::log}}; };
  return bent(size(a) + size(b) + Code{{Op::min}}) +
         between(size_log(a + b + Code{{Op::hypot}}), 0.0, 0.625, 1.375) + Code{{Op::multiply}} +
         share(a) + Code{{Op::add}} + share(b) +
         Code{number(0.3), {Op::multiply}, {Op::add}, number(weight), {Op::multiply}};
}

// Tells an operation of the model's own law, with all of its operands, from others.
using Mark = std::uint64_t;

Mark mark_of(const Instruction& step, std::span<const Mark> operands, const Expression& law) {
  Mark mark = 0;
  const auto add = [&mark](std::uint64_t more) {
    mark = (mark ^ more) * 0x9e3779b97f4a7c15u;
    mark ^= mark >> 29;
  };
  add(1 + static_cast<std::uint64_t>(step.op));
  add(std::bit_cast<std::uint64_t>(step.number));
  if (step.op == Op::curve) add(static_cast<std::uint64_t>(step.argument));
  if (step.op == Op::load) {
    const Symbol& symbol = law.symbols()[static_cast<std::size_t>(step.argument)];
    add(static_cast<std::uint64_t>(symbol.kind));
    add(static_cast<std::uint64_t>(symbol.index));
  }
  for (const Mark operand : operands) add(operand);
  return mark;
}

// One operation on operands that have been replaced already.
Code replaced(const Instruction& step, const Code* x, Mark mark, const Expression& law) {
  const double part_of_one = static_cast<double>(mark >> 11) * 0x1p-53;
  const double phase = 6.0 * part_of_one, weight = 0.7 + 0.6 * part_of_one;
  switch (step.op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
      return part(x[0], x[1], phase);
    case Op::logical_not:
      return part(x[0], phase);
    case Op::choose:
      return part(x[0], phase) + mixed(x[1], x[2], weight) + Code{{Op::multiply}};
    case Op::exp: {  // both are the same: one is accurate where the other cancels
      const Code size = x[0] + Code{number(1.0), {Op::hypot}};
      return x[0] + Code{number(0.0), {Op::less}, number(1.0)} + size + x[0] +
             Code{{Op::subtract}, {Op::divide}} + size + x[0] + Code{{Op::add}, {Op::choose}};
    }
    case Op::cosh:
      return x[0] + Code{number(1.0), {Op::hypot}};
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
      return bent(x[0], 0.9);
    case Op::ceil:
      return bent(x[0], 1.1);
    case Op::abs:
      return bent(x[0]);
    case Op::min:
    case Op::max:
    case Op::mod:
      return mixed(x[0], x[1], weight);
    case Op::curve: {
      const auto [lowest, highest] = law.curves()[static_cast<std::size_t>(step.argument)]->range();
      return between(size_log(x[0]), phase, lowest, highest);
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

  // whole_too: numbers that are whole are blurred as well.
  void operator()(Expression& law, bool whole_too = false) const {
    if (law.is_constant()) {
      law = Expression(blurred(law.constant(), whole_too));
      return;
    }
    std::vector<Code> stack;
    std::vector<Mark> marks;
    for (const Instruction& step : law.program()) {
      const auto count = static_cast<std::size_t>(operand_count(step.op));
      const std::size_t first = stack.size() - count;
      const Mark mark = mark_of(step, std::span(marks).subspan(first), law);
      Code code;
      if (step.op == Op::load)
        code = loaded(step, law.symbols()[static_cast<std::size_t>(step.argument)]);
      else if (step.op == Op::constant)
        code = {number(blurred(step.number))};
      else
        code = replaced(step, stack.data() + first, mark, law);
      stack.resize(first);
      marks.resize(first);
      stack.push_back(std::move(code));
      marks.push_back(mark);
    }
    law = Expression(std::move(stack.back()), {law.symbols().begin(), law.symbols().end()},
                     {law.curves().begin(), law.curves().end()});
  }

 private:
  Code loaded(const Instruction& step, const Symbol& symbol) const {
    if (symbol.kind != SymbolKind::discrete || !how_.discretes_elsewhere) return {step};
    return {step, number(0.37 + 0.11 * symbol.index), {Op::add}};
  }
  double blurred(double x, bool whole_too = false) const {
    if (!how_.blurred || (is_whole(x) && !whole_too)) return x;
    std::uint64_t mixed = std::bit_cast<std::uint64_t>(std::abs(x));
    for (int k = 0; k < 3; ++k) mixed = (mixed ^ (mixed >> 31)) * 0x9e3779b97f4a7c15u;
    const double size = 0.2 + 0.8 * static_cast<double>(mixed >> 11) * 0x1p-53;
    return x * (1.0 + (mixed & 1024u ? size : -size) * 1e-13);
  }

  WithoutPieces how_;
};

// Of a direction: numbers of several axes.
bool is_oblique(const AttributeSchema& schema, const AttributeValue& attribute) {
  const bool direction =
      schema.type == AttributeType::axis || schema.type == AttributeType::rotation_axis;
  return direction && std::ranges::count_if(attribute.numbers, [](const Expression& x) {
                        return !x.is_constant() || x.constant() != 0.0;
                      }) > 1;
}

}  // namespace

Model without_pieces(Model model, WithoutPieces how) {
  const Replacement one(how);
  const auto all = [&one](auto& laws, bool whole_too = false) {
    for (Expression& law : laws) one(law, whole_too);
  };
  for (Parameter& parameter : model.parameters)
    if (!parameter.value.is_constant()) one(parameter.value);
  for (Input& input : model.inputs) one(input.start);
  for (StateVariable& state : model.states) one(state.start), one(state.der);
  for (AlgebraicVariable& w : model.algebraics) one(w.start), one(w.residual);
  for (DiscreteVariable& z : model.discretes) one(z.start);
  for (InitialCondition& condition : model.conditions) one(condition.value), one(condition.equals);
  for (Frame& frame : model.frames) all(frame.position), all(frame.rotation);
  for (Output& output : model.outputs) one(output.value);
  for (Event& event : model.events)
    if (event.time == Event::Time::none) one(event.function);
  for (Element& element : model.elements)
    for (std::size_t k = 0; k < element.attributes.size(); ++k) {
      AttributeValue& attribute = element.attributes[k];
      all(attribute.numbers, is_oblique(element.tag->attributes[k], attribute));
    }
  all(model.gravity);
  model.without_pieces = true;
  return model;
}

}  // namespace mbs
