// Derivatives in initialisation mode: of start values, by inputs, parameters and the start time,
// where the whole consistent start follows them. Differences of fourth order of starts made anew by
// another simulation; nothing of the instance's own is touched.

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/simulation/fourth_order.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {
// What inputs move alone is not to be told from what they leave as it is but by starting again.
bool Instance::derived_from_starts(const Variable& known) const {
  if (phase_ != initialization) return false;
  if (known.source == Source::parameter || known.source == Source::time) return true;
  const auto is_rate = [](const Variable& v) {
    return v.source == Source::output || v.source == Source::derivative;
  };
  return known.source == Source::input &&
         (start_follows_inputs(packed_->model) || simulation_->input_moves(known.index) ||
          !std::all_of(unknowns_.begin(), unknowns_.end(), [&](std::uint32_t reference) {
            return is_rate(*packed_->variables.find(reference));
          }));
}

double Instance::start_value(Simulation& started, const Variable& v) const {
  const Eigen::Index p = started.state().p.size(), i = v.index;
  switch (v.source) {
    case Source::output:
      return started.output(v.index);
    case Source::derivative:
      return started.rates()[i];
    case Source::parameter:
      return started.parameter(v.index);
    default:
      break;
  }
  const State& x = started.state();
  if (i < p) return x.p[i];
  return i < p + x.v.size() ? x.v[i - p] : x.r[i - p - x.v.size()];
}

// d unknowns / d known: `column`.
void Instance::start_column(const Variable& known, std::span<double> column) {
  if (!trial_)
    trial_ = std::make_unique<Simulation>(packed_->equations, solver_choice(packed_->model));
  const std::vector<std::byte> here = simulation_->serialise(packed_->hash);
  const bool of_time = known.source == Source::time;
  const double value = of_time ? start_time_ : value_of(known);
  const double h = of_time ? exact_difference(value, time_difference) : difference_of(value);
  std::string why;
  const auto start_at = [&](double moved) {
    trial_->deserialise(here, packed_->hash);
    if (known.source == Source::parameter) trial_->set_parameter(known.index, moved);
    if (known.source == Source::input) trial_->set_input_value(known.index, moved);
    const InitialReport report = trial_->initialise(of_time ? moved : start_time_, tolerance_);
    why = report.text();
    return report.ok;
  };
  for (const FourthOrder* formula : any_side) {
    std::fill(column.begin(), column.end(), 0.0);
    bool possible = true;
    for (std::size_t k = 0; k < formula->places.size() && possible; ++k) {
      const double moved = value + formula->places[k] * h;
      if (formula->weights[k] == 0.0) continue;
      possible = (of_time || (moved >= known.minimum && moved <= known.maximum)) && start_at(moved);
      for (std::size_t i = 0; i < column.size() && possible; ++i)
        column[i] += formula->weights[k] / (12.0 * h) *
                     start_value(*trial_, *packed_->variables.find(unknowns_[i]));
    }
    if (possible) return;
  }
  throw Refusal("the start has no derivative with respect to '" + known.name + "', there is none " +
                    number_text(h) + " from " + number_text(value) + ". " + why,
                Status::discard);
}

}  // namespace mbs
