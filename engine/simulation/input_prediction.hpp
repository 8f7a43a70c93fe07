#pragma once

// Inputs as the importer sets them, and as the integrator takes them to go on.
//
// Inputs are polynomials u(t) of second order, from the time on at which they were set; what
// follows from several of them is predicted (input_history.hpp). The integrator has run ahead to
// t_end on the inputs in force. Others, set at t, differ from these by at most du between t and
// t_end. As long as err = du / tol <= 1 with tol = rtol max|u so far|, what has been computed
// stands, and the new inputs come into force with the next step: the integrator keeps its history.
// Above, integration restarts at t, and no prediction from before t is used.
//
// A step may go as far as the prediction is valid. Where nothing is known of that, the error of a
// polynomial grows with the third power of the length, so that err, found at a length l, shows how
// far steps may reach: 0.95 l / err^(1/3), at least to the next communication point. After a jump
// that is all: an input that has just jumped tends to jump again. Inputs that nobody sets are
// relied on without limit.
//
// A drive moves constraints; its changes are jumps unless they are rounding.

#include <limits>
#include <vector>

#include "engine/simulation/input_history.hpp"
#include "engine/simulation/predicted_input.hpp"

namespace mbs {

// Whether positions or velocities follow an input themselves: a drive. True where that is not
// known.
bool moves_constraints(const Equations& equations, int input);

class InputPrediction {
 public:
  // in_force: the inputs that the equations are evaluated with; it outlives the prediction.
  InputPrediction(const Equations& equations, Inputs& in_force, double rtol);

  void set_tolerance(double rtol) { rtol_ = rtol; }

  // A value that is set at t is pending until follow_prediction() or differ(); until then the input
  // goes on as it was set before. Setting an input to what it is changes nothing.
  double value(int i, double t) const;
  void set(int i, const Inputs::Jet& to, double t);
  // Derivatives become zero once the motion has begun; before that they stay as they were set.
  void set_value(int i, double value, double t);
  void set_derivative(int i, int order, double value, double t);
  // Without a look at what was set before. False: that is needed, nothing has been done. The second
  // is for an input whose value has just been set; second: may be null.
  bool set_varying_value(int i, double value);
  bool set_derivatives_too(int i, double first, const double* second);
  // Inputs stay at the values that they have now until they are set again.
  void hold_values() { hold_ = any_pending_ = true; }
  // True: set_value(i, value) is known to change nothing.
  bool holds(int i, double value) const {
    return inputs_[static_cast<std::size_t>(i)].constant == value;
  }

  bool any_pending() const { return any_pending_; }
  // All inputs as they are to be from t on.
  void pending(double t, Inputs& inputs) const;
  std::uint64_t revision() const { return revision_; }  // changes with what is pending

  // At the start what is pending comes into force.
  void start(double t0);
  // From now on an integrator goes on with the inputs in force.
  void begin() { begun_ = true; }

  // True: nobody has set anything, and polynomials go on as they were set.
  bool go_on() {
    if (any_pending_ || any_predicted_) return false;
    valid_for_ = std::numeric_limits<double>::infinity();
    return true;
  }
  // Takes over what is pending at t where it follows the predictions and confirms how long these
  // are valid; false: nothing has been done. step_end: the end of the integrator's step.
  bool follow_prediction(double t, double step_end);
  // Takes over what is pending. True: it differs from the inputs in force by more than the
  // tolerance, they are to be replaced.
  bool differ(double t, double step_end);
  const Inputs& latest() const { return latest_; }
  void replace();
  // After a jump of something else the next step is to be short.
  void limit_to_next_point() { valid_for_ = 0.0; }

  // Inputs of the next step, which begins at `begin`; how far it may go, at least to t_stop.
  double predict(double begin, double last_step, double t_stop);

  void save(ByteWriter&) const;
  void restore(ByteReader&);  // throws std::runtime_error

 private:
  struct Input {
    bool pending = false;
    bool varies = false;  // setting it within a step has changed it
    bool moves = false;
    Inputs::Jet to{0.0, 0.0, 0.0};  // pending
    // The value at which it stays until it is set; NaN: not known.
    double constant = std::numeric_limits<double>::quiet_NaN();
    double size = 0.0;  // the largest magnitude so far
    PredictedInput predicted;
  };
  Inputs::Jet unset(int i, double t) const;
  void make_pending(int i, const Inputs::Jet& to);
  void put_in_force();
  void predict_from_powers();

  Inputs* in_force_;
  double rtol_;
  Inputs latest_;  // as they were set last; the next step takes them over
  std::vector<Input> inputs_;
  InputHistory history_;
  double valid_for_ = 0.0;  // how far from latest_.t0 polynomials may be relied on
  bool any_pending_ = false, any_predicted_ = false, hold_ = false, begun_ = false;
  std::uint64_t revision_ = 0;
};

}  // namespace mbs
