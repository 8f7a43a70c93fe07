#include "engine/multibody/evaluation.hpp"

namespace mbs {

template <class Space>
double Evaluation<Space>::argument(const Law::Argument& argument,
                                   std::initializer_list<double> locals) const {
  const int i = argument.index;
  switch (argument.kind) {
    case SymbolKind::time:
      return x.t;
    case SymbolKind::parameter:
      return context.parameters.values[i];
    case SymbolKind::input:
      return context.inputs.at(i, x.t);
    case SymbolKind::state:
      return x.r[i];
    case SymbolKind::algebraic:
      return x.w[i];
    case SymbolKind::coordinate:
      return argument.sign * signals.q[i];
    case SymbolKind::coordinate_rate:
      return argument.sign * signals.qd[i];
    case SymbolKind::measure:
      return signals.measures[i];
    case SymbolKind::local:
      return locals.begin()[i];
    case SymbolKind::coordinate_acceleration:
      return argument.sign * signals.qdd[i];
    case SymbolKind::output:
      return signals.outputs[i];
    case SymbolKind::discrete:
      return x.z[mechanism.discrete + i];
  }
  return 0.0;
}

template <class Space>
double Evaluation<Space>::law(int index, std::initializer_list<double> locals) const {
  const Law& law = mechanism.laws[index];
  if (law.expression.is_constant()) return law.expression.constant();
  std::array<double, Expression::max_arguments> values;
  const std::size_t n = law.arguments.size();
  for (std::size_t k = 0; k < n; ++k) values[k] = argument(law.arguments[k], locals);
  return law.expression.value(std::span(values).first(n));
}

template <class Space>
double Evaluation<Space>::law_gradient(int index, std::initializer_list<double> locals,
                                       double* partial) const {
  const Law& law = mechanism.laws[index];
  if (law.expression.is_constant()) return law.expression.constant();
  std::array<double, Expression::max_arguments> values;
  const std::size_t n = law.arguments.size();
  for (std::size_t k = 0; k < n; ++k) values[k] = argument(law.arguments[k], locals);
  return law.expression.gradient(std::span(values).first(n), std::span(partial, n));
}

template struct Evaluation<Planar>;
template struct Evaluation<Spatial>;

}  // namespace mbs
