// The exact derivatives of all outputs of mechanisms with every kind of joint, reactions among
// them, along the motion itself: with the derivative by time alone they are the outputs' slopes,
// which are differenced with the accelerations and reactions solved anew at each point. So it is
// in every choice of coordinates, of which joint and mixed ones find reactions along the tree.

#include <gtest/gtest.h>

#include "engine/analysis/tangent.hpp"
#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/derivatives.hpp"
#include "tests/multibody/tree_models.hpp"

namespace mbs::test {
namespace {

class OutputSlopes : public testing::TestWithParam<std::tuple<TreeModel, const char*>> {};

TEST_P(OutputSlopes, FollowFromTheDerivativesAlongTheMotion) {
  const auto& [tree, coordinates] = GetParam();
  Diagnostics diagnostics;
  Model model = read_model_text(tree.text, tree.name, diagnostics);
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.text();
  model.solver.coordinates = coordinates;
  const auto equations = assemble(model, diagnostics);
  ASSERT_TRUE(equations) << diagnostics.text();
  const Sizes& n = equations->sizes();
  CoSimulationDriver simulation(equations, solver_choice(model));
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  simulation.advance(0.1 * std::max(tree.end, 0.1));
  const EvaluationPoint point = simulation.system().point();
  DifferenceDerivatives differences(*equations, "auto");
  const Vector rates = simulation.system().rates(), slopes = differences.of_outputs(point, 1);
  Variation change(n);
  change.p = rates.head(n.p);
  change.v = rates.segment(n.p, n.v);
  change.r = rates.tail(n.r);
  Vector dx, dy;
  ExactDerivatives(*equations).differentiate(point, change, dx, &dy);
  dy += differences.by_time(point).tail(n.y);
  const auto& names = equations->structure().output_names;
  double largest = 0.0;
  for (int i = 0; i < n.y; ++i) {
    largest = std::max(largest, std::abs(slopes[i]));
    EXPECT_NEAR(dy[i], slopes[i], 1e-6 * (1.0 + std::abs(slopes[i])))
        << names[static_cast<std::size_t>(i)];
  }
  EXPECT_GT(largest, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Every, OutputSlopes,
                         testing::Combine(testing::ValuesIn(tree_models()),
                                          testing::Values("absolute", "joint", "mixed")),
                         [](const auto& of) {
                           return std::get<0>(of.param).name + "_" + std::get<1>(of.param);
                         });

}  // namespace

void PrintTo(const TreeModel& model, std::ostream* out) {
  *out << model.name;
}

}  // namespace mbs::test
