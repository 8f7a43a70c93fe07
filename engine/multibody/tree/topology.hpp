#pragma once

// The spanning tree along which joint and mixed coordinates are counted: every body hangs by one
// joint (or freely) on its father or the ground; all other joints stay constraints and close loops.
//
// Joints that take away most motion come first, then what keeps the tree shallow (errors and
// couplings of M grow with its depth), then the order of the file. Never in the tree are
//
// - joints whose reaction enters a law: its multipliers stay unknowns (f depends on lambda);
// - joints without frames, <free>, and particles held beside their own point.
//
// A body that is reached by no joint is free: its coordinates are those of absolute ones.

#include <string>
#include <vector>

#include "engine/multibody/mechanism.hpp"

namespace mbs {

// How a body hangs on its father. `point`: a particle held at its point, without a motion of its
// own; `free_point`: a free particle.
enum class JointKind : unsigned char {
  weld,
  revolute,
  prismatic,
  spherical,
  point,
  free,
  free_point
};

struct TreeNode {
  int body = 0;
  int father = -1;  // its place in Tree::nodes; -1: ground
  JointKind kind = JointKind::free;
  int joint = -1;           // in Mechanism::joints; -1: none
  bool forward = true;      // the father has side a
  int near = -1, far = -1;  // frames on the father and on the body
  int coordinate = -1;      // in Mechanism::coordinates, of joints with one that has a value
  int turns = -1;           // in z: whole turns in the plane that the coordinate leaves out
  int sign = absent;        // slot of the coordinate's sign
  int p = 0, v = 0;         // where its coordinates start
  int np = 0, nv = 0;       // how many
  int depth = 0;            // joints to the ground
  int end = 0;              // nodes [its own place, end) hang on it
};

template <class Space>
struct Tree {
  explicit Tree(const Mechanism<Space>& mechanism);

  std::vector<TreeNode> nodes;  // fathers before sons, each subtree in one piece
  std::vector<int> node_of;     // of each body
  std::vector<char> carried;    // of each joint: it is in the tree
  int np = 0, nv = 0;
  int depth = 0;
  int free_bodies = 0, cut_joints = 0;
};

extern template struct Tree<Planar>;
extern template struct Tree<Spatial>;

// Takes the rows of all joints with `carried` out of a mechanism and numbers the others anew.
template <class Space>
void leave_out(Mechanism<Space>& mechanism, const std::vector<char>& carried);

}  // namespace mbs
