#pragma once

// Small mechanisms for the tests of initial values and of the base class.

#include <optional>

#include "tests/problems/planar_joints.hpp"

namespace mbs::test {

// Planar rods by their ends with named joints; targets are exact initial values.
class Linkage : public PlanarJoints {
 public:
  struct Pin {
    std::string name;
    Side a, b;
  };
  struct Target {
    std::string name;
    int coordinate;
    double value;
  };

  Linkage(const Vector& masses, const std::vector<Pin>& pins, const Vector& guess);

  void add_position_target(const Target& target) { position_targets_.push_back(count(target, 0)); }
  void add_velocity_target(const Target& target) { velocity_targets_.push_back(count(target, 1)); }
  void set_velocity_guess(const Vector& v) { v0_ = v; }

  std::unique_ptr<Workspace> make_workspace() const override;
  void conditions(const Context&, const State& x, Workspace& ws) const override;
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override;

 private:
  const Target& count(const Target& target, int level);

  std::vector<Target> position_targets_, velocity_targets_;
};

// Rods of mass 1 and this length, three coordinates each.
Vector rods(int count, double length = 1.0);
// The coordinates of a rod from one end to the other.
Eigen::Vector3d between(const Eigen::Vector2d& from, const Eigen::Vector2d& to);

// Crank, coupler and rocker of lengths 1, 3, 2.5 over a base of 3, with this guess of the angles.
Linkage four_bar(double crank, double coupler, double rocker);

// A rigid body in space on a spherical joint: p = (r, e), v = (r', omega in body axes),
// 0 = r + R(e) s.
class SphericalPendulum final : public Equations {
 public:
  SphericalPendulum();
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
};

// A skate on the plane: no holonomic constraint, one nonholonomic row.
class Skate final : public Handwritten {
 public:
  Skate();
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
};

// A block that slides on the floor with f_x = -mu |lambda| and a drag w, 0 = w + w^3 - v_x: f
// depends on lambda, there is an auxiliary unknown, and F comes by differences.
class SlidingBlock final : public Handwritten {
 public:
  explicit SlidingBlock(double mu);
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;

 private:
  double mu_;
};

}  // namespace mbs::test
