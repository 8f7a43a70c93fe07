// An overhead crane: a trolley on a rail, a load that swings on a rigid rope. Written in redundant
// coordinates, so that the hinge's force is a multiplier.

#include "engine/cpp_model/exact_outputs.hpp"

struct Crane : mbs::Automatic<Crane>, mbs::ExactOutputs<Crane> {
  Crane() : Automatic("Crane", "an overhead crane with a swinging load") {
    solver().stop_time = 10.0;
    solver().rtol = 1e-8;
    solver().atol = 1e-10;
  }

  Parameter trolley = parameter("trolley", 200.0, "kg", "mass of the trolley");
  Parameter load = parameter("load", 500.0, "kg", "mass of the load");
  Parameter J = parameter("J", 60.0, "kg.m^2", "moment of inertia of the load about its centre");
  Parameter L = parameter("L", 5.0, "m", "from the hinge to the load's centre");
  Parameter d = tunable("d", 40.0, "N.m.s/rad", "damping of the hinge");
  Parameter g = parameter("g", 9.81, "m/s^2", "acceleration of free fall");
  Input F = input("F", 0.0, "N", "force on the trolley");

  Coordinate s = coordinate("s", 0.0);
  Coordinate x = coordinate("x", 5.0 * std::sin(0.3)), y = coordinate("y", -5.0 * std::cos(0.3));
  Coordinate phi = coordinate("phi", 0.3);
  Constraint along = constraint("hinge.x"), down = constraint("hinge.y");

  Output position = output("position", "m", "of the trolley", mbs::Direct::none);
  Output swing = output("swing", "deg", "angle of the rope", mbs::Direct::none);
  Output pull = output("pull", "kN", "force in the hinge");

  void mass(const auto& at, auto& M) const {
    M(s, s) = at[trolley];
    M(x, x) = M(y, y) = at[load];
    M(phi, phi) = at[J];
  }

  void forces(const auto& at, auto& f) const {
    f[s] = at[F];
    f[y] = -at[load] * at[g];
    f[phi] = -at[d] * at.rate(phi);
  }

  void constraints(const auto& at, auto& c) const {
    c[along] = at[x] - at[L] * sin(at[phi]) - at[s];
    c[down] = at[y] + at[L] * cos(at[phi]);
  }

  void outputs(const auto& at, auto& out) const {
    out[position] = at[s];
    out[swing] = at[phi];
    out[pull] = sqrt(at[along] * at[along] + at[down] * at[down]);
  }

  double potential(const auto& at) const { return at[load] * at[g] * at[y]; }
};

mbs::CppModel mbs::cpp_model() {
  return mbs::make_cpp_model<Crane>();
}
