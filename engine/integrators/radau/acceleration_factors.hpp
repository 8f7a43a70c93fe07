#pragma once

// Factors of level 1 of Newton's matrix (dense_system.hpp),
//
//   (  M   -X   -X_w )      X: df/dlambda - G^T, reduced
//   (  G    0     0  )
//   (  0   d_l   d_w )
//
// The matrix is factored as a whole or, where M is diagonal or constant and there is no w, by M's
// own factors, which a constant M keeps, and the small matrix G M^-1 X. An M that is almost
// singular is treated in the first way.

#include "engine/integrators/radau/small_factors.hpp"

namespace mbs::radau {

class AccelerationFactors {
 public:
  enum class Mass { general, diagonal, constant };

  void resize(int v, int r, int w, Mass mass);

  // All blocks above but M, to be filled before factor().
  Matrix& matrix() { return whole_.matrix(); }
  bool factor(const ColumnSparse& M);
  void solve(double* x);  // in place

 private:
  bool factor_mass(const ColumnSparse& M);
  void solve_mass(double* x) const;

  int v_ = 0, r_ = 0;
  Mass mass_ = Mass::general;
  bool by_mass_ = false;
  SmallFactors<double> whole_, small_;
  Vector values_;  // of the factored M
  bool definite_ = false;
  Matrix L_;      // M = L L^T; for a diagonal M its inverse, in the first column
  Matrix G_, W_;  // W = M^-1 X
  Vector x_, y_;
};

}  // namespace mbs::radau
