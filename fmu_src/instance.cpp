#include "fmu_src/instance.hpp"

#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

bool is_token(const std::string& token, const std::string& of_model) {
  return !token.empty() && token == of_model;
}

}  // namespace

Instance::Instance(const InstanceRequest& request, std::shared_ptr<const PackedModel> packed,
                   Logger logger)
    : core(request.options, simulate(packed, request.options), std::move(logger)),
      inputs(core),
      exchange(core, is_token(request.token, packed->array_token)),
      discrete(core, is_token(request.token, packed->clock_token)),
      variables(core, inputs, exchange, discrete, derivatives),
      derivatives(core),
      configuration(core, packed, exchange.has_arrays()) {
  const bool clocks = is_token(request.token, packed->clock_token);
  if (request.token != packed->token && !clocks && !exchange.has_arrays())
    throw std::runtime_error("the token '" + request.token + "' is not that of this FMU, '" +
                             packed->token + "': modelDescription.xml and the model differ");
  if (clocks && core.machine.kind() == Kind::co_simulation && !core.options.event_mode_used)
    core.machine.logger().log(
        Status::warning,
        "the clocks of this FMU tick in event mode, which was not requested: events are "
        "handled inside, and counted");
}

void Instance::set_up(std::optional<double> tolerance, double start, std::optional<double> stop) {
  if (!std::isfinite(start)) throw Refusal("the start time is " + number_text(start));
  if (stop && !(*stop >= start))
    throw Refusal("the stop time " + number_text(*stop) + " is before the start time " +
                  number_text(start));
  if (tolerance && !(*tolerance > 0.0 && *tolerance < 1.0))
    throw Refusal("the tolerance " + number_text(*tolerance) + " is not between 0 and 1");
  core.experiment.start = start;
  core.experiment.stop = stop;
  core.experiment.tolerance = tolerance.value_or(0.0);
}

void Instance::enter_initialization() {
  core.machine.enter(initialization_mode);
  core.experiment.initialized = false;
}

void Instance::exit_initialization() {
  try {
    core.ensure_initialized();
  } catch (const Refusal&) {
    core.machine.enter(failed);
    throw;
  }
  if (!core.experiment.report.empty())
    core.machine.logger().log(Status::ok, std::exchange(core.experiment.report, {}));
  core.log_events();  // contacts at the start
  const bool model_exchange = core.machine.kind() == Kind::model_exchange;
  if (model_exchange) core.model_exchange().begin();
  discrete.hold_counters();
  core.machine.enter(core.options.event_mode_used || model_exchange ? event_mode : step_mode);
}

void Instance::exit_configuration() {
  if (configuration.exit()) forget_model();
}

void Instance::forget_model() {
  inputs.reset();
  derivatives.reset();
}

void Instance::reset() {
  configuration.reset();
  forget_model();
  core.machine.enter(instantiated);
  core.experiment = {};
  core.experiment.start = core.packed().model.solver.start_time;
  discrete.reset();
  inputs.reset();
}

}  // namespace mbs
