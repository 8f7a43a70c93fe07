// The keywords of make_saddle_solver: each on the matrices of every hand-written problem, with and
// without friction; what auto chooses; and the time as a statistic.

#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/linear_solver_names.hpp"
#include "tests/linear/random_saddle.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

// ( M  G^T - F ; G  -D ) (x; y) = (b; c), each row by the size of its terms.
double residual(const Workspace& ws, bool with_F, const Vector& x, const Vector& y, const Vector& b,
                const Vector& c) {
  const RowSparse G_size = ws.G.cwiseAbs();
  Vector top = ws.M * x + ws.G.transpose() * y - b;
  Vector top_size = ws.M.cwiseAbs() * x.cwiseAbs() + G_size.transpose() * y.cwiseAbs();
  if (with_F) {
    top -= ws.F * y;
    top_size += ws.F.cwiseAbs() * y.cwiseAbs();
  }
  const Vector bottom = ws.G * x - ws.D.cwiseProduct(y) - c, bottom_size = G_size * x.cwiseAbs();
  return std::max(largest(top.cwiseQuotient(top_size + b.cwiseAbs())),
                  largest(bottom.cwiseQuotient(bottom_size + c.cwiseAbs())));
}

// Reduced to joint accelerations ("block") a long chain loses some digits.
TEST(SaddleSolver, EveryKeywordSolvesEveryProblem) {
  for (const std::string& name : problem_names()) {
    const Problem problem = make_problem(name);
    const Equations& equations = *problem.equations;
    if (equations.sizes().v + equations.sizes().lambda > 600) continue;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    const Context context{inputs, parameters};
    const auto ws = equations.make_workspace();
    equations.position(context, problem.initial, want_position_all, *ws);
    equations.velocity(context, problem.initial, *ws);
    const bool has_F = equations.structure().f_depends_on_lambda;
    if (has_F) {
      equations.force(context, problem.initial, want_force_all, *ws);
      equations.friction(context, problem.initial, *ws);
    }
    std::istringstream keywords{std::string(saddle_keywords)};
    for (std::string keyword; std::getline(keywords, keyword, '|');) {
      SCOPED_TRACE(name + " by " + keyword);
      const auto solver = equations.make_solver(keyword);
      for (const bool with_F : {false, true}) {
        if (with_F && !has_F) continue;
        ASSERT_TRUE(solver->factor(ws->saddle(with_F)));
        const Vector b = Vector::Random(ws->M.cols()), c = Vector::Random(ws->G.rows());
        Vector x = b, y = c;
        solver->solve(x, y);
        EXPECT_LT(residual(*ws, with_F, x, y, b, c), 1e-10);
      }
    }
  }
}

TEST(SaddleSolver, AutoSaysWhatItChose) {
  std::mt19937 random(1);
  const auto chosen = [](const SaddleStructure& structure) {
    return make_saddle_solver("auto", structure)->name();
  };
  EXPECT_EQ(chosen(make_random_saddle({.bodies = 60}, random).structure),
            "tree of 60 bodies, auto: no loops");
  const SaddleKind loop{.topology = SaddleKind::loop, .bodies = 40};
  EXPECT_EQ(chosen(make_random_saddle(loop, random).structure),
            "tree of 40 bodies, rows cut: 2, auto: few loops");
  const SaddleKind loops{.topology = SaddleKind::loop, .bodies = 40, .loops = 9};
  EXPECT_EQ(chosen(make_random_saddle(loops, random).structure),
            make_saddle_solver("sparse", make_random_saddle(loops, random).structure)->name() +
                ", auto: no tree of small bodies");
  EXPECT_EQ(chosen(make_random_saddle({.bodies = 1}, random).structure),
            "dense, auto: few unknowns");
  SaddleStructure full;
  full.M = Matrix::Ones(30, 30).sparseView();
  full.G.resize(0, 30);
  EXPECT_EQ(chosen(full), "dense, auto: most entries are there");
}

TEST(SaddleSolver, KeywordsAreChecked) {
  std::mt19937 random(1);
  const RandomSaddle small = make_random_saddle({.bodies = 2}, random);
  try {
    make_saddle_solver("densse", small.structure);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'densse' is no linear solver: known are auto, dense, symmetric, range_space, "
                 "block, sparse, tree, cg");
  }
}

// Times are taken when asked for, and are no part of a snapshot.
TEST(SaddleSolver, TimesAreAStatistic) {
  std::mt19937 random(1);
  const RandomSaddle system = make_random_saddle({.bodies = 20}, random);
  const auto solver = make_saddle_solver("sparse", system.structure);
  Vector x = Vector::Ones(system.M.cols()), y = Vector::Ones(system.G.rows());
  const auto once = [&] {
    ASSERT_TRUE(solver->factor(system.matrix()));
    solver->solve(x, y);
  };
  const auto stored = [&] {
    std::vector<std::byte> stream;
    ByteWriter writer(stream);
    solver->save(writer);
    return stream;
  };
  const SaddleStatistics& statistics = solver->statistics();
  EXPECT_GT(statistics.analyse_seconds, 0.0);
  once();
  EXPECT_EQ(statistics.factor_seconds + statistics.solve_seconds, 0.0);
  const std::vector<std::byte> before = stored();
  solver->measure_time(true);
  once();
  EXPECT_GT(statistics.factor_seconds, 0.0);
  EXPECT_GT(statistics.solve_seconds, 0.0);
  const double factor_seconds = statistics.factor_seconds;
  ByteReader reader(before);
  solver->restore(reader);
  EXPECT_EQ(stored(), before);
  EXPECT_EQ(statistics.factor_seconds, factor_seconds);
}

}  // namespace
}  // namespace mbs::test
