#pragma once

// Contact problems from a seed or from a formula.

#include "engine/contact/problem.hpp"

namespace mbs::test {

struct RandomContacts {
  unsigned seed = 1;
  int contacts = 1, tangents = 2;
  double freedoms = 1.3;  // as a part of the rows: below 1 the rows depend on each other
  double mu = 0.5;
  double spread = 0.0;      // decades by which the mobility of contacts differs
  double transverse = 1.0;  // size of tangential velocities compared with normal ones
};
// W = G G^T, b = G v: impacts of a system with mass 1 that stood still without contacts.
ContactProblem random_problem(const RandomContacts& of);

// Impulses of a step of 1 ms under gravity, bodies with speeds of some cm/s, W by its factors.
// A pyramid of spheres with side^2 at the bottom, each on four others.
ContactProblem pyramid_of_spheres(int side);
// A wall of bricks that has `length` bricks at the bottom and one fewer in each row above; a brick
// touches each of the two below at four points.
ContactProblem wall_of_bricks(int length);

}  // namespace mbs::test
