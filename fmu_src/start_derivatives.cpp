#include "fmu_src/start_derivatives.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/simulation/fourth_order.hpp"

namespace mbs {
namespace {

double start_value(HybridSystem& started, const Variable& v) {
  switch (v.source) {
    case Source::output:
      return started.output(v.index);
    case Source::derivative:
      return started.rates()[v.index];
    case Source::parameter:
      return started.parameters().value(v.index);
    default:
      return continuous_state(started.state(), v.index);
  }
}

}  // namespace

void StartDerivatives::differentiate(const InstanceCore& core,
                                     std::span<const std::uint32_t> unknowns, const Variable& known,
                                     std::span<double> column) {
  const PackedModel& packed = core.packed();
  const Experiment& experiment = core.experiment;
  if (!trial_)
    trial_ = std::make_unique<HybridSystem>(packed.equations, solver_choice(packed.model));
  std::vector<std::byte> here;
  ByteWriter writer(here);
  core.system().save(writer);
  Inputs inputs = core.system().inputs();
  if (core.model().co_simulation) core.co_simulation().inputs().pending(core.time(), inputs);
  const bool by_time = known.source == Source::time;
  const double value = by_time ? experiment.start
                       : known.source == Source::parameter
                           ? core.system().parameters().value(known.index)
                           : inputs.value[known.index];
  const double h = by_time ? exact_difference(value, time_difference) : difference_of(value);
  std::string why;
  const auto start_at = [&](double moved) {
    ByteReader reader(here);
    trial_->restore(reader);
    trial_->inputs() = inputs;
    if (known.source == Source::parameter) trial_->parameters().set(known.index, moved);
    if (known.source == Source::input) trial_->inputs().value[known.index] = moved;
    trial_->set_tolerance(experiment.tolerance);
    const InitialReport report = trial_->initialise(by_time ? moved : experiment.start);
    why = report.text();
    return report.ok;
  };
  for (const FourthOrder* formula : any_side) {
    std::ranges::fill(column, 0.0);
    bool possible = true;
    for (std::size_t k = 0; k < formula->places.size() && possible; ++k) {
      const double moved = value + formula->places[k] * h;
      if (formula->weights[k] == 0.0) continue;
      possible = (by_time || (moved >= known.minimum && moved <= known.maximum)) && start_at(moved);
      for (std::size_t i = 0; i < column.size() && possible; ++i)
        column[i] += formula->weights[k] / (12.0 * h) *
                     start_value(*trial_, *packed.variables.find(unknowns[i]));
    }
    if (possible) return;
  }
  throw Refusal("the start has no derivative with respect to '" + known.name + "', there is none " +
                    number_text(h) + " from " + number_text(value) + ". " + why,
                Status::discard);
}

}  // namespace mbs
