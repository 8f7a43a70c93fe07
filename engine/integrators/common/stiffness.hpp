#pragma once

// Stiffness as explicit methods meet it, measured. Every so many steps the spectral radius of the
// Jacobian of y' = F(y), y = (p, v, r) with a from the equations of motion, is found by the power
// method on differences,
//
//   d_{k+1} = (F(y + eps d_k) - F(y)) / (eps |d_k|),   |lambda| = (|d_5| ... |d_8|)^(1/4)
//
// (a mean over an even number: where it is imaginary, positions and velocities come in turn), and
// the rate at which the solution itself changes, the mean |F(y_1) - F(y_0)| over the mean |y_1 -
// y_0| of the steps since the last look. A look finds the model stiff when h |lambda|, h the mean
// step, is where that begins to count for the method, and the solution is far slower than |lambda|.
// When there were five such looks more than others it is told, once.
//
// The evaluations are of a workspace of its own and not counted; no step depends on them.

#include <string>

#include "engine/integrators/common/integrator.hpp"
#include "engine/integrators/common/stack.hpp"

namespace mbs {

class Stiffness {
 public:
  // Looks after `every` steps; `reach`: the least h |lambda| that counts.
  Stiffness(const Equations& equations, Given given, const IntegratorOptions& options, int every,
            double reach);

  // A start at x: nothing is left to allocate afterwards.
  void start(const State& x);
  // After a step of size h from y0, slopes f0, to x with slopes f1 (all beginning with those of y).
  // What to tell, mostly nothing.
  std::string look(const State& x, double h, const Eigen::Ref<const Vector>& y0,
                   const Eigen::Ref<const Vector>& f0, const Eigen::Ref<const Vector>& f1);

 private:
  bool slopes(Vector& f);
  void begin();
  double norm(const Vector& d) const;
  double spectral_radius(const State& x);

  const Equations& equations_;
  Given given_;
  Stack stack_;
  int every_;
  double reach_;
  Vector floor_;  // of weights
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  State near_;
  Vector y_, here_, there_, direction_, weight_;
  bool warm_ = false, told_ = false;
  int steps_ = 0, stiff_ = 0;
  double way_ = 0.0, moved_ = 0.0, changed_ = 0.0;  // since the last look
};

}  // namespace mbs
