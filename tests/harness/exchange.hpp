// A simulation by model exchange: an instance with an external integrator.
#pragma once

#include "tests/harness/ode.hpp"
#include "tools/import/fmu.hpp"

namespace mbs::test {

class Exchange {
 public:
  struct Stop {
    bool event = false, states_changed = false, terminate = false;
  };

  // The instance is initialized, has done its first discrete update and is in continuous-time mode.
  // Throws std::runtime_error when a call fails, here and below. `prepare` sets values before the
  // initialization.
  Exchange(import::Fmu& fmu, const OdeSolver& solver, const OdeOptions& options = {},
           const std::function<void(import::Instance&)>& prepare = {});

  // Goes on to this time, or to the first event before or at it, which has happened then. Events
  // are located by bisection on the indicators, to the last bit of the time.
  Stop run(double end);
  // Restarts from a state that the FMU has been set to.
  void restart(double time);

  double operator[](const char* name);
  std::vector<double> states();
  double time() const { return time_; }

 private:
  void place(double time);
  bool crossed() const;
  Stop update();
  std::size_t size(import::ValueReference reference);
  void expect_reinit(const std::vector<double>& before);

  import::Fmu& fmu_;

 public:
  std::unique_ptr<import::Instance> instance;

 private:
  std::vector<double> x_, before_, now_;  // states; indicators at the begin of a step and here
  double time_ = 0.0;
  std::optional<double> next_event_;
  std::unique_ptr<Ode> ode_;
};

}  // namespace mbs::test
