#include "tools/export/start_influences.hpp"

#include <algorithm>

#include "tools/export/start_at_rest.hpp"
#include "tools/export/start_contacts.hpp"
#include "tools/export/starts.hpp"

namespace mbs {

void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& whole,
                          const std::shared_ptr<const Equations>& smooth,
                          const std::shared_ptr<const Equations>& blurred,
                          const Influence& running) {
  constexpr double most_work = 2e6;  // starts times unknowns
  constexpr double most_listed = 5e5, searches = 30.0;
  const Sizes& n = smooth->sizes();
  const SolverChoice solver = solver_choice(model);
  const std::vector<Knob> knobs = knobs_of(table);
  const double count = static_cast<double>(knobs.size());
  const double work = 3.0 * (1.0 + count) * (n.p + n.v + n.lambda + n.r + n.w + n.y) *
                      (solver.statics ? searches : 1.0);
  const bool contacts = !smooth->structure().contacts.empty();
  if (work > most_work) return;
  if (contacts && running.kinds.empty()) return;
  std::optional<Acting> acts;
  std::vector<std::vector<char>> on_modes;
  if (solver.statics) {
    auto found = acting_on_rest(model, smooth, blurred, running, knobs);
    if (!found) return;
    acts = std::move(found->acts);
    on_modes = std::move(found->on_modes);
  } else {
    Starts starts(model, smooth, solver), beside(model, blurred, solver);
    ContactWatch watch(*smooth, knobs.size());
    acts = seen_to_act(starts, beside, knobs, false, &watch);
    if (!acts) return;
    if (contacts) on_modes = add_contacts(*smooth, *blurred, running, watch, knobs, *acts);
  }
  Starts itself(model, whole, solver);
  add_digits(itself, knobs, *acts);
  const auto list = [&](std::uint32_t reference, const auto& is_listed) {
    std::vector<std::uint32_t>& influences = table.variables[reference].start_influences.emplace();
    for (std::size_t k = 0; k < knobs.size(); ++k)
      if (is_listed(k)) influences.push_back(knobs[k].reference);
    std::sort(influences.begin(), influences.end());
  };
  const auto list_row = [&](std::uint32_t reference, int row) {
    list(reference, [&](std::size_t k) { return (*acts)(row, k) != 0; });
  };
  const int states = itself.states();
  if (itself.rows() * count <= most_listed)
    for (int i = 0; i < states; ++i) {
      list_row(table.states[static_cast<std::size_t>(i)], i);
      list_row(table.derivatives[static_cast<std::size_t>(i)], states + i);
    }
  for (const Variable& v : table.variables) {
    if (v.source == Source::output) list_row(v.reference, itself.row_of_output(v.index));
    if (v.source == Source::contact_mode)
      list(v.reference,
           [&](std::size_t k) { return on_modes[static_cast<std::size_t>(v.index)][k] != 0; });
    const auto trim = std::ranges::find(solver.trims, v.index, &Trim::parameter);
    if (v.source == Source::parameter && solver.statics && trim != solver.trims.end())
      list_row(v.reference, itself.row_of_trim(static_cast<int>(trim - solver.trims.begin())));
  }
}

}  // namespace mbs
