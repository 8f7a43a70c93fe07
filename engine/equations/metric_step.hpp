#pragma once

// One step of a projection in the metric of M, onto rows C that need not be independent:
//
//   ( M + R    C^T  ) ( delta )     ( M nu )
//   (   C   -Delta  ) (  mu   ) = - (   c  )               Lubich et al. (1992), eq. (2.11a)
//
// with the small multiples R of the unit in M (massless points) and Delta in the rows (redundant
// ones), both in the units of their row: R_j = 1e-8 e / q_j^2 and Delta_i = d s_i^2 / e, where
// q_j is the typical change of coordinate j, s_i the typical size of row i, and e the largest
// M_jj q_j^2. The matrix is regular whatever C is, the step is one of descent of sum (c_i/s_i)^2
// when nu = 0, and with independent rows iteration converges like the damping d, which is 1e-10 or
// more (it is that of Levenberg and Marquardt).

#include <memory>

#include "engine/linear/saddle_solver.hpp"

namespace mbs {

class MetricStep {
 public:
  static constexpr double least_damping = 1e-10;

  // q: typical change of each coordinate.
  MetricStep(const ColumnSparse& M, const Vector& q);

  // False when the matrix cannot be factored (entries that are not finite).
  bool solve(const RowSparse& C, const Vector& s, const Vector& nu, const Vector& c, Vector& delta,
             double damping = least_damping) const;

  double norm(const Vector& nu) const;  // sqrt(nu^T M nu), by the largest M_jj q_j^2

 private:
  ColumnSparse M_;  // with R
  double energy_ = 1.0;
};

// Rows of the upper and then of the lower matrix.
RowSparse stack(const RowSparse& upper, const RowSparse& lower);

}  // namespace mbs
