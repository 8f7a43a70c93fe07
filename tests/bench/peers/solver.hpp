#pragma once

// The parts of the comparison with known codes: a problem, and solvers of it that are asked for one
// run at a tolerance.

#include <memory>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/integrators/base/option_reader.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {

// A problem with its reference at the end, made consistent at the start.
struct PeerProblem {
  explicit PeerProblem(const std::string& name);
  explicit PeerProblem(Problem);
  Context context() const { return {inputs, parameters}; }
  const Equations& equations() const { return *problem.equations; }

  Problem problem;
  Parameters parameters;
  Inputs inputs;
  State start;
};

struct PeerRun {
  double tolerance = 0.0;                             // absolute and relative
  bool ok = false;                                    // reached the end
  double err_p = 0.0, err_v = 0.0, err_lambda = 0.0;  // max |x - ref| / (1 + |ref|)
  long evaluations = 0;     // right-hand sides or residuals, but those of difference Jacobians
  long factorisations = 0;  // of saddle matrices; of IDA: Jacobians, each factored once
  long jacobians = 0;       // of our implicit integrators
  long steps = 0, rejected = 0;
  double milliseconds = 0.0;
};

// Processor time of this process, which other programs on the machine disturb least.
class Stopwatch {
 public:
  Stopwatch() : begin_(now()) {}
  double milliseconds() const { return now() - begin_; }

 private:
  static double now();
  double begin_;
};

class PeerSolver {
 public:
  virtual ~PeerSolver() = default;
  virtual std::string name() const = 0;  // as in peers.csv where it has the solver
  // Runs as its package comes, where a faster form of it runs as well.
  virtual bool packaged() const { return false; }
  // Runs from start to end with rtol = atol = tolerance. The time leaves out what is made once
  // before (memory, analysis of patterns). Throws when the solver cannot be set up.
  virtual PeerRun run(double tolerance) = 0;
};

// "extrapolation": the report's method; "midpoint": the h^2 variant, without dense output.
std::unique_ptr<PeerSolver> make_our_solver(const PeerProblem&, const std::string& method,
                                            std::vector<MethodOption> options = {});

// On the index-1 form, in which each right-hand side is one factorisation and one solution of the
// saddle system by the solver that our integrators use as well.
enum class Vectors { packaged, optimised };  // whose vector operations, see sundials_vector.hpp
std::unique_ptr<PeerSolver> make_cvode_adams(const PeerProblem&, Vectors);
enum class RungeKutta { dormand_prince54, fehlberg78 };
std::unique_ptr<PeerSolver> make_arkode(const PeerProblem&, RungeKutta, Vectors);
// On the form of Gear, Gupta and Leimkuhler.
std::unique_ptr<PeerSolver> make_ida(const PeerProblem&, bool sparse);

// Fills the errors of a run from its last state.
void judge(const PeerProblem&, const Vector& p, const Vector& v, const Vector& lambda, PeerRun&);

}  // namespace mbs::test
