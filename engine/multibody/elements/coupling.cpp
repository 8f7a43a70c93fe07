// <coupling>: 0 = relation, linear in the coordinates of joints.

#include <algorithm>

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

namespace {

enum class Degree : unsigned char { none, linear, other };

// The degree of the relation in the coordinates, found along its program.
Degree degree_in_coordinates(const Expression& relation) {
  using Op = Instruction::Op;
  std::vector<Degree> stack;
  for (const Instruction& step : relation.program()) {
    if (step.op == Op::constant || step.op == Op::load) {
      const bool coordinate =
          step.op == Op::load &&
          relation.symbols()[static_cast<std::size_t>(step.argument)].kind != SymbolKind::parameter;
      stack.push_back(coordinate ? Degree::linear : Degree::none);
      continue;
    }
    const std::size_t first = stack.size() - static_cast<std::size_t>(operand_count(step.op));
    const Degree a = stack[first], largest = *std::max_element(stack.begin() + first, stack.end());
    Degree result = largest == Degree::none ? Degree::none : Degree::other;
    if (step.op == Op::add || step.op == Op::subtract || step.op == Op::negate) {
      result = largest;
    } else if (step.op == Op::multiply || step.op == Op::divide) {
      const Degree b = stack[first + 1];
      if (b == Degree::none) result = a;
      if (a == Degree::none && step.op == Op::multiply) result = b;
    }
    stack.resize(first);
    stack.push_back(result);
  }
  return stack.empty() ? Degree::none : stack.back();
}

}  // namespace

template <class Space>
void bind_coupling(Assembly<Space>& to, const ElementReader& e) {
  const Expression& relation = e["relation"].numbers[0];
  const auto symbols = relation.symbols();
  const bool of_coordinates = std::all_of(symbols.begin(), symbols.end(), [](const Symbol& s) {
    return s.kind == SymbolKind::parameter || s.kind == SymbolKind::coordinate;
  });
  if (!of_coordinates || degree_in_coordinates(relation) != Degree::linear) {
    e.error("not-linear", e.title() + " needs a relation that is linear in coordinates",
            "a sum of factors times coordinates of joints, as in \"lift.q - drum.q*r\", with "
            "factors and a constant of parameters alone");
    return;
  }
  const int law = to.laws.of(e, "relation");
  if (law != absent) to.joints.add_coupling(e, {.law = law});
}

extern const ElementType coupling_element{"coupling", bind_coupling, bind_coupling};

}  // namespace mbs
