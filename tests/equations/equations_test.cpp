// State and the base class of Equations.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/equations/initial.hpp"
#include "tests/equations/mechanisms.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

struct Setting {
  explicit Setting(const Equations& of)
      : equations(of),
        parameters(of.default_parameters()),
        inputs(of.default_inputs(parameters)),
        x(of.initial({inputs, parameters}, 0.0)),
        ws(of.make_workspace()) {}
  Context context() const { return {inputs, parameters}; }

  const Equations& equations;
  Parameters parameters;
  Inputs inputs;
  State x;
  std::unique_ptr<Workspace> ws;
};

Sizes all_sizes() {
  Sizes n;
  n.p = 4;
  n.v = 3;
  n.r = n.w = n.z = 2;
  n.s = 1;
  n.lambda = 2;
  n.g = 1;
  n.modes = 3;
  return n;
}

TEST(State, IsSavedToTheBit) {
  State x(all_sizes());
  x.t = 0.1;
  for (Vector* part : {&x.p, &x.v, &x.r, &x.w, &x.s, &x.z, &x.a, &x.lambda}) part->setRandom();
  x.modes = {1, -2, 3};
  std::vector<std::byte> stream;
  ByteWriter writer(stream);
  x.save(writer);
  State y(all_sizes());
  ByteReader reader(stream);
  y.restore(reader);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(x.t, y.t);
  for (auto part : {&State::p, &State::v, &State::r, &State::w, &State::s, &State::z, &State::a,
                    &State::lambda}) {
    EXPECT_EQ(x.*part, y.*part);
  }
  EXPECT_EQ(x.modes, y.modes);

  Sizes other = all_sizes();
  ++other.v;
  State z(other);
  ByteReader again(stream);
  EXPECT_THROW(z.restore(again), std::runtime_error);
  stream.resize(stream.size() - 1);
  ByteReader cut(stream);
  EXPECT_THROW(y.restore(cut), std::runtime_error);
}

TEST(Inputs, ArePolynomialsAroundTheirTime) {
  Inputs u(1);
  u.t0 = 2.0;
  u.value[0] = 3.0;
  u.first[0] = 5.0;
  u.second[0] = 8.0;
  EXPECT_EQ(u.at(0, 2.0), 3.0);
  EXPECT_EQ(u.at(0, 2.5), 3.0 + 0.5 * 5.0 + 0.125 * 8.0);
  EXPECT_EQ(u.jet(0, 2.5).first, 5.0 + 0.5 * 8.0);
  EXPECT_EQ(u.jet(0, 2.5).second, 8.0);
}

TEST(Inputs, HaveHigherPowersOfTime) {
  // (1 + s)^8 for the second of two inputs, s^5 for the first.
  Inputs u(2);
  u.t0 = -1.0;
  u.value[1] = 1.0;
  u.first[1] = 8.0;
  u.second[1] = 56.0;
  u.further = Vector::Zero(2 * (Inputs::highest_power - 2));
  u.further[2 * (5 - 3)] = 1.0;
  const double binomial[] = {56.0, 70.0, 56.0, 28.0, 8.0, 1.0};
  for (int k = 0; k < 6; ++k) u.further[1 + 2 * k] = binomial[k];
  EXPECT_EQ(u.at(0, 1.0), 32.0);
  EXPECT_EQ(u.jet(0, 1.0).first, 80.0);
  EXPECT_EQ(u.jet(0, 1.0).second, 160.0);
  EXPECT_EQ(u.at(1, 1.0), 6561.0);
  EXPECT_EQ(u.jet(1, 1.0).first, 8.0 * 2187.0);
  EXPECT_EQ(u.jet(1, 1.0).second, 56.0 * 729.0);
}

TEST(JacobianLayout, CountsEachBlockOnce) {
  Sizes n = all_sizes();
  n.n = 1;
  n.e = 2;
  n.u = 3;
  const JacobianLayout at(n);
  EXPECT_EQ(at.rows, 4 + 3 + 2 + 2 + 1 + 2 + 1 + 1 + 2 + 2);
  EXPECT_EQ(at.cols, 4 + 3 + 2 + 2 + 1 + 2 + 3);
  EXPECT_EQ(at.acceleration, at.norm + 1);
}

// The residual vanishes at a solved state, and each block is where the layout says.
TEST(Equations, ResidualVanishesAtASolution) {
  const Problem problem = make_problem("andrews");
  Setting at(*problem.equations);
  at.x.p = problem.reference->p;
  at.x.v = problem.reference->v;
  at.x.a = problem.reference->a;
  at.x.lambda = problem.reference->lambda;
  at.equations.residual(at.context(), at.x, *at.ws);
  const JacobianLayout rows(at.equations.sizes());
  const Vector& R = at.ws->residual;
  EXPECT_EQ(R.head(7), at.x.v);
  EXPECT_LT(R.segment(rows.dynamics, 7).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(R.segment(rows.velocity, 6).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(R.segment(rows.position, 6).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT(R.segment(rows.acceleration, 6).cwiseAbs().maxCoeff(), 1e-7);
  at.x.lambda[2] += 1.0;
  at.equations.residual(at.context(), at.x, *at.ws);
  EXPECT_LT((R.segment(rows.dynamics, 7) + Vector(Matrix(at.ws->G).row(2))).norm(), 1e-11);
}

// The caller's stages survive a Jacobian by differences.
TEST(Equations, DifferencesLeaveTheStagesAlone) {
  const Problem problem = make_problem("truckC");
  Setting at(*problem.equations);
  at.equations.residual(at.context(), at.x, *at.ws);
  const Vector f = at.ws->f, g = at.ws->g, R = at.ws->residual;
  at.equations.jacobian(at.context(), at.x, *at.ws);
  const Matrix first = at.ws->jacobian;
  EXPECT_EQ(f, at.ws->f);
  EXPECT_EQ(g, at.ws->g);
  EXPECT_EQ(R, at.ws->residual);
  // A repeated evaluation gives the same bits, whatever was computed in between.
  State other = at.x;
  other.p.array() += 0.1;
  at.equations.jacobian(at.context(), other, *at.ws);
  EXPECT_NE(first, Matrix(at.ws->jacobian));
  at.equations.jacobian(at.context(), at.x, *at.ws);
  EXPECT_EQ(first, Matrix(at.ws->jacobian));
}

TEST(Equations, FrictionByDifferencesIncludesAuxiliaryUnknowns) {
  const SlidingBlock block(0.3);
  Setting at(block);
  at.x.lambda[0] = -5.0;
  ASSERT_TRUE(block.solve_auxiliary(at.context(), at.x, *at.ws));
  block.position(at.context(), at.x, want_M | want_G, *at.ws);
  block.velocity(at.context(), at.x, *at.ws);
  block.force(at.context(), at.x, want_f, *at.ws);
  block.friction(at.context(), at.x, *at.ws);
  EXPECT_NEAR(at.ws->F.coeff(0, 0), 0.3 + 0.02 * 5.0, 1e-6);
}

TEST(Accelerations, AreFoundByNewtonWhereForcesDependOnReactions) {
  for (const double mu : {0.0, 0.3, 1.5}) {
    const SlidingBlock block(mu);
    Setting at(block);
    const auto solver = block.make_solver("auto");
    ASSERT_TRUE(solve_accelerations(block, at.context(), at.x, *at.ws, *solver));
    const double w = 1.0;  // w + w^3 = 2
    EXPECT_NEAR(at.x.w[0], w, 1e-14);
    const double lambda = -2.0 * 9.81 - w;
    EXPECT_NEAR(at.x.lambda[0], lambda, 1e-12);
    EXPECT_NEAR(at.x.a[0], 0.5 * (mu * lambda - w - 0.01 * lambda * lambda), 1e-10);
    EXPECT_NEAR(at.x.a[1], 0.0, 1e-14);
  }
}

TEST(Accelerations, SatisfyNonholonomicRows) {
  const Skate skate;
  Setting at(skate);
  ASSERT_TRUE(make_consistent(skate, at.context(), at.x).ok);
  // The blade's normal component of the velocity is gone, the tangential one as it was.
  const Eigen::Vector2d along(std::cos(0.4), std::sin(0.4)), across(-along[1], along[0]);
  EXPECT_NEAR(at.x.v.head<2>().dot(across), 0.0, 1e-15);
  EXPECT_NEAR(at.x.v.head<2>().dot(along), along.sum(), 1e-14);
  EXPECT_NEAR(at.x.v[2], 0.3, 1e-14);
  // The skate moves on a circle: a = omega x v.
  EXPECT_LT((at.x.a.head<2>() - 0.3 * along.sum() * across).norm(), 1e-14);
}

TEST(Accelerations, OfASingularMatrixAreRefused) {
  const Problem problem = make_problem("fourbar2");
  Setting at(*problem.equations);
  // All rods along the x axis.
  at.x.p << 0.5, 0, 0, 1.5, 0, 0, 2.5, 0, 0, 1.5, 0, 0, 2.5, 0, 0;
  at.x.v.setZero();
  const auto solver = at.equations.make_solver("auto");
  EXPECT_FALSE(solve_accelerations(at.equations, at.context(), at.x, *at.ws, *solver));
  at.x = problem.initial;
  at.x.p[5] = std::nan("");
  EXPECT_FALSE(solve_accelerations(at.equations, at.context(), at.x, *at.ws, *solver));
}

TEST(Equations, NormalisesEulerParameters) {
  const SphericalPendulum pendulum;
  Setting at(pendulum);
  const Eigen::Vector4d e = at.x.p.tail<4>();
  pendulum.normalise(at.x);
  EXPECT_LT((at.x.p.tail<4>() - e.normalized()).norm(), 1e-16);
  EXPECT_EQ(at.x.p[0], 0.2);
  EXPECT_NEAR(pendulum.energy(at.context(), at.x, *at.ws).kinetic,
              0.5 * (1.25 + 0.2 * 0.09 + 0.3 * 0.49 + 0.25 * 0.81), 1e-15);
}

}  // namespace
}  // namespace mbs::test
