#pragma once

// The extrapolation tableau of report 000 for an h-expansion of the error,
//
//   T_{j,1}   = x(t0 + H, h_j),  h_j = H / n_j,  n = 2, 3, 4, 5, 6, 7, 8, 10, 12, ...
//   T_{j,k+1} = T_{j,k} + (T_{j,k} - T_{j-1,k}) / (n_j / n_{j-k} - 1)                  (2.6)
//
// one row after the other; only the last row is kept. The report leaves open how its sequence goes
// on after 12: here by twos.

#include <array>

#include "engine/linear/types.hpp"

namespace mbs {

constexpr int most_rows = 13;
constexpr std::array<int, most_rows> step_numbers{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20};

// n_j, rows counted from 1 as in the report.
constexpr int steps_of_row(int j) {
  return step_numbers[static_cast<std::size_t>(j - 1)];
}

// The weights c_i, i = from ... to, with which values at h_i extrapolate to h = 0:
// sum c_i q(h_i) = q(0) for polynomials q of degree to - from.
void extrapolation_weights(int from, int to, std::array<double, most_rows>& c);

class Tableau {
 public:
  Tableau(int size, int rows) : T_(size, rows), next_(size), error_(Vector::Zero(size)) {}

  // T_{j,1} goes here, then add_row(j) builds the row; j = 1, 2, ...
  Vector& first() { return next_; }
  void add_row(int j);

  // T_{j,j} and T_{j,j} - T_{j,j-1} of the last row.
  auto value(int j) const { return T_.col(j - 1); }
  const Vector& error() const { return error_; }

 private:
  Matrix T_;  // column k - 1 holds T_{j,k} of the last row j
  Vector next_, error_;
};

}  // namespace mbs
