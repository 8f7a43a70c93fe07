#include "engine/multibody/assembly/law_table.hpp"

namespace mbs {

template <class Space>
int LawTable<Space>::add(const Expression& expression) {
  Law law;
  law.expression = expression;
  for (const Symbol& symbol : expression.symbols()) {
    Law::Argument argument{symbol.kind, symbol.index};
    const bool acceleration = symbol.kind == SymbolKind::coordinate_acceleration;
    if (symbol.kind == SymbolKind::coordinate || symbol.kind == SymbolKind::coordinate_rate ||
        acceleration) {
      const Coordinate& c = model_.coordinates[symbol.index];
      argument.index = joints_.evaluated_coordinate(symbol.index, model_.elements[c.element].place);
      if (argument.index < 0) return absent;
      argument.sign = c.sign;
      if (symbol.kind == SymbolKind::coordinate) joints_.use_as_number(argument.index);
      if (acceleration) m_.accelerations.push_back(argument.index);
    }
    if (symbol.kind == SymbolKind::output) m_.observed.push_back(symbol.index);
    const bool local = symbol.kind == SymbolKind::local;
    law.has_locals = law.has_locals || local;
    law.has_columns = law.has_columns || !(local || symbol.kind == SymbolKind::time ||
                                           symbol.kind == SymbolKind::parameter ||
                                           symbol.kind == SymbolKind::discrete);
    law.arguments.push_back(argument);
  }
  m_.laws.push_back(std::move(law));
  return static_cast<int>(m_.laws.size()) - 1;
}

template <class Space>
int LawTable<Space>::of(const ElementReader& e, std::string_view attribute, int component) {
  const std::vector<Expression>& numbers = e[attribute].numbers;
  return component < static_cast<int>(numbers.size()) ? add(numbers[component]) : absent;
}

template <class Space>
int LawTable<Space>::friction_of(const ElementReader& e) {
  MeasureData reaction;
  reaction.measure.quantity = Quantity::reaction;
  reaction.measure.element = e["joint"].index;
  reaction.measure.component = 6;
  reaction.measure.place = e.element().place;
  reaction.joint = joints_.joint_of(reaction.measure.element);
  const auto index = static_cast<int>(m_.measures.size());
  m_.measures.push_back(std::move(reaction));
  const Expression force({{Instruction::Op::load, 0}}, {{SymbolKind::measure, index}});
  Expression factor = e["mu"].numbers[0];
  if (e.given("radius")) factor = product(factor, e["radius"].numbers[0]);
  return add(product(factor, force));
}

template class LawTable<Planar>;
template class LawTable<Spatial>;

}  // namespace mbs
