#pragma once

// The tree in which bodies are eliminated (Lubich et al. (1992), section 3.2), from the patterns of
// M and G.
//
// A node is a body with the rows of the joint to its parent; a root has its rows to the ground. The
// rows of a node k touch its own columns and neighbouring columns of its parent j:
//
//   G_k w_k + C_k w_j = g_k
//
// - Bodies: as given, or the division of the columns into neighbouring ones that lets the rows
//   touch few bodies and yet keeps bodies small.
// - Parents: a spanning tree of the bodies and the ground, joints with most rows first.
// - Cut are the rows of all other joints (they close loops), rows that touch more than two bodies,
//   and those whose column of F acts on others than the bodies they join. They take no part in the
//   tree: the solver borders it with them.
// - A body with more rows than columns is joined to its parent (relative coordinates need that).

#include <vector>

#include "engine/linear/saddle_solver.hpp"

namespace mbs {

struct BodyTree {
  struct Node {
    int parent = -1;                 // its place in `nodes`; -1: none
    int n = 0, m = 0;                // columns and rows
    int from = 0, s = 0;             // the parent's columns that its rows touch: s from this one on
    std::vector<int> columns, rows;  // of the whole matrix, in order
  };
  std::vector<Node> nodes;  // children before their parents
  std::vector<int> cut;     // rows

  int largest_node() const;  // the most rows and columns of one
  // Multiplications of one factorisation with one solution, counted from the structure.
  double operations() const;
};

BodyTree find_body_tree(const SaddleStructure& structure);

// All columns in one node, and no row cut.
BodyTree one_node(const SaddleStructure& structure);

}  // namespace mbs
