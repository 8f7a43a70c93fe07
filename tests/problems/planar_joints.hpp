#pragma once

// Planar bodies (x, y, phi) and points (x, y), pinned together: what the insulator chain, the rods
// in series and the N-four-bar have in common. The mass matrix is diagonal.
//
// A joint is 0 = r_a - r_b with r = (x + X cos phi - Y sin phi, y + X sin phi + Y cos phi), where
// (X, Y) is the point on the body.

#include <array>

#include "tests/problems/handwritten.hpp"

namespace mbs::test {

struct Side {
  int first;   // index of x in p; -1: the ground, offset is the place itself
  bool turns;  // has phi
  Eigen::Vector2d offset;
};

struct Joint {
  Side a, b;
};

class PlanarJoints : public Handwritten {
 public:
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;

 protected:
  // masses: the diagonal of M. velocity_forces: where f depends on v.
  PlanarJoints(const Vector& masses, const std::vector<Joint>& joints,
               const Places& velocity_forces);

  // Entries df/dv of the Jacobian; the others are set.
  virtual void force_jacobian(const State&, const JacobianLayout&, ColumnSparse&) const {}

  Vector masses_;

 private:
  std::vector<Joint> joints_;
  // For each side, the places of its entries among G's: x, y, and phi in both rows.
  std::vector<std::array<int, 4>> G_at_;
};

Side body(int first, double X, double Y);
Side point(int first);
Side ground(double x, double y);

}  // namespace mbs::test
