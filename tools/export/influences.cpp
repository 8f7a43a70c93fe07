// What acts on what, for ModelStructure: computed from the model as it runs, at points beside its
// start. Points see one piece of a law each, so it is the model without pieces that is looked at
// (engine/model/without_pieces.hpp); only modes of contacts are left, and those points go through.

#include "tools/export/influences.hpp"

#include <algorithm>
#include <cmath>

#include "engine/analysis/influence.hpp"
#include "engine/model/without_pieces.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tools/export/start_influences.hpp"

namespace mbs {
namespace {

using References = std::vector<std::uint32_t>;

// Null where there are none of these sizes.
std::shared_ptr<const Equations> equations_without_pieces(const Model& model, WithoutPieces how,
                                                          const Equations& whole) {
  try {
    Diagnostics unsaid;
    const auto equations = assemble(without_pieces(model, how), unsaid);
    if (!equations) return nullptr;
    const Sizes &a = equations->sizes(), &b = whole.sizes();
    const bool same = a.p == b.p && a.v == b.v && a.r == b.r && a.w == b.w && a.s == b.s &&
                      a.z == b.z && a.lambda == b.lambda && a.modes == b.modes;
    return same ? equations : nullptr;
  } catch (const std::length_error&) {
    return nullptr;
  }
}

// What acts, in the order of Influence's columns: mostly what importers give, each by itself.
// Numbers that are found with the start follow all parameters there.
struct Knowns {
  std::vector<References> references;
  std::vector<KnownParameter> parameters;

  Knowns(const VariableTable& table, const Model& model) {
    for (const std::uint32_t state : table.states) references.push_back({state});
    for (const Variable& v : table.variables)
      if (v.source == Source::input) references.push_back({v.reference});
    references.push_back({table.variables.front().reference});  // time
    for (const Variable& v : table.variables) {
      if (v.source != Source::parameter) continue;
      const bool trimmed = model.parameters[static_cast<std::size_t>(v.index)].trimmed;
      if (v.causality != Causality::parameter && !trimmed) continue;
      references.push_back(trimmed ? v.dependencies : References{v.reference});
      parameters.push_back({v.index, v.variability == Change::tunable});
    }
  }
};

void add_running(VariableTable& table, const Model& model, const Structure& structure,
                 const Knowns& knowns, const Influence& influence) {
  for (Variable& v : table.variables) {
    const bool output = v.causality == Causality::output;
    const bool indicator = v.source == Source::indicator;
    if (!output && !indicator && v.source != Source::derivative) continue;
    v.influences.emplace();
    if (output && !v.follows_states) continue;  // of counters and modes: what has happened before
    if (indicator && structure.switching[static_cast<std::size_t>(v.index)].of_time) continue;
    int row = indicator ? influence.row_of_event(v.index) : v.index;
    if (output) {
      const Quantity quantity = model.outputs[static_cast<std::size_t>(v.index)].what.quantity;
      row = quantity == Quantity::residual            ? influence.residual()
            : quantity == Quantity::velocity_residual ? influence.velocity_residual()
                                                      : influence.rates + v.index;
    }
    for (int j = 0; j < influence.column_of_contact(0); ++j) {
      const Influence::Kind kind = influence.of(row, j);
      const References& of = knowns.references[static_cast<std::size_t>(j)];
      if (kind != Influence::none) v.influences->insert(v.influences->end(), of.begin(), of.end());
      if (kind == Influence::constant && model.discretes.empty())
        v.constant_influences.push_back(of.front());
    }
    std::sort(v.influences->begin(), v.influences->end());
    v.influences->erase(std::unique(v.influences->begin(), v.influences->end()),
                        v.influences->end());
    std::sort(v.constant_influences.begin(), v.constant_influences.end());
  }
}

}  // namespace

void add_influences(VariableTable& table, const Model& model,
                    const std::shared_ptr<const Equations>& equations) {
  // Where time is large its last digits are phases of what oscillates: all looks like rounding.
  constexpr double latest = 1e6;
  const bool late = std::abs(model.solver.start_time) > latest;
  const Sizes& n = equations->sizes();
  const Knowns knowns(table, model);
  const double states = n.p + n.v + n.r;
  constexpr double largest = 5e5;  // what stands in the description grows with it
  const bool small = (states + n.y) * static_cast<double>(knowns.references.size()) <= largest;
  Influence influence;
  CoSimulationDriver simulation(equations, solver_choice(model));
  if (small && simulation.initialise(model.solver.start_time).ok) {
    const auto smooth = equations_without_pieces(model, {.discretes_elsewhere = true}, *equations);
    const auto blurred =
        equations_without_pieces(model, {.discretes_elsewhere = true, .blurred = true}, *equations);
    if (smooth && blurred) {
      const Parameters parameters = smooth->default_parameters();
      const Inputs inputs = smooth->default_inputs(parameters);
      State at = simulation.state();
      if (late) at.t = 0.0;
      influence = find_influence(*smooth, *blurred, {inputs, parameters}, at, knowns.parameters);
    }
    if (!influence.kinds.empty())
      add_running(table, model, equations->structure(), knowns, influence);
  }
  if (late) return;
  const auto smooth = equations_without_pieces(model, {}, *equations);
  const auto blurred = equations_without_pieces(model, {.blurred = true}, *equations);
  if (smooth && blurred) add_start_influences(table, model, equations, smooth, blurred, influence);
}

}  // namespace mbs
