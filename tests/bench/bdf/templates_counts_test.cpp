// The tables of bench_bdf on templates, as far as they are counts.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "engine/integrators/bdf/threshold_lu.hpp"
#include "tests/bench/bdf/template_run.hpp"

namespace mbs::test {
namespace {

// Table 1 of Arnold et al. (2006).
TEST(BdfTemplates, TheCarriageSavesEvaluations) {
  const Problem carriage = template_problem("railway_carriage", 15.0);
  struct Case {
    const char* formalism;
    double bound;
  };
  for (const Case& c : {Case{"explicit", 0.48}, Case{"residual", 0.43}}) {
    const auto run = [&](const char* jacobian, const char* update) {
      return run_bdf(carriage, 1e-4, 1e-4,
                     {{"corrector", "dassl"},
                      {"formalism", c.formalism},
                      {"jacobian", jacobian},
                      {"update", update}});
    };
    const BdfRun plain = run("differences", "none"), groups = run("groups", "none"),
                 both = run("groups", "partitioned"), exact = run("exact", "partitioned");
    EXPECT_EQ(plain.unknowns, 98);
    EXPECT_LE(groups.per_jacobian(), 0.5 * plain.per_jacobian());
    EXPECT_LE(static_cast<double>(both.calls()), c.bound * static_cast<double>(plain.calls()));
    EXPECT_LT(exact.calls(), both.calls());
  }
}

// Table 3 of Arnold et al. (2006) where errors along the motion are the same. DASSL's corrector
// stops at a third of the tolerance, of which an old Jacobian leaves more than a new one: its
// errors are larger, ours are not.
TEST(BdfTemplates, TheCarSavesJacobiansAtEqualErrors) {
  const Problem car = template_problem("passenger_car", 5.0);
  const Track track = find_track(car, 100);
  const auto run = [&](const char* corrector, const char* jacobian, const char* update) {
    WorkPrecision done;
    done.run(car, 3.5, 5.0,
             {{"corrector", corrector},
              {"formalism", "explicit"},
              {"jacobian", jacobian},
              {"update", update}},
             track);
    return done;
  };
  const WorkPrecision plain = run("dassl", "differences", "none");
  struct Case {
    const char* corrector;
    double error;  // by plain's at the same tolerances
  };
  for (const Case& c : {Case{"dassl", 2.5}, Case{"auto", 1.0}}) {
    const WorkPrecision best = run(c.corrector, "groups", "extended");
    EXPECT_LE(best.mean_error(), c.error * plain.mean_error()) << c.corrector;
    for (const double error : {1e-5, 3e-6}) {
      const auto by_plain = [&](double (*cost)(const BdfRun&)) {
        const auto q =
            ratio(smooth_cost(best.curve(cost), error), smooth_cost(plain.curve(cost), error));
        return q ? q->value : 1e9;
      };
      EXPECT_LE(
          by_plain([](const BdfRun& r) { return static_cast<double>(r.statistics.jacobians); }),
          0.06)
          << c.corrector << " at " << error;
      EXPECT_LE(by_plain([](const BdfRun& r) { return static_cast<double>(r.calls()); }), 0.12)
          << c.corrector << " at " << error;
    }
  }
}

// Arnold et al. (2006), section 3.3: a rheonomic joint.
TEST(BdfTemplates, TheAxleRigSavesJacobians) {
  Problem rig = template_problem("axle_rig", 10.0);
  find_reference(rig);
  const auto run = [&](const char* update) {
    return run_bdf(rig, 1e-4, 1e-6,
                   {{"corrector", "dassl"},
                    {"formalism", "explicit"},
                    {"jacobian", "differences"},
                    {"update", update}});
  };
  const BdfRun plain = run("none"), extended = run("extended");
  EXPECT_LE(7 * extended.statistics.jacobians, plain.statistics.jacobians);
  EXPECT_LE(extended.error, 3.0 * plain.error);
}

struct PhasesCase {
  const char* name;
  double end;
};
constexpr PhasesCase phases_cases[] = {{"all_terrain_vehicle", 2.0}, {"gimbal", 2.0}};

// Chapter 4 of Nijhuis (2013): GMRES steps instead of refreshes, in DASSL's corrector and in ours.
TEST(BdfTemplates, TheThirdPhaseSavesFactorisations) {
  for (const PhasesCase& c : phases_cases) {
    const Problem problem = template_problem(c.name, c.end);
    for (const char* corrector : {"dassl", "auto"}) {
      const BdfRun plain = run_bdf(problem, 1e-4, 1e-5,
                                   {{"corrector", corrector}, {"phases", "plain"}}),
                   krylov = run_bdf(problem, 1e-4, 1e-5,
                                    {{"corrector", corrector}, {"phases", "krylov"}});
      EXPECT_LE(10 * krylov.statistics.factorisations, 6 * plain.statistics.factorisations)
          << c.name << ", " << corrector;
    }
  }
}

// The first two phases alone are compared with plain DASSL. One run saves 1.4 to 1.85 times, as its
// steps happen to fall, so eight runs at nearly the same tolerances are taken.
TEST(BdfTemplates, DroppingSavesTriangularWork) {
  Problem problem = template_problem("all_terrain_vehicle", 2.0);
  find_reference(problem);
  double plain = 0.0, dropped = 0.0, plain_error = 0.0, dropped_error = 0.0;
  for (const double factor : {0.9, 0.95, 0.99, 1.0, 1.001, 1.01, 1.05, 1.1}) {
    const auto run = [&](const char* phases, double& work, double& error) {
      const BdfRun one = run_bdf(problem, factor * 1e-4, factor * 1e-5,
                                 {{"corrector", "dassl"}, {"phases", phases}});
      work += static_cast<double>(one.counts.triangular);
      error += one.error;
    };
    run("plain", plain, plain_error);
    run("dropped", dropped, dropped_error);
  }
  EXPECT_LE(1.5 * dropped, plain);
  EXPECT_LE(dropped_error, 2.0 * plain_error);
}

// The test counts operations, with the phases that are found while running.
TEST(BdfTemplates, AllPhasesNeverCostMoreThanThePlainCycle) {
  int count = 0;
  for (const std::string& name : template_names()) {
    const Problem problem = template_problem(name, 0.0);
    const BdfRun plain = sum_of_runs(problem, {{"phases", "plain"}}),
                 ours = sum_of_runs(problem, {});
    EXPECT_LE(ours.statistics.operations, 1.03 * plain.statistics.operations) << name;
    ++count;
  }
  EXPECT_GE(count, 18);
}

// Two loops of equal rods: all posts have the angle of a pendulum that turns over, every joint has
// it or its opposite.
Vector parallelograms(double t_end, const Vector& initial) {
  constexpr double g = 9.81, c = (1.5 + 2.0) / (1.0 + 2.0), upright = 0.5 * std::numbers::pi;
  Eigen::Vector2d x(upright, -1.0);  // angle and rate
  const auto slope = [&](const Eigen::Vector2d& at) {
    return Eigen::Vector2d(at[1], -c * g * std::cos(at[0]));
  };
  constexpr int steps = 20000;
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {  // Runge's and Kutta's method
    const Eigen::Vector2d a = slope(x), b = slope(x + 0.5 * h * a), d = slope(x + 0.5 * h * b),
                          e = slope(x + h * d);
    x += h / 6.0 * (a + 2.0 * b + 2.0 * d + e);
  }
  const double u = std::cos(x[0]), v = std::sin(x[0]);
  Vector bodies(15);
  bodies << 0.5 * u, 0.5 * v, x[0], 1.0 + 0.5 * u, 0.5 * v, x[0], u + 0.5, v, 0.0, 2.0 + 0.5 * u,
      0.5 * v, x[0], u + 1.5, v, 0.0;
  Vector p = initial;
  Eigen::Index first_joint = 0;
  if (p.size() >= bodies.size()) {
    first_joint = bodies.size();
    p.head(first_joint) = bodies;
  }
  for (Eigen::Index i = first_joint; i < p.size(); ++i) {
    p[i] += (initial[i] < 0.0 ? -1.0 : 1.0) * (x[0] - upright);
  }
  return p;
}

// Twice a turn they lie in one line, the constraints lose rank there, and steps are as long as the
// way there. Smaller tolerances are a matter of chance: rounding errors of g are velocities' errors
// of v eps / delta^2 where delta is left to the singular position.
TEST(BdfTemplates, SingularPositionsAreCrossed) {
  for (const std::string coordinates : {"absolute", "joint", "mixed"}) {
    Problem problem = template_problem("n_four_bar", 0.0, {}, coordinates);
    problem.reference.emplace();
    problem.reference->t = problem.t_end;
    problem.reference->p = parallelograms(problem.t_end, problem.initial.p);
    for (int k = 9; k <= 21; ++k) {
      const double tolerance = std::pow(10.0, -k / 3.0);
      SCOPED_TRACE(coordinates + " at " + std::to_string(tolerance));
      const BdfRun run = run_bdf(problem, tolerance, tolerance, {});
      const Statistics& s = run.statistics;
      EXPECT_LE(4 * (s.rejected + s.failed), s.steps);
      EXPECT_LE(run.error, 1e3 * tolerance + 5e-4);
    }
  }
}

// The test counts operations; `bench_bdf size` has the times.
TEST(BdfTemplates, AStepCostsInProportionToTheBodies) {
  const auto per_step = [](const Problem& problem) {
    const BdfRun run = run_bdf(problem, 1e-4, 1e-5, {});
    return run.statistics.operations / static_cast<double>(run.statistics.steps);
  };
  const auto train = [&](const char* trailers) {
    return per_step(problem_of_file(MBS_ROAD_TRAIN, 0.3, {{"N", trailers}}));
  };
  const auto chain = [&](const char* name) {
    Problem problem = make_problem(name);
    problem.reference.reset();
    problem.t_end = 0.05;
    return per_step(problem);
  };
  EXPECT_LE(train("24"), 8.0 * 1.2 * train("3"));
  EXPECT_LE(chain("insul512"), 8.0 * 1.2 * chain("insul64"));
}

// (5.5): multiplications of a factorisation.
TEST(BdfTemplates, EliminationSavesFactorisations) {
  for (const char* name : {"gimbal", "all_terrain_vehicle", "truck", "railway_carriage"}) {
    const Problem problem = template_problem(name, 1.0);
    const Equations& equations = *problem.equations;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    bdf::System system(equations, {inputs, parameters}, bdf::Form::ggl, bdf::Formalism::residual);
    Vector y = Vector::Zero(system.size()), y_dot = y;
    system.begin(problem.initial);
    system.pack(problem.initial, y, y_dot);
    Vector B = Vector::Zero(system.pattern().nonZeros()), E = B;
    system.exact(0.0, y, y_dot, B, E);
    long cost[2];
    for (int k = 0; k < 2; ++k) {
      bdf::IterationMatrix matrix;
      matrix.analyse(system.pattern(), k == 0 ? 0 : system.at().v, system.at().eta);
      ASSERT_TRUE(matrix.factor(800.0 * E + B));
      bdf::ThresholdLu operations;
      ASSERT_TRUE(operations.make(matrix.lu(), 0.0));
      cost[k] = operations.factorisation() + matrix.form_operations();
    }
    EXPECT_LE(10 * cost[1], 8 * cost[0]) << name;
  }
}

}  // namespace
}  // namespace mbs::test
