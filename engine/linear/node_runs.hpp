#pragma once

// Loops over neighbouring nodes of one size, with the common sizes known when this is compiled.

#include <vector>

#include "engine/linear/null_space_node.hpp"

namespace mbs {

// The indices at which a node's parts begin in the arrays common to all nodes.
struct NodePlace {
  NodeSize size;
  int M = 0, T = 0, factors = 0, order = 0, x = 0;
  // The parent's first column that is touched, in M (on its diagonal) and in x; parent's n.
  int parent_M = 0, parent_x = 0, parent_n = 0;
};

struct NodeArrays {
  const NodePlace* nodes;
  double* M;
  double* T;
  double* factors;
  int* order;
  double* scratch;
};

struct NodeRun {
  int begin = 0, end = 0;
  bool (*eliminate)(const NodeArrays&, int begin, int end) = nullptr;
  void (*forward)(const NodeArrays&, int begin, int end, double* x) = nullptr;
  void (*backward)(const NodeArrays&, int begin, int end, double* x) = nullptr;  // end to begin
};

std::vector<NodeRun> runs_of(const std::vector<NodePlace>& nodes);

}  // namespace mbs
