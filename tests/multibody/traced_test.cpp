// The scalar that carries dependencies, the graph of them, and what follows for small mechanisms.
#include <gtest/gtest.h>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/multibody/branches.hpp"
#include "engine/analysis/dependencies/dependencies.hpp"
#include "engine/analysis/dependencies/graph.hpp"

namespace mbs {
namespace {

const Traced a = Traced::variable(0), b = Traced::variable(1);

TEST(Traced, CarriesWhatASumOrAProductDependsOn) {
  EXPECT_EQ((a + b).any.count(), 2u);
  EXPECT_TRUE((a - 2.0 * b + 1.0).nonlinear.none());
  EXPECT_EQ((a * b).nonlinear.count(), 2u);
  EXPECT_EQ((1.0 / a).nonlinear.count(), 1u);
  EXPECT_TRUE((0.0 * a).constant());
  EXPECT_FALSE((a - a).constant());
  EXPECT_EQ(sin(Traced(0.0)).value, 0.0);
  EXPECT_TRUE(sin(a).nonlinear[0]);
}

TEST(Traced, TakesTheUnionOfBranches) {
  EXPECT_EQ(by_sign(a, b, Traced(0.0)).any.count(), 2u);
  EXPECT_EQ(taut(a, b).any.count(), 2u);
  EXPECT_EQ(not_negative(a).any.count(), 1u);
  EXPECT_EQ(clamped(a, b).any.count(), 2u);
}

TEST(DependencyGraph, BlocksDependOnAllThatActsOnAnyOfTheirNodes) {
  DependencyGraph graph;
  graph.add_nodes(6);  // knowns 0, 1, 2; then 3 <-> 4, 5
  graph.depend(3, 4, true);
  graph.depend(4, 3, true);
  graph.depend(3, 0, true);
  graph.depend(4, 1, false);
  graph.depend(5, 4, true);
  graph.depend(5, 2, true);
  const DependencyClosure closure(graph, 3);
  EXPECT_EQ(closure.block(3), closure.block(4));
  for (const int node : {3, 4, 5}) {
    EXPECT_TRUE(closure.of(node).contains(0));
    EXPECT_TRUE(closure.of(node).contains(1));
    EXPECT_FALSE(closure.of(node).nonlinear(0));
    EXPECT_TRUE(closure.of(node).nonlinear(1));
  }
  EXPECT_FALSE(closure.of(4).contains(2));
  EXPECT_TRUE(closure.of(5).contains(2));
}

TEST(DependencyGraph, NothingIsConstantBehindAVaryingFactorOfABlock) {
  DependencyGraph graph;
  graph.add_nodes(3);
  graph.depend(1, 2, true);
  graph.depend(2, 1, false);
  graph.depend(1, 0, true);
  EXPECT_TRUE(DependencyClosure(graph, 1).of(1).nonlinear(0));
}

Dependencies dependencies_of(const std::string& inside) {
  Diagnostics diagnostics;
  const Model model = read_model_text("<mbs name='M' version='1' planar='xy'>" + inside + "</mbs>",
                                      "model.mbs.xml", diagnostics);
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  return find_dependencies(model, *equations).value();
}

// A force along x of a body that does not turn acts on its motion along x alone.
TEST(Dependencies, KeepBlocksOfTheSaddleMatrixApart) {
  const Dependencies found = dependencies_of(
      "<input name='u' unit='N'/><parameter name='k' value='2'/><particle name='ball' mass='2 kg'/>"
      "<force on='ball' value='u, k*1 N'/><solver coordinates='absolute'/>");
  ASSERT_EQ(found.rates.size(), 4u);  // x, y, vx, vy
  ASSERT_EQ(found.rates[2].size(), 1u);
  EXPECT_EQ(found.rates[2][0].known, found.first_input());
  EXPECT_TRUE(found.rates[2][0].by_constant);
  ASSERT_EQ(found.rates[3].size(), 1u);
  EXPECT_EQ(found.rates[3][0].known, found.first_parameter());
}

// Sliding friction hangs on the normal force, whatever the contact does at the start.
TEST(Dependencies, HoldInAllModesOfContacts) {
  const Dependencies found = dependencies_of(
      "<input name='press' unit='N'/><particle name='ball' mass='1 kg'/>"
      "<free a='ground' b='ball' pos='0, 1 m'/><force on='ball' value='0, press'/>"
      "<contact a='ground' b='ball' normal='y' mu='0.3'/><solver coordinates='absolute'/>");
  ASSERT_EQ(found.rates.size(), 4u);
  const auto acts = [&](const DependencyList& list, int known) {
    return std::ranges::any_of(list, [&](const Dependency& one) { return one.known == known; });
  };
  EXPECT_TRUE(acts(found.rates[2], found.first_input()));
  EXPECT_TRUE(acts(found.rates[3], found.first_input()));
}

}  // namespace
}  // namespace mbs
