// Evaluations that the choices of a Jacobian save, in counts: Fig. 7 and Table 2 of Arnold et al.
// (2006), and Nijhuis (2013).

#include <gtest/gtest.h>

#include "engine/integrators/bdf/integrator.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

struct Counts {
  Statistics statistics;
  bdf::Counts bdf;
  long differences;
  double error;
};

Counts run(const std::string& problem, double rtol, double atol,
           std::vector<std::pair<std::string, std::string>> keywords) {
  ProblemRun run(problem);
  IntegratorOptions options;
  options.rtol = rtol;
  options.atol = atol;
  for (auto& [name, value] : keywords) options.method_options.push_back({"bdf", name, value});
  bdf::Integrator bdf(*run.equations, run.context(), options);
  bdf.start(run.consistent(run.x0));
  ProblemRun::advance(bdf, run.t_end);
  return {bdf.statistics(), bdf.counts(), bdf.difference_residuals(),
          run.reference ? error_of(bdf.state().p, run.reference->p) : 0.0};
}

using Keywords = std::vector<std::pair<std::string, std::string>>;

// 4.2.1 of Arnold et al. (2006), explicit formalism: 43 Jacobians, and 6 with (26).
TEST(BdfCounts, ExtendedUpdatesSaveJacobiansOnTheExcitedChain) {
  const Keywords plain = {
      {"corrector", "dassl"}, {"formalism", "explicit"}, {"jacobian", "differences"}};
  Keywords extended = plain;
  extended.emplace_back("update", "extended");
  const Counts a = run("exchB16", 1e-4, 1e-6, plain), b = run("exchB16", 1e-4, 1e-6, extended);
  EXPECT_GE(a.statistics.jacobians, 28);
  EXPECT_LE(a.statistics.jacobians, 58);
  EXPECT_LE(7 * b.statistics.jacobians, a.statistics.jacobians);
  EXPECT_GT(b.statistics.updates, 0);
  EXPECT_LT(b.error, 2.0 * a.error + 1e-5);
  EXPECT_LT(b.differences, a.differences / 7);
}

TEST(BdfCounts, GroupsOfColumnsHalveTheEvaluations) {
  const Counts full =
      run("insul16", 1e-5, 1e-5, {{"corrector", "dassl"}, {"jacobian", "differences"}});
  const Counts groups =
      run("insul16", 1e-5, 1e-5, {{"corrector", "dassl"}, {"jacobian", "groups"}});
  const auto per_jacobian = [](const Counts& c) {
    return static_cast<double>(c.differences) / static_cast<double>(c.statistics.jacobians);
  };
  EXPECT_LE(per_jacobian(groups), 0.5 * per_jacobian(full));
  const Counts exact = run("insul16", 1e-5, 1e-5, {{"corrector", "dassl"}, {"jacobian", "exact"}});
  EXPECT_EQ(exact.differences, 0);
}

TEST(BdfCounts, DefaultsNeedFarFewerJacobiansThanDassl) {
  for (const char* problem : {"andrews", "insul16", "chain10"}) {
    const Counts plain = run(problem, 1e-5, 1e-5, {{"corrector", "dassl"}}),
                 ours = run(problem, 1e-5, 1e-5, {});
    EXPECT_LT(10 * ours.statistics.steps, 8 * plain.statistics.steps) << problem;
    EXPECT_LT(10 * ours.statistics.jacobians, 7 * plain.statistics.jacobians) << problem;
    EXPECT_LT(ours.error, plain.error) << problem;
  }
}

TEST(BdfCounts, PhasesSaveTriangularWorkAndFactorisations) {
  const Counts dropped = run("insul64", 1e-4, 1e-4, {{"phases", "dropped"}});
  EXPECT_GT(dropped.bdf.dropped_solves, 0);
  EXPECT_LT(dropped.bdf.triangular, dropped.bdf.triangular_full);
  const Counts plain = run("andrews", 1e-6, 1e-6, {{"phases", "plain"}}),
               krylov = run("andrews", 1e-6, 1e-6, {{"phases", "krylov"}});
  EXPECT_GT(krylov.bdf.krylov_steps, 0);
  EXPECT_LT(krylov.statistics.factorisations, plain.statistics.factorisations);
}

TEST(BdfCounts, TheContractionIsRecorded) {
  ProblemRun problem("andrews");
  bdf::Integrator bdf(*problem.equations, problem.context(), with_tolerance(1e-6));
  bdf.start(problem.consistent(problem.x0));
  double largest = 0.0;
  while (bdf.state().t < problem.t_end) {
    bdf.step(problem.t_end);
    EXPECT_GE(bdf.statistics().contraction, 0.0);
    EXPECT_LT(bdf.statistics().contraction, 1.0);
    largest = std::max(largest, bdf.statistics().contraction);
  }
  EXPECT_GT(largest, 0.0);
}

}  // namespace
}  // namespace mbs::test
