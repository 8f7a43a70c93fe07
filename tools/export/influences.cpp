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

// The parameters and time, as far as their influence on the start cannot be told from points.
struct Unclear {
  std::vector<char> parameters;
  bool time = false;

  explicit Unclear(const Model& model) : parameters(model.parameters.size(), 0) {}
  void add(const Expression& law) {
    for (const Symbol& symbol : law.symbols())
      if (symbol.kind == SymbolKind::parameter)
        parameters[static_cast<std::size_t>(symbol.index)] = 1;
      else if (symbol.kind == SymbolKind::time)
        time = true;
  }
  // Through those that are calculated: the last come first.
  void go_through(const Model& model) {
    for (auto i = model.parameter_order.rbegin(); i != model.parameter_order.rend(); ++i) {
      const Expression& value = model.parameters[static_cast<std::size_t>(*i)].value;
      if (parameters[static_cast<std::size_t>(*i)] != 0) add(value);
    }
  }
};

// For all outputs: what enters laws of several pieces, or elements that are not known to be smooth.
Unclear unclear_everywhere(const Model& model) {
  constexpr std::array<std::string_view, 17> smooth{
      "body",    "particle",       "revolute", "prismatic", "cylindrical", "universal",
      "planar",  "spherical",      "weld",     "free",      "damper",      "torsion_spring",
      "bushing", "torsion_damper", "force",    "torque",    "spring"};
  Unclear unclear(model);
  const auto add_pieces = [&](const Expression& law) {
    if (has_pieces(law)) unclear.add(law);
  };
  for (const StateVariable& state : model.states) add_pieces(state.der);
  for (const AlgebraicVariable& w : model.algebraics) add_pieces(w.residual);
  for (const Expression& g : model.gravity) add_pieces(g);
  for (const Frame& frame : model.frames)
    for (const auto* numbers : {&frame.position, &frame.rotation})
      for (const Expression& number : *numbers) add_pieces(number);
  for (const InitialCondition& condition : model.conditions)
    for (const Expression* side : {&condition.value, &condition.equals}) add_pieces(*side);
  for (const Input& input : model.inputs) add_pieces(input.start);
  for (const StateVariable& state : model.states) add_pieces(state.start);
  for (const AlgebraicVariable& w : model.algebraics) add_pieces(w.start);
  for (const DiscreteVariable& z : model.discretes) add_pieces(z.start);
  for (const Parameter& parameter : model.parameters) add_pieces(parameter.value);
  for (const Element& element : model.elements) {
    const bool as_a_whole = has_ends(element) || !contains(smooth, element.tag->name);
    for (const AttributeValue& attribute : element.attributes)
      for (const Expression& number : attribute.numbers)
        if (as_a_whole || has_pieces(number)) unclear.add(number);
  }
  unclear.go_through(model);
  return unclear;
}

// For one output: what enters its own law, when that has pieces.
Unclear unclear_for(const Model& model, const Output& output) {
  Unclear unclear(model);
  if (has_pieces(output.value)) unclear.add(output.value);
  unclear.go_through(model);
  return unclear;
}

// How many of the states (p, v, r) a residual is a function of: g(p, t), G(p, t) v + g_t. Their
// slopes, those of distances, tell nothing where they are zero. 0: it is another output.
int followed_by_residual(const Model& model, const Variable& output, const Sizes& n) {
  const Quantity quantity = model.outputs[static_cast<std::size_t>(output.index)].what.quantity;
  return quantity == Quantity::residual            ? n.p
         : quantity == Quantity::velocity_residual ? n.p + n.v
                                                   : 0;
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
    if (const int followed = output ? followed_by_residual(model, v, n) : 0; followed > 0) {
      v.influences->assign(table.states.begin(), table.states.begin() + followed);
      v.influences->insert(v.influences->end(), v.dependencies.begin(), v.dependencies.end());
      continue;
    }
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

namespace {

// Something that the importer sets before the start.
struct Knob {
  std::uint32_t reference = 0;
  Source source = Source::parameter;  // parameter, input, time
  int index = 0;

  // Feedthrough knows the laws of inputs.
  bool is_in(const Unclear& unclear) const {
    return source == Source::parameter ? unclear.parameters[static_cast<std::size_t>(index)] != 0
                                       : source == Source::time && unclear.time;
  }
};

std::vector<Knob> knobs_of(const VariableTable& table) {
  std::vector<Knob> knobs;
  for (const Variable& v : table.variables)
    if (v.source == Source::time || v.source == Source::input ||
        (v.source == Source::parameter && v.causality == Causality::parameter))
      knobs.push_back({v.reference, v.source, v.index});
  return knobs;
}

// Outputs at the start, with what is set moved away from the defaults.
class Starts {
 public:
  Starts(const Model& model, const std::shared_ptr<const Equations>& equations)
      : equations_(*equations),
        simulation_(equations, solver_choice(model)),
        parameters_(equations->default_parameters().values),
        inputs_(equations->default_inputs(equations->default_parameters()).value),
        time_(model.solver.start_time) {}

  // False where there is no start.
  bool outputs(std::span<const Knob> knobs, int point, const Knob* moved, Vector& y) {
    double t = time_ + 0.29 * point;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const Knob& knob = knobs[k];
      const bool is_moved = &knob == moved;
      if (knob.source == Source::parameter) {
        const double part = std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
        const double x = other(parameters_[knob.index], 0.04 * point * (part - 0.5));
        simulation_.set_parameter(knob.index, is_moved ? other(x, larger) : x);
      } else if (knob.source == Source::input) {
        const double u = inputs_[knob.index];
        const double x = u + 0.37 * point * (1.0 + std::abs(u));
        simulation_.set_input(knob.index, is_moved ? x + larger * (1.0 + std::abs(x)) : x);
      } else if (is_moved) {
        t += larger * (1.0 + std::abs(t));
      }
    }
    const int n = equations_.sizes().y;
    y.setZero(n);
    if (!simulation_.initialise(t).ok) return false;
    for (int i = 0; i < n; ++i) y[i] = simulation_.output(i);
    return y.allFinite();
  }

 private:
  static constexpr double larger = 0.03;
  static double other(double x, double by) { return x == 0.0 ? 0.1 * by : x * (1.0 + by); }

  const Equations& equations_;
  Simulation simulation_;
  Vector parameters_, inputs_;
  double time_;
};

}  // namespace

// Start values with each parameter, input and the time by itself a little larger, at three points:
// the default values at the start time, and two beside them with other inputs at other times.
void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& equations) {
  constexpr int points = 3;
  constexpr double most_work = 2e6;  // starts times unknowns
  constexpr double negligible = 1e-12;
  const Sizes& n = equations->sizes();
  const std::vector<Knob> knobs = knobs_of(table);
  const std::size_t count = knobs.size();
  const double work =
      points * (1.0 + static_cast<double>(count)) * (n.p + n.v + n.lambda + n.r + n.w + n.y);
  if (table.resizable || n.y == 0 || solver_choice(model).statics || work > most_work) return;
  std::vector<char> acts(count * static_cast<std::size_t>(n.y), 0);
  const auto act = [&](std::size_t k, int i) -> char& {
    return acts[k * static_cast<std::size_t>(n.y) + static_cast<std::size_t>(i)];
  };
  Starts starts(model, equations);
  bool seen = false;
  Vector before, after;
  for (int point = 0; point < points; ++point) {
    if (!starts.outputs(knobs, point, nullptr, before)) continue;
    seen = true;
    for (std::size_t k = 0; k < count; ++k) {
      const bool started = starts.outputs(knobs, point, &knobs[k], after);
      for (int i = 0; i < n.y; ++i)
        if (!started || std::abs(after[i] - before[i]) > negligible * std::abs(before[i]))
          act(k, i) = 1;
    }
  }
  if (!seen) return;
  const Unclear everywhere = unclear_everywhere(model);
  for (Variable& v : table.variables) {
    if (v.source != Source::output || v.causality != Causality::output) continue;
    const Unclear here = unclear_for(model, model.outputs[static_cast<std::size_t>(v.index)]);
    std::vector<std::uint32_t>& list = v.start_influences.emplace(v.dependencies);
    for (std::size_t k = 0; k < count; ++k)
      if (act(k, v.index) != 0 || knobs[k].is_in(everywhere) || knobs[k].is_in(here))
        list.push_back(knobs[k].reference);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

}  // namespace mbs
