#pragma once

// The mechanisms of the bench, once for all codes: hinges only, from the ground or from one free
// body, in space. All bodies' axes are parallel where all angles are zero; a body's own frame is at
// its hinge.

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace mbs::bench {

using Point = std::array<double, 3>;

struct Link {
  int parent;  // -1: the ground, or the free body's place for the first
  Point at;    // the hinge in the parent's frame
  int axis;    // of both: 0, 1, 2
  double mass;
  Point com, inertia;  // diagonal, about the centre of mass
};

struct Bodies {
  std::string name;
  bool free = false;  // the first link moves freely
  std::vector<Link> links;

  int hinges() const { return static_cast<int>(links.size()) - (free ? 1 : 0); }
};

inline constexpr double gravity = -9.81;  // along z

Bodies make_chain(int n);
Bodies make_tree(int n);      // of two children each
Bodies make_humanoid(int n);  // a free trunk, two arms, two legs of n/5 each

// Accelerations of the hinges from their angles and rates; a free body is at rest.
class Code {
 public:
  virtual ~Code() = default;
  virtual void evaluate(const double* q, const double* qd, double* qdd) = 0;
  // Their derivatives with respect to all angles, rates and torques, after evaluate(); ours alone.
  virtual void differentiate() {}
};

// closed: the last body is joined to the ground by such a joint.
std::unique_ptr<Code> make_ours(const Bodies&, const std::string& coordinates,
                                const std::string& closed = {});
// Null when the code is not there, or cannot treat them.
std::unique_ptr<Code> make_simbody(const Bodies&);
std::unique_ptr<Code> make_mujoco(const Bodies&);
std::unique_ptr<Code> make_bullet(const Bodies&);

}  // namespace mbs::bench
