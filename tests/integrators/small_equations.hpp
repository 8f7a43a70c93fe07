#pragma once

// Small equations with closed solutions for what the benchmark problems do not have: first-order
// states and auxiliary unknowns (motor), nonholonomic constraints (skate), constraints that move
// and events (bead), Euler parameters (top), no unknowns (clock); and any equations with a fault
// from a certain time on.

#include <memory>

#include "engine/equations/equations.hpp"

namespace mbs::test {

// A wheel driven through a motor: phi'' = r - w, r' = -r + 1, 0 = w + w^3 / 10 - phi'. At rest and
// r = 0 at the start. No constraints. invariant() is 0 along solutions:
// phi' + r + integral w dt = t, with the integral as a second state, r2' = w.
class Motor : public Equations {
 public:
  Motor();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override {}
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  static double invariant(const State& x) { return x.v[0] + x.r[0] + x.r[1] - x.t; }
};

// A skate on a slope: p = (x, y, theta), x' sin(theta) - y' cos(theta) = 0, f = (g, 0, 0),
// theta' = 1 constant. From rest at theta = 0: the speed along the blade is u = g sin(theta), so
// x = g (1 - cos 2t) / 4, y = g (t / 2 - sin(2t) / 4).
class Skate : public Equations {
 public:
  static constexpr double g = 9.81;
  Skate();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  static Vector position_at(double t);
};

// A bead of mass 1 on a straight rod that turns about the origin at rate 1, 0 = x sin(t) - y
// cos(t), from rest on the rod at r = 1: r = cosh(t), lambda = 2 r'. An event where it comes to r =
// 2, from either side.
class Bead : public Equations {
 public:
  Bead();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  // Position and velocity of the point at r that moves along the rod with the rate r_dot.
  static Vector position_at(double t, double r);
  static Vector velocity_at(double t, double r, double r_dot);
};

// A body that turns freely about its centre of mass: p = e, four Euler parameters, v = omega in
// the body's axes, J omega' = -omega x J omega. Angular momentum in inertial axes is constant.
class Top : public Equations {
 public:
  Top();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override {}
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
  static Eigen::Vector3d momentum(const State& x);
};

// Nothing moves: no unknown at all, time alone.
class Clock : public Equations {
 public:
  Clock();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned, Workspace&) const override {}
  void velocity(const Context&, const State&, Workspace&) const override {}
  void force(const Context&, const State&, unsigned, Workspace&) const override {}
  void gamma(const Context&, const State&, Workspace&) const override {}
};

// Other equations, unharmed before `from`.
class Faulty : public Equations {
 public:
  enum class Fault { nan_force, nan_matrix, singular };
  Faulty(std::shared_ptr<const Equations> sound, Fault fault, double from);
  std::unique_ptr<Workspace> make_workspace() const override { return sound_->make_workspace(); }
  Parameters default_parameters() const override { return sound_->default_parameters(); }
  Inputs default_inputs(const Parameters& p) const override { return sound_->default_inputs(p); }
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;

 private:
  std::shared_ptr<const Equations> sound_;
  Fault fault_;
  double from_;
};

}  // namespace mbs::test
