#pragma once

// Stiffness as explicit methods meet it, measured: steps are held at the bound of stability where
// accuracy would allow longer ones. Ten steps after ten steps are looked at.
//
//   Accuracy: y at the eleven ends of the steps is compared with the polynomial of degree 5 through
//   every second of them. A deviation of `d` tolerances, in the norm of the step control, is what a
//   method of order 5 leaves in a step of that length; it goes with the sixth power of the length,
//   so that steps could be 10 d^(-1/6) times as long. At least `longer` times is asked for.
//
//   Stability: the spectral radius of the Jacobian of y' = F(y), y = (p, v, r) with a from the
//   equations of motion, by the power method on differences,
//
//     d_{k+1} = (F(y + eps d_k) - F(y)) / (eps |d_k|),   |lambda| = (|d_5| ... |d_8|)^(1/4)
//
//   (a mean over an even number: where it is imaginary, positions and velocities come in turn).
//   h |lambda|, h the mean step, is to be at least `bound` = 1: the methods are held at 1 ... 4,
//   and with what else keeps steps short (events, inputs, the longest step) it is far less.
//
// When there were five such looks more than others it is told, once. The evaluations, nine a look
// that finds the solution smooth, are of a workspace of its own and not counted; no step depends on
// them.

#include <array>
#include <string>
#include <vector>

#include "engine/base/error_norm.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/stack.hpp"

namespace mbs {

class Stiffness {
 public:
  Stiffness(const Equations& equations, Context context, const IntegratorOptions& options);

  // Integration starts, or goes on, from x; nothing is left to allocate afterwards.
  void start(const State& x);
  // After a step to x: what to tell, mostly nothing.
  std::string look(const State& x);

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
  Stack stack_;
  ErrorNorm norm_;
  const double small_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  State near_;
  Vector y_, here_, there_, direction_;
  bool warm_ = false, told_ = false;
  int stiff_ = 0, count_ = 0;
  std::array<double, window + 1> times_{};  // the first count_, likewise the points
  std::vector<Vector> points_;
};

}  // namespace mbs
