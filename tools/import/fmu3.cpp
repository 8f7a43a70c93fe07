// FMI 3.0 behind the common interface.
#include <algorithm>

#include "tools/import/common_instance.hpp"

namespace mbs::import {
namespace {

struct Api3 {
  using Functions = Functions3;
  using Handle = fmi3Instance;
  using Status = fmi3Status;
  using Boolean = fmi3Boolean;
  using Byte = fmi3Byte;
  static constexpr int last_status = fmi3Fatal;
  static constexpr const char* version = "FMI 3.0";
  static constexpr auto get_derivatives = &Functions3::GetContinuousStateDerivatives;
  static constexpr auto get_state = &Functions3::GetFMUState;
  static constexpr auto set_state = &Functions3::SetFMUState;
  static constexpr auto free_state = &Functions3::FreeFMUState;
  static constexpr auto state_size = &Functions3::SerializedFMUStateSize;
  static constexpr auto serialize = &Functions3::SerializeFMUState;
  static constexpr auto deserialize = &Functions3::DeserializeFMUState;
};

Status to_status(fmi3Status status) {
  return known_status(static_cast<int>(status), fmi3Fatal);
}

// The environment of both callbacks of one instance.
struct Environment {
  LogRecorder& log;
  IntermediateCallback intermediate_update;
};

void log3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
          fmi3String message) {
  static_cast<Environment*>(environment)
      ->log.add({to_status(status), category ? std::optional<std::string>(category) : std::nullopt,
                 message_text(message ? message : "")});
}

void update3(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
             fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return_early,
             fmi3Boolean* early_return_requested, fmi3Float64* early_return_time) {
  const auto& callback = static_cast<Environment*>(environment)->intermediate_update;
  const std::optional<double> end =
      callback({time, set_requested, get_allowed, step_finished, can_return_early});
  *early_return_requested = end.has_value();
  *early_return_time = end.value_or(0);
}

// Calls with a buffer of the interface's own type: a plain array, because vector<bool> has none
// inside.
template <class Element, class Wide, class Get>
Status get_converted(Get get, std::span<Wide> values) {
  const auto buffer = std::make_unique<Element[]>(values.size());
  const Status status = to_status(get(buffer.get()));
  std::transform(buffer.get(), buffer.get() + values.size(), values.begin(),
                 [](Element element) { return static_cast<Wide>(element); });
  return status;
}

template <class Element, class Wide, class Set>
Status set_converted(Set set, std::span<const Wide> values) {
  const auto buffer = std::make_unique<Element[]>(values.size());
  std::transform(values.begin(), values.end(), buffer.get(),
                 [](Wide value) { return static_cast<Element>(value); });
  return to_status(set(buffer.get()));
}

class Instance3 final : public CommonInstance<Api3> {
  // The getters and setters of all types but clocks, texts and binaries have this shape.
  template <class Pointer>
  auto accessor(fmi3Status (*function)(fmi3Instance, const fmi3ValueReference*, std::size_t,
                                       Pointer, std::size_t),
                References references, std::size_t count) const {
    return [this, function, references, count](Pointer values) {
      return function(handle_, references.data(), references.size(), values, count);
    };
  }

 public:
  Instance3(std::shared_ptr<const Functions3> functions, const ModelDescription& description,
            const IntermediateCallback& intermediate_update, const Instantiate3& instantiate,
            bool model_exchange)
      : CommonInstance(std::move(functions), model_exchange),
        environment_{log_, intermediate_update} {
    take(instantiate(&environment_, log3, intermediate_update ? update3 : nullptr), description);
  }

  Status enter_initialization(const Experiment& e) override {
    return run(functions_.EnterInitializationMode, e.tolerance.has_value(), e.tolerance.value_or(0),
               e.start, e.stop.has_value(), e.stop.value_or(0));
  }
  Status enter_configuration_mode() override { return run(functions_.EnterConfigurationMode); }
  Status exit_configuration_mode() override { return run(functions_.ExitConfigurationMode); }

  Status get_real(References references, std::span<double> values, VariableType type) override {
    if (type == VariableType::float32)
      return get_converted<float>(accessor(functions_.GetFloat32, references, values.size()),
                                  values);
    return run(functions_.GetFloat64, references.data(), references.size(), values.data(),
               values.size());
  }
  Status set_real(References references, std::span<const double> values,
                  VariableType type) override {
    if (type == VariableType::float32)
      return set_converted<float>(accessor(functions_.SetFloat32, references, values.size()),
                                  values);
    return run(functions_.SetFloat64, references.data(), references.size(), values.data(),
               values.size());
  }

  Status get_integer(VariableType type, References references,
                     std::span<std::int64_t> values) override {
    const auto get =
        [&]<class Element>(fmi3Status (*function)(fmi3Instance, const fmi3ValueReference*,
                                                  std::size_t, Element*, std::size_t)) {
          return get_converted<Element>(accessor(function, references, values.size()), values);
        };
    const Functions3& f = functions_;
    switch (type) {
      case VariableType::int8:
        return get(f.GetInt8);
      case VariableType::uint8:
        return get(f.GetUInt8);
      case VariableType::int16:
        return get(f.GetInt16);
      case VariableType::uint16:
        return get(f.GetUInt16);
      case VariableType::int32:
        return get(f.GetInt32);
      case VariableType::uint32:
        return get(f.GetUInt32);
      case VariableType::uint64:
        return get(f.GetUInt64);
      case VariableType::boolean:
        return get(f.GetBoolean);
      case VariableType::clock:
        return get_converted<fmi3Clock>(
            [&](fmi3Clock* clocks) {
              return f.GetClock(handle_, references.data(), references.size(), clocks);
            },
            values);
      default:
        return get(f.GetInt64);
    }
  }
  Status set_integer(VariableType type, References references,
                     std::span<const std::int64_t> values) override {
    const auto set =
        [&]<class Element>(fmi3Status (*function)(fmi3Instance, const fmi3ValueReference*,
                                                  std::size_t, const Element*, std::size_t)) {
          return set_converted<Element>(accessor(function, references, values.size()), values);
        };
    const Functions3& f = functions_;
    switch (type) {
      case VariableType::int8:
        return set(f.SetInt8);
      case VariableType::uint8:
        return set(f.SetUInt8);
      case VariableType::int16:
        return set(f.SetInt16);
      case VariableType::uint16:
        return set(f.SetUInt16);
      case VariableType::int32:
        return set(f.SetInt32);
      case VariableType::uint32:
        return set(f.SetUInt32);
      case VariableType::uint64:
        return set(f.SetUInt64);
      case VariableType::boolean:
        return set(f.SetBoolean);
      case VariableType::clock:
        return set_converted<fmi3Clock>(
            [&](const fmi3Clock* clocks) {
              return f.SetClock(handle_, references.data(), references.size(), clocks);
            },
            values);
      default:
        return set(f.SetInt64);
    }
  }

  Status get_text(VariableType type, References references,
                  std::span<std::string> values) override {
    if (type == VariableType::string) {
      std::vector<fmi3String> buffer(values.size());
      const fmi3Status status = functions_.GetString(handle_, references.data(), references.size(),
                                                     buffer.data(), buffer.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer[i] ? buffer[i] : "";
      return to_status(status);
    }
    std::vector<std::size_t> sizes(values.size());
    std::vector<fmi3Binary> buffer(values.size());
    const fmi3Status status = functions_.GetBinary(handle_, references.data(), references.size(),
                                                   sizes.data(), buffer.data(), buffer.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = buffer[i] ? std::string(buffer[i], buffer[i] + sizes[i]) : "";
    return to_status(status);
  }
  Status set_text(VariableType type, References references,
                  std::span<const std::string> values) override {
    if (type == VariableType::string) {
      std::vector<fmi3String> buffer;
      for (const std::string& value : values) buffer.push_back(value.c_str());
      return run(functions_.SetString, references.data(), references.size(), buffer.data(),
                 buffer.size());
    }
    std::vector<std::size_t> sizes;
    std::vector<fmi3Binary> buffer;
    for (const std::string& value : values) {
      sizes.push_back(value.size());
      buffer.push_back(reinterpret_cast<const fmi3Byte*>(value.data()));
    }
    return run(functions_.SetBinary, references.data(), references.size(), sizes.data(),
               buffer.data(), buffer.size());
  }

  StepResult do_step(double time, double step, bool no_state_before_here) override {
    StepResult result;
    result.time = time;
    result.status = run(functions_.DoStep, time, step, no_state_before_here, &result.event_needed,
                        &result.terminate, &result.early_return, &result.time);
    return result;
  }

  Status enter_event_mode() override { return run(functions_.EnterEventMode); }
  DiscreteUpdate update_discrete_states() override {
    DiscreteUpdate update;
    bool next_defined = false;
    double next = 0;
    update.status = run(functions_.UpdateDiscreteStates, &update.needed_again, &update.terminate,
                        &update.nominals_changed, &update.states_changed, &next_defined, &next);
    if (next_defined) update.next_event = next;
    return update;
  }
  Status enter_step_mode() override { return run(functions_.EnterStepMode); }

  std::size_t state_count() override { return count(functions_.GetNumberOfContinuousStates); }
  std::size_t indicator_count() override { return count(functions_.GetNumberOfEventIndicators); }
  Status directional_derivative(References unknowns, References knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override {
    return run(functions_.GetDirectionalDerivative, unknowns.data(), unknowns.size(), knowns.data(),
               knowns.size(), seed.data(), seed.size(), sensitivity.data(), sensitivity.size());
  }
  Status adjoint_derivative(References unknowns, References knowns, std::span<const double> seed,
                            std::span<double> sensitivity) override {
    return run(functions_.GetAdjointDerivative, unknowns.data(), unknowns.size(), knowns.data(),
               knowns.size(), seed.data(), seed.size(), sensitivity.data(), sensitivity.size());
  }
  Status set_input_derivatives(References, std::span<const std::int32_t>,
                               std::span<const double>) override {
    log_.add({Status::error, std::nullopt,
              "input derivatives are set by the intermediate update in FMI 3.0"});
    return Status::error;
  }
  Status get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                std::span<double> values) override {
    return run(functions_.GetOutputDerivatives, references.data(), references.size(), orders.data(),
               values.data(), values.size());
  }

 private:
  std::size_t count(fmi3Status (*function)(fmi3Instance, std::size_t*)) {
    std::size_t number = 0;
    return is_good(exchange(function, &number)) ? number : 0;
  }

  Environment environment_;
};

}  // namespace

std::unique_ptr<Instance> make_instance3(std::shared_ptr<const Functions3> functions,
                                         const ModelDescription& description,
                                         const IntermediateCallback& intermediate_update,
                                         const Instantiate3& instantiate, bool model_exchange) {
  return std::make_unique<Instance3>(std::move(functions), description, intermediate_update,
                                     instantiate, model_exchange);
}

std::unique_ptr<Instance> instantiate3(std::shared_ptr<const LoadedLibrary<Functions3>> library,
                                       const ModelDescription& description,
                                       const std::filesystem::path& folder,
                                       const InstanceOptions& options) {
  if (options.model_exchange) require_model_exchange(description);
  const Functions3& functions = library->functions;
  return make_instance3(
      {std::move(library), &functions}, description, options.intermediate_update,
      [&](fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
          fmi3IntermediateUpdateCallback update) {
        const std::string token = options.token.value_or(description.token);
        const std::string resources = resource_path(folder);
        std::error_code error;
        const bool has_resources = std::filesystem::is_directory(resources, error);
        const char* place = has_resources ? resources.c_str() : nullptr;
        if (options.model_exchange)
          return functions.InstantiateModelExchange(options.name.c_str(), token.c_str(), place,
                                                    false, options.logging, environment, log);
        return functions.InstantiateCoSimulation(
            options.name.c_str(), token.c_str(), place, false, options.logging, options.event_mode,
            options.early_return, options.intermediate_variables.data(),
            options.intermediate_variables.size(), environment, log, update);
      },
      options.model_exchange);
}

}  // namespace mbs::import
