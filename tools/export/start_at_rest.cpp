#include "tools/export/start_at_rest.hpp"

#include <algorithm>
#include <utility>

#include "engine/analysis/rest_influence.hpp"
#include "engine/equations/start.hpp"

namespace mbs {
namespace {

// Whether there is a rest near where the model begins, found in little time.
bool has_rest(const Model& model, const Equations& equations, const SolverChoice& solver) {
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  State x(equations.sizes());
  const Context context{inputs, parameters};
  return make_start(equations, context, model.solver.start_time, x,
                    {.conditions = solver.conditions})
             .ok &&
         find_equilibrium(equations, context, x, {.max_relaxations = 0, .trims = solver.trims}).ok;
}

class RestLists {
 public:
  RestLists(const Sizes& n, const Influence& running, const Influence& rest, std::size_t knobs,
            Acting acts)
      : n_(n), running_(running), rest_(rest), knobs_(knobs), result_{std::move(acts), {}} {
    result_.on_modes.assign(static_cast<std::size_t>(running.contacts),
                            std::vector<char>(knobs, 0));
  }

  // In place of what has been seen.
  void add_points() {
    for (int i = 0; i < rest_.residual(); ++i)
      for (std::size_t k = 0; k < knobs_; ++k)
        if (rest_.acts(i, column(k))) result_.acts(row_of_start(i), k) = 1;
  }

  // As they open, close and share forces they act on more, and on each other.
  void add_contacts() {
    for (std::size_t k = 0; k < knobs_; ++k) {
      std::vector<char> acting(static_cast<std::size_t>(rest_.contacts), 0);
      for (int c = 0; c < rest_.contacts; ++c)
        acting[static_cast<std::size_t>(c)] = rest_.acts(rest_.row_of_contact(c), column(k));
      spread(acting, [&](int c, int other) {
        return rest_.acts(rest_.row_of_contact(c), rest_.column_of_contact(other));
      });
      for (int c = 0; c < rest_.contacts; ++c) {
        if (acting[static_cast<std::size_t>(c)] == 0) continue;
        result_.on_modes[static_cast<std::size_t>(c / 2)][k] = 1;
        for (int i = 0; i < rest_.residual(); ++i)
          if (rest_.acts(i, rest_.column_of_contact(c))) result_.acts(row_of_start(i), k) = 1;
      }
    }
  }

  // begins: what acts on the start before the search. It acts on all that hangs on what it moves.
  void add_guess(const Acting& begins) {
    for (std::size_t k = 0; k < knobs_; ++k) {
      std::vector<char> moved(static_cast<std::size_t>(running_.rates), 0);
      for (int i = 0; i < running_.rates; ++i)
        moved[static_cast<std::size_t>(i)] = is_found(i) && begins(i, k);
      spread(moved, [&](int i, int j) { return running_.acts(i, j); });
      for (int i = 0; i < running_.rates; ++i)
        if (moved[static_cast<std::size_t>(i)] != 0 && is_found(i)) result_.acts(i, k) = 1;
      const auto follows = [&](int row) {
        for (int j = 0; j < running_.rates; ++j)
          if (moved[static_cast<std::size_t>(j)] != 0 && running_.acts(row, j)) return true;
        return false;
      };
      for (int i = 0; i < running_.outputs; ++i)
        if (follows(running_.rates + i)) result_.acts(2 * running_.rates + i, k) = 1;
      for (int c = 0; c < running_.contacts; ++c)
        if (follows(running_.row_of_contact(c)))
          result_.on_modes[static_cast<std::size_t>(c)][k] = 1;
    }
  }

  ActingOnRest take() { return std::move(result_); }

 private:
  // Inputs, time and parameters, as knobs.
  static int column(std::size_t knob) { return static_cast<int>(knob); }
  // Rows of a rest are p, r, trims and y.
  int row_of_start(int i) const {
    const int states = n_.p + n_.v + n_.r, values = rest_.rates;
    if (i < n_.p) return i;
    if (i < n_.p + n_.r) return i + n_.v;
    return i < values ? 2 * states + n_.y + (i - n_.p - n_.r) : 2 * states + (i - values);
  }
  // acts(i, j): j acts on i, and then i on what it acts on.
  template <class Acts>
  static void spread(std::vector<char>& acting, Acts&& acts) {
    const int count = static_cast<int>(acting.size());
    std::vector<int> open;
    for (int i = 0; i < count; ++i)
      if (acting[static_cast<std::size_t>(i)] != 0) open.push_back(i);
    while (!open.empty()) {
      const int j = open.back();
      open.pop_back();
      for (int i = 0; i < count; ++i)
        if (acts(i, j) && std::exchange(acting[static_cast<std::size_t>(i)], 1) == 0)
          open.push_back(i);
    }
  }
  // With the rest: positions and first-order states.
  bool is_found(int i) const { return i < n_.p || i >= n_.p + n_.v; }

  const Sizes& n_;
  const Influence &running_, &rest_;
  const std::size_t knobs_;
  ActingOnRest result_;
};

}  // namespace

std::optional<ActingOnRest> acting_on_rest(const Model& model,
                                           const std::shared_ptr<const Equations>& smooth,
                                           const std::shared_ptr<const Equations>& blurred,
                                           const Influence& running, std::span<const Knob> knobs) {
  if (running.kinds.empty()) return {};
  const Sizes& n = smooth->sizes();
  const SolverChoice solver = solver_choice(model);
  SolverChoice unsearched = solver;
  unsearched.statics = false;
  Starts starts(model, smooth, solver), beside(model, blurred, solver);
  Starts begins(model, smooth, unsearched), begins_beside(model, blurred, unsearched);
  const std::optional<Acting> guess = seen_to_act(begins, begins_beside, knobs);
  if (!guess) return {};
  const bool contacts = running.contacts > 0;
  std::optional<Acting> acts;
  if (!contacts && has_rest(model, *smooth, solver))
    acts = seen_to_act(starts, beside, knobs, true);
  Influence rest;
  const bool by_points = !acts;
  if (by_points) {
    std::vector<KnownParameter> parameters;
    for (const Knob& knob : knobs)
      if (knob.source == Source::parameter) parameters.push_back({knob.index, false});
    const Parameters values = smooth->default_parameters();
    const Inputs inputs = smooth->default_inputs(values);
    CoSimulationDriver simulation(smooth, unsearched);
    if (!simulation.initialise(model.solver.start_time).ok) return {};
    rest = find_rest_influence(*smooth, *blurred, {inputs, values}, simulation.state(), parameters,
                               solver.trims);
    if (rest.kinds.empty()) return {};
    acts.emplace(starts.rows(), knobs.size());
  }
  RestLists lists(n, running, rest, knobs.size(), std::move(*acts));
  if (by_points) {
    lists.add_points();
    lists.add_contacts();
  }
  lists.add_guess(*guess);
  return lists.take();
}

}  // namespace mbs
