// Every linear solver under the extrapolation integrator: the problems that MEXX was run with its
// own solvers on give the same solution, to the tolerance, whichever is chosen.

#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/linear_solver_names.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

struct Case {
  const char* problem;
  double t_end;  // of the run; 0: the problem's own
  double largest_difference;
};

TEST(LinearSolverNames, GiveTheSameSolution) {
  // Friction in the drum needs the unsymmetric scheme.
  for (const Case& one :
       {Case{"andrews", 0.0, 1e-6}, {"insul16", 0.02, 1e-7}, {"drum1.5", 0.0, 1e-8}}) {
    SCOPED_TRACE(one.problem);
    ProblemRun run(one.problem);
    IntegratorOptions options = with_tolerance(1e-7);
    const double end = one.t_end > 0.0 ? one.t_end : run.t_end;
    std::istringstream keywords{std::string(saddle_keywords)};
    options.linear = "dense";
    const auto reference = run.start("extrapolation", options);
    ProblemRun::advance(*reference, end);
    for (std::string keyword; std::getline(keywords, keyword, '|');) {
      SCOPED_TRACE(keyword);
      options.linear = keyword;
      const auto integrator = run.start("extrapolation", options);
      ProblemRun::advance(*integrator, end);
      EXPECT_LT(error_of(integrator->state().p, reference->state().p), one.largest_difference);
      EXPECT_LT(error_of(integrator->state().v, reference->state().v), one.largest_difference);
    }
  }
}

}  // namespace
}  // namespace mbs::test
