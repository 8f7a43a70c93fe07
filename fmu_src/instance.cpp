#include "fmu_src/instance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/model/words.hpp"
#include "engine/simulation/sealed.hpp"

namespace mbs {
namespace {

std::string quoted(const Variable& v) {
  return "'" + v.name + "'";
}

const char* phase_name(unsigned phase) {
  switch (phase) {
    case instantiated:
      return "before initialisation";
    case initialization:
      return "in initialisation mode";
    case stepping:
      return "between steps";
    case step_discarded:
      return "after a step that was not completed";
    case terminated:
      return "after the end of the simulation";
    default:
      return "after an error (reading values, restoring a state, reset and free are)";
  }
}

// Two times that are meant to be the same: rounding of sums and products, and what is negligible
// against the step.
bool same_time(double a, double b, double step) {
  const double magnitude = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <=
         std::max(1e-9 * step, 64.0 * std::numeric_limits<double>::epsilon() * magnitude);
}

}  // namespace

Instance::Instance(const InstanceRequest& request, Logger logger)
    : packed_(find_packed_model(request.resources, logger)),
      logger_(std::move(logger)),
      fmi_version_(request.fmi_version),
      start_time_(packed_->model.solver.start_time) {
  if (request.token != packed_->token)
    throw std::runtime_error("the token '" + request.token + "' is not that of this FMU, '" +
                             packed_->token + "': modelDescription.xml and the model differ");
  simulation_ = std::make_unique<Simulation>(packed_->equations, solver_choice(packed_->model));
  slope_ = curvature_ = Vector::Zero(packed_->equations->sizes().u);
}

// ---- calls

bool Instance::enter(const char* function, unsigned allowed) noexcept {
  if ((phase_ & allowed) != 0) return true;
  try {
    logger_.say(Status::error, std::string(function) + " is not allowed " + phase_name(phase_));
  } catch (...) {
  }
  if (phase_ != terminated) phase_ = failed;
  return false;
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
  initial_report_ += "integrator: " + simulation_->describe_solver();
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
  phase_ = stepping;
}

void Instance::reset() {
  simulation_->reset();
  phase_ = instantiated;
  start_time_ = packed_->model.solver.start_time;
  stop_time_.reset();
  tolerance_ = 0.0;
  initialised_ = false;
  initial_report_.clear();
  slope_.setZero();
  curvature_.setZero();
}

// ---- values

const Variable& Instance::variable(std::uint32_t reference, ValueType type) const {
  const Variable* v = packed_->variables.find(reference);
  if (v == nullptr)
    throw Refusal("there is no variable with the value reference " + std::to_string(reference));
  if (v->type != type)
    throw Refusal(quoted(*v) + " (value reference " + std::to_string(reference) +
                  ") has another type: " + (v->type == ValueType::real ? "real" : "integer"));
  return *v;
}

double Instance::value_of(const Variable& v) {
  switch (v.source) {
    case Source::time:
      return initialised_ ? simulation_->time() : start_time_;
    case Source::parameter:
      return simulation_->parameter(v.index);
    case Source::input:
      return simulation_->input(v.index);
    case Source::output:
    case Source::state:
    case Source::algebraic:
      break;
  }
  if (phase_ == initialization) ensure_initialised();
  if (!initialised_ && phase_ == failed)
    throw Refusal(quoted(v) + " has no value, there was no successful initialisation");
  if (!initialised_) return 0.0;  // there is no value yet
  const double x = v.source == Source::output  ? simulation_->output(v.index)
                   : v.source == Source::state ? simulation_->state().r[v.index]
                                               : simulation_->state().w[v.index];
  if (std::isnan(x))
    warn(quoted(v) + " is not a number at t = " + number_text(simulation_->time()));
  return x;
}

template <class T>
constexpr ValueType type_of = std::is_same_v<T, double> ? ValueType::real : ValueType::integer;

template <class T>
void Instance::get(std::span<const std::uint32_t> references, std::span<T> values) {
  for (const std::uint32_t reference : references) variable(reference, type_of<T>);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double x = value_of(variable(references[i], type_of<T>));
    if constexpr (std::is_same_v<T, double>) {
      values[i] = x;
    } else {
      constexpr double largest = std::numeric_limits<T>::max();
      values[i] = static_cast<T>(std::isnan(x) ? 0.0 : std::clamp(x, -largest, largest));
    }
  }
}

template <class T>
void Instance::set(std::span<const std::uint32_t> references, std::span<const T> values) {
  for (std::size_t i = 0; i < references.size(); ++i)
    check_settable(variable(references[i], type_of<T>), static_cast<double>(values[i]));
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = variable(references[i], type_of<T>);
    const auto value = static_cast<double>(values[i]);
    if (v.source == Source::input)
      simulation_->set_input(v.index, value, slope_[v.index], curvature_[v.index]);
    else
      simulation_->set_parameter(v.index, value);
  }
  if (phase_ == initialization && !references.empty()) initialised_ = false;
}

template void Instance::get(std::span<const std::uint32_t>, std::span<double>);
template void Instance::get(std::span<const std::uint32_t>, std::span<std::int32_t>);
template void Instance::set(std::span<const std::uint32_t>, std::span<const double>);
template void Instance::set(std::span<const std::uint32_t>, std::span<const std::int32_t>);

void Instance::check_settable(const Variable& v, double value) const {
  if (v.causality != Causality::parameter && v.causality != Causality::input) {
    const std::string kind(v.variability == Change::constant ? word(v.variability)
                                                             : word(v.causality));
    throw Refusal(quoted(v) + " cannot be set, its kind is " + kind);
  }
  if (v.variability == Change::fixed && (phase_ & (instantiated | initialization)) == 0)
    throw Refusal(quoted(v) +
                  " is a fixed parameter and cannot be set once initialisation is over; make it "
                  "tunable in the model");
  if (!std::isfinite(value))
    throw Refusal("the value for " + quoted(v) + " is " + number_text(value));
  if (value < v.minimum || value > v.maximum)
    throw Refusal("the value " + number_text(value) + " for " + quoted(v) + " is not between " +
                      number_text(v.minimum) + " and " + number_text(v.maximum),
                  Status::discard);
}

void Instance::no_such_variables(std::span<const std::uint32_t> references,
                                 const char* type) const {
  if (references.empty()) return;
  throw Refusal(std::string("this FMU has no variables of type ") + type);
}

void Instance::set_input_derivatives(std::span<const std::uint32_t> references,
                                     std::span<const int> orders, std::span<const double> values) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = variable(references[i], ValueType::real);
    if (v.source != Source::input) throw Refusal(quoted(v) + " is not an input");
    if (orders[i] < 1 || orders[i] > 2)
      throw Refusal("derivatives of inputs have order 1 or 2, not " + std::to_string(orders[i]));
    if (!std::isfinite(values[i]))
      throw Refusal("the derivative of " + quoted(v) + " is " + number_text(values[i]));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const int k = variable(references[i], ValueType::real).index;
    (orders[i] == 1 ? slope_ : curvature_)[k] = values[i];
    simulation_->set_input(k, simulation_->input(k), slope_[k], curvature_[k]);
  }
  if (phase_ == initialization && !references.empty()) initialised_ = false;
}

// ---- steps

void Instance::do_step(double time, double step) {
  if (!std::isfinite(time) || !std::isfinite(step) || step <= 0.0)
    throw Refusal("a step of " + number_text(step) + " from " + number_text(time) +
                  " is not possible");
  const double now = simulation_->time();
  if (!same_time(time, now, step))
    throw Refusal("the step begins at " + number_text(time) + " but the instance is at " +
                  number_text(now));
  const double end = time + step;
  if (end <= now)
    throw Refusal("a step of " + number_text(step) + " is below the spacing of numbers at " +
                  number_text(time));
  if (stop_time_ && end > *stop_time_ + 1e-9 * std::max(1.0, std::abs(*stop_time_)))
    throw Refusal("the step to " + number_text(end) + " goes past the stop time " +
                  number_text(*stop_time_));
  if (ended()) throw Refusal(simulation_->ended());
  try {
    simulation_->advance(end);
    log_events();
  } catch (const SolverFailure& failure) {
    log_events();
    if (fmi_version_ == 3) throw;  // with Discard the state would have to be that before the step
    phase_ = step_discarded;
    throw Refusal(failure.what(), Status::discard);
  }
  end_ramps();
  if (!ended() || fmi_version_ == 3) return;
  phase_ = step_discarded;
  throw Refusal(simulation_->ended(), Status::discard);
}

void Instance::log_events() {
  for (const Root& event : simulation_->events())
    logger_.event(
        "event '" +
        packed_->equations->structure().switching[static_cast<std::size_t>(event.function)].name +
        "' at t = " + number_text(event.t));
}

void Instance::end_ramps() {
  for (int k = 0; k < slope_.size(); ++k)
    if (slope_[k] != 0.0 || curvature_[k] != 0.0) simulation_->set_input(k, simulation_->input(k));
  slope_.setZero();
  curvature_.setZero();
}

// ---- state

void Instance::store(StoredState& state) const {
  state.bytes.resize(envelope_size);
  ByteWriter writer(state.bytes);
  writer.put(phase_);
  writer.put(start_time_);
  writer.put(tolerance_);
  writer.put(stop_time_.value_or(std::numeric_limits<double>::quiet_NaN()));
  writer.put<std::uint32_t>(initialised_);
  writer.put(slope_);
  writer.put(curvature_);
  simulation_->save(writer);
  seal(state.bytes, packed_->hash);
}

void Instance::recall(const StoredState& state) {
  try {
    ByteReader reader(open_sealed(state.bytes, packed_->hash));
    unsigned phase = 0;
    double start = 0.0, tolerance = 0.0, stop = 0.0;
    std::uint32_t initialised = 0;
    Vector slope(slope_.size()), curvature(curvature_.size());
    reader.get(phase);
    reader.get(start);
    reader.get(tolerance);
    reader.get(stop);
    reader.get(initialised);
    reader.get(slope);
    reader.get(curvature);
    if (std::popcount(phase) != 1 || (phase & any_phase) == 0)
      throw std::runtime_error("the stored state has no phase");
    simulation_->restore(reader);
    phase_ = phase;
    start_time_ = start;
    tolerance_ = tolerance;
    stop_time_ = std::isnan(stop) ? std::nullopt : std::optional(stop);
    initialised_ = initialised != 0;
    initial_report_.clear();
    slope_ = std::move(slope);
    curvature_ = std::move(curvature);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

void Instance::check_stored(std::span<const std::byte> bytes) const {
  try {
    open_sealed(bytes, packed_->hash);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

}  // namespace mbs
