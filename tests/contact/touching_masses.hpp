#pragma once

// Masses that touch: equations with contacts whose gaps, normals and tangents are given by
// functions, p' = v, M diagonal.

#include <functional>
#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs::test {

class TouchingMasses final : public Equations {
 public:
  // At p and v: gap and its gradient; rows T of sliding velocities T v + T_t.
  struct Geometry {
    double gap = 0.0;
    Vector normal;            // empty: friction alone
    double normal_gamma = 0;  // n' v
    Matrix T;
    Vector T_t, T_gamma;
  };
  struct Touch {
    std::string name;
    std::function<Geometry(const Vector& p, const Vector& v)> geometry;
    ContactLaw law;
    int tangents = 0;
    bool has_normal = true;
  };
  using Force = std::function<Vector(double t, const Vector& p, const Vector& v)>;

  TouchingMasses(Vector masses, Force force, std::vector<Touch> touches, Vector p0, Vector v0);

  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;

 private:
  Vector masses_;
  Force force_;
  std::vector<Touch> touches_;
  Vector p0_, v0_;
};

}  // namespace mbs::test
