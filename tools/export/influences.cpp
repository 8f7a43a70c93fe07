// What acts on what, for ModelStructure: computed from the model as it runs, and by its laws where
// points cannot tell, since a law of several pieces may be at one of them wherever it is looked at.

#include "tools/export/influences.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/influence.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs {
namespace {

bool contains(const auto& list, const auto& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

// use(law) for all that is evaluated while the model runs.
template <class Use>
void for_laws(const Model& model, const Use& use) {
  for (const Element& element : model.elements)
    for (const AttributeValue& attribute : element.attributes)
      for (const Expression& number : attribute.numbers) use(number);
  for (const Output& output : model.outputs) use(output.value);
  for (const StateVariable& state : model.states) use(state.der);
  for (const AlgebraicVariable& w : model.algebraics) use(w.residual);
}

// Laws over more than one piece.
bool has_pieces(const Expression& law) {
  using Op = Instruction::Op;
  constexpr std::array pieces{Op::choose, Op::less, Op::less_equal,  Op::greater,
                              Op::equal,  Op::sign, Op::not_equal,   Op::greater_equal,
                              Op::min,    Op::max,  Op::logical_and, Op::logical_or,
                              Op::floor,  Op::ceil, Op::logical_not, Op::mod,
                              Op::curve};
  return std::ranges::any_of(law.program(),
                             [&](const Instruction& step) { return contains(pieces, step.op); });
}

// Elements that have ends of their own: slack, lift-off, limits.
bool has_ends(const Element& element) {
  constexpr std::array<std::string_view, 5> with_ends{"belt", "hydraulic_cylinder", "spring",
                                                      "tyre", "wheel_rail"};
  return (contains(with_ends, element.tag->name) &&
          (element.tag->name != "spring" || element["tension_only"].index == 1)) ||
         (find_attribute(*element.tag, "limit") >= 0 && element["limit"].given);
}

bool has_pieces(const Model& model) {
  bool any = std::ranges::any_of(model.elements, has_ends);
  for_laws(model, [&any](const Expression& law) { any = any || has_pieces(law); });
  return any;
}

// The parameters whose influence on the start cannot be told from points: those that enter laws of
// several pieces, or elements that are not known to be smooth.
std::vector<char> unclear_parameters(const Model& model) {
  constexpr std::array<std::string_view, 17> smooth{
      "body",    "particle",       "revolute", "prismatic", "cylindrical", "universal",
      "planar",  "spherical",      "weld",     "free",      "damper",      "torsion_spring",
      "bushing", "torsion_damper", "force",    "torque",    "spring"};
  std::vector<char> unclear(model.parameters.size(), 0);
  const auto mark = [&](const Expression& law) {
    for (const Symbol& symbol : law.symbols())
      if (symbol.kind == SymbolKind::parameter) unclear[static_cast<std::size_t>(symbol.index)] = 1;
  };
  const auto mark_pieces = [&](const Expression& law) {
    if (has_pieces(law)) mark(law);
  };
  for_laws(model, mark_pieces);
  for (const Expression& g : model.gravity) mark_pieces(g);
  for (const Frame& frame : model.frames)
    for (const auto* numbers : {&frame.position, &frame.rotation})
      for (const Expression& number : *numbers) mark_pieces(number);
  for (const InitialCondition& condition : model.conditions)
    for (const Expression* side : {&condition.value, &condition.equals}) mark_pieces(*side);
  for (const Input& input : model.inputs) mark_pieces(input.start);
  for (const StateVariable& state : model.states) mark_pieces(state.start);
  for (const AlgebraicVariable& w : model.algebraics) mark_pieces(w.start);
  for (const DiscreteVariable& z : model.discretes) mark_pieces(z.start);
  for (const Element& element : model.elements)
    if (has_ends(element) || !contains(smooth, element.tag->name))
      for (const AttributeValue& attribute : element.attributes)
        for (const Expression& number : attribute.numbers) mark(number);
  // Through those that are calculated: the last come first.
  for (auto i = model.parameter_order.rbegin(); i != model.parameter_order.rend(); ++i) {
    const Expression& value = model.parameters[static_cast<std::size_t>(*i)].value;
    if (unclear[static_cast<std::size_t>(*i)] != 0 || has_pieces(value)) mark(value);
  }
  return unclear;
}

}  // namespace

bool follows_time(const Model& model) {
  bool any = false;
  for_laws(model, [&any](const Expression& law) {
    for (const Symbol& symbol : law.symbols()) any = any || symbol.kind == SymbolKind::time;
  });
  return any;
}

void add_influences(VariableTable& table, const Model& model,
                    const std::shared_ptr<const Equations>& equations) {
  const Sizes& n = equations->sizes();
  const int states = n.p + n.v + n.r;
  if (table.resizable) return;     // dependencies are those of all sizes
  constexpr double largest = 5e5;  // what stands in the description grows with it
  if (1.0 * (states + n.y) * (states + n.u) > largest) return;
  Simulation simulation(equations, solver_choice(model));
  if (!simulation.initialise(model.solver.start_time).ok) return;
  const Parameters parameters = equations->default_parameters();
  const Inputs inputs = equations->default_inputs(parameters);
  const Influence influence =
      find_influence(*equations, {inputs, parameters}, simulation.state(), has_pieces(model));
  if (influence.kinds.empty()) return;
  std::vector<std::uint32_t> known = table.states;
  for (const Variable& v : table.variables)
    if (v.source == Source::input) known.push_back(v.reference);
  // What follows a driven joint at once are states to the equations.
  const bool driven =
      std::any_of(model.elements.begin(), model.elements.end(),
                  [](const Element& element) { return element.tag->name == "drive"; });
  for (Variable& v : table.variables) {
    const bool output = v.source == Source::output && v.follows_states;
    if (!output && v.source != Source::derivative) continue;
    const int row = output ? states + v.index : v.index;
    v.influences.emplace();
    for (int j = 0; j < influence.columns; ++j) {
      const Influence::Kind kind = influence.of(row, j);
      const std::uint32_t reference = known[static_cast<std::size_t>(j)];
      if (kind != Influence::none) v.influences->push_back(reference);
      if (kind == Influence::constant) v.constant_influences.push_back(reference);
    }
    if (driven)
      v.influences->insert(v.influences->end(), v.dependencies.begin(), v.dependencies.end());
    std::sort(v.constant_influences.begin(), v.constant_influences.end());
  }
}

// Start values with each parameter by itself a little larger, at three points: the default values
// at the start time, and two beside them with other inputs at other times.
void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& equations) {
  constexpr int points = 3, most_starts = 2000;
  constexpr double larger = 0.03, negligible = 1e-12;
  const Sizes& n = equations->sizes();
  std::vector<const Variable*> parameters;
  for (const Variable& v : table.variables)
    if (v.source == Source::parameter && v.causality == Causality::parameter)
      parameters.push_back(&v);
  if (table.resizable || parameters.empty() || n.y == 0 || solver_choice(model).statics ||
      points * std::ssize(parameters) > most_starts)
    return;
  const std::vector<char> unclear = unclear_parameters(model);
  const std::size_t count = parameters.size();
  std::vector<char> acts(count * static_cast<std::size_t>(n.y), 0);
  Simulation simulation(equations, solver_choice(model));
  const Inputs inputs = equations->default_inputs(equations->default_parameters());
  int point = 0;
  const auto start = [&](Vector& y) {
    y.setZero(n.y);
    for (int i = 0; i < n.u; ++i) {
      const double u = inputs.value[i];
      simulation.set_input(i, u + 0.37 * point * (1.0 + std::abs(u)), 0.0, 0.0);
    }
    if (!simulation.initialise(model.solver.start_time + 0.29 * point).ok) return false;
    for (int i = 0; i < n.y; ++i) y[i] = simulation.output(i);
    return y.allFinite();
  };
  const Vector defaults = equations->default_parameters().values;
  const auto other = [](double x, double by) { return x == 0.0 ? 0.1 * by : x * (1.0 + by); };
  bool seen = false;
  Vector before, after;
  for (; point < points; ++point) {
    const auto at = [&](std::size_t k) {
      const double part = std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
      return other(defaults[parameters[k]->index], 0.04 * point * (part - 0.5));
    };
    for (std::size_t k = 0; k < count; ++k) simulation.set_parameter(parameters[k]->index, at(k));
    if (!start(before)) continue;
    seen = true;
    for (std::size_t k = 0; k < count; ++k) {
      const int index = parameters[k]->index;
      simulation.set_parameter(index, other(at(k), larger));
      const bool started = start(after);
      simulation.set_parameter(index, at(k));
      for (int i = 0; i < n.y; ++i)
        if (!started || unclear[static_cast<std::size_t>(index)] != 0 ||
            std::abs(after[i] - before[i]) > negligible * (1.0 + std::abs(before[i])))
          acts[k * static_cast<std::size_t>(n.y) + static_cast<std::size_t>(i)] = 1;
    }
  }
  if (!seen) return;
  for (Variable& v : table.variables) {
    if (v.source != Source::output || v.causality != Causality::output) continue;
    v.start_parameters.emplace();
    for (std::size_t k = 0; k < count; ++k)
      if (acts[k * static_cast<std::size_t>(n.y) + static_cast<std::size_t>(v.index)] != 0)
        v.start_parameters->push_back(parameters[k]->reference);
  }
}

}  // namespace mbs
