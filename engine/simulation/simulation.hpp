#pragma once

// One simulation of one model: parameters and inputs go in, time advances to communication points,
// outputs come out; snapshot and restore give bitwise the same continuation.
//
// The integrator runs on past a communication point with its own step, on the inputs it has, and
// points in between are interpolated, so that small communication steps cost almost nothing. When
// an input or tunable parameter then differs, the surplus is discarded and integration starts anew
// from the projected interpolant at that point.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/equations/initial.hpp"
#include "engine/integrators/common/integrator.hpp"

namespace mbs {

struct SolverChoice {
  std::string method = "auto";
  IntegratorOptions options;
};

class Simulation {
 public:
  Simulation(std::shared_ptr<const Equations> equations, SolverChoice solver);
  ~Simulation();

  const Equations& equations() const { return *equations_; }
  const SolverChoice& solver() const { return solver_; }

  // Before initialise() or between advances; parameters go through Equations::derive when next
  // used.
  double parameter(int i) const { return parameters_.values[i]; }
  void set_parameter(int i, double value);
  double input(int i) const { return inputs_.value[i]; }
  // The input as a polynomial from the present time on: value, slope, curvature.
  void set_input(int i, double value, double first = 0.0, double second = 0.0);

  // Consistent initial values at t0. A tolerance > 0 replaces rtol (and scales atol with it).
  // May be called again with other parameters and inputs until the first advance.
  InitialReport initialise(double t0, double tolerance = 0.0);

  // To t > time(), landing on it bit for bit. Throws SolverFailure; time() is then the last time
  // that was reached.
  enum class Advance { reached, stopped };
  Advance advance(double t);

  // Called after each step of a long advance with the time reached; false stops it there.
  using Progress = std::function<bool(double time)>;
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  double time() const { return x_.t; }
  const State& state() const { return x_; }
  // Outputs at time(), computed when first asked for, statistics filled in.
  double output(int i);
  const Statistics& statistics() const;

  // Everything that influences what follows, in memory or as bytes that other processes can read
  // (magic, version, model hash, length, checksum; refused with std::runtime_error otherwise).
  std::vector<std::byte> serialise(std::uint64_t model_hash) const;
  void deserialise(std::span<const std::byte> bytes, std::uint64_t model_hash);

  void reset();  // as constructed

 private:
  std::shared_ptr<const Equations> equations_;
  SolverChoice solver_;
  Parameters parameters_;
  Inputs inputs_;
  State x_;
  Progress progress_;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mbs
