// The scalar that carries dependencies, the graph of them, and what follows for small mechanisms.
#include <gtest/gtest.h>

#include "engine/analysis/dependencies/dependencies.hpp"
#include "engine/analysis/dependencies/traced.hpp"
#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/multibody/branches.hpp"

namespace mbs {
namespace {

class TracedValues : public testing::Test {
 protected:
  // Counts those of two knowns on which x depends, or those that act by more than a constant
  // factor.
  int count(const Traced& x, bool nonlinear = false) const {
    if (x.constant()) return 0;
    const DependencyClosure closure(graph_, 2);
    const KnownSet& set = closure.of(x.node);
    int all = 0;
    for (const int known : {0, 1}) all += nonlinear ? set.nonlinear(known) : set.contains(known);
    return all;
  }
  DependencyGraph graph_;
  const int first_ = graph_.add_nodes(2);
  const Traced a{graph_, first_}, b{graph_, first_ + 1};
};

TEST_F(TracedValues, CarryWhatASumOrAProductDependsOn) {
  EXPECT_EQ(count(a + b), 2);
  EXPECT_EQ(count(a - 2.0 * b + 1.0), 2);
  EXPECT_EQ(count(a - 2.0 * b + 1.0, true), 0);
  EXPECT_EQ(count(a * b, true), 2);
  EXPECT_EQ(count(a * b + a, true), 2);
  EXPECT_EQ(count(1.0 / a, true), 1);
  EXPECT_TRUE((0.0 * a).constant());
  EXPECT_EQ(count(a - a), 1);
  EXPECT_EQ(sin(Traced(0.0)).value, 0.0);
  EXPECT_EQ(count(sin(a), true), 1);
}

TEST_F(TracedValues, TakeTheUnionOfBranches) {
  EXPECT_EQ(count(by_sign(a, b, Traced(0.0))), 2);
  EXPECT_EQ(count(taut(a, b)), 2);
  EXPECT_EQ(count(not_negative(a)), 1);
  EXPECT_EQ(count(clamped(a, b)), 2);
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
