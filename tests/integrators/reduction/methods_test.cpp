// Claims of the single reductions: the double pendulum of the reduction survey, changes of
// coordinates where geometry asks for them, residuals that do not grow, constraint forces, options.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "engine/integrators/reduction/integrator.hpp"
#include "tests/integrators/integrator_battery.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {
namespace {

const std::vector<std::string> methods{
    "partition", "stabilized", "hybrid", "svd", "nullspace", "nullspace position_correction=false"};

std::string keyword(const std::string& method) {
  return "reduction method=" + method;
}

// The reduction survey, section 6.4, section 12 of the benchmarks.
TEST(Reduction, DoublePendulumStaysWithinTenTolerances) {
  ProblemRun run("chain2");
  for (const std::string& method : methods) {
    for (double tolerance = 1e-4; tolerance > 0.5e-11; tolerance *= 0.1) {
      const auto integrator = run.start(keyword(method), with_tolerance(tolerance));
      double g = 0.0;
      while (integrator->state().t < run.reference->t) {
        integrator->step(run.reference->t);
        g = std::max(g, run.position_residual(integrator->state()));
      }
      EXPECT_LE(error_of(integrator->state().p, run.reference->p), 10.0 * tolerance)
          << method << " at " << tolerance;
      EXPECT_LE(g, 10.0 * tolerance) << method << " at " << tolerance;
    }
  }
}

TEST(Reduction, NonholonomicMotionsFollowTheirClosedForms) {
  for (const auto& [problem, allowed] : {std::pair{"knife_edge", 20.0}, {"rolling_disc", 300.0}}) {
    ProblemRun run(problem);
    for (const std::string& method : methods) {
      for (const double tolerance : {1e-5, 1e-8}) {
        const auto integrator = run.start(keyword(method), with_tolerance(tolerance));
        ProblemRun::advance(*integrator, run.reference->t);
        const State& x = integrator->state();
        EXPECT_LE(error_of(x.p, run.reference->p), allowed * tolerance) << problem << method;
        EXPECT_LE(error_of(x.lambda, run.reference->lambda), 20.0 * allowed * tolerance)
            << problem << method;
      }
    }
  }
}

// Forces are as accurate as the tolerance, up to the factor by which a problem multiplies errors;
// extrapolation and radau keep the same bound.
TEST(Reduction, ConstraintForcesAreThoseOfTheReferenceAtAllTolerances) {
  struct Case {
    const char* problem;
    double allowed;  // error by size of the largest force and tolerance
  };
  for (const Case& c : {Case{"andrews", 100.0},
                        {"chain2", 20.0},
                        {"chain10", 20.0},
                        {"insul16", 100.0},
                        {"truckC", 5.0},
                        {"A01", 500.0},
                        {"knife_edge", 20.0},
                        {"rolling_disc", 200.0}}) {
    ProblemRun run(c.problem);
    const double size = run.reference->lambda.cwiseAbs().maxCoeff();
    ASSERT_GT(size, 0.0);
    std::vector<std::string> keywords{"extrapolation", "radau"};
    for (const std::string& method : methods) keywords.push_back(keyword(method));
    for (const std::string& each : keywords) {
      double worst = 0.0;
      for (double tolerance = 1e-4; tolerance > 0.5e-9; tolerance *= 0.1) {
        const auto integrator = run.start(each, with_tolerance(tolerance));
        ProblemRun::advance(*integrator, run.reference->t);
        const Vector error = integrator->state().lambda - run.reference->lambda;
        const double by = error.cwiseAbs().maxCoeff() / size / tolerance;
        worst = std::max(worst, by);
        EXPECT_LE(by, c.allowed) << c.problem << " " << each << " at " << tolerance;
      }
      std::printf("%-12s %-50s %7.1f tolerances at most\n", c.problem, each.c_str(), worst);
    }
  }
}

// A pendulum's x and y take turns four times a turn.
TEST(Reduction, DependentCoordinatesAreTheOnesThatMoveLess) {
  ProblemRun run("A01");
  const auto integrator = run.start(keyword("partition"), with_tolerance(1e-6));
  const auto& reduction = dynamic_cast<const reduction::Integrator&>(*integrator);
  while (integrator->state().t < 5.0) {
    integrator->step(5.0);
    const int dependent = reduction.dependent().at(0);
    EXPECT_GT(std::abs(integrator->state().p[dependent]), 0.25);
  }
}

TEST(Reduction, StabilizedResidualsAreBoundedAndDoNotGrow) {
  ProblemRun run("pendulum-period2");
  const auto integrator = run.start(keyword("stabilized"), with_tolerance(1e-6));
  double first = 0.0, last = 0.0;
  while (integrator->state().t < 80.0) {
    integrator->step(80.0);
    double& g = integrator->state().t < 40.0 ? first : last;
    g = std::max(g, run.position_residual(integrator->state()));
  }
  EXPECT_LT(first, 3e-5);
  EXPECT_LT(last, 2.0 * first);
  // alpha given: the residual is smaller the larger it is
  double residual[2];
  for (const int i : {0, 1}) {
    const auto fixed = run.start(keyword(i == 0 ? "stabilized alpha=0.5" : "stabilized alpha=5"),
                                 with_tolerance(1e-6));
    residual[i] = 0.0;
    while (fixed->state().t < 40.0) {
      fixed->step(40.0);
      residual[i] = std::max(residual[i], run.position_residual(fixed->state()));
    }
  }
  EXPECT_LT(residual[1], residual[0]);
}

// alpha scales with the step: in a time that runs a thousand times faster the residual is the same,
// to what the tolerance of the larger velocities makes of the steps; a fixed alpha is then none.
TEST(Reduction, StabilisationScalesWithTheStep) {
  double residual[2][2];
  for (const int fast : {0, 1}) {
    const double rate = fast ? 1e3 : 1.0;
    for (const int fixed : {0, 1}) {
      const std::shared_ptr<const Equations> equations =
          make_pendulum(9.81 * rate * rate, {1.0, 0.0}, {0.0, 0.0});
      const Parameters parameters;
      const Inputs inputs(0);
      ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 20.0 / rate);
      const auto integrator =
          run.start(fixed ? "reduction method=stabilized alpha=5" : keyword("stabilized"),
                    with_tolerance(1e-6));
      double& g = residual[fast][fixed] = 0.0;
      while (integrator->state().t < run.t_end) {
        integrator->step(run.t_end);
        g = std::max(g, run.position_residual(integrator->state()));
      }
      // describe() states the residual
      EXPECT_NEAR(dynamic_cast<const reduction::Integrator&>(*integrator).largest_drift(), g,
                  1e-12);
      EXPECT_NE(integrator->describe().find("constraint residual at most"), std::string::npos);
      std::printf("rate %4.0f, %s alpha: residual %.1e\n", rate, fixed ? "fixed" : "default", g);
    }
  }
  EXPECT_LT(residual[0][0], 3e-5);
  EXPECT_LT(residual[1][0], 3e-5);
  EXPECT_GT(residual[1][1], 3.0 * residual[1][0]);
}

// the reduction survey, eqs. (6.3.15) and (3.5) written out for a basis V_I of the null space:
// accelerations and constraint forces are those of the saddle matrix.
TEST(Reduction, AccelerationsAreThoseOfTheTangentialProjection) {
  ProblemRun run("andrews");
  State x = run.x0;
  x.p = run.reference->p;
  x.v = run.reference->v;
  x = run.consistent(x);
  run.equations->position(run.context(), x, want_M | want_G, *run.ws);
  run.equations->velocity(run.context(), x, *run.ws);
  run.equations->force(run.context(), x, want_f, *run.ws);
  run.equations->gamma(run.context(), x, *run.ws);
  const Matrix M = run.ws->M, G = run.ws->G;
  const Matrix Q = G.transpose().householderQr().householderQ();
  const int m = static_cast<int>(G.rows());
  const Matrix V_D = Q.leftCols(m), V_I = Q.rightCols(Q.cols() - m);
  const Vector rate = -V_D * (G * V_D).partialPivLu().solve(run.ws->gamma);  // V_I' z_I
  const Vector z_dot =
      (V_I.transpose() * M * V_I).ldlt().solve(V_I.transpose() * (run.ws->f - M * rate));
  const Vector a = V_I * z_dot + rate;
  EXPECT_LT(error_of(a, x.a), 1e-9);
  const Vector lambda =
      (G * V_D).transpose().partialPivLu().solve(V_D.transpose() * (run.ws->f - M * a));
  EXPECT_LT(error_of(lambda, x.lambda), 1e-6);
}

TEST(Reduction, DirectionsKeepTheIndependentCoordinates) {
  ProblemRun run("andrews");
  run.equations->position(run.context(), run.x0, want_G | want_g, *run.ws);
  using Choice = reduction::Coordinates::Choice;
  for (const Choice choice : {Choice::pivots, Choice::svd, Choice::gram_schmidt}) {
    reduction::Coordinates coordinates(*run.equations, run.context(), with_tolerance(1e-8));
    run.equations->position(run.context(), run.x0, want_G | want_g, *run.ws);
    ASSERT_TRUE(coordinates.choose(choice, *run.ws));
    EXPECT_GT(coordinates.pivot_ratio(), 1e-6);
    State x = run.x0;
    x.p.array() += 1e-3;
    x.v.array() += 1e-2;
    const Vector p = x.p, v = x.v;
    ASSERT_TRUE(coordinates.positions(x, *run.ws).ok);
    run.equations->position(run.context(), x, want_G, *run.ws);
    ASSERT_TRUE(coordinates.velocities(x, *run.ws, true).ok);
    EXPECT_LT(run.position_residual(x), 1e-9);  // a hundredth of the tolerance, in p
    EXPECT_LT(run.velocity_residual(x), 1e-13);
    // what has changed lies in D
    Vector part(v.size());
    if (choice == Choice::pivots) {
      int kept = 0;
      for (int i = 0; i < v.size(); ++i) kept += x.v[i] == v[i] && x.p[i] == p[i] ? 1 : 0;
      EXPECT_EQ(kept, 1);  // one degree of freedom
    } else {
      coordinates.dependent_part(x.v - v, part);
      EXPECT_LT((part - (x.v - v)).norm(), 1e-13);
    }
  }
}

TEST(Reduction, RefusesOptionsWithTheirBounds) {
  ProblemRun run("pendulum");
  for (const char* wrong : {"reduction method=gcp", "reduction alpha=-1", "reduction gamma=2"}) {
    EXPECT_THROW(run.start(wrong, with_tolerance(1e-6)), std::invalid_argument) << wrong;
  }
  IntegratorOptions options = with_tolerance(1e-6);
  options.max_order = 13;
  EXPECT_THROW(run.start("reduction", options), std::invalid_argument);
  options.max_order = 4;
  const auto integrator = run.start("reduction", options);
  while (integrator->state().t < 1.0) {
    integrator->step(1.0);
    EXPECT_LE(integrator->statistics().last_order, 4);
  }
}

}  // namespace
}  // namespace mbs::test
