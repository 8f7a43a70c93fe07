#pragma once

// The five reductions to independent coordinates as variants of one step (integrator.hpp):
//
//                directions D                 predicted p, v    corrected p, v     accelerations
//   partition    pivots, while |H| is small   projected onto    projected onto     G a + gamma = 0
//                                             g and G v + gI    g and G v + gI
//   svd          singular vectors, while the  the same          the same           the same
//                energy lies off D
//   nullspace    Gram-Schmidt in each step    v                 v; p once          the same
//   stabilized   none                         -                 -                  with drift
//   hybrid       pivots                       -                 when residual is   with drift
//                                                               above tolerance
//     near singular positions: as partition
//
// They are the methods of Wehage and Haug (1982), Mani et al. (1985), Liang and Lance (1987) and
// Baumgarte (1972), and a combination of the first and the last; equation numbers are those of the
// reduction survey. Baumgarte's stabilisation (3.2.4) in terms of the drift from the constraints is
//
//   G a + gamma + 2 alpha (G v + gI) + beta^2 g = 0
//
// where nonholonomic rows have no g. Unless they are given alpha = beta, critical damping, at about
// 0.04 / h: as fast as the Adams formulas of all orders bear.
//
// hybrid is near a singular position while the pivots of the constraints, scaled by the model's
// sizes, are far apart (Coordinates::regularity); this is tested together with |H|.
//
// nullspace: the survey integrates z_I = V_I^T v with V = (V_D, V_I) the Gram-Schmidt process on
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
// exists nowhere in Equations; the in-plane rotation of V_I, which is all that differs, does
// not change v and a. B is set at the beginning of each step. Since z is then a constant linear
// function of v within the step, its history is B times that of a, and no step is lost. The
// acceleration is that of (6.3.15) for every basis of the null space, so it and the constraint
// forces, (3.5) of appendix A, come from one solution with (M G^T; G 0), where M may be singular.
// For nonholonomic rows nothing changes (appendix A5). p is integrated itself; it is projected onto
// g once in a step, when p is corrected (position_correction), or never, as in the survey.

#include "engine/integrators/base/options.hpp"

namespace mbs::reduction {

enum class Method { partition, stabilized, hybrid, svd, nullspace };

struct Options {
  Method method = Method::partition;
  double alpha = 0.0, beta = 0.0;  // 0: scales with the step
  bool position_correction = true;
};

Options read_options(const IntegratorOptions& options);
std::string_view keyword(Method method);

}  // namespace mbs::reduction
