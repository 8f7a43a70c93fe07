#pragma once

// The solutions x(eta) of the smoothed and regularised problem
//
//   F = x - P(y; tau) = 0,   y = x - (W + epsilon D) x - b,
//   tau = eta^2,   epsilon = epsilon_min + eta^2
//
// form a path from a large eta, where there is one solution, to eta = 0 (smoothing and
// regularisation together: Hayashi et al., 2005). It is followed by its length,
// in (x, ln eta), with predictor and corrector (Allgower and Georg, 1990), so that it may turn back
// in eta where friction makes several solutions. It is bounded where W + epsilon_min D lets no
// forces within the cones grow without motion; then it ends at a solution.

#include <memory>
#include <optional>

#include "engine/contact/newton/newton_system.hpp"

namespace mbs {

class SmoothingPath {
 public:
  SmoothingPath(const ScaledProblem& problem, NewtonSystem& system, double least_compliance);

  bool start();    // False: no first point was found.
  bool advance();  // False: the path could not be followed, or leads to infinity.

  const Vector& x() const { return x_; }
  double eta() const;
  // The projections of x at eta = 0 with the residual.
  double residual(const Vector& x, const Vector& centre, double epsilon, Vector& projected) const;
  // Newton's method at eta = 0 with epsilon (x - centre) instead of epsilon x. Empty: it does not
  // converge to `accuracy`.
  std::optional<Vector> solve_at_end(Vector x, const Vector& centre, double epsilon,
                                     double accuracy);
  // Whether the path can end at what solve_at_end found last: there eta falls. Other solutions are
  // ends of paths between two of them, and unstable where contacts yield ever so little.
  bool oriented() const;
  int factorisations() const { return factorisations_; }

 private:
  struct Residual {
    Vector F, by_s;
    std::vector<ConeMatrix> A;
  };
  struct Point {
    Vector x, by_s;  // dx/ds
    double s = 0.0;
  };
  double compliance(double tau) const { return tau + least_; }
  void evaluate(const Vector& x, double s, Residual& at) const;
  bool correct(const Vector& x0, double s0, Point& at);
  bool turn(const Point& to);

  const ScaledProblem& problem_;
  NewtonSystem& system_;
  double least_;
  Vector x_, tangent_;
  double s_ = 0.0, tangent_s_ = -1.0;  // s = ln eta
  double step_ = 0.5;
  int orientation_ = 0;  // sign of det F_x where eta falls; 0: not known
  int corrections_ = 0, factorisations_ = 0;
  Residual at_;
};

}  // namespace mbs
