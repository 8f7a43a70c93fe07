// The same mechanism in every choice of coordinates: outputs, reactions and energies agree at the
// start and in motion, with every integrator, whatever the equations are made of.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/tree_models.hpp"

namespace mbs::test {
namespace {

struct Choice {
  std::string coordinates, method;
  double tolerance = 1e-10;
};

struct Case {
  std::string name, text;  // a template's name, or a model
  double end;              // 0: its own
  double tolerance = 1e-7;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

Model model_of(const Case& c, const std::string& coordinates) {
  Diagnostics diagnostics;
  Model model =
      c.text.empty()
          ? read_model(std::string(MBS_TEMPLATES) + "/" + c.name + "/" + c.name + ".mbs.xml",
                       diagnostics)
          : read_model_text(c.text, "test.mbs.xml", diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  model.solver.coordinates = coordinates;
  return model;
}

struct Shown {
  std::vector<std::string> names;
  Vector start, end;
  std::vector<char> compared;
};

Shown shown(const Case& c, const Choice& choice) {
  Model model = model_of(c, choice.coordinates);
  model.solver.method = choice.method;
  model.solver.rtol = model.solver.atol = choice.tolerance;
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  Simulation simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  Shown result;
  result.names = equations->structure().output_names;
  const int n = equations->sizes().y;
  const auto look = [&](Vector& y) {
    y.resize(n);
    for (int i = 0; i < n; ++i) y[i] = simulation.output(i);
  };
  look(result.start);
  simulation.advance(c.end > 0.0 ? c.end : model.solver.stop_time);
  look(result.end);
  result.compared.assign(static_cast<std::size_t>(n), 1);
  for (const auto& one : equations->structure().statistic_outputs) {
    result.compared[static_cast<std::size_t>(one.output)] = 0;
  }
  for (int i = 0; i < n; ++i) {
    const Quantity q = model.outputs[static_cast<std::size_t>(i)].what.quantity;
    if (q == Quantity::residual || q == Quantity::velocity_residual) {
      result.compared[static_cast<std::size_t>(i)] = 0;
      EXPECT_LT(result.end[i], 1e-6) << result.names[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

void expect_equal(const Shown& a, const Shown& b, double tolerance) {
  ASSERT_EQ(a.names, b.names);
  for (Eigen::Index i = 0; i < a.start.size(); ++i) {
    if (!a.compared[static_cast<std::size_t>(i)]) continue;
    const auto& name = a.names[static_cast<std::size_t>(i)];
    const double size = 1.0 + std::max(std::abs(a.start[i]), std::abs(a.end[i]));
    EXPECT_NEAR(a.start[i], b.start[i], 1e-8 * size) << name << " at the start";
    EXPECT_NEAR(a.end[i], b.end[i], tolerance * size) << name << " at the end";
  }
}

class Coordinates : public testing::TestWithParam<Case> {};

TEST_P(Coordinates, GiveTheSameMotion) {
  const Case& c = GetParam();
  const Shown reference = shown(c, {"absolute", "extrapolation"});
  ASSERT_GT(reference.start.size(), 0);
  for (const char* coordinates : {"joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    expect_equal(reference, shown(c, {coordinates, "extrapolation"}), c.tolerance);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all = {{"andrews", "", 0.004, 1e-6}, {"cable_drum", "", 1.0},
                           {"double_pendulum", "", 1.0}, {"insulator_chain", "", 0.01, 1e-6},
                           {"pendulum", "", 1.0},        {"slider_crank", "", 0.2},
                           {"truck", "", 0.3, 1e-5}};
  for (const TreeModel& model : tree_models()) {
    if (model.end > 0.0) all.push_back({model.name, model.text, model.end});
  }
  return all;
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Every, Coordinates, testing::ValuesIn(cases()), name_of);

// The end is where the motion has gone on for a while; multipliers are what methods know least.
class Integrators : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Integrators, TreatAllCoordinates) {
  const auto [method, coordinates] = GetParam();
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Case shorter{c.name, c.text, c.end / 4.0, c.tolerance};
    const Shown reference = shown(shorter, {"absolute", "extrapolation"});
    const bool loose = std::string(method) == "bdf";
    expect_equal(reference, shown(shorter, {coordinates, method, 1e-9}), loose ? 1e-3 : 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Integrators,
                         testing::Combine(testing::Values("midpoint", "radau", "bdf", "reduction"),
                                          testing::Values("absolute", "joint", "mixed")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_" +
                                  std::get<1>(tested.param);
                         });

TEST(Andrews, IsTheClassicalFormInJointCoordinates) {
  const Model model = model_of({"andrews", "", 0.0}, "joint");
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  ASSERT_TRUE(equations);
  EXPECT_EQ(equations->sizes().p, 7);
  EXPECT_EQ(equations->sizes().v, 7);
  EXPECT_EQ(equations->sizes().lambda, 6);
}

}  // namespace
}  // namespace mbs::test
