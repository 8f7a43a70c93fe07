#include "engine/analysis/dependencies/dependencies.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/analysis/dependencies/structure.hpp"
#include "engine/equations/redundant_rows.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {
namespace {

// Of numbers 0 ... n: which belong together.
class Groups {
 public:
  explicit Groups(int n) : next_(static_cast<std::size_t>(n)) {
    std::iota(next_.begin(), next_.end(), 0);
  }
  int of(int k) {
    while (at(k) != k) k = at(k) = at(at(k));
    return k;
  }
  void unite(int a, int b) { at(of(a)) = of(b); }

 private:
  int& at(int k) { return next_[static_cast<std::size_t>(k)]; }
  std::vector<int> next_;
};

class Search {
 public:
  Search(const Model& model, const StructureTrace& trace)
      : model_(model), trace_(trace), closure_(trace.graph, trace.knowns) {}

  Dependencies run() {
    follow_constraints();
    start_positions();
    start_velocities();
    start_others();
    Dependencies result;
    result.states = trace_.z;
    result.inputs = trace_.time - trace_.input;
    result.parameters = trace_.knowns - trace_.parameter;
    for (const auto* nodes : {&trace_.p_dot, &trace_.a, &trace_.r_dot})
      for (const int node : *nodes) {
        result.rates.push_back(running(node));
        result.start_rates.push_back(starting(closure_.of(node)));
      }
    for (const int node : trace_.outputs) {
      result.outputs.push_back(running(node));
      result.start_outputs.push_back(starting(closure_.of(node)));
    }
    for (const int node : trace_.indicators) result.indicators.push_back(running(node));
    for (int known = 0; known < trace_.z; ++known)
      result.start_states.push_back(numbers(start_[static_cast<std::size_t>(known)]));
    for (int known = trace_.mode; known < trace_.input; ++known)
      result.start_modes.push_back(numbers(start_[static_cast<std::size_t>(known)]));
    for (int known = trace_.parameter; known < trace_.knowns; ++known)
      result.start_parameters.push_back(numbers(start_[static_cast<std::size_t>(known)]));
    return result;
  }

 private:
  KnownSet none() const { return KnownSet(trace_.knowns); }
  bool is_tunable(int known) const {
    return known >= trace_.parameter &&
           model_.parameters[static_cast<std::size_t>(known - trace_.parameter)].variability ==
               Variability::tunable;
  }
  bool is_found(int known) const {
    return known >= trace_.parameter &&
           model_.parameters[static_cast<std::size_t>(known - trace_.parameter)].trimmed;
  }
  int number(int known) const { return known < trace_.z ? known : known - trace_.input + trace_.z; }
  std::vector<int> numbers(const KnownSet& set) const {
    std::vector<int> list;
    set.for_each(trace_.input, trace_.knowns, [&](int known) { list.push_back(number(known)); });
    return list;
  }

  // In event mode.
  void follow_constraints() {
    const std::size_t blocks = static_cast<std::size_t>(trace_.graph.size());
    follows_.assign(blocks, -1);
    const auto add = [&](int row, int node) {
      closure_.of(node).for_each(trace_.input, trace_.knowns, [&](int known) {
        if (known == trace_.time || (known >= trace_.parameter && !is_tunable(known))) return;
        int& set = follows_[closure_.block(row)];
        if (set < 0) {
          set = static_cast<int>(sets_.size());
          sets_.push_back(none());
        }
        sets_[static_cast<std::size_t>(set)].add(known, true);
      });
    };
    for (std::size_t k = 0; k < trace_.lambda.size(); ++k)
      for (const int node : {trace_.position[k], trace_.velocity[k]}) add(trace_.lambda[k], node);
    if (sets_.empty()) return;
    for (const StructureTrace::Assembly& assembly : trace_.assemblies)
      for (const int v : assembly.v)
        if (const int a = trace_.a[static_cast<std::size_t>(v)]; follows_[closure_.block(a)] >= 0)
          add(a, assembly.masses);
    // A position moves with the velocity coordinates that it is made of.
    moved_.assign(static_cast<std::size_t>(trace_.r), -1);
    for (int k = 0; k < trace_.r - trace_.v; ++k)
      moved_[static_cast<std::size_t>(trace_.v + k)] =
          follows_[closure_.block(trace_.a[static_cast<std::size_t>(k)])];
    for (int k = 0; k < trace_.v; ++k)
      closure_.of(trace_.p_dot[static_cast<std::size_t>(k)])
          .for_each(trace_.v, trace_.r, [&](int v) {
            int& moved = moved_[static_cast<std::size_t>(k)];
            moved = std::max(moved, moved_[static_cast<std::size_t>(v)]);
          });
  }

  DependencyList running(int node) const {
    KnownSet set = closure_.of(node);
    if (!moved_.empty()) {
      const KnownSet here = set;
      int before = -1;
      here.for_each(0, trace_.r, [&](int known) {
        const int by = moved_[static_cast<std::size_t>(known)];
        if (by >= 0 && by != before) set.add(sets_[static_cast<std::size_t>(by)], true);
        before = by;
      });
    }
    DependencyList list;
    set.for_each(0, trace_.knowns, [&](int known) {
      if (known < trace_.z || known >= trace_.input)
        list.push_back({number(known), !set.nonlinear(known)});
    });
    return list;
  }

  // What positions, velocities and all others that are set at the start make of a set.
  KnownSet at_start(const KnownSet& set) const {
    KnownSet result = none();
    set.for_each(0, trace_.knowns, [&](int known) {
      if (known >= trace_.input && !is_found(known))
        result.add(known, true);
      else
        result.add(start_[static_cast<std::size_t>(known)], true);
    });
    return result;
  }
  std::vector<int> starting(const KnownSet& set) const { return numbers(at_start(set)); }

  // Conditions that share an unknown are met together. extra: unknowns that stand together in any
  // case, and what acts on them then.
  struct Together {
    std::vector<int> unknowns;
    KnownSet on;
  };
  template <class IsUnknown>
  void meet(const IsUnknown& is_unknown, const std::vector<int>& conditions,
            const std::vector<Together>& extra) {
    Groups groups(trace_.z);
    std::vector<int> any_of;  // condition: one of its unknowns
    for (const int condition : conditions) {
      int& any = any_of.emplace_back(-1);
      closure_.of(condition).for_each(0, trace_.z, [&](int known) {
        if (!is_unknown(known)) return;
        if (any >= 0) groups.unite(any, known);
        any = known;
      });
    }
    for (const Together& together : extra)
      for (const int known : together.unknowns) groups.unite(together.unknowns.front(), known);
    std::map<int, KnownSet> sets;
    const auto set_of = [&](int known) -> KnownSet& {
      return sets.try_emplace(groups.of(known), trace_.knowns).first->second;
    };
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      if (any_of[k] < 0) continue;
      KnownSet others = none();
      closure_.of(conditions[k]).for_each(0, trace_.knowns, [&](int known) {
        if (known >= trace_.z || !is_unknown(known)) others.add(known, true);
      });
      set_of(any_of[k]).add(at_start(others), true);
    }
    for (const Together& together : extra)
      if (!together.unknowns.empty()) set_of(together.unknowns.front()).add(together.on, true);
    for (int known = 0; known < trace_.z; ++known)
      if (is_unknown(known)) start_[static_cast<std::size_t>(known)].add(set_of(known), true);
  }

  bool touches(const StructureTrace::Assembly& assembly, const std::vector<int>& conditions) const {
    return std::ranges::any_of(conditions, [&](int condition) {
      const KnownSet& set = closure_.of(condition);
      const auto has = [&](int first) {
        return [&set, first](int k) { return set.contains(first + k); };
      };
      return std::ranges::any_of(assembly.p, has(trace_.p)) ||
             std::ranges::any_of(assembly.v, has(trace_.v));
    });
  }

  void start_positions() {
    start_.assign(static_cast<std::size_t>(trace_.knowns), none());
    start_states();
    std::vector<Together> extra;
    for (const StructureTrace::Assembly& assembly : trace_.assemblies)
      if (assembly.closed || touches(assembly, trace_.closing_positions))
        extra.push_back({assembly.p, closure_.of(assembly.masses)});
    std::vector<int> conditions = trace_.position_conditions;
    const bool statics = model_.init_method == "statics";
    if (statics) add_statics(conditions, extra);
    meet([&](int known) { return known < trace_.v || (statics && known >= trace_.r); }, conditions,
         extra);
  }
  void start_states() {
    for (int k = trace_.r; k < trace_.z; ++k)
      start_[static_cast<std::size_t>(k)].add(
          at_start(closure_.of(trace_.r_start[static_cast<std::size_t>(k - trace_.r)])), true);
  }

  // At rest the rates of v and r are rows as well, of positions and first-order states; parameters
  // that are found with it follow all of them.
  void add_statics(std::vector<int>& conditions, std::vector<Together>& extra) {
    for (const auto* rows : {&trace_.a, &trace_.r_dot, &trace_.lambda})
      conditions.insert(conditions.end(), rows->begin(), rows->end());
    KnownSet all = none();
    for (const int condition : conditions) all.add(without_states(closure_.of(condition)), true);
    for (int known = trace_.parameter; known < trace_.knowns; ++known)
      if (is_found(known)) start_[static_cast<std::size_t>(known)] = all;
    for (std::size_t k = 0; k < trace_.a.size(); ++k) {
      // The row of a velocity is that of the positions that it moves.
      Together together{{}, at_start(without_states(closure_.of(trace_.a[k])))};
      for (std::size_t i = 0; i < trace_.p_dot.size(); ++i)
        if (closure_.of(trace_.p_dot[i]).contains(trace_.v + static_cast<int>(k)))
          together.unknowns.push_back(trace_.p + static_cast<int>(i));
      extra.push_back(std::move(together));
    }
  }
  KnownSet without_states(const KnownSet& set) const {
    KnownSet rest = none();
    set.for_each(trace_.input, trace_.knowns, [&](int known) {
      if (!is_found(known)) rest.add(known, true);
    });
    return rest;
  }

  void start_velocities() {
    std::vector<Together> extra;
    for (const StructureTrace::Assembly& assembly : trace_.assemblies) {
      if (!assembly.closed && !touches(assembly, trace_.closing_velocities)) continue;
      Together together{{}, closure_.of(assembly.masses)};
      for (const int v : assembly.v) together.unknowns.push_back(trace_.v + v);
      extra.push_back(std::move(together));
    }
    meet([&](int known) { return known >= trace_.v && known < trace_.r; },
         trace_.velocity_conditions, extra);
  }

  // Modes of contacts and impacts, what is remembered, parameters that are found.
  void start_others() {
    start_states();
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t k = 0; k < trace_.contacts.size(); ++k) {
        const StructureTrace::Contact& contact = trace_.contacts[k];
        KnownSet mode = at_start(closure_.of(contact.law)),
                 impact = at_start(closure_.of(contact.impact));
        for (const int row : contact.lambda) mode.add(at_start(closure_.of(row)), true);
        start_[static_cast<std::size_t>(trace_.mode) + k].add(mode, true);
        for (const StructureTrace::Assembly& assembly : trace_.assemblies) {
          const auto hit = [&](int v) {
            return std::ranges::any_of(contact.lambda, [&](int row) {
              return closure_.block(row) == closure_.block(trace_.a[static_cast<std::size_t>(v)]);
            });
          };
          for (const int v : assembly.v) {
            if (!hit(v)) continue;
            KnownSet& start = start_[static_cast<std::size_t>(trace_.v + v)];
            start.add(impact, true);
            start.add(closure_.of(assembly.masses), true);
          }
        }
      }
      for (std::size_t k = 0; k < trace_.z_start.size(); ++k)
        start_[static_cast<std::size_t>(trace_.z) + k].add(at_start(closure_.of(trace_.z_start[k])),
                                                           true);
    }
  }

  const Model& model_;
  const StructureTrace& trace_;
  const DependencyClosure closure_;
  std::vector<int> follows_, moved_;    // sets by block; by p and v
  std::vector<KnownSet> sets_, start_;  // by known
};

template <class Space>
std::optional<StructureTrace> trace_in(const Equations& equations) {
  const auto* absolute = dynamic_cast<const AbsoluteEquations<Space>*>(&equations);
  TracedCoordinates<Space> coordinates;
  if (const auto* along_tree = dynamic_cast<const TreeEquations<Space>*>(&equations)) {
    absolute = &along_tree->absolute();
    coordinates = {&along_tree->tree(), along_tree->is_mixed(), along_tree->absolute_r()};
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
