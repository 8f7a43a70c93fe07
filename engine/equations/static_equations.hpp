#pragma once

// The linear equations by which a rest moves: positions p by Z dq, first-order states, multipliers,
// auxiliary unknowns, and parameters P that are found with it (trims), at v = 0, a = 0:
//
//   ( -D_q  -D_r  -D_lambda  -D_w  -D_P ) (   dq    )   ( R of the dynamics )
//   ( -B_q  -B_r  -B_lambda  -B_w  -B_P ) (   dr    )   (      R of r       )
//   (  G_q    0        0       0     0  ) ( dlambda ) = (        -g         )
//   ( -W_q  -W_r  -W_lambda  -W_w  -W_P ) (   dw    )   (      R of w       )
//   (  C_q    0        0       0     0  ) (   dP    )   (        -c         )
//
// D, B, W: the rows of the dynamics, of r and of w in the Jacobian, _q columns of p times Z; C, c:
// the conditions that hold exactly there. Nonholonomic rows allow no dq. For what moves the rest a
// little, R, g and c are what it does to these.

#include <Eigen/LU>
#include <Eigen/QR>

#include "engine/equations/equations.hpp"

namespace mbs {

class StaticEquations {
 public:
  // states: how many of r count, the first ones; the others are constant.
  StaticEquations(const Sizes& sizes, int states, int trims);

  // by: d(residual)/dP, of all rows; conditions: C. Evaluates the position stage and the Jacobian.
  void fill(const Equations& equations, const Context& context, const State& x, Workspace& ws,
            const Matrix& by, const RowSparse& conditions);
  void factor(bool redundant);
  // residual: of all rows, of which those of the dynamics, r and w count; g: of each row of G, 0
  // for nonholonomic ones. False where there is no solution.
  bool solve(const Vector& residual, const Vector& g, const Vector& c, Vector& d) const;
  // The position rows of a residual, in the order of G.
  Vector g_of(const Vector& residual) const;

  // Before factor() more may be added: damping.
  Matrix K;
  Matrix Z;
  // Parts of a solution.
  int r() const { return n_.v; }
  int lambda() const { return n_.v + n_.r; }
  int w() const { return lambda() + n_.lambda; }
  int trims() const { return w() + n_.w; }
  int size() const { return trims() + trims_; }

 private:
  const Sizes n_;
  const JacobianLayout at_;
  const int states_, trims_;
  bool redundant_ = false;
  Vector left_, right_;  // scales of K
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> orthogonal_;
};

// d(residual)/d(parameter), central: forces are nearly always linear in what is found.
// parameters: those of `given`; they are as they were afterwards.
Vector residual_by_parameter(const Equations& equations, const Context& context, const State& x,
                             Workspace& ws, Parameters& parameters, int which);

}  // namespace mbs
