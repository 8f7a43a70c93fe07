#pragma once

// The states of an instance and the guard around every function of the C interface: it checks that
// the function is allowed in the present state, runs it, and turns an exception into a log message
// and a status. A refused call changes nothing and the instance stays usable, except where the
// standard says that it cannot: a call in the wrong state, a failed initialization and a failed
// step lead to `failed`.

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "fmu_src/logger.hpp"

namespace mbs {

// Bits, for masks of the states in which a function is allowed.
enum Mode : unsigned {
  instantiated = 1u,
  initialization_mode = 2u,
  step_mode = 4u,
  step_discarded = 8u,  // FMI 2.0: the last step was not completed
  terminated = 16u,
  failed = 32u,
  event_mode = 64u,
  continuous_time_mode = 128u,
  intermediate_update_mode = 256u,
  configuration_mode = 512u,
  any_mode = 1023u
};

enum class Kind : unsigned char { co_simulation, model_exchange };

// The call cannot be carried out; nothing has changed.
struct Refusal : std::runtime_error {
  explicit Refusal(const std::string& why, Status s = Status::error)
      : std::runtime_error(why), status(s) {}
  Status status;
};

class StateMachine {
 public:
  StateMachine(Kind kind, Logger logger) : logger_(std::move(logger)), kind_(kind) {}

  // `kind`: the function exists for this kind of instance alone.
  template <class Body>
  Status call(const char* function, unsigned allowed, Body&& body,
              std::optional<Kind> kind) noexcept {
    if ((kind && *kind != kind_) || !is_in(allowed)) return refuse_call(function, kind);
    try {
      body();
      return std::exchange(outcome_, Status::ok);
    } catch (...) {
      return report_exception(function);
    }
  }

  bool is_in(unsigned modes) const { return (mode_ & modes) != 0; }
  unsigned mode() const { return mode_; }
  void enter(unsigned mode) { mode_ = mode; }
  Kind kind() const { return kind_; }

  Logger& logger() { return logger_; }
  // The call that runs succeeds with a warning.
  void warn(const std::string& message);

 private:
  Status refuse_call(const char* function, std::optional<Kind> kind) noexcept;
  Status report_exception(const char* function) noexcept;

  Logger logger_;
  Kind kind_;
  unsigned mode_ = instantiated;
  Status outcome_ = Status::ok;  // of the call that runs: ok or warning
};

}  // namespace mbs
