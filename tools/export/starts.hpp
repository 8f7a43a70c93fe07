// The start of a model made anew with each of what is set before it, parameters, inputs and the
// time, by itself a little larger, at three points: the default values at the start time, and two
// beside them with other inputs at other times.
//
// Positions and velocities at the start satisfy their constraints as well as the solver does: what
// it leaves, and rounding, are other numbers where the model's numbers are others by some 1e-13 of
// them, and effects are not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/simulation/co_simulation_driver.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Something that the importer sets before the start.
struct Knob {
  std::uint32_t reference = 0;
  Source source = Source::parameter;  // parameter, input, time
  int index = 0;
};

// In the order of Influence's columns: inputs, time, parameters.
std::vector<Knob> knobs_of(const VariableTable& table);

// p, v, r, their rates, the outputs and what is found with a rest, at the start, with what is set
// moved away from the defaults.
class Starts {
 public:
  Starts(const Model& model, const std::shared_ptr<const Equations>& equations,
         const SolverChoice& solver);

  int states() const;
  int rows() const { return row_of_trim(static_cast<int>(trims_.size())); }
  int row_of_output(int i) const { return 2 * states() + i; }
  int row_of_trim(int i) const { return row_of_output(equations_.sizes().y) + i; }
  // Of the change of a value at first `before`: no less than that is one. Positions and velocities
  // satisfy their constraints to some digits, a rest is found to some, and residuals are what the
  // solver leaves of them. Infinite: none is one.
  double least(int row, double before) const;

  // Large loops that are far from closed take hundreds of iterations each time.
  bool is_too_dear() const { return work_ > 5e5; }

  // Default values at the start time, or some beside them.
  void go_to(int point);
  // Where there is no start there, which contacts that touch forbid: one after the other what can
  // be moved is, to one side or the other. False where there is none even by default.
  bool go_near(int point, std::span<const Knob> knobs);
  void go_to(const Starts& other);  // where it is
  // False where there is no start. moved: by the part `by` more. blur: in their last digits, 0: as
  // they are.
  bool find(std::span<const Knob> knobs, int blur, const Knob* moved, double by, Vector& values);

  // Of the last one that was found.
  const State& state() const { return simulation_.state(); }
  const Inputs& inputs() const { return found_inputs_; }
  const Parameters& parameters() const { return found_parameters_; }

 private:
  const Equations& equations_;
  CoSimulationDriver simulation_;
  const bool at_rest_;
  const std::vector<Trim> trims_;
  Parameters parameters_;
  Vector inputs_;
  double start_time_, time_ = 0.0;
  std::vector<bool> is_residual_;  // outputs
  double work_ = 0.0;              // iterations times unknowns
  Inputs found_inputs_;
  Parameters found_parameters_;
};

// Which knobs act on which values.
class Acting {
 public:
  Acting(int rows, std::size_t knobs)
      : rows_(rows), acts_(static_cast<std::size_t>(rows) * knobs, 0) {}
  char& operator()(int row, std::size_t knob) { return acts_[place(row, knob)]; }
  bool operator()(int row, std::size_t knob) const { return acts_[place(row, knob)] != 0; }

 private:
  std::size_t place(int row, std::size_t knob) const {
    return knob * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row);
  }
  int rows_;
  std::vector<char> acts_;
};

// Told of each start that seen_to_act() finds: as it is at a point, and with one knob moved.
class StartWatch {
 public:
  virtual ~StartWatch() = default;
  virtual void see(const Starts& start) = 0;
  virtual void see(const Starts& start, std::size_t moved) = 0;
  virtual void see_none(std::size_t moved) = 0;  // there is no start with another value of it
};

// Of the model without pieces, and of the same with other digits. Empty where there is no start at
// all, or where there has to be one `everywhere` at one of the points, or starts take too long.
std::optional<Acting> seen_to_act(Starts& starts, Starts& blurred, std::span<const Knob> knobs,
                                  bool everywhere = false, StartWatch* watch = nullptr);

// Importers order their loops by inputs: what reacts to one in any digit is listed, rounding or
// not. It is that of the model itself, not of the one without pieces.
void add_digits(Starts& whole, std::span<const Knob> knobs, Acting& acts);

}  // namespace mbs
