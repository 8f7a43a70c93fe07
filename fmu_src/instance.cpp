#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

const char* phase_name(unsigned phase) {
  switch (phase) {
    case instantiated:
      return "before initialisation";
    case configuration:
      return "in configuration mode";
    case initialization:
      return "in initialisation mode";
    case stepping:
      return "between steps";
    case step_discarded:
      return "after a step that was not completed";
    case in_events:
      return "in event mode";
    case intermediate:
      return "in an intermediate update";
    case continuous_time:
      return "in continuous-time mode";
    case terminated:
      return "after the end of the simulation";
    default:
      return "after an error (reading values, states, reset and free are)";
  }
}

}  // namespace

Instance::Instance(const InstanceRequest& request, Logger logger)
    : packed_(find_packed_model(request.resources, logger)),
      original_(packed_),
      logger_(std::move(logger)),
      fmi_version_(request.fmi_version),
      kind_(request.kind),
      intermediate_update_(request.intermediate_update),
      event_mode_(request.event_mode),
      early_return_(request.early_return),
      start_time_(packed_->model.solver.start_time) {
  clocks_ = request.token == packed_->clock_token && !request.token.empty();
  exchange_arrays_ = request.token == packed_->array_token && !request.token.empty();
  if (request.token != packed_->token && !clocks_ && !exchange_arrays_)
    throw std::runtime_error("the token '" + request.token + "' is not that of this FMU, '" +
                             packed_->token + "': modelDescription.xml and the model differ");
  if (clocks_ && kind_ == Kind::co_simulation && !event_mode_)
    logger_.say(Status::warning,
                "the clocks of this FMU tick in event mode, which was not asked for: events are "
                "handled inside, and counted");
  simulation_ = std::make_unique<Simulation>(packed_->equations, solver_choice(packed_->model));
  if (intermediate_update_) simulation_->set_progress([](double) { return false; });
  sampled_ = SampledInputs(packed_->equations->sizes().u);
  if (packed_->variables.resizable && fmi_version_ == 3) return;
  constexpr double most = std::numeric_limits<double>::max();
  for (const Variable& v : packed_->variables.variables) {
    if (v.source != Source::input) continue;
    if (v.index == 0) first_input_ = v.reference;
    if (v.reference != first_input_ + bounds_.size()) break;
    bounds_.push_back({std::max(v.minimum, -most), std::min(v.maximum, most)});
  }
}

// ---- calls

Status Instance::not_now(const char* function, std::optional<Kind> kind) noexcept {
  const bool other_kind = kind && *kind != kind_;
  try {
    logger_.say(
        Status::error,
        std::string(function) + (!other_kind ? std::string(" is not allowed ") + phase_name(phase_)
                                 : kind_ == Kind::co_simulation ? " is not for co-simulation"
                                                                : " is not for model exchange"));
  } catch (...) {
  }
  if (!other_kind && phase_ != terminated) phase_ = failed;
  return Status::error;
}

Status Instance::report_exception(const char* function) noexcept {
  outcome_ = Status::ok;
  try {
    const std::string begin = std::string(function) + ": ";
    try {
      throw;
    } catch (const Refusal& refusal) {
      logger_.say(refusal.status, begin + refusal.what());
      return refusal.status;
    } catch (const std::exception& error) {
      phase_ = failed;
      logger_.say(Status::error, begin + error.what());
    } catch (...) {
      phase_ = failed;
      logger_.say(Status::error, begin + "unknown error");
    }
  } catch (...) {
    phase_ = failed;
  }
  return Status::error;
}

void Instance::warn(const std::string& message) {
  outcome_ = Status::warning;
  logger_.say(Status::warning, message);
}

// ---- life cycle

void Instance::set_up(std::optional<double> tolerance, double start, std::optional<double> stop) {
  if (!std::isfinite(start)) throw Refusal("the start time is " + number_text(start));
  if (stop && !(*stop >= start))
    throw Refusal("the stop time " + number_text(*stop) + " is before the start time " +
                  number_text(start));
  if (tolerance && !(*tolerance > 0.0 && *tolerance < 1.0))
    throw Refusal("the tolerance " + number_text(*tolerance) + " is not between 0 and 1");
  start_time_ = start;
  stop_time_ = stop;
  tolerance_ = tolerance.value_or(0.0);
}

void Instance::enter_initialization() {
  phase_ = initialization;
  initialised_ = false;
}

void Instance::ensure_initialised() {
  if (initialised_) return;
  const InitialReport report = simulation_->initialise(start_time_, tolerance_);
  if (!report.ok) throw Refusal("no consistent initial values.\n" + report.text());
  initialised_ = true;
  initial_report_ = report.text();
  if (!initial_report_.empty()) initial_report_ += '\n';
  if (!packed_->coordinates.empty()) {
    initial_report_ += "coordinates: " + packed_->coordinates + '\n';
  }
  initial_report_ += "integrator: " + simulation_->describe_solver();
}

void Instance::need_values() {
  if (phase_ == initialization) ensure_initialised();
  if (!initialised_) throw Refusal("there are no values, there was no successful initialisation");
}

void Instance::exit_initialization() {
  try {
    ensure_initialised();
  } catch (const Refusal&) {
    phase_ = failed;
    throw;
  }
  if (!initial_report_.empty()) logger_.say(Status::ok, initial_report_);
  initial_report_.clear();
  log_events();  // contacts at the start
  if (kind_ == Kind::model_exchange) simulation_->begin_exchange();
  hold_counters();
  phase_ = event_mode_ || kind_ == Kind::model_exchange ? in_events : stepping;
}

void Instance::reset() {
  if (packed_ == original_) {
    simulation_->reset();
  } else {
    packed_ = original_;
    unknowns_.clear();
    trial_.reset();
    simulation_ = std::make_unique<Simulation>(packed_->equations, solver_choice(packed_->model));
    if (intermediate_update_) simulation_->set_progress([](double) { return false; });
  }
  phase_ = instantiated;
  start_time_ = packed_->model.solver.start_time;
  stop_time_.reset();
  tolerance_ = 0.0;
  initialised_ = false;
  initial_report_.clear();
  happened_.clear();
  ramps_ = false;
  sampled_ = SampledInputs(packed_->equations->sizes().u);
}

}  // namespace mbs
