#pragma once

// Random saddle-point systems with the structure of multibody systems, with the units that their
// rows and columns come in.

#include <random>
#include <string>
#include <vector>

#include "engine/linear/saddle_solver.hpp"

namespace mbs::test {

struct SaddleKind {
  enum Topology { chain, tree, loop, scattered } topology = chain;
  int bodies = 5;
  bool massless = false;  // some bodies without mass, held by their joints
  bool inactive = false;  // some rows switched off
  bool with_F = false;
  bool badly_scaled = false;
  int loops = 1;  // closed by joints of the chain's bodies to the ground, where topology is loop
  // Mixed coordinates (1.15): joints of so many coordinates, bodies of so many. A loop is closed by
  // one row that joins two bodies, and nothing above but the scaling applies.
  int freedom = 0;
  int body_columns = 3;
};

std::string name(const SaddleKind& kind);

struct RandomSaddle {
  SaddleStructure structure;
  ColumnSparse M;
  RowSparse G;
  ColumnSparse F;
  Vector D;
  bool with_F = false;
  Vector units;  // of the unknowns: the columns, and the inverse ones of the rows

  SaddleMatrix matrix() const { return {M, G, D, with_F ? &F : nullptr}; }
  int size() const { return static_cast<int>(M.cols() + G.rows()); }
  Matrix whole() const;

  // New values on the same pattern: `change` 1 is all new, small keeps the old ones almost.
  void vary(std::mt19937& random, double change);
};

RandomSaddle make_random_saddle(const SaddleKind& kind, std::mt19937& random);

}  // namespace mbs::test
