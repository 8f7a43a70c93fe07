// The projection method of the reduction survey written out as in section 6.4, for its double
// pendulum: the Gram-Schmidt process on (G^T, B^T) with its derivative, (6.4.8), (6.4.9), B renewed
// by V_I^T, constraint forces from the orthogonal projection, (3.5) of appendix A. What `nullspace`
// does in other terms (engine/integrators/reduction/coordinates.hpp) has the same derivatives to
// rounding and the same motion.

#include <Eigen/Cholesky>
#include <cmath>

#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {
namespace {

constexpr int n = 6, m = 4;

// G of the problem chain2 and its derivative along v; q = (x, y, phi) of both rods.
void constraints(const Vector& q, const Vector& v, Matrix& G, Matrix& G_dot) {
  constexpr double half = 0.25;
  G = Matrix::Zero(m, n);
  G_dot = Matrix::Zero(m, n);
  const auto end = [&](int row, int body, double X, double sign) {
    const int phi = 3 * body + 2;
    const double s = std::sin(q[phi]), c = std::cos(q[phi]);
    G(row, 3 * body) = G(row + 1, 3 * body + 1) = sign;
    G(row, phi) = -sign * X * s;
    G(row + 1, phi) = sign * X * c;
    G_dot(row, phi) = -sign * X * c * v[phi];
    G_dot(row + 1, phi) = -sign * X * s * v[phi];
  };
  end(0, 0, -half, 1.0);
  end(2, 1, -half, 1.0);
  end(2, 0, half, -1.0);
}

// v_i = alpha_i (p_i - sum_j (v_j^T p_i) v_j) and its derivative (section 6.3.2), P = (G^T, B^T).
void gram_schmidt(const Matrix& P, const Matrix& P_dot, Matrix& V, Matrix& V_dot) {
  V = P;
  V_dot = P_dot;
  for (int i = 0; i < n; ++i) {
    Vector w = P.col(i), w_dot = P_dot.col(i);
    for (int j = 0; j < i; ++j) {
      const double c = V.col(j).dot(P.col(i));
      const double c_dot = V_dot.col(j).dot(P.col(i)) + V.col(j).dot(P_dot.col(i));
      w -= c * V.col(j);
      w_dot -= c_dot * V.col(j) + c * V_dot.col(j);
    }
    const double size = w.norm();
    V.col(i) = w / size;
    V_dot.col(i) = w_dot / size - w * (w.dot(w_dot) / (size * size * size));
  }
}

struct Report {
  Vector M = Vector::Zero(n), f = Vector::Zero(n);
  Matrix B, G, G_dot, V, V_dot;
  Vector q_dot, q_dot_dot, z_dot_dot;

  Report() {
    for (const int body : {0, 1}) {
      M.segment<3>(3 * body) << 0.5, 0.5, 0.5 * 0.5 * 0.5 / 12.0;
      f[3 * body + 1] = -0.5 * 9.81;
    }
  }
  auto V_I() const { return V.rightCols(n - m); }
  void basis(const Vector& q, const Vector& v) {
    constraints(q, v, G, G_dot);
    Matrix P(n, n), P_dot = Matrix::Zero(n, n);
    P << G.transpose(), B.transpose();
    P_dot.leftCols(m) = G_dot.transpose();
    gram_schmidt(P, P_dot, V, V_dot);
  }
  // Steps 5b to 5f for y = (q, z_I').
  void evaluate(const Vector& q, const Vector& z_dot) {
    basis(q, Vector::Zero(n));
    q_dot = V_I() * z_dot;
    basis(q, q_dot);
    const Matrix V_I_dot = V_dot.rightCols(n - m);
    const Matrix M_V = M.asDiagonal() * V_I();
    z_dot_dot =
        (V_I().transpose() * M_V)
            .ldlt()
            .solve(V_I().transpose() * (f - M.asDiagonal() * (V_I_dot * z_dot)));  // (6.4.8)
    q_dot_dot = V_I() * z_dot_dot + V_I_dot * z_dot;                               // (6.4.9)
  }
  Vector forces() const {  // M_lambda lambda = C M^-1 h + c_0, its lambda the negative of ours
    const Matrix C_M = G * M.cwiseInverse().asDiagonal();
    return (C_M * G.transpose()).ldlt().solve(C_M * f + G_dot * q_dot);
  }
};

// Any null space as the first B: the unit vectors of both angles.
Matrix angles() {
  Matrix B = Matrix::Zero(n - m, n);
  B(0, 2) = B(1, 5) = 1.0;
  return B;
}

State somewhere(ProblemRun& run) {
  const auto integrator = run.start("extrapolation", with_tolerance(1e-13));
  ProblemRun::advance(*integrator, 0.7);
  return run.consistent(integrator->state());
}

TEST(NullSpace, TheBasisOfTheSurveyHasItsAnalyticDerivative) {
  ProblemRun run("chain2");
  const State x = somewhere(run);
  Report report;
  report.B = angles();
  report.basis(x.p, x.v);
  run.equations->position(run.context(), x, want_G, *run.ws);
  EXPECT_LT((report.G - Matrix(run.ws->G)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((report.V.transpose() * report.V - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(),
            1e-14);
  EXPECT_LT((report.G * report.V_I()).cwiseAbs().maxCoeff(), 1e-14);
  constexpr double step = 1e-5;
  Report ahead = report, behind = report;
  ahead.basis(x.p + step * x.v, x.v);
  behind.basis(x.p - step * x.v, x.v);
  const Matrix difference = (ahead.V - behind.V) / (2.0 * step);
  EXPECT_LT((difference - report.V_dot).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_GT(report.V_dot.cwiseAbs().maxCoeff(), 0.1);
}

TEST(NullSpace, AccelerationsAndForcesAreThoseOfTheSurvey) {
  ProblemRun run("chain2");
  const State x = somewhere(run);
  for (const bool renewed : {false, true}) {
    Report report;
    report.B = angles();
    if (renewed) {
      report.basis(x.p, x.v);
      report.B = report.V_I().transpose();  // (6.4.6)
    }
    report.basis(x.p, x.v);
    report.evaluate(x.p, report.V_I().transpose() * x.v);
    EXPECT_LT((report.q_dot - x.v).cwiseAbs().maxCoeff(), 1e-10);  // as consistent as x is
    EXPECT_LT(error_of(report.q_dot_dot, x.a), 1e-9);
    EXPECT_LT(error_of(report.forces(), x.lambda), 1e-9);
  }
}

// Its algorithm by the classical Runge-Kutta method, B renewed in each step.
TEST(NullSpace, TheProgramOfTheSurveyMovesAsNullspaceDoes) {
  ProblemRun run("chain2");
  constexpr double end = 1.0;
  constexpr int steps = 4000;
  constexpr double h = end / steps;
  Report report;
  report.B = angles();
  Vector q = run.x0.p, v = run.x0.v, z(n - m);
  for (int i = 0; i < steps; ++i) {
    report.basis(q, v);
    report.B = report.V_I().transpose();
    z = report.V_I().transpose() * v;
    Vector dq = Vector::Zero(n), dz = Vector::Zero(n - m), q_at = q, z_at = z;
    for (const auto& [weight, next] : {std::pair{1.0, 0.5}, {2.0, 0.5}, {2.0, 1.0}, {1.0, 0.0}}) {
      report.evaluate(q_at, z_at);
      dq += weight / 6.0 * report.q_dot;
      dz += weight / 6.0 * report.z_dot_dot;
      q_at = q + next * h * report.q_dot;
      z_at = z + next * h * report.z_dot_dot;
    }
    q += h * dq;
    z += h * dz;
    report.evaluate(q, z);
    v = report.q_dot;
  }
  for (const char* keyword :
       {"reduction method=nullspace", "reduction method=nullspace position_correction=false"}) {
    for (const double tolerance : {1e-6, 1e-9, 1e-11}) {
      const auto integrator = run.start(keyword, with_tolerance(tolerance));
      ProblemRun::advance(*integrator, end);
      EXPECT_LT(error_of(integrator->state().p, q), 10.0 * tolerance) << keyword << tolerance;
      EXPECT_LT(error_of(integrator->state().v, v), 30.0 * tolerance) << keyword << tolerance;
      EXPECT_LT(error_of(integrator->state().lambda, report.forces()), 30.0 * tolerance)
          << keyword << tolerance;
    }
  }
}

}  // namespace
}  // namespace mbs::test
