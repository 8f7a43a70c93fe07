// FMI 2.0 behind the common interface.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tools/import/common_instance.hpp"

namespace mbs::import {
namespace {

struct Api2 {
  using Functions = Functions2;
  using Handle = fmi2Component;
  using Status = fmi2Status;
  using Boolean = fmi2Boolean;
  using Byte = fmi2Byte;
  static constexpr int last_status = fmi2Pending;
  static constexpr const char* version = "FMI 2.0";
  static constexpr auto get_derivatives = &Functions2::GetDerivatives;
  static constexpr auto get_state = &Functions2::GetFMUstate;
  static constexpr auto set_state = &Functions2::SetFMUstate;
  static constexpr auto free_state = &Functions2::FreeFMUstate;
  static constexpr auto state_size = &Functions2::SerializedFMUstateSize;
  static constexpr auto serialize = &Functions2::SerializeFMUstate;
  static constexpr auto deserialize = &Functions2::DeSerializeFMUstate;
};

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
      ->add({known_status(static_cast<int>(status), fmi2Pending),
             category ? std::optional<std::string>(category) : std::nullopt, message_text(text)});
}

class Instance2 final : public CommonInstance<Api2> {
 public:
  Instance2(std::shared_ptr<const Functions2> functions, const ModelDescription& description,
            const Instantiate2& instantiate, bool model_exchange)
      : CommonInstance(std::move(functions), model_exchange),
        states_(description.structure.derivatives.size()),
        indicators_(description.event_indicators) {
    callbacks_ = {log2, std::calloc, std::free, nullptr, &log_};
    take(instantiate(callbacks_), description);
  }

  Status enter_initialization(const Experiment& e) override {
    const Status status =
        run(functions_.SetupExperiment, e.tolerance.has_value(), e.tolerance.value_or(0), e.start,
            e.stop.has_value(), e.stop.value_or(0));
    if (!is_good(status)) return status;
    return run(functions_.EnterInitializationMode);
  }
  Status enter_configuration_mode() override { return absent("configuration mode"); }
  Status exit_configuration_mode() override { return absent("configuration mode"); }

  Status get_real(References references, std::span<double> values, VariableType) override {
    return run(functions_.GetReal, references.data(), references.size(), values.data());
  }
  Status set_real(References references, std::span<const double> values, VariableType) override {
    return run(functions_.SetReal, references.data(), references.size(), values.data());
  }
  Status get_integer(VariableType type, References references,
                     std::span<std::int64_t> values) override {
    std::vector<int> buffer(values.size());
    const auto get = type == VariableType::boolean ? functions_.GetBoolean : functions_.GetInteger;
    const fmi2Status status = get(handle_, references.data(), references.size(), buffer.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer[i];
    return to_status(status);
  }
  Status set_integer(VariableType type, References references,
                     std::span<const std::int64_t> values) override {
    std::vector<int> buffer;
    for (const std::int64_t value : values) buffer.push_back(static_cast<int>(value));
    const auto set = type == VariableType::boolean ? functions_.SetBoolean : functions_.SetInteger;
    return to_status(set(handle_, references.data(), references.size(), buffer.data()));
  }
  Status get_text(VariableType, References references, std::span<std::string> values) override {
    std::vector<fmi2String> buffer(values.size());
    const fmi2Status status =
        functions_.GetString(handle_, references.data(), references.size(), buffer.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer[i] ? buffer[i] : "";
    return to_status(status);
  }
  Status set_text(VariableType, References references,
                  std::span<const std::string> values) override {
    std::vector<fmi2String> buffer;
    for (const std::string& value : values) buffer.push_back(value.c_str());
    return run(functions_.SetString, references.data(), references.size(), buffer.data());
  }

  StepResult do_step(double time, double step, bool no_state_before_here) override {
    StepResult result;
    result.status = run(functions_.DoStep, time, step, no_state_before_here);
    result.time = is_good(result.status) ? time + step : time;
    if (result.status != Status::discard) return result;
    fmi2Real reached = time;
    fmi2Boolean terminated = fmi2False;
    if (functions_.GetRealStatus(handle_, fmi2LastSuccessfulTime, &reached) == fmi2OK)
      result.time = reached;
    if (functions_.GetBooleanStatus(handle_, fmi2Terminated, &terminated) == fmi2OK)
      result.terminate = terminated;
    return result;
  }

  Status enter_event_mode() override {
    return model_exchange_ ? run(functions_.EnterEventMode) : absent("event mode");
  }
  DiscreteUpdate update_discrete_states() override {
    DiscreteUpdate update;
    if (!model_exchange_) {
      update.status = absent("event mode");
      return update;
    }
    fmi2EventInfo info{};
    update.status = run(functions_.NewDiscreteStates, &info);
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
  Status directional_derivative(References unknowns, References knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override {
    return run(functions_.GetDirectionalDerivative, unknowns.data(), unknowns.size(), knowns.data(),
               knowns.size(), seed.data(), sensitivity.data());
  }
  Status adjoint_derivative(References, References, std::span<const double>,
                            std::span<double>) override {
    return absent("adjoint derivatives");
  }
  Status set_input_derivatives(References references, std::span<const std::int32_t> orders,
                               std::span<const double> values) override {
    return run(functions_.SetRealInputDerivatives, references.data(), references.size(),
               orders.data(), values.data());
  }
  Status get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                std::span<double> values) override {
    return run(functions_.GetRealOutputDerivatives, references.data(), references.size(),
               orders.data(), values.data());
  }

 private:
  std::size_t states_, indicators_;
  fmi2CallbackFunctions callbacks_{};
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
