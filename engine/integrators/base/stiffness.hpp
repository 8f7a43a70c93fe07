#pragma once

// Detects stiffness of explicit methods: steps that stability bounds where accuracy would allow
// longer ones. The test is made once in every ten steps.
//
//   Accuracy: y at the eleven ends of the steps is compared with the polynomial of degree 5 through
//   every second of them. A deviation of `d` tolerances, in the norm of the step control, is the
//   error of a method of order 5 in a step of that length; it goes with the sixth power of the
//   length, so that steps could be 10 d^(-1/6) times as long. At least `longer` times is required.
//
//   Stability: the spectral radius of the Jacobian of y' = F(y), y = (p, v, r) with a from the
//   equations of motion, is estimated by the power method on differences,
//
//     d_{k+1} = (F(y + eps d_k) - F(y)) / (eps |d_k|),   |lambda| = (|d_5| ... |d_8|)^(1/4)
//
//   (the mean is over an even number, since positions and velocities alternate where lambda is
//   imaginary). h |lambda| with the mean step h must be at least `bound` = 1: stability holds the
//   methods at 1 ... 4, and where events, inputs or the longest step keep steps short it is far
//   smaller.
//
// The warning comes once, when five such tests more than others have been positive. The
// evaluations, nine in a test that finds the solution smooth, use a workspace of their own and are
// not counted; no step depends on them.

#include <array>
#include <string>
#include <vector>

#include "engine/base/error_norm.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/state_layout.hpp"

namespace mbs {

class StiffnessDetector {
 public:
  StiffnessDetector(const Equations& equations, Context context, const IntegratorOptions& options);

  // Integration starts from x, or continues there; allocates everything that is needed.
  void start(const State& x);
  // Called after a step to x; adds the warning when it is due.
  void check(const State& x, std::vector<std::string>& warnings);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  static constexpr int window = 10;

  void record(const State& x);
  double deviation();
  bool slopes(Vector& f);
  double spectral_radius(const State& x);

  const Equations& equations_;
  Context context_;
  StateLayout layout_;
  ErrorNorm norm_;
  const double small_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  State point_;
  Vector y_, here_, there_, direction_;
  bool warm_ = false, warned_ = false;
  int stiff_ = 0, count_ = 0;
  std::array<double, window + 1> times_{};  // count_ of them are known, as of the points
  std::vector<Vector> points_;
};

}  // namespace mbs
