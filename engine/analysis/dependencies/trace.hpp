#pragma once

// The structure of a model's equations as a graph: nodes are knowns and what is computed from them.

#include <vector>

#include "engine/analysis/dependencies/graph.hpp"

namespace mbs {

struct StructureTrace {
  DependencyGraph graph;

  // The first nodes: knowns. Positions, velocities, first-order states; what is set at the start
  // and by events alone (z, modes of contacts); inputs, time, parameters.
  int p = 0, v = 0, r = 0, z = 0, mode = 0, input = 0, time = 0, parameter = 0, knowns = 0;

  // Nodes.
  std::vector<int> p_dot, a, r_dot;  // rates of p, v and r
  std::vector<int> outputs, indicators;
  std::vector<int> lambda;    // multipliers of rows, in the numbers of all joints' rows
  std::vector<int> position;  // residuals g of rows, and of Euler parameters
  std::vector<int> velocity;  // residuals G v + gI of rows

  // The start. Conditions: each is met by the positions, or velocities, on which it depends.
  std::vector<int> position_conditions, velocity_conditions;
  // The conditions among them that may be met in more than one way, or not by the start values.
  std::vector<int> closing_positions, closing_velocities;
  std::vector<int> r_start, z_start;
  // Bodies that are joined. If the start values alone do not meet the conditions, they are moved
  // together as little as possible, measured by their masses.
  struct Assembly {
    std::vector<int> p, v;
    bool closed = false;     // joints make loops
    int masses = 0;          // node
    int accelerations = -1;  // node: of all that joints constrain
  };
  std::vector<Assembly> assemblies;
  // A contact's mode follows all that its laws and its rows depend on; what it leaves of velocities
  // after an impact follows the rows of its block, masses and restitution.
  struct Contact {
    int law = 0, impact = 0;  // nodes
    std::vector<int> lambda;  // rows
  };
  std::vector<Contact> contacts;
};

}  // namespace mbs
