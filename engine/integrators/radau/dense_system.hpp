#pragma once

// Newton's method on the projected-strangeness-free form (12) of Steinbrecher (2007), dense. With
// the accelerations a as unknowns of each stage, a' = v' being what the multipliers allow, (12)
// reads
//
//   S_p p' = S_p Z v    0 = g(p,s,t)   0 = n(p)   0 = c(p,s,t)                  level 3
//   S_v v' = S_v a      0 = G v + gI                                            level 2
//   M a = f - G^T lambda    0 = G a + gamma    0 = d                            level 1
//   r' = b
//
// S_v here is S_v M^-1 of Steinbrecher: its rows select velocities and not equations, so that S_v
// K_v = I is regular whatever M is, and M may be singular where [M G^T; G 0] is not.
//
// The levels are eliminated one after another with real matrices that do not depend on h
// (selector.hpp; LU of the saddle matrix for level 1):
//
//   dp = R_p (-g) + K_p dq,   dv = R_v (-G v - gI - (G v)_p dp) + K_v du,
//   (da, dlambda, dw) from the saddle matrix,
//
// which leaves the differential part in y = (q, u, r), (gamma / h - J) dy = defect, with J the
// Jacobian of the state space form. Only its two matrices, real and complex, depend on h; the
// algebraic part survives a change of it. Constraints are thus solved by themselves, and any
// scaling of theirs by 1/h cancels.
//
// If every velocity has its position (S_p Z K_v = I), q is eliminated too:
//
//   ( sigma - A    -I     ) (dq)   (d1)     E = sigma^2 - sigma (A + D) + D A - C
//   (   -C      sigma - D ) (du) = (d2)     E dq = (sigma - D) d1 + d2,  du = (sigma - A) dq - d1

#include <complex>

#include "engine/integrators/radau/acceleration_factors.hpp"
#include "engine/integrators/radau/newton_system.hpp"
#include "engine/integrators/radau/selector.hpp"
#include "engine/integrators/radau/small_factors.hpp"

namespace mbs::radau {

class DenseSystem final : public NewtonSystem {
 public:
  DenseSystem(const SystemContext& context, Algebraic algebraic);

  std::string describe() const override;
  void forget() override;
  Prepared prepare(const State& x, Workspace& ws, bool renew) override;
  RankDefect rank_defect() const override { return rank_defect_; }
  bool factor(double h) override;
  void solve(Stages& stages) override;
  void filter(const Vector& F, Vector& d) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;
  void save_factors(ByteWriter&) const override {}
  void restore_factors(ByteReader&, double h) override;

 private:
  void scatter(const ColumnSparse& J);
  bool contact_level();
  bool velocities_are_slopes() const;
  bool acceleration_level(const Workspace& ws);
  void lift();
  void reduced_jacobian();
  void solve_accelerations(Eigen::Ref<Matrix> right, Eigen::Ref<Matrix> a_lambda_w);
  Prepared rank_changed();

  const Selector& velocity_selector() const { return shared_ ? position_ : velocity_; }

  SystemContext context_;
  Sizes n_;
  JacobianLayout at_;
  StateLayout layout_;
  Algebraic algebraic_;
  Selector position_, velocity_;
  bool shared_ = false;
  RankDefect rank_defect_;

  AccelerationFactors::Mass mass_;
  Matrix J_;    // the Jacobian, its p columns total: with ds/dp
  Matrix s_p_;  // ds/dp = -c_s^-1 c_p
  SmallFactors<double> contacts_;
  AccelerationFactors accelerations_;
  Matrix C_, G_;      // level 3 and 2
  Matrix B_G_, X_B_;  // reduced G, df/dlambda B
  int n_q_ = 0, n_u_ = 0, n_y_ = 0;
  Matrix L_;          // d(all unknowns) / dy, StateLayout's rows
  Matrix H_p_, H_v_;  // S_p (Z v)_p, S_p Z
  Matrix reduced_;    // J
  Matrix right_;      // of the saddle matrix
  Matrix part_;       // particular changes of the three stages
  Matrix part_acceleration_, G_v_q_;
  Columns defect_, transformed_;
  Vector part_p_, part_v_, c_rows_, c_reduced_, lambda_rows_, lambda_reduced_, s0_, filtered_;
  bool halves_ = false;  // E in q alone
  Matrix A_plus_D_, DA_minus_C_;
  SmallFactors<double> real_;
  SmallFactors<std::complex<double>> complex_;
  Eigen::VectorXcd z_, z1_;
  Vector y_, y1_;
  double h_ = 0.0;

  void factor_real(double sigma);
  void solve_real(Eigen::Ref<Vector> y);
  void solve_complex(Eigen::Ref<Vector> re, Eigen::Ref<Vector> im);
};

}  // namespace mbs::radau
