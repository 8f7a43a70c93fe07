#pragma once

// Projection onto the constraints, Lubich et al. (1992), eqs. (2.9)-(2.12):
//
//   p = p0 + Z nu with M0 nu + C0^T mu = 0, 0 = g(t,p)                  (2.9)
//   v = v0 + nu   with M nu + G^T mu = 0,   0 = G v + gI                (2.12)
//
// The modified Newton iteration (2.11) is solved for the changes of nu and mu:
//
//   ( M0 C0^T ) ( dnu )   (     0    )
//   ( C0   0  ) ( dmu ) = ( -g(t,p^k))     until |Z dnu|_TOL <= 1e-2    (2.11)
//
// which is the report's line with M0 nu^k + C0^T mu^k = 0 subtracted: no product with M is needed
// and nothing cancels. Other differences: Z is taken at p^k instead of p^0 (the same where Z = I),
// Euler parameters are brought to norm 1 after each change, apart from the rest, since the row of
// the norm in C vanishes; rows of G that belong to no position constraint do not act in C.
//
// Near singular positions changes of p are rounding of g by the smallest singular value of C: where
// g is rounding, by its typical size, and changes do not become smaller, those below the tolerance
// are small enough.
//
// (2.12) can do without a factorisation of its own: with the factors of (2.11), which belong to p0,
//
//   v^{k+1} = v^k + dnu,   ( M0 C0^T ; C0 0 ) ( dnu ; dmu ) = ( 0 ; -G v^k - gI )
//
// converges by |p - p0| in each iteration, mostly in two; (2.12) is then satisfied with M0 in the
// place of M.

#include "engine/base/error_norm.hpp"
#include "engine/equations/equations.hpp"

namespace mbs {

struct ProjectionResult {
  bool ok = false;
  bool singular = false;
  bool factored = false;
  int iterations = 0;     // linear systems solved
  double change = 0.0;    // |last change|_TOL
  double residual = 0.0;  // largest |g| before the last change
  int row = -1;           // where
};

class Projection {
 public:
  Projection(const Equations& equations, Context context, const Tolerances& tolerances);

  // Changes x.p (and x.s). Afterwards the position stage of ws is not that of x.
  ProjectionResult positions(State& x, Workspace& ws, SaddleSolver& solver);
  // Changes x.v. Leaves the position stage (M, G) of x in ws, and factors of its matrix where
  // there are constraints.
  ProjectionResult velocities(State& x, Workspace& ws, SaddleSolver& solver);
  // Changes x.v right after positions(), by iteration with the factors that it has left. They
  // belong to a neighbouring position and stay as they are.
  ProjectionResult velocities_near(State& x, Workspace& ws, SaddleSolver& solver);

 private:
  ProjectionResult& satisfied(ProjectionResult& result);

  const Equations& equations_;
  Context context_;
  Sizes sizes_;
  ErrorNorm norm_;
  bool near_ = false;  // factors of (2.12)'s matrix at a neighbouring position
  RowSparse C_;        // G with the rows of nonholonomic constraints emptied, when there are any
  Vector D_, nu_, mu_, dp_;
  Vector g_size_;  // Structure::g_scale
};

}  // namespace mbs
