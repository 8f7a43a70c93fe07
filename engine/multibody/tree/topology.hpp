#pragma once

// The spanning tree along which joint and mixed coordinates are counted: every body hangs by one
// joint (or freely) on its parent or the ground; all other joints stay constraints and close loops.
//
// Joints that take away most motion come first, then what keeps the tree shallow (errors and
// couplings of M grow with its depth), then the order of the file. Never in the tree are
//
// - joints whose reaction enters a law: its multipliers stay unknowns (f depends on lambda);
// - joints of which rows are left out by name;
// - joints without frames, <free>, and particles held away from their own point;
// - planar joints whose side b would be the parent's.
//
// A body that is reached by no joint is free: its coordinates are those of absolute ones.

#include <array>
#include <string>
#include <vector>

#include "engine/multibody/mechanism.hpp"

namespace mbs {

inline bool is_serial(JointKind kind) {
  return group_of(kind) == JointGroup::serial;
}

struct TreeNode {
  int body = 0;
  int parent = -1;  // its place in Tree::nodes; -1: ground
  JointKind kind = JointKind::free;
  int joint = -1;           // in Mechanism::joints; -1: none
  bool forward = true;      // the parent has side a
  int near = -1, far = -1;  // frames on the parent and on the body
  // Indices in Mechanism::coordinates, in the order of p; -1: it has no value, or is none of these.
  std::array<int, 3> coordinates{-1, -1, -1};
  int turns = -1;      // in z: whole turns in the plane that the coordinate leaves out
  int sign = absent;   // slot of the coordinate's sign
  int pitch = absent;  // slot: of a screw
  int p = 0, v = 0;    // where its coordinates start
  int np = 0, nv = 0;  // how many
  int depth = 0;       // joints to the ground
  int end = 0;         // nodes [its own place, end) hang on it
};

template <class Space>
struct Tree {
  explicit Tree(const Mechanism<Space>& mechanism);

  std::vector<TreeNode> nodes;  // parents before children, each subtree in one piece
  std::vector<int> node_of;     // of each body
  std::vector<char> carried;    // of each joint: it is in the tree
  int np = 0, nv = 0;
  int depth = 0;
};

extern template struct Tree<Planar>;
extern template struct Tree<Spatial>;

// A mechanism without the rows of its joints with `carried`; the others are numbered anew.
template <class Space>
std::unique_ptr<Mechanism<Space>> without_rows_of(const Mechanism<Space>& mechanism,
                                                  const std::vector<char>& carried);

}  // namespace mbs
