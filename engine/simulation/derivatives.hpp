#pragma once

// Derivatives of (p', v', r') and of the outputs at a point of the trajectory.
//
// ExactDerivatives: with respect to p, v, r and u, each by itself, by the linearised equations of
// motion (analysis/tangent.hpp).
//
// DifferenceDerivatives: what the equations' Jacobian does not know, by differences of fourth
// order.
//   parameter   with p, v, r, u, discrete values and modes held as they are, also where positions
//               follow the parameter or time through constraints; accelerations, multipliers and
//               auxiliary unknowns follow. On both sides of the parameter's value, or on one where
//               the other is not possible.
//   time alone  the same, from the right as far as the next event, or from the left before an event
//               that is still to happen.
//   motion      d/dt and d^2/dt^2 of the outputs as the motion goes on. The first is their
//               derivative along (p', v', r') and time with accelerations that follow,
//               y(t + h, x + h x') differenced in h: the path's curvature has no part in it. The
//               rates at the same points give x'', and y'' is that of
//               y(t + h, x + h x' + h^2/2 x''). All points are at t and after it: where forces jump
//               or have a kink at t, derivatives are those of what follows.

#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/tangent.hpp"
#include "engine/simulation/evaluation_point.hpp"

namespace mbs {

class ExactDerivatives {
 public:
  explicit ExactDerivatives(const Equations& equations);

  // Differentiates in a direction: p, v, r, u of `change` are given, the rest follows. dx: of (p',
  // v', r'), dy: of the outputs; may be null. Throws std::runtime_error.
  void differentiate(const EvaluationPoint& point, Variation& change, Vector& dx, Vector* dy);
  // The derivatives of (p', v', r', y) with respect to one of (p, v, r, u), counted through. One
  // solution is made for this one and the next ones; all are kept until the point is another.
  Eigen::Ref<const Vector> column(const EvaluationPoint& point, int known);

 private:
  void linearise(const EvaluationPoint& point);
  void keep(const EvaluationPoint& point, std::span<const int> unknowns);

  const Equations& equations_;
  Tangent tangent_;
  std::uint64_t linearised_at_ = 0;
  Matrix columns_;
  std::vector<char> column_known_;
  std::vector<Variation> units_;
};

class DifferenceDerivatives {
 public:
  // linear: the solver for accelerations.
  DifferenceDerivatives(const Equations& equations, const std::string& linear);

  // The derivatives of (p', v', r', y) with respect to a parameter alone, whose values lie between
  // least and largest; valid until the next call. Throws std::runtime_error.
  const Vector& by_parameter(const EvaluationPoint& point, int parameter, double least,
                             double largest);
  const Vector& by_time(const EvaluationPoint& point);
  // d/dt (order 1) or d^2/dt^2 of the outputs along the motion; zero for what is discrete. Throws
  // SolverFailure.
  const Vector& of_outputs(const EvaluationPoint& point, int order);

 private:
  void evaluate(const Context& context, State& x);
  void add(const Context& context, State& x, double factor);
  void begin();
  double step_before_next_event(const EvaluationPoint& point, double t, double points,
                                double h) const;
  double fastest_rate(const State& x) const;

  const Equations& equations_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  State moved_;
  Vector sum_, rates_;      // of (p', v', r', y); of (p', v', r')
  Vector dx_, ddx_, path_;  // x', x'' along the motion; where it leads
  Vector dy_, ddy_;
  std::uint64_t dy_at_ = 0, ddy_at_ = 0;
};

}  // namespace mbs
