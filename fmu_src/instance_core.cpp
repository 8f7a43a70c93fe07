#include "fmu_src/instance_core.hpp"

#include "engine/base/text.hpp"

namespace mbs {

SimulatedModel simulate(std::shared_ptr<const PackedModel> packed, const InstanceOptions& options) {
  auto simulation = std::make_unique<Simulation>(packed->equations, solver_choice(packed->model));
  if (options.intermediate_update) simulation->set_progress([](double) { return false; });
  return {std::move(packed), std::move(simulation)};
}

void InstanceCore::ensure_initialized() {
  if (experiment.initialized) return;
  const InitialReport report = simulation().initialise(experiment.start, experiment.tolerance);
  if (!report.ok) throw Refusal("no consistent initial values.\n" + report.text());
  experiment.initialized = true;
  experiment.report = report.text();
  if (!experiment.report.empty()) experiment.report += '\n';
  if (!packed().coordinates.empty())
    experiment.report += "coordinates: " + packed().coordinates + '\n';
  experiment.report += "integrator: " + simulation().describe_solver();
}

void InstanceCore::need_values() {
  if (machine.is_in(initialization_mode)) ensure_initialized();
  if (!experiment.initialized)
    throw Refusal("there are no values, there was no successful initialization");
}

const Simulation::Preview* InstanceCore::pending() const {
  if (!machine.is_in(event_mode) || !simulation().has_pending()) return nullptr;
  const Simulation::Preview* preview = nullptr;
  evaluate([&] { preview = &simulation().preview(); });
  return preview;
}

void InstanceCore::log_events() {
  for (const Root& event : simulation().events())
    machine.logger().log_event(
        "event '" + structure().switching[static_cast<std::size_t>(event.function)].name +
        "' at t = " + number_text(event.t));
  for (const Simulation::Notice& notice : simulation().take_notices())
    machine.logger().log_event(notice.text + " at t = " + number_text(notice.t));
}

void expect_count(std::size_t count, std::size_t expected) {
  if (count != expected)
    throw Refusal("there are " + std::to_string(expected) + " values, not " +
                  std::to_string(count));
}

const Variable& find_variable(const VariableTable& table, std::uint32_t reference, ValueType type) {
  const Variable* v = table.find(reference);
  if (v == nullptr)
    throw Refusal("there is no variable with the value reference " + std::to_string(reference));
  if (v->type != type)
    throw Refusal("'" + v->name + "' (value reference " + std::to_string(reference) +
                  ") has another type: " + (v->type == ValueType::real ? "real" : "integer"));
  return *v;
}

int place_of(const Variable& variable, const Sizes& n) {
  switch (variable.source) {
    case Source::continuous:
      return variable.index;
    case Source::state:
      return n.p + n.v + variable.index;
    case Source::input:
      return n.p + n.v + n.r + variable.index;
    default:
      return -1;
  }
}

double continuous_state(const State& x, Eigen::Index i) {
  if (i < x.p.size()) return x.p[i];
  i -= x.p.size();
  return i < x.v.size() ? x.v[i] : x.r[i - x.v.size()];
}

}  // namespace mbs
