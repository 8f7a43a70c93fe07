// FMI 2.0 behind the common interface.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tools/import/native.hpp"

namespace mbs::import {
namespace {

Status to_status(fmi2Status status) {
  return known_status(static_cast<int>(status), fmi2Pending);
}

void log2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
          fmi2String format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(1, '\0');
  const int length = std::vsnprintf(text.data(), text.size(), format ? format : "", arguments);
  if (length > 0) {
    text.resize(static_cast<std::size_t>(length) + 1);
    std::vsnprintf(text.data(), text.size(), format, again);
  }
  text.pop_back();
  va_end(again);
  va_end(arguments);
  static_cast<LogRecorder*>(environment)
      ->add({to_status(status), category ? std::optional<std::string>(category) : std::nullopt,
             message_text(text)});
}

class Instance2 final : public Instance {
 public:
  Instance2(std::shared_ptr<const Functions2> functions, const ModelDescription& description,
            const Instantiate2& instantiate, bool model_exchange)
      : keep_(std::move(functions)),
        functions_(*keep_),
        model_exchange_(model_exchange),
        states_(description.structure.derivatives.size()),
        indicators_(description.event_indicators) {
    callbacks_ = {log2, std::calloc, std::free, nullptr, &log_};
    component_ = instantiate(callbacks_);
    if (!component_) throw refusal(description, log_.messages());
  }
  ~Instance2() override { functions_.FreeInstance(component_); }

  Status set_debug_logging(bool on, const std::vector<std::string>& categories) override {
    std::vector<fmi2String> names;
    for (const std::string& category : categories) names.push_back(category.c_str());
    return to_status(functions_.SetDebugLogging(component_, on, names.size(), names.data()));
  }
  std::vector<LogMessage> messages() const override { return log_.messages(); }

  Status enter_initialization(const Experiment& e) override {
    const Status status = to_status(
        functions_.SetupExperiment(component_, e.tolerance.has_value(), e.tolerance.value_or(0),
                                   e.start, e.stop.has_value(), e.stop.value_or(0)));
    if (!is_good(status)) return status;
    return to_status(functions_.EnterInitializationMode(component_));
  }
  Status exit_initialization() override {
    return to_status(functions_.ExitInitializationMode(component_));
  }
  Status terminate() override { return to_status(functions_.Terminate(component_)); }
  Status reset() override { return to_status(functions_.Reset(component_)); }
  Status enter_configuration_mode() override { return absent("configuration mode"); }
  Status exit_configuration_mode() override { return absent("configuration mode"); }

  Status get_real(References references, std::span<double> values, VariableType) override {
    return to_status(
        functions_.GetReal(component_, references.data(), references.size(), values.data()));
  }
  Status set_real(References references, std::span<const double> values, VariableType) override {
    return to_status(
        functions_.SetReal(component_, references.data(), references.size(), values.data()));
  }
  Status get_integer(VariableType type, References references,
                     std::span<std::int64_t> values) override {
    std::vector<int> buffer(values.size());
    const auto get = type == VariableType::boolean ? functions_.GetBoolean : functions_.GetInteger;
    const fmi2Status status = get(component_, references.data(), references.size(), buffer.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer[i];
    return to_status(status);
  }
  Status set_integer(VariableType type, References references,
                     std::span<const std::int64_t> values) override {
    std::vector<int> buffer;
    for (const std::int64_t value : values) buffer.push_back(static_cast<int>(value));
    const auto set = type == VariableType::boolean ? functions_.SetBoolean : functions_.SetInteger;
    return to_status(set(component_, references.data(), references.size(), buffer.data()));
  }
  Status get_text(VariableType, References references, std::span<std::string> values) override {
    std::vector<fmi2String> buffer(values.size());
    const fmi2Status status =
        functions_.GetString(component_, references.data(), references.size(), buffer.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer[i] ? buffer[i] : "";
    return to_status(status);
  }
  Status set_text(VariableType, References references,
                  std::span<const std::string> values) override {
    std::vector<fmi2String> buffer;
    for (const std::string& value : values) buffer.push_back(value.c_str());
    return to_status(
        functions_.SetString(component_, references.data(), references.size(), buffer.data()));
  }

  StepResult do_step(double time, double step, bool no_state_before_here) override {
    StepResult result;
    result.status = to_status(functions_.DoStep(component_, time, step, no_state_before_here));
    result.time = is_good(result.status) ? time + step : time;
    if (result.status != Status::discard) return result;
    fmi2Real reached = time;
    fmi2Boolean terminated = fmi2False;
    if (functions_.GetRealStatus(component_, fmi2LastSuccessfulTime, &reached) == fmi2OK)
      result.time = reached;
    if (functions_.GetBooleanStatus(component_, fmi2Terminated, &terminated) == fmi2OK)
      result.terminate = terminated;
    return result;
  }

  Status enter_event_mode() override {
    return model_exchange_ ? to_status(functions_.EnterEventMode(component_))
                           : absent("event mode");
  }
  DiscreteUpdate update_discrete_states() override {
    DiscreteUpdate update;
    if (!model_exchange_) {
      update.status = absent("event mode");
      return update;
    }
    fmi2EventInfo info{};
    update.status = to_status(functions_.NewDiscreteStates(component_, &info));
    update.needed_again = info.newDiscreteStatesNeeded;
    update.terminate = info.terminateSimulation;
    update.nominals_changed = info.nominalsOfContinuousStatesChanged;
    update.states_changed = info.valuesOfContinuousStatesChanged;
    if (info.nextEventTimeDefined) update.next_event = info.nextEventTime;
    return update;
  }
  Status enter_step_mode() override { return absent("step mode"); }

  std::size_t state_count() override { return states_; }
  std::size_t indicator_count() override { return indicators_; }
  Status enter_continuous_time_mode() override {
    return exchange(functions_.EnterContinuousTimeMode);
  }
  Status set_time(double time) override { return exchange(functions_.SetTime, time); }
  Status set_continuous_states(std::span<const double> values) override {
    return exchange(functions_.SetContinuousStates, values.data(), values.size());
  }
  Status get_continuous_states(std::span<double> values) override {
    return exchange(functions_.GetContinuousStates, values.data(), values.size());
  }
  Status get_state_derivatives(std::span<double> values) override {
    return exchange(functions_.GetDerivatives, values.data(), values.size());
  }
  Status get_event_indicators(std::span<double> values) override {
    return exchange(functions_.GetEventIndicators, values.data(), values.size());
  }
  Status get_nominals(std::span<double> values) override {
    return exchange(functions_.GetNominalsOfContinuousStates, values.data(), values.size());
  }
  CompletedStep completed_integrator_step(bool no_state_before_here) override {
    fmi2Boolean event = fmi2False, terminate = fmi2False;
    const Status status = exchange(functions_.CompletedIntegratorStep,
                                   fmi2Boolean{no_state_before_here}, &event, &terminate);
    return {status, event != fmi2False, terminate != fmi2False};
  }

  Status get_state(State& state) override {
    return to_status(functions_.GetFMUstate(component_, &state));
  }
  Status set_state(State state) override {
    return to_status(functions_.SetFMUstate(component_, state));
  }
  Status free_state(State& state) override {
    return to_status(functions_.FreeFMUstate(component_, &state));
  }
  Status serialize(State state, Bytes& bytes) override {
    std::size_t size = 0;
    const fmi2Status status = functions_.SerializedFMUstateSize(component_, state, &size);
    if (status != fmi2OK && status != fmi2Warning) return to_status(status);
    bytes.assign(size, 0);
    return to_status(functions_.SerializeFMUstate(
        component_, state, reinterpret_cast<fmi2Byte*>(bytes.data()), bytes.size()));
  }
  Status deserialize(std::span<const std::uint8_t> bytes, State& state) override {
    return to_status(functions_.DeSerializeFMUstate(
        component_, reinterpret_cast<const fmi2Byte*>(bytes.data()), bytes.size(), &state));
  }

  Status directional_derivative(References unknowns, References knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override {
    return to_status(functions_.GetDirectionalDerivative(
        component_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(), seed.data(),
        sensitivity.data()));
  }
  Status adjoint_derivative(References, References, std::span<const double>,
                            std::span<double>) override {
    return absent("adjoint derivatives");
  }
  Status set_input_derivatives(References references, std::span<const std::int32_t> orders,
                               std::span<const double> values) override {
    return to_status(functions_.SetRealInputDerivatives(
        component_, references.data(), references.size(), orders.data(), values.data()));
  }
  Status get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                std::span<double> values) override {
    return to_status(functions_.GetRealOutputDerivatives(
        component_, references.data(), references.size(), orders.data(), values.data()));
  }

 private:
  template <class Function, class... Arguments>
  Status exchange(Function function, Arguments... arguments) {
    return model_exchange_ ? to_status(function(component_, arguments...))
                           : absent("what model exchange has");
  }
  Status absent(const char* what) {
    log_.add(
        {Status::error, std::nullopt, std::string(what) + " is not part of FMI 2.0 co-simulation"});
    return Status::error;
  }

  std::shared_ptr<const Functions2> keep_;
  const Functions2& functions_;
  bool model_exchange_;
  std::size_t states_, indicators_;
  LogRecorder log_;
  fmi2CallbackFunctions callbacks_{};
  fmi2Component component_ = nullptr;
};

}  // namespace

std::unique_ptr<Instance> make_instance2(std::shared_ptr<const Functions2> functions,
                                         const ModelDescription& description,
                                         const Instantiate2& instantiate, bool model_exchange) {
  return std::make_unique<Instance2>(std::move(functions), description, instantiate,
                                     model_exchange);
}

std::unique_ptr<Instance> instantiate2(std::shared_ptr<const LoadedLibrary<Functions2>> library,
                                       const ModelDescription& description,
                                       const std::filesystem::path& folder,
                                       const InstanceOptions& options) {
  if (options.model_exchange) require_model_exchange(description);
  const Functions2& functions = library->functions;
  return make_instance2(
      {std::move(library), &functions}, description,
      [&](const fmi2CallbackFunctions& callbacks) {
        const std::string token = options.token.value_or(description.token);
        return functions.Instantiate(
            options.name.c_str(), options.model_exchange ? fmi2ModelExchange : fmi2CoSimulation,
            token.c_str(), resource_uri(folder).c_str(), &callbacks, fmi2False, options.logging);
      },
      options.model_exchange);
}

}  // namespace mbs::import
