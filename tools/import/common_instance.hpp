// Within the importer: the functions that FMI 2.0 and 3.0 have with the same meaning and arguments,
// over the table of either.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/native.hpp"

namespace mbs::import {

// `Api` names the types of one version and the functions whose names differ.
template <class Api>
class CommonInstance : public Instance {
 public:
  ~CommonInstance() override {
    if (handle_) functions_.FreeInstance(handle_);
  }

  Status set_debug_logging(bool on, const std::vector<std::string>& categories) override {
    std::vector<const char*> names;
    for (const std::string& category : categories) names.push_back(category.c_str());
    return run(functions_.SetDebugLogging, on, names.size(), names.data());
  }
  std::vector<LogMessage> messages() const override { return log_.messages(); }

  Status exit_initialization() override { return run(functions_.ExitInitializationMode); }
  Status terminate() override { return run(functions_.Terminate); }
  Status reset() override { return run(functions_.Reset); }

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
    return exchange(functions_.*Api::get_derivatives, values.data(), values.size());
  }
  Status get_event_indicators(std::span<double> values) override {
    return exchange(functions_.GetEventIndicators, values.data(), values.size());
  }
  Status get_nominals(std::span<double> values) override {
    return exchange(functions_.GetNominalsOfContinuousStates, values.data(), values.size());
  }
  CompletedStep completed_integrator_step(bool no_state_before_here) override {
    typename Api::Boolean event{}, terminate{};
    const Status status =
        exchange(functions_.CompletedIntegratorStep,
                 static_cast<typename Api::Boolean>(no_state_before_here), &event, &terminate);
    return {status, event != 0, terminate != 0};
  }

  Status get_state(State& state) override { return run(functions_.*Api::get_state, &state); }
  Status set_state(State state) override { return run(functions_.*Api::set_state, state); }
  Status free_state(State& state) override { return run(functions_.*Api::free_state, &state); }
  Status serialize(State state, Bytes& bytes) override {
    std::size_t size = 0;
    const Status status = run(functions_.*Api::state_size, state, &size);
    if (!is_good(status)) return status;
    bytes.assign(size, 0);
    return run(functions_.*Api::serialize, state,
               reinterpret_cast<typename Api::Byte*>(bytes.data()), size);
  }
  Status deserialize(std::span<const std::uint8_t> bytes, State& state) override {
    return run(functions_.*Api::deserialize,
               reinterpret_cast<const typename Api::Byte*>(bytes.data()), bytes.size(), &state);
  }

 protected:
  CommonInstance(std::shared_ptr<const typename Api::Functions> functions, bool model_exchange)
      : keep_(std::move(functions)), functions_(*keep_), model_exchange_(model_exchange) {}

  void take(typename Api::Handle handle, const ModelDescription& description) {
    handle_ = handle;
    if (!handle_) throw refusal(description, log_.messages());
  }
  static Status to_status(typename Api::Status status) {
    return known_status(static_cast<int>(status), Api::last_status);
  }
  template <class Function, class... Arguments>
  Status run(Function function, Arguments... arguments) const {
    return to_status(function(handle_, arguments...));
  }
  template <class Function, class... Arguments>
  Status exchange(Function function, Arguments... arguments) {
    return model_exchange_ ? run(function, arguments...) : absent("a function of model exchange");
  }
  Status absent(const char* what) {
    log_.add({Status::error, std::nullopt,
              std::string(what) + " is not part of " + Api::version + " co-simulation"});
    return Status::error;
  }

  std::shared_ptr<const typename Api::Functions> keep_;
  const typename Api::Functions& functions_;
  bool model_exchange_;
  LogRecorder log_;
  typename Api::Handle handle_ = nullptr;
};

}  // namespace mbs::import
