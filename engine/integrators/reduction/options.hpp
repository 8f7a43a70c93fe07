#pragma once

// The five reductions of report 004 as choices within one step (reduction.hpp):
//
//                directions D                 predicted p, v    corrected p, v     accelerations
//   partition    pivots, while |H| is small   brought onto g    brought onto g     G a + gamma = 0
//                                             and G v + gI      and G v + gI
//   svd          singular vectors, while the  the same          the same           the same
//                energy lies off D
//   nullspace    Gram-Schmidt in each step    v                 v; p once          the same
//   stabilized   none                         -                 -                  with drift
//   hybrid       pivots                       -                 when residual is   with drift
//                                                               above tolerance
//     near singular positions: as partition
//
// Stabilisation (3.2.4) in terms of the drift from the constraints,
//
//   G a + gamma + 2 alpha (G v + gI) + beta^2 g = 0
//
// where nonholonomic rows have no g. Unless they are given alpha = beta, critical damping, at about
// 0.04 / h: as fast as the Adams formulas of all orders bear.
//
// hybrid is near a singular position while the pivots of the constraints, scaled by the model's
// sizes, are far apart (Coordinates::regularity); it is looked at where the influence is.
//
// nullspace. Report 004 integrates z_I = V_I^T v with V = (V_D, V_I) the Gram-Schmidt process on
// (G^T, B^T), sets B = V_I^T now and then, and needs V_I' in
//
//   a = V_I z_I' + V_I' z_I,  V_I^T M V_I z_I' = V_I^T (f - M V_I' z_I)               (6.3.15)
//
// Here the same null space has the basis N = V_I (B V_I)^-1, which is V_I where B was set. Then
// z = B v,  v = N z + n,  n the part that gI asks for,
//
//   z' = B a,  B N = I,  B N' = 0,  N' z + n' = -D (G D)^-1 gamma   with B D = 0
//
// so that the derivative of the basis, analytic, needs gamma alone and not the matrix dG/dt, which
// exists nowhere in Equations; the in-plane rotation of V_I, which is all that differs, has no
// influence on v and a. B is set in each step, at its begin. Since z is then a constant linear
// function of v within the step, its history is B times that of a, and no step is lost. The
// acceleration is that of (6.3.15) for every basis of the null space, so it and the constraint
// forces, (3.5) of appendix A, come from one solution with (M G^T; G 0), where M may be singular.
// For nonholonomic rows nothing changes (appendix A5). p is integrated itself; brought onto g once
// in a step, when p is corrected (position_correction), or never, as in the report.

#include "engine/integrators/base/integrator.hpp"

namespace mbs::reduction {

struct Options {
  enum class Method { partition, stabilized, hybrid, svd, nullspace };
  Method method = Method::partition;
  double alpha = 0.0, beta = 0.0;  // 0: scales with the step
  bool position_correction = true;

  static Options read(const IntegratorOptions& options);
  static std::string_view keyword(Method method);
};

}  // namespace mbs::reduction
