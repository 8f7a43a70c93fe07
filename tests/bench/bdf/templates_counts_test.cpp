// What the tables of bench_bdf say in counts, on templates.

#include <gtest/gtest.h>

#include "engine/integrators/bdf/dropped_lu.hpp"
#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "tests/bench/bdf/template_run.hpp"

namespace mbs::test {
namespace {

// Table 1 of report 002.
TEST(BdfTemplates, TheCarriageSparesEvaluations) {
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

// Chapter 4 of report 003: GMRES steps instead of refreshes.
TEST(BdfTemplates, TheThirdPhaseSparesFactorisations) {
  struct Case {
    const char* name;
    double end;
  };
  for (const Case& c : {Case{"all_terrain_vehicle", 1.0}, Case{"gimbal", 2.0}}) {
    const Problem problem = template_problem(c.name, c.end);
    const BdfRun plain = run_bdf(problem, 1e-4, 1e-5, {{"corrector", "dassl"}}),
                 krylov =
                     run_bdf(problem, 1e-4, 1e-5, {{"corrector", "dassl"}, {"phases", "krylov"}});
    EXPECT_LE(10 * krylov.statistics.factorisations, 6 * plain.statistics.factorisations) << c.name;
  }
}

// Triangular solves against plain DASSL, and the phases that are found while running cost nothing.
TEST(BdfTemplates, OursSparesTriangularWork) {
  const Problem problem = template_problem("all_terrain_vehicle", 1.0);
  const BdfRun dassl = run_bdf(problem, 1e-4, 1e-5, {{"corrector", "dassl"}}),
               dropped = run_bdf(problem, 1e-4, 1e-5,
                                 {{"phases", "dropped"}, {"drop_tolerance", "0.001"}});
  EXPECT_LE(1.5 * dropped.counts.triangular, dassl.counts.triangular);
}

// (5.5): multiplications of a factorisation.
TEST(BdfTemplates, EliminationSparesFactorisations) {
  for (const char* name : {"gimbal", "all_terrain_vehicle", "truck", "railway_carriage"}) {
    const Problem problem = template_problem(name, 1.0);
    const Equations& equations = *problem.equations;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    BdfSystem system(equations, {inputs, parameters}, BdfForm::ggl, Formalism::residual);
    Vector y = Vector::Zero(system.size()), y_dot = y;
    system.begin(problem.initial);
    system.pack(problem.initial, y, y_dot);
    Vector B = Vector::Zero(system.pattern().nonZeros()), E = B;
    system.exact(0.0, y, y_dot, B, E);
    long cost[2];
    for (int k = 0; k < 2; ++k) {
      IterationMatrix matrix;
      matrix.analyse(system.pattern(), k == 0 ? 0 : system.at().v, system.at().eta);
      ASSERT_TRUE(matrix.factor(800.0 * E + B));
      DroppedLu operations;
      ASSERT_TRUE(operations.make(matrix.lu(), 0.0));
      cost[k] = operations.factorisation() + matrix.form_operations();
    }
    EXPECT_LE(10 * cost[1], 8 * cost[0]) << name;
  }
}

}  // namespace
}  // namespace mbs::test
