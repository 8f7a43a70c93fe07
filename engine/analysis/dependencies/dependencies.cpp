#include "engine/analysis/dependencies/dependencies.hpp"

#include <algorithm>

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/equations/redundant_rows.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {
namespace {

// Reads the lists from the closures of three graphs, which differ in what positions, velocities and
// other knowns depend on: nothing while the model runs; what constraints depend on in event mode;
// the conditions that they meet at the start.
class Search {
 public:
  Search(const Model& model, StructureTrace& trace)
      : model_(model), trace_(trace), running_(trace.graph, trace.knowns) {}

  Dependencies run() {
    const std::optional<DependencyClosure> in_events = follow_constraints();
    add_start();
    const DependencyClosure at_start(trace_.graph, trace_.knowns);
    Dependencies result;
    result.states = trace_.z;
    result.inputs = trace_.time - trace_.input;
    result.parameters = trace_.knowns - trace_.parameter;
    const auto starting = [&](int node) {
      std::vector<int> list;
      at_start.of(node).for_each(trace_.input, trace_.knowns, [&](int known) {
        if (!is_found(known)) list.push_back(number(known));
      });
      return list;
    };
    const auto running = [&](int node) {
      KnownSet set = running_.of(node);
      if (in_events)
        in_events->of(node).for_each(trace_.input, trace_.knowns, [&](int known) {
          if (follows_at_once(known)) set.add(known, in_events->of(node).nonlinear(known));
        });
      DependencyList list;
      set.for_each(0, trace_.knowns, [&](int known) {
        if (known < trace_.z || known >= trace_.input)
          list.push_back({number(known), !set.nonlinear(known)});
      });
      return list;
    };
    for (const auto* nodes : {&trace_.p_dot, &trace_.a, &trace_.r_dot})
      for (const int node : *nodes) {
        result.rates.push_back(running(node));
        result.start_rates.push_back(starting(node));
      }
    for (const int node : trace_.outputs) {
      result.outputs.push_back(running(node));
      result.start_outputs.push_back(starting(node));
    }
    for (const int node : trace_.indicators) result.indicators.push_back(running(node));
    for (int known = 0; known < trace_.z; ++known) result.start_states.push_back(starting(known));
    for (int known = trace_.mode; known < trace_.input; ++known)
      result.start_modes.push_back(starting(known));
    for (int known = trace_.parameter; known < trace_.knowns; ++known)
      result.start_parameters.push_back(is_found(known) ? starting(known) : std::vector<int>());
    return result;
  }

 private:
  bool is_found(int known) const {
    return known >= trace_.parameter && model_.parameters[known - trace_.parameter].trimmed;
  }
  bool follows_at_once(int known) const {
    return known < trace_.time ||
           (known >= trace_.parameter &&
            model_.parameters[known - trace_.parameter].variability == Variability::tunable);
  }
  int number(int known) const { return known < trace_.z ? known : known - trace_.input + trace_.z; }
  bool has_known(int node, int first, int end, const auto& is) const {
    bool has = false;
    running_.of(node).for_each(first, end, [&](int known) { has = has || is(known); });
    return has;
  }
  void depend(int node, int on) { trace_.graph.depend(node, on, false); }

  // In event mode positions and velocities of a block follow at once what its constraints depend
  // on, measured by the masses; a position moves with the velocities that it is made of.
  std::optional<DependencyClosure> follow_constraints() {
    std::vector<std::vector<int>> residuals(trace_.graph.size());  // by block
    bool any = false;
    for (std::size_t k = 0; k < trace_.lambda.size(); ++k)
      for (const int node : {trace_.position[k], trace_.velocity[k]}) {
        if (!has_known(node, trace_.input, trace_.knowns,
                       [&](int known) { return follows_at_once(known); }))
          continue;
        residuals[running_.block(trace_.lambda[k])].push_back(node);
        any = true;
      }
    if (!any) return {};
    DependencyGraph graph = trace_.graph;
    for (const StructureTrace::Assembly& assembly : trace_.assemblies)
      for (const int v : assembly.v) {
        const std::vector<int>& nodes = residuals[running_.block(trace_.a[v])];
        for (const int node : nodes) graph.depend(trace_.v + v, node, false);
        if (!nodes.empty()) graph.depend(trace_.v + v, assembly.masses, false);
      }
    for (int p = 0; p < trace_.v; ++p)
      running_.of(trace_.p_dot[p]).for_each(trace_.v, trace_.r, [&](int v) {
        graph.depend(p, v, false);
      });
    return DependencyClosure(graph, trace_.knowns);
  }

  // The knowns from `first` to `end` meet conditions: those that share one are met together.
  void meet(const std::vector<int>& conditions, int first, int end) {
    for (const int condition : conditions)
      running_.of(condition).for_each(first, end, [&](int known) { depend(known, condition); });
  }
  // An assembly whose joints make loops, or on which a closing condition depends, is moved as a
  // whole: each of its numbers then depends on all of them and on the masses.
  void move_together(const std::vector<int>& numbers, int first,
                     const StructureTrace::Assembly& assembly, const std::vector<int>& closing) {
    const bool touched = std::ranges::any_of(closing, [&](int condition) {
      return std::ranges::any_of(numbers,
                                 [&](int k) { return running_.of(condition).contains(first + k); });
    });
    if (!assembly.closed && !touched) return;
    const int all = trace_.graph.add_nodes(1);
    depend(all, assembly.masses);
    for (const int k : numbers) {
      depend(first + k, all);
      depend(all, first + k);
    }
  }

  void add_start() {
    meet(trace_.position_conditions, trace_.p, trace_.v);
    meet(trace_.velocity_conditions, trace_.v, trace_.r);
    for (const StructureTrace::Assembly& assembly : trace_.assemblies) {
      move_together(assembly.p, trace_.p, assembly, trace_.closing_positions);
      move_together(assembly.v, trace_.v, assembly, trace_.closing_velocities);
    }
    for (std::size_t k = 0; k < trace_.r_start.size(); ++k)
      depend(trace_.r + static_cast<int>(k), trace_.r_start[k]);
    for (std::size_t k = 0; k < trace_.z_start.size(); ++k)
      depend(trace_.z + static_cast<int>(k), trace_.z_start[k]);
    if (model_.init_method == "statics") add_statics();
    for (std::size_t k = 0; k < trace_.contacts.size(); ++k)
      add_contact(trace_.mode + static_cast<int>(k), trace_.contacts[k]);
  }

  // At rest the rates of v and r are rows as well, of positions and first-order states; parameters
  // that are found with it follow all of them. The row of a velocity is that of the positions that
  // it moves.
  void add_statics() {
    std::vector<int> rows = trace_.a;
    rows.insert(rows.end(), trace_.r_dot.begin(), trace_.r_dot.end());
    rows.insert(rows.end(), trace_.lambda.begin(), trace_.lambda.end());
    meet(rows, trace_.p, trace_.v);
    meet(rows, trace_.r, trace_.z);
    meet(trace_.position_conditions, trace_.r, trace_.z);
    for (int known = trace_.parameter; known < trace_.knowns; ++known)
      for (std::size_t k = 0; is_found(known) && k < rows.size(); ++k) depend(known, rows[k]);
    for (int p = 0; p < trace_.v; ++p)
      running_.of(trace_.p_dot[p]).for_each(trace_.v, trace_.r, [&](int v) {
        depend(p, trace_.a[v - trace_.v]);
      });
  }

  // The mode of a contact follows its laws and its rows; an impact moves all of its block.
  void add_contact(int mode, const StructureTrace::Contact& contact) {
    depend(mode, contact.law);
    for (const int row : contact.lambda) depend(mode, row);
    for (const StructureTrace::Assembly& assembly : trace_.assemblies)
      for (const int v : assembly.v)
        if (std::ranges::any_of(contact.lambda, [&](int row) {
              return running_.block(row) == running_.block(trace_.a[v]);
            })) {
          depend(trace_.v + v, contact.impact);
          depend(trace_.v + v, assembly.masses);
        }
  }

  const Model& model_;
  StructureTrace& trace_;
  const DependencyClosure running_;
};

template <class Space>
std::optional<StructureTrace> trace_in(const Equations& equations) {
  const auto* absolute = dynamic_cast<const AbsoluteEquations<Space>*>(&equations);
  TracedCoordinates<Space> coordinates;
  if (const auto* along_tree = dynamic_cast<const TreeEquations<Space>*>(&equations)) {
    const auto own = along_tree->coordinates();
    absolute = &own.bodies;
    coordinates = {&own.tree, own.is_mixed, own.r};
  }
  if (absolute == nullptr) return {};
  return StructureTracer<Space>(absolute->mechanism(), absolute->default_parameters(), coordinates)
      .run();
}

}  // namespace

std::optional<Dependencies> find_dependencies(const Model& model, const Equations& equations) {
  const auto* some_rows = dynamic_cast<const RedundantRows*>(&equations);
  const Equations& all_rows = some_rows == nullptr ? equations : some_rows->all_rows();
  std::optional<StructureTrace> found = trace_in<Planar>(all_rows);
  if (!found) found = trace_in<Spatial>(all_rows);
  if (!found) return {};
  StructureTrace& trace = *found;
  // Reactions of least norm are one least-squares solution over all constraints.
  if (equations.structure().redundancy == Structure::Redundancy::minimum_norm)
    for (std::size_t k = 0; k < trace.a.size(); ++k)
      trace.graph.depend(trace.a[k], trace.a[(k + 1) % trace.a.size()], false);
  return Search(model, trace).run();
}

}  // namespace mbs
