#include "fmu_src/state_machine.hpp"

namespace mbs {
namespace {

const char* description(unsigned mode) {
  switch (mode) {
    case instantiated:
      return "before initialization";
    case configuration_mode:
      return "in configuration mode";
    case initialization_mode:
      return "in initialization mode";
    case step_mode:
      return "between steps";
    case step_discarded:
      return "after a step that was not completed";
    case event_mode:
      return "in event mode";
    case intermediate_update_mode:
      return "in an intermediate update";
    case continuous_time_mode:
      return "in continuous-time mode";
    case terminated:
      return "after the end of the simulation";
    default:
      return "after an error (reading values, states, reset and free are)";
  }
}

}  // namespace

Status StateMachine::refuse_call(const char* function, std::optional<Kind> kind) noexcept {
  const bool other_kind = kind && *kind != kind_;
  try {
    logger_.log(
        Status::error,
        std::string(function) + (!other_kind ? std::string(" is not allowed ") + description(mode_)
                                 : kind_ == Kind::co_simulation ? " is not for co-simulation"
                                                                : " is not for model exchange"));
  } catch (...) {
  }
  if (!other_kind && mode_ != terminated) mode_ = failed;
  return Status::error;
}

Status StateMachine::report_exception(const char* function) noexcept {
  outcome_ = Status::ok;
  try {
    const std::string begin = std::string(function) + ": ";
    try {
      throw;
    } catch (const Refusal& refusal) {
      logger_.log(refusal.status, begin + refusal.what());
      return refusal.status;
    } catch (const std::exception& error) {
      mode_ = failed;
      logger_.log(Status::error, begin + error.what());
    } catch (...) {
      mode_ = failed;
      logger_.log(Status::error, begin + "unknown error");
    }
  } catch (...) {
    mode_ = failed;
  }
  return Status::error;
}

void StateMachine::warn(const std::string& message) {
  outcome_ = Status::warning;
  logger_.log(Status::warning, message);
}

}  // namespace mbs
