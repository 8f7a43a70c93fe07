#pragma once

// The extrapolation tableau of Lubich et al. (1992),
//
//   T_{j,1}   = x(t0 + H, h_j),  h_j = H / n_j
//   T_{j,k+1} = T_{j,k} + (T_{j,k} - T_{j-1,k}) / ((n_j / n_{j-k})^q - 1)              (2.6)
//
// for an expansion of the error in powers of h^q: q = 1 in the report, q = 2 for symmetric methods.
// Rows come one after the other; only the last one is kept.

#include <array>

#include "engine/base/types.hpp"

namespace mbs::extrapolation {

constexpr int most_rows = 13;

// How the error of a discretisation depends on h, and the step numbers to extrapolate with.
struct Expansion {
  int power;  // q
  std::array<int, most_rows> step_numbers;

  // n_j, rows counted from 1 as in the report.
  constexpr int steps(int j) const { return step_numbers[static_cast<std::size_t>(j - 1)]; }
  // T_{j,j} - T_{j,j-1} = O(H^this)
  constexpr int error_order(int j) const { return power * (j - 1) + 1; }
};

// The report leaves open how its sequence goes on after 12: here by twos.
constexpr Expansion h_expansion{1, {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20}};
constexpr Expansion h2_expansion{2, {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26}};
// Half of each is odd, as the dense output needs it (interpolant.hpp), for about a tenth more work.
constexpr Expansion h2_dense_expansion{2, {2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50}};

// The weights c_i, i = from ... to, with which values at h_i extrapolate to h = 0:
// sum c_i q(h_i) = q(0) for polynomials q of degree to - from in h^power.
void extrapolation_weights(const Expansion& expansion, int from, int to,
                           std::array<double, most_rows>& c);

class Tableau {
 public:
  Tableau(const Expansion& expansion, int size, int rows)
      : expansion_(expansion), T_(size, rows), next_(size), error_(Vector::Zero(size)) {}

  // T_{j,1} goes here, then add_row(j) builds the row; j = 1, 2, ...
  Vector& first() { return next_; }
  void add_row(int j);

  // T_{j,j} and T_{j,j} - T_{j,j-1} of the last row.
  auto value(int j) const { return T_.col(j - 1); }
  const Vector& error() const { return error_; }

 private:
  Expansion expansion_;
  Matrix T_;  // column k - 1 holds T_{j,k} of the last row j
  Vector next_, error_;
};

}  // namespace mbs::extrapolation
