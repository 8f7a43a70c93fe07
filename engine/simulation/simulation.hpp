#pragma once

// One simulation of one model: parameters and inputs go in, time advances to communication points,
// outputs come out; snapshot and restore give bitwise the same continuation.
//
// The integrator runs on past a communication point with its own step, on the inputs it has, and
// points in between are interpolated, so that small communication steps cost almost nothing. When
// an input or tunable parameter then differs, the surplus is discarded and integration starts anew
// from the projected interpolant at that point; the step after it ends at the next point, because
// an input that has just changed tends to change again.
//
// What is set takes effect with the next advance() (or initialise()): until then the outputs are
// those of the step that has been made. Setting a value that holds already changes nothing.

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
struct SolverSettings;
// As the model file asks for.
SolverChoice solver_choice(const SolverSettings& settings);

class Simulation {
 public:
  // Throws std::invalid_argument when the method, an option or a statistic is not possible.
  Simulation(std::shared_ptr<const Equations> equations, SolverChoice solver);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Equations& equations() const { return *equations_; }
  const SolverChoice& solver() const { return solver_; }

  // Before initialise() or between advances. Calculated parameters follow the others; what is set
  // to one of them is lost.
  double parameter(int i);
  void set_parameter(int i, double value);
  // The input at time(); as a polynomial from time() on: value, slope, curvature. It goes on until
  // it is set again.
  double input(int i) const;
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

  double time() const { return state().t; }
  const State& state() const;
  // Outputs at time(), computed when first asked for, statistics filled in. After initialise().
  double output(int i);
  const Statistics& statistics() const;

  // Everything that influences what follows, in memory or as bytes that other processes can read
  // (see sealed.hpp; refused with std::runtime_error, the simulation is then as it was).
  std::vector<std::byte> serialise(std::uint64_t model_hash) const;
  void deserialise(std::span<const std::byte> bytes, std::uint64_t model_hash);
  // The same as a part of a larger stream.
  void save(ByteWriter& writer) const;
  void restore(ByteReader& reader);

  void reset();  // as constructed

 private:
  struct Core;
  void apply_changes();

  std::shared_ptr<const Equations> equations_;
  SolverChoice solver_;
  Progress progress_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<Core> spare_;  // restore() works here, so that a refused stream changes nothing
};

}  // namespace mbs
