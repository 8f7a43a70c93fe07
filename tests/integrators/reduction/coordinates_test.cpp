// The choice of coordinates alone: units, the amplification of dependent velocities, constraints
// that almost depend on each other, and the time of a new choice.

#include "engine/integrators/reduction/coordinates.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "engine/integrators/reduction/integrator.hpp"
#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {
namespace {

using Choice = reduction::Coordinates::Choice;

// Nothing but velocity constraints 0 = G v.
class Rows final : public Equations {
 public:
  Rows(Matrix G, const Vector& v_scale, const Vector& g_scale) : G_(std::move(G)) {
    const int n = static_cast<int>(G_.cols()), m = static_cast<int>(G_.rows());
    sizes_.p = sizes_.v = n;
    sizes_.g = sizes_.lambda = m;
    structure_.saddle.M = ColumnSparse(n, n);
    structure_.saddle.M.setIdentity();
    structure_.saddle.G = RowSparse(Matrix::Ones(m, n).sparseView());
    structure_.saddle.F = ColumnSparse(n, m);
    structure_.v_scale = v_scale;
    structure_.g_scale = g_scale;
  }
  State initial(const Context&, double) const override { return State(sizes_); }
  void position(const Context&, const State&, unsigned, Workspace& ws) const override {
    for (int i = 0; i < G_.rows(); ++i) {
      for (int j = 0; j < G_.cols(); ++j) ws.G.coeffRef(i, j) = G_(i, j);
    }
  }
  void velocity(const Context&, const State&, Workspace&) const override {}
  void force(const Context&, const State&, unsigned, Workspace&) const override {}
  void gamma(const Context&, const State&, Workspace&) const override {}

 private:
  Matrix G_;
};

struct Chosen {
  explicit Chosen(const Rows& rows, Choice choice = Choice::pivots)
      : inputs(0),
        ws(rows.make_workspace()),
        coordinates(rows, {inputs, parameters}, with_tolerance(1e-8)) {
    rows.position({inputs, parameters}, State(rows.sizes()), want_G, *ws);
    EXPECT_TRUE(coordinates.choose(choice, *ws));
  }
  Inputs inputs;
  Parameters parameters;
  std::unique_ptr<Workspace> ws;
  reduction::Coordinates coordinates;
};

Matrix random_matrix(int m, int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Matrix A(m, n);
  for (double& a : A.reshaped()) a = number(generator);
  return A;
}

// The reduction survey, section 2.3: with metres or with millimetres the same coordinates depend.
// Four lengths and three angles, constraints of lengths.
TEST(ReductionCoordinates, UnitsDoNotDecideTheChoice) {
  constexpr double mm = 1000.0;
  Vector in_mm = Vector::Ones(7);
  in_mm.head(4).setConstant(mm);
  int misled = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const Matrix G = random_matrix(4, 7, seed);
    const Matrix G_mm = mm * G * in_mm.cwiseInverse().asDiagonal();
    const Rows metres(G, Vector::Ones(7), Vector::Ones(4));
    const Rows millimetres(G_mm, in_mm, Vector::Constant(4, mm));
    const Rows unscaled(G_mm, Vector::Ones(7), Vector::Ones(4));
    Chosen a(metres), b(millimetres), c(unscaled);
    EXPECT_EQ(a.coordinates.dependent(), b.coordinates.dependent()) << seed;
    EXPECT_NEAR(a.coordinates.regularity(*a.ws), b.coordinates.regularity(*b.ws), 1e-12);
    EXPECT_NEAR(a.coordinates.amplification(*a.ws), b.coordinates.amplification(*b.ws), 1e-9);
    misled += a.coordinates.dependent() != c.coordinates.dependent() ? 1 : 0;
  }
  EXPECT_GT(misled, 25) << "without scales units would decide";
}

// Appendix B of the reduction survey: H = -G_u^-1 G_v.
TEST(ReductionCoordinates, AmplificationIsTheLargestEntryOfH) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Matrix G = random_matrix(3, 8, seed);
    const Rows rows(G, Vector::Ones(8), Vector::Ones(3));
    Chosen chosen(rows);
    const std::vector<int>& u = chosen.coordinates.dependent();
    Matrix G_u(3, 3), G_v(3, 5);
    int next = 0;
    for (int j = 0; j < 8; ++j) {
      const auto found = std::find(u.begin(), u.end(), j);
      if (found != u.end()) {
        G_u.col(found - u.begin()) = G.col(j);
      } else {
        G_v.col(next++) = G.col(j);
      }
    }
    const Matrix H = -G_u.partialPivLu().solve(G_v);
    EXPECT_NEAR(chosen.coordinates.amplification(*chosen.ws), H.cwiseAbs().maxCoeff(), 1e-12);
  }
}

// u(v) of Andrews' mechanism moves as H says.
TEST(ReductionCoordinates, DependentCoordinatesMoveByH) {
  ProblemRun run("andrews");
  reduction::Coordinates coordinates(*run.equations, run.context(), with_tolerance(1e-10));
  run.equations->position(run.context(), run.x0, want_G | want_g, *run.ws);
  ASSERT_TRUE(coordinates.choose(Choice::pivots, *run.ws));
  const std::vector<int> u = coordinates.dependent();
  int independent = 0;
  while (std::find(u.begin(), u.end(), independent) != u.end()) ++independent;
  const Matrix G = run.ws->G;
  Matrix G_u(6, 6);
  for (int i = 0; i < 6; ++i) G_u.col(i) = G.col(u[static_cast<std::size_t>(i)]);
  const Vector H = -G_u.partialPivLu().solve(G.col(independent));
  constexpr double step = 1e-4;
  State ahead = run.x0, behind = run.x0;
  ahead.p[independent] += step;
  behind.p[independent] -= step;
  ASSERT_TRUE(coordinates.positions(ahead, *run.ws).ok);
  ASSERT_TRUE(coordinates.positions(behind, *run.ws).ok);
  for (int i = 0; i < 6; ++i) {
    const int j = u[static_cast<std::size_t>(i)];
    EXPECT_NEAR((ahead.p[j] - behind.p[j]) / (2.0 * step), H[i], 1e-5 * (1.0 + std::abs(H[i])));
  }
}

// Rows that are one but for 1e-8: the plain process of section 6.3.2 is far from orthogonal there.
TEST(ReductionCoordinates, DirectionsStayOrthonormalWhereRowsAlmostDepend) {
  constexpr int m = 4, n = 7;
  Matrix G = Matrix::Zero(m, n);
  for (int i = 0; i < m; ++i) {
    G(i, 0) = 1.0;
    G(i, i + 1) = 1e-8;
    G(i, n - 1) = 0.3;
  }
  Matrix plain = G.transpose();
  for (int i = 0; i < m; ++i) {
    const Vector p = plain.col(i);
    for (int j = 0; j < i; ++j) plain.col(i) -= plain.col(j).dot(p) * plain.col(j);
    plain.col(i).normalize();
  }
  EXPECT_GT((plain.transpose() * plain - Matrix::Identity(m, m)).cwiseAbs().maxCoeff(), 0.1);

  const Rows rows(G, Vector::Ones(n), Vector::Ones(m));
  Chosen chosen(rows, Choice::gram_schmidt);
  Matrix P(n, n);  // v -> D D^T v
  Vector part(n);
  for (int j = 0; j < n; ++j) {
    chosen.coordinates.dependent_part(Vector::Unit(n, j), part);
    P.col(j) = part;
  }
  EXPECT_LT((P * P - P).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(P.trace(), m, 1e-14);
  State x(rows.sizes());
  x.v = Vector::LinSpaced(n, -1.0, 1.0);
  const Vector before = x.v;
  ASSERT_TRUE(chosen.coordinates.velocities(x, *chosen.ws, true).ok);
  EXPECT_LT((G * x.v).cwiseAbs().maxCoeff(), 1e-15);
  // what is left is the part in the null space, from a singular value decomposition
  const Eigen::JacobiSVD<Matrix> svd(G, Eigen::ComputeFullV);
  const Matrix N = svd.matrixV().rightCols(n - m);
  EXPECT_LT((x.v - N * (N.transpose() * before)).cwiseAbs().maxCoeff(), 1e-7);
}

// Constraints 1e-6 g_i + g_4 in place of g_i for the double pendulum: the motion is the same.
class AlmostDependent final : public Equations {
 public:
  explicit AlmostDependent(std::shared_ptr<const Equations> sound) : sound_(std::move(sound)) {
    sizes_ = sound_->sizes();
    structure_ = sound_->structure();
    structure_.saddle.G = RowSparse(Matrix::Ones(sizes_.lambda, sizes_.v).sparseView());
    T_ = Matrix::Identity(sizes_.lambda, sizes_.lambda);
    for (int i = 0; i + 1 < sizes_.lambda; ++i) {
      T_(i, i) = 1e-6;
      T_(i, sizes_.lambda - 1) = 1.0;
    }
  }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Both>(*this, *sound_);
  }
  State initial(const Context& context, double t0) const override {
    return sound_->initial(context, t0);
  }
  void position(const Context& context, const State& x, unsigned want,
                Workspace& ws) const override {
    Workspace& inner = *static_cast<Both&>(ws).inner;
    sound_->position(context, x, want, inner);
    if (want & want_M) ws.M = inner.M;
    if (want & want_G) {
      const Matrix G = T_ * Matrix(inner.G);
      for (int i = 0; i < G.rows(); ++i) {
        for (int j = 0; j < G.cols(); ++j) ws.G.coeffRef(i, j) = G(i, j);
      }
      ws.gI = T_ * inner.gI;
    }
    if (want & want_g) ws.g = T_ * inner.g;
  }
  void velocity(const Context& context, const State& x, Workspace& ws) const override {
    Workspace& inner = *static_cast<Both&>(ws).inner;
    sound_->velocity(context, x, inner);
    ws.p_dot = inner.p_dot;
    ws.G_v = T_ * inner.G_v;
  }
  void force(const Context& context, const State& x, unsigned want, Workspace& ws) const override {
    Workspace& inner = *static_cast<Both&>(ws).inner;
    sound_->force(context, x, want, inner);
    ws.f = inner.f;
  }
  void gamma(const Context& context, const State& x, Workspace& ws) const override {
    Workspace& inner = *static_cast<Both&>(ws).inner;
    sound_->gamma(context, x, inner);
    ws.gamma = T_ * inner.gamma;
  }

 private:
  struct Both : Workspace {
    Both(const AlmostDependent& own, const Equations& sound)
        : Workspace(own.sizes(), own.structure()), inner(sound.make_workspace()) {}
    std::unique_ptr<Workspace> inner;
  };
  std::shared_ptr<const Equations> sound_;
  Matrix T_;
};

TEST(ReductionCoordinates, NullspaceBearsAnIllConditionedJacobian) {
  ProblemRun sound("chain2");
  const auto equations = std::make_shared<AlmostDependent>(sound.equations);
  ProblemRun run(equations, sound.x0, sound.reference->t);
  const Matrix G = [&] {
    run.equations->position(run.context(), run.x0, want_G, *run.ws);
    return Matrix(run.ws->G);
  }();
  const auto sigma = Eigen::JacobiSVD<Matrix>(G).singularValues();
  EXPECT_GT(sigma[0] / sigma[sigma.size() - 1], 1e6);
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const auto integrator = run.start("reduction method=nullspace", with_tolerance(tolerance));
    double G_v = 0.0;
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      G_v = std::max(G_v, run.velocity_residual(integrator->state()));
    }
    std::printf("%.0e: p %.1f tolerances, G v %.1e\n", tolerance,
                error_of(integrator->state().p, sound.reference->p) / tolerance, G_v);
    EXPECT_LT(error_of(integrator->state().p, sound.reference->p), 10.0 * tolerance);
    EXPECT_LT(G_v, 1e-13);
  }
}

// (5.3.12) weighted by M: new directions when, and only when, a tenth more of the kinetic energy
// than at first is off them. For the slider crank, whose masses differ a hundredfold.
TEST(ReductionCoordinates, SvdIsRenewedByTheKineticEnergy) {
  ProblemRun run("slider_crank");
  const auto integrator = run.start("reduction method=svd", with_tolerance(1e-7));
  const Vector S = run.equations->structure().v_scale;
  Matrix D;
  Vector M;
  const auto directions = [&](const State& x) {
    run.equations->position(run.context(), x, want_G | want_M, *run.ws);
    Matrix G = Matrix(run.ws->G) * S.asDiagonal();
    for (int i = 0; i < G.rows(); ++i) G.row(i) /= G.row(i).cwiseAbs().maxCoeff();
    D = Eigen::JacobiSVD<Matrix>(G, Eigen::ComputeThinV).matrixV();
    M = Matrix(run.ws->M).diagonal();
  };
  const auto share = [&](const State& x, const Vector& weight) {
    const Vector v = S.asDiagonal() * (D * (D.transpose() * x.v.cwiseQuotient(S)));
    return v.cwiseAbs2().dot(weight) / x.v.cwiseAbs2().dot(weight);
  };
  directions(integrator->state());
  double fresh = share(integrator->state(), M);
  int renewals = 0, otherwise = 0;
  while (integrator->state().t < 3.0) {
    const long before = integrator->statistics().selectors;
    integrator->step(3.0);
    const bool renewed = integrator->statistics().selectors > before;
    const bool by_weight = share(integrator->state(), M) > fresh + 0.1;
    const Vector ones = Vector::Ones(M.size());
    otherwise += (share(integrator->state(), ones) > fresh + 0.1) != renewed ? 1 : 0;
    if (by_weight) {
      EXPECT_TRUE(renewed) << integrator->state().t;
    }
    if (renewed) {
      ++renewals;
      directions(integrator->state());
      fresh = share(integrator->state(), M);
    }
  }
  EXPECT_GT(renewals, 10);
  EXPECT_GT(otherwise, renewals / 4) << "without M it would be other ones";
}

}  // namespace
}  // namespace mbs::test
