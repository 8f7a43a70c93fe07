// The recursive elimination by itself: which tree is found, that its work grows with the number of
// bodies, mixed coordinates, and matrices that have to be left to another solver.

#include "engine/linear/tree_saddle.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tests/linear/random_saddle.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

SaddleStructure structure_of(const std::string& problem) {
  return make_problem(problem).equations->structure().saddle;
}

// Columns and rows of a node.
using Size = std::pair<int, int>;

std::vector<Size> sizes(const BodyTree& tree) {
  std::vector<Size> list;
  for (const BodyTree::Node& node : tree.nodes) list.emplace_back(node.n, node.m);
  return list;
}

TEST(BodyTree, FindsTheInsulatorsInThePatterns) {
  const BodyTree tree = find_body_tree(structure_of("insul16"));
  EXPECT_TRUE(tree.cut.empty());
  std::vector<Size> expected(18, Size(3, 2));
  expected.front() = Size(2, 2);  // the rope's massless end, a leaf
  EXPECT_EQ(sizes(tree), expected);
  for (std::size_t k = 0; k + 1 < tree.nodes.size(); ++k) {
    EXPECT_EQ(tree.nodes[k].parent, static_cast<int>(k) + 1);
    EXPECT_EQ(tree.nodes[k].columns.front(), 3 * static_cast<int>(k) - (k > 0 ? 1 : 0));
  }
  EXPECT_EQ(tree.nodes.back().parent, -1);
}

TEST(BodyTree, RelativeCoordinatesJoinWhatTheirRowsHold) {
  const BodyTree tree = find_body_tree(structure_of("andrews"));
  EXPECT_TRUE(tree.cut.empty());
  EXPECT_EQ(sizes(tree), (std::vector<Size>{{2, 2}, {2, 2}, {3, 2}}));
}

TEST(BodyTree, OneJointOfEachLoopIsCut) {
  std::mt19937 random(3);
  for (const int loops : {1, 3}) {
    const SaddleKind kind{.topology = SaddleKind::loop, .bodies = 12, .loops = loops};
    const BodyTree tree = find_body_tree(make_random_saddle(kind, random).structure);
    EXPECT_EQ(tree.nodes.size(), 12u);
    EXPECT_EQ(static_cast<int>(tree.cut.size()), 2 * loops);
  }
}

TEST(BodyTree, TakesTheBodiesItIsGiven) {
  SaddleStructure structure = structure_of("insul16");
  const std::vector<Size> found = sizes(find_body_tree(structure));
  for (int i = 0; i < structure.M.cols(); ++i) {  // in any numbering
    structure.bodies.push_back(i < 2 ? 5 : -7 * ((i - 2) / 3));
  }
  EXPECT_EQ(sizes(find_body_tree(structure)), found);
  structure.bodies[2] = structure.bodies[3] = structure.bodies[4] = 5;  // rope and triangle
  EXPECT_EQ(find_body_tree(structure).nodes.size(), 17u);
  structure.bodies.pop_back();
  EXPECT_THROW(find_body_tree(structure), std::invalid_argument);
}

// Three pairs of columns, each held to the one before by three rows: all become one, and its rows
// are not taken for rows to the ground, which would be cut.
TEST(BodyTree, OverfullBodiesJoinTheirParents) {
  SaddleStructure structure;
  structure.M = Matrix(Matrix::Identity(9, 9)).sparseView();
  structure.F.resize(9, 7);
  Matrix G = Matrix::Zero(7, 9);
  G.block(0, 0, 2, 3).setOnes();  // body 0 (three columns) to the ground
  G.block(2, 0, 3, 5).setOnes();  // body 1 (two) to body 0 by three rows
  G.block(5, 3, 1, 4).setOnes();  // body 2 (two) to body 1
  G.block(6, 5, 1, 4).setOnes();  // body 3 (two) to body 2
  structure.G = G.sparseView();
  structure.bodies = {0, 0, 0, 1, 1, 2, 2, 3, 3};
  const BodyTree tree = find_body_tree(structure);
  EXPECT_EQ(sizes(tree), (std::vector<Size>{{2, 1}, {2, 1}, {5, 5}}));
  EXPECT_TRUE(tree.cut.empty());
}

TEST(BodyTree, FrictionThatActsElsewhereCutsItsRow) {
  std::mt19937 random(3);
  RandomSaddle system = make_random_saddle({.bodies = 6, .with_F = true}, random);
  EXPECT_TRUE(find_body_tree(system.structure).cut.empty());
  system.structure.F.coeffRef(0, 9) = 1.0;  // the fifth joint's force on the first body
  system.structure.F.makeCompressed();
  EXPECT_EQ(find_body_tree(system.structure).cut, std::vector<int>{9});
  // The system with the cut row is solved all the same.
  system.F = system.structure.F;
  system.with_F = true;
  const auto solver = make_saddle_solver("tree", system.structure);
  ASSERT_TRUE(solver->factor(system.matrix()));
  EXPECT_EQ(solver->statistics().fallbacks, 0);
  const Vector expected = Vector::Random(system.size());
  Vector found = system.whole() * expected;
  solver->solve(found.head(system.M.cols()), found.tail(system.G.rows()));
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-11);
}

// O(n): each insulator more costs the same.
TEST(BodyTree, WorkGrowsWithTheNumberOfBodies) {
  const auto operations = [](int N) {
    return find_body_tree(structure_of("insul" + std::to_string(N))).operations();
  };
  const double one = operations(17) - operations(16);
  EXPECT_GT(one, 0.0);
  EXPECT_LT(one, 200.0);
  EXPECT_NEAR(operations(1024) - operations(16), (1024 - 16) * one, 1e-6 * one);
}

TEST(TreeSaddle, PassesMasslessBodiesAndManyBodies) {
  for (const char* name : {"insul16", "insul1024", "andrews", "chain10"}) {
    SCOPED_TRACE(name);
    const Problem problem = make_problem(name);
    const Equations& equations = *problem.equations;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    const auto ws = equations.make_workspace();
    equations.position({inputs, parameters}, problem.initial, want_M | want_G, *ws);
    const auto tree = equations.make_solver("tree"), sparse = equations.make_solver("sparse");
    ASSERT_TRUE(tree->factor(ws->saddle()));
    ASSERT_TRUE(sparse->factor(ws->saddle()));
    EXPECT_EQ(tree->statistics().fallbacks, 0);
    Vector x = Vector::Random(ws->M.cols()), y = Vector::Random(ws->G.rows());
    const Vector b = x, c = y;
    tree->solve(x, y);
    const double size = std::max(x.cwiseAbs().maxCoeff(), y.cwiseAbs().maxCoeff());
    const Vector top = ws->M * x + ws->G.transpose() * y - b, bottom = ws->G * x - c;
    EXPECT_LT(top.cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LT(bottom.cwiseAbs().maxCoeff(), 1e-12 * size);
  }
}

TEST(TreeSaddle, SolvesMixedCoordinates) {
  std::mt19937 random(5);
  for (const int n_y : {3, 6}) {
    for (const int d : {1, 2, 3}) {
      for (const int bodies : {1, 2, 5, 20}) {
        for (const bool loop : {false, true}) {
          if (loop && bodies < 5) continue;
          SCOPED_TRACE(std::to_string(bodies) + " bodies, " + std::to_string(n_y) + "+" +
                       std::to_string(d) + (loop ? ", loop" : ""));
          const SaddleKind kind{.topology = loop ? SaddleKind::loop : SaddleKind::tree,
                                .bodies = bodies,
                                .loops = 1,
                                .freedom = d,
                                .body_columns = n_y};
          const RandomSaddle system = make_random_saddle(kind, random);
          const BodyTree tree = find_body_tree(system.structure);
          EXPECT_EQ(sizes(tree),
                    std::vector<Size>(static_cast<std::size_t>(bodies), Size(n_y + d, n_y)));
          EXPECT_EQ(tree.cut.size(), loop ? 1u : 0u);
          for (const char* keyword : {"tree", "block"}) {
            const auto solver = make_saddle_solver(keyword, system.structure);
            ASSERT_TRUE(solver->factor(system.matrix()));
            EXPECT_EQ(solver->statistics().fallbacks, 0) << keyword;
            const Vector expected = Vector::Random(system.size());
            Vector found = system.whole() * expected;
            solver->solve(found.head(system.M.cols()), found.tail(system.G.rows()));
            EXPECT_LT((found - expected).cwiseAbs().maxCoeff(),
                      1e-14 * system.size() / solver->reciprocal_condition())
                << keyword;
          }
        }
      }
    }
  }
}

// Body 1 hangs on body 0 by two rows that hold only one of its columns: its node is singular, the
// whole matrix is not. The sparse solver steps in, and only as long as it is needed.
TEST(TreeSaddle, LeavesSingularNodesToTheSparseSolver) {
  RandomSaddle system;
  Matrix G(3, 4);
  G << 1, 1, 0, 0,  // of body 0 to the ground
      1, 0, 1, 1e-9, 0, 1, 1, -1e-9;
  system.G = G.sparseView(1.0, 1e-12);
  system.G.makeCompressed();
  system.M = Matrix(Matrix::Identity(4, 4)).sparseView();
  system.F.resize(4, 3);
  system.D = Vector::Zero(3);
  system.structure.M = system.M;
  system.structure.G = system.G;
  system.structure.F = system.F;
  system.structure.bodies = {0, 0, 1, 1};
  const auto solver = make_saddle_solver("tree", system.structure);
  const auto check = [&](long fallbacks) {
    ASSERT_TRUE(solver->factor(system.matrix()));
    EXPECT_EQ(solver->statistics().fallbacks, fallbacks);
    const Vector expected = Vector::Random(7);
    Vector found = system.whole() * expected;
    solver->solve(found.head(4), found.tail(3));
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_GT(solver->reciprocal_condition(), 0.01);
  };
  check(1);
  check(2);
  system.G.coeffRef(1, 3) = 1.0;
  check(2);
  system.G.coeffRef(1, 3) = 0.0;
  check(3);
}

}  // namespace
}  // namespace mbs::test
