#pragma once

// The part of the integrator's last step in which nothing happens: no event, no change of
// parameters, no failure. While it is open, a communication point within it costs no more than its
// time, because the state is interpolated when somebody asks for it. Inputs that have been set are
// compared with their prediction first (input_prediction.hpp); whatever else may change the motion
// closes it.

#include <limits>

namespace mbs {

class CachedStep {
 public:
  // step_end: where the integrator is.
  void open(double until, double step_end) {
    until_ = until;
    step_end_ = step_end;
  }
  void close() { until_ = -std::numeric_limits<double>::infinity(); }
  bool holds(double from, double to) const { return to > from && to <= until_; }
  double step_end() const { return step_end_; }

 private:
  double until_ = -std::numeric_limits<double>::infinity();
  double step_end_ = 0.0;
};

}  // namespace mbs
