#include "fmu_src/instance_core.hpp"

#include "engine/base/text.hpp"

namespace mbs {

SimulatedModel simulate(std::shared_ptr<const PackedModel> packed, const InstanceOptions& options) {
  const SolverChoice choice = solver_choice(packed->model);
  if (options.kind == Kind::model_exchange) {
    auto driver = std::make_unique<ModelExchangeDriver>(packed->equations, choice);
    return {std::move(packed), nullptr, std::move(driver)};
  }
  auto driver = std::make_unique<CoSimulationDriver>(packed->equations, choice);
  if (options.intermediate_update) driver->set_progress([](double) { return false; });
  return {std::move(packed), std::move(driver), nullptr};
}

void InstanceCore::ensure_initialized() {
  if (experiment.initialized) return;
  const InitialReport report = model_.with_driver(
      [&](auto& driver) { return driver.initialise(experiment.start, experiment.tolerance); });
  if (!report.ok) throw Refusal("no consistent initial values.\n" + report.text());
  experiment.initialized = true;
  experiment.report = report.text();
  if (!experiment.report.empty()) experiment.report += '\n';
  if (!packed().coordinates.empty())
    experiment.report += "coordinates: " + packed().coordinates + '\n';
  if (model_.co_simulation)
    experiment.report += "integrator: " + co_simulation().step().integrator().describe();
}

void InstanceCore::need_values() {
  if (machine.is_in(initialization_mode)) ensure_initialized();
  if (!experiment.initialized)
    throw Refusal("there are no values, there was no successful initialization");
}

Preview* InstanceCore::pending() const {
  if (!machine.is_in(event_mode)) return nullptr;
  Preview* preview = nullptr;
  evaluate([&] {
    model_.with_driver([&](auto& driver) {
      if (driver.has_pending()) preview = &driver.preview();
    });
  });
  return preview;
}

void InstanceCore::log_events() {
  for (const Root& event : system().events().reported()) {
    const auto& function = structure().switching[static_cast<std::size_t>(event.function)];
    machine.logger().log_event("event '" + function.name + "' at t = " + number_text(event.t));
  }
  for (const LogEntry& entry : system().events().take_log_entries())
    machine.logger().log_event(entry.text + " at t = " + number_text(entry.t));
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
