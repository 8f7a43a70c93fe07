// A table of the functions of one FMU, each of them a call of FMI Library: fmi2GetReal(component,
// ...) becomes fmi2_import_get_real(component, ...), where the component is FMI Library's handle.
#include "tests/harness/fmilib.hpp"

#include "tools/import/native.hpp"
// after our own headers, whose names it redefines
#include <fmilib.h>

namespace mbs::test {
namespace {

using import::Functions2;
using import::Functions3;
using import::ImportError;

// Hands an argument on where FMI Library has another name for the same type of the C interface.
template <class T>
struct Argument {
  T value;
  template <class U>
  operator U() const {
    return (U)value;
  }
};

template <auto function, class Handle, class Result, class... Parameters>
void forward_to(Result (*&entry)(void*, Parameters...)) {
  entry = [](void* handle, Parameters... parameters) {
    return (Result)function(static_cast<Handle*>(handle), Argument<Parameters>{parameters}...);
  };
}

template <auto function, class... Rest>
void forward2(fmi2Status (*&entry)(void*, Rest...)) {
  forward_to<function, fmi2_import_t>(entry);
}

template <auto function, class... Rest>
void forward3(fmi3Status (*&entry)(void*, Rest...)) {
  forward_to<function, fmi3_import_t>(entry);
}

void free2(void* handle) {
  auto* fmu = static_cast<fmi2_import_t*>(handle);
  fmi2_import_free_instance(fmu);
  fmi2_import_destroy_dllfmu(fmu);
  fmi2_import_free(fmu);
}

void free3(void* handle) {
  auto* fmu = static_cast<fmi3_import_t*>(handle);
  fmi3_import_free_instance(fmu);
  fmi3_import_destroy_dllfmu(fmu);
  fmi3_import_free(fmu);
}

Functions2 make_functions2() {
  Functions2 f;
  f.FreeInstance = free2;
  forward2<fmi2_import_set_debug_logging>(f.SetDebugLogging);
  forward2<fmi2_import_setup_experiment>(f.SetupExperiment);
  forward2<fmi2_import_enter_initialization_mode>(f.EnterInitializationMode);
  forward2<fmi2_import_exit_initialization_mode>(f.ExitInitializationMode);
  forward2<fmi2_import_terminate>(f.Terminate);
  forward2<fmi2_import_reset>(f.Reset);
  forward2<fmi2_import_get_real>(f.GetReal);
  forward2<fmi2_import_get_integer>(f.GetInteger);
  forward2<fmi2_import_get_boolean>(f.GetBoolean);
  forward2<fmi2_import_get_string>(f.GetString);
  forward2<fmi2_import_set_real>(f.SetReal);
  forward2<fmi2_import_set_integer>(f.SetInteger);
  forward2<fmi2_import_set_boolean>(f.SetBoolean);
  forward2<fmi2_import_set_string>(f.SetString);
  forward2<fmi2_import_get_fmu_state>(f.GetFMUstate);
  forward2<fmi2_import_set_fmu_state>(f.SetFMUstate);
  forward2<fmi2_import_free_fmu_state>(f.FreeFMUstate);
  forward2<fmi2_import_serialized_fmu_state_size>(f.SerializedFMUstateSize);
  forward2<fmi2_import_serialize_fmu_state>(f.SerializeFMUstate);
  forward2<fmi2_import_de_serialize_fmu_state>(f.DeSerializeFMUstate);
  // FMI Library takes the knowns first.
  f.GetDirectionalDerivative = [](fmi2Component handle, const fmi2ValueReference* unknowns,
                                  std::size_t unknown_count, const fmi2ValueReference* knowns,
                                  std::size_t known_count, const fmi2Real* seed,
                                  fmi2Real* sensitivity) {
    return static_cast<fmi2Status>(fmi2_import_get_directional_derivative(
        static_cast<fmi2_import_t*>(handle), knowns, known_count, unknowns, unknown_count, seed,
        sensitivity));
  };
  forward2<fmi2_import_set_real_input_derivatives>(f.SetRealInputDerivatives);
  forward2<fmi2_import_get_real_output_derivatives>(f.GetRealOutputDerivatives);
  forward2<fmi2_import_enter_event_mode>(f.EnterEventMode);
  forward2<fmi2_import_new_discrete_states>(f.NewDiscreteStates);
  forward2<fmi2_import_enter_continuous_time_mode>(f.EnterContinuousTimeMode);
  forward2<fmi2_import_set_time>(f.SetTime);
  forward2<fmi2_import_set_continuous_states>(f.SetContinuousStates);
  forward2<fmi2_import_get_continuous_states>(f.GetContinuousStates);
  forward2<fmi2_import_get_derivatives>(f.GetDerivatives);
  forward2<fmi2_import_get_event_indicators>(f.GetEventIndicators);
  forward2<fmi2_import_get_nominals_of_continuous_states>(f.GetNominalsOfContinuousStates);
  forward2<fmi2_import_completed_integrator_step>(f.CompletedIntegratorStep);
  forward2<fmi2_import_do_step>(f.DoStep);
  forward2<fmi2_import_get_real_status>(f.GetRealStatus);
  forward2<fmi2_import_get_boolean_status>(f.GetBooleanStatus);
  return f;
}

Functions3 make_functions3() {
  Functions3 f;
  f.FreeInstance = free3;
  forward3<fmi3_import_set_debug_logging>(f.SetDebugLogging);
  forward3<fmi3_import_enter_initialization_mode>(f.EnterInitializationMode);
  forward3<fmi3_import_exit_initialization_mode>(f.ExitInitializationMode);
  forward3<fmi3_import_enter_event_mode>(f.EnterEventMode);
  forward3<fmi3_import_update_discrete_states>(f.UpdateDiscreteStates);
  forward3<fmi3_import_enter_step_mode>(f.EnterStepMode);
  forward3<fmi3_import_enter_configuration_mode>(f.EnterConfigurationMode);
  forward3<fmi3_import_exit_configuration_mode>(f.ExitConfigurationMode);
  forward3<fmi3_import_terminate>(f.Terminate);
  forward3<fmi3_import_reset>(f.Reset);
  forward3<fmi3_import_get_float32>(f.GetFloat32);
  forward3<fmi3_import_get_float64>(f.GetFloat64);
  forward3<fmi3_import_get_int8>(f.GetInt8);
  forward3<fmi3_import_get_uint8>(f.GetUInt8);
  forward3<fmi3_import_get_int16>(f.GetInt16);
  forward3<fmi3_import_get_uint16>(f.GetUInt16);
  forward3<fmi3_import_get_int32>(f.GetInt32);
  forward3<fmi3_import_get_uint32>(f.GetUInt32);
  forward3<fmi3_import_get_int64>(f.GetInt64);
  forward3<fmi3_import_get_uint64>(f.GetUInt64);
  forward3<fmi3_import_get_boolean>(f.GetBoolean);
  forward3<fmi3_import_get_string>(f.GetString);
  forward3<fmi3_import_get_binary>(f.GetBinary);
  forward3<fmi3_import_get_clock>(f.GetClock);
  forward3<fmi3_import_set_float32>(f.SetFloat32);
  forward3<fmi3_import_set_float64>(f.SetFloat64);
  forward3<fmi3_import_set_int8>(f.SetInt8);
  forward3<fmi3_import_set_uint8>(f.SetUInt8);
  forward3<fmi3_import_set_int16>(f.SetInt16);
  forward3<fmi3_import_set_uint16>(f.SetUInt16);
  forward3<fmi3_import_set_int32>(f.SetInt32);
  forward3<fmi3_import_set_uint32>(f.SetUInt32);
  forward3<fmi3_import_set_int64>(f.SetInt64);
  forward3<fmi3_import_set_uint64>(f.SetUInt64);
  forward3<fmi3_import_set_boolean>(f.SetBoolean);
  forward3<fmi3_import_set_string>(f.SetString);
  forward3<fmi3_import_set_binary>(f.SetBinary);
  forward3<fmi3_import_set_clock>(f.SetClock);
  forward3<fmi3_import_get_fmu_state>(f.GetFMUState);
  forward3<fmi3_import_set_fmu_state>(f.SetFMUState);
  forward3<fmi3_import_free_fmu_state>(f.FreeFMUState);
  forward3<fmi3_import_serialized_fmu_state_size>(f.SerializedFMUStateSize);
  forward3<fmi3_import_serialize_fmu_state>(f.SerializeFMUState);
  forward3<fmi3_import_de_serialize_fmu_state>(f.DeserializeFMUState);
  forward3<fmi3_import_get_directional_derivative>(f.GetDirectionalDerivative);
  forward3<fmi3_import_get_adjoint_derivative>(f.GetAdjointDerivative);
  forward3<fmi3_import_get_output_derivatives>(f.GetOutputDerivatives);
  forward3<fmi3_import_enter_continuous_time_mode>(f.EnterContinuousTimeMode);
  forward3<fmi3_import_set_time>(f.SetTime);
  forward3<fmi3_import_set_continuous_states>(f.SetContinuousStates);
  forward3<fmi3_import_get_continuous_states>(f.GetContinuousStates);
  forward3<fmi3_import_get_derivatives>(f.GetContinuousStateDerivatives);
  forward3<fmi3_import_get_event_indicators>(f.GetEventIndicators);
  forward3<fmi3_import_get_nominals_of_continuous_states>(f.GetNominalsOfContinuousStates);
  forward3<fmi3_import_get_number_of_continuous_states>(f.GetNumberOfContinuousStates);
  forward3<fmi3_import_get_number_of_event_indicators>(f.GetNumberOfEventIndicators);
  forward3<fmi3_import_completed_integrator_step>(f.CompletedIntegratorStep);
  forward3<fmi3_import_do_step>(f.DoStep);
  return f;
}

// FMI Library's own messages: about the description and the loading.
void collect(jm_callbacks* callbacks, jm_string, jm_log_level_enu_t, jm_string message) {
  static_cast<std::string*>(callbacks->context)->append("\n  ").append(message);
}

// The objects of FMI Library that one instance needs besides its handle; they outlive it.
struct Context {
  Context() {
    callbacks = {malloc, calloc, realloc, free, collect, jm_log_level_warning, &messages, {}};
    context = fmi_import_allocate_context(&callbacks);
  }
  ~Context() { fmi_import_free_context(context); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::string messages;
  jm_callbacks callbacks{};
  fmi_import_context_t* context = nullptr;
};

ImportError failure(const Context& context, const std::string& what) {
  return ImportError("FMI Library: " + what + context.messages);
}

template <class Functions>
struct Table {
  Functions functions;
  Context context;
};

void* instantiate2(Context& context, const std::string& folder,
                   const import::InstanceOptions& options, const fmi2CallbackFunctions& callbacks) {
  fmi2_import_t* fmu = fmi2_import_parse_xml(context.context, folder.c_str(), nullptr);
  if (!fmu) throw failure(context, "the description is not accepted");
  const auto* forwarded = reinterpret_cast<const fmi2_callback_functions_t*>(&callbacks);
  const bool exchange = options.model_exchange;
  if (fmi2_import_create_dllfmu(fmu, exchange ? fmi2_fmu_kind_me : fmi2_fmu_kind_cs, forwarded) !=
      jm_status_success) {
    fmi2_import_free(fmu);
    throw failure(context, "the library cannot be loaded");
  }
  // The level decides about the FMU's own log.
  context.callbacks.log_level = options.logging ? jm_log_level_all : jm_log_level_nothing;
  if (fmi2_import_instantiate(fmu, options.name.c_str(),
                              exchange ? fmi2_model_exchange : fmi2_cosimulation, nullptr,
                              fmi2_false) == jm_status_success)
    return fmu;
  fmi2_import_destroy_dllfmu(fmu);
  fmi2_import_free(fmu);
  return nullptr;
}

void* instantiate3(Context& context, const std::string& folder,
                   const import::InstanceOptions& options, fmi3InstanceEnvironment environment,
                   fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  fmi3_import_t* fmu = fmi3_import_parse_xml(context.context, folder.c_str(), nullptr);
  if (!fmu) throw failure(context, "the description is not accepted");
  const bool exchange = options.model_exchange;
  if (fmi3_import_create_dllfmu(fmu, exchange ? fmi3_fmu_kind_me : fmi3_fmu_kind_cs, environment,
                                reinterpret_cast<fmi3_log_message_callback_ft>(log)) !=
      jm_status_success) {
    fmi3_import_free(fmu);
    throw failure(context, "the library cannot be loaded");
  }
  const jm_status_enu_t made =
      exchange ? fmi3_import_instantiate_model_exchange(fmu, options.name.c_str(), nullptr, false,
                                                        options.logging)
               : fmi3_import_instantiate_co_simulation(
                     fmu, options.name.c_str(), nullptr, false, options.logging, options.event_mode,
                     options.early_return, options.intermediate_variables.data(),
                     options.intermediate_variables.size(), update);
  if (made == jm_status_success) return fmu;
  fmi3_import_destroy_dllfmu(fmu);
  fmi3_import_free(fmu);
  return nullptr;
}

class FmiLibraryFmu final : public import::Fmu {
 public:
  explicit FmiLibraryFmu(const std::filesystem::path& file) : unpacked_(import::unpack_fmu(file)) {
    instantiate({});  // so that a refusal of FMI Library is reported here
  }

  const import::ModelDescription& description() const override { return unpacked_.description; }
  const std::filesystem::path& folder() const override { return unpacked_.folder.path(); }

  std::unique_ptr<import::Instance> instantiate(const import::InstanceOptions& options) override {
    if (options.token) throw ImportError("FMI Library takes the token from the description");
    if (options.model_exchange) import::require_model_exchange(description());
    const std::string path = folder().string();
    if (description().version == import::FmiVersion::fmi2) {
      const auto table = std::make_shared<Table<Functions2>>(make_functions2());
      return import::make_instance2(
          {table, &table->functions}, description(),
          [&](const fmi2CallbackFunctions& callbacks) {
            return instantiate2(table->context, path, options, callbacks);
          },
          options.model_exchange);
    }
    const auto table = std::make_shared<Table<Functions3>>(make_functions3());
    return import::make_instance3(
        {table, &table->functions}, description(), options.intermediate_update,
        [&](fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
            fmi3IntermediateUpdateCallback update) {
          return instantiate3(table->context, path, options, environment, log, update);
        },
        options.model_exchange);
  }

 private:
  import::UnpackedFmu unpacked_;
};

}  // namespace

std::unique_ptr<import::Fmu> open_fmu_fmilib(const std::filesystem::path& file) {
  return std::make_unique<FmiLibraryFmu>(file);
}

}  // namespace mbs::test
