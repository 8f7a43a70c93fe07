// Mechanisms of the IFToMM library (benchmarks: A01, A02) in all coordinates: the simple pendulum
// and the N-four-bar, which has one degree of freedom, and N + 1 of them whenever it lies flat. It
// goes through there on the branch of a parallelogram. Figures at 10 s in quadruple precision.

#include <gtest/gtest.h>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

const char* simple_pendulum = R"xml(
  <gravity g="0, -9.81"/>
  <body name="bar" mass="1" com="1, 0" inertia="0"/>
  <revolute name="pin" a="ground" b="bar" q="pi" target="exact"/>
  <output name="q" of="pin" quantity="q"/>
  <output name="qd" of="pin" quantity="qd"/>)xml";

std::string four_bars(int n) {
  return R"xml(
  <parameter name="N" value=")xml" +
         std::to_string(n) + R"xml(" variability="structural"/>
  <gravity g="0, -9.81"/>
  <body name="post0" mass="1" com="0.5, 0" inertia="1/12"><frame name="top" pos="1, 0"/></body>
  <revolute name="pin" a="ground" b="post0" q="pi/2" qd="-1" target="exact"/>
  <repeat index="i" count="N" prev="post0.top" next="post[i].top">
    <frame name="foot" pos="i, 0"/>
    <body name="post" mass="1" com="0.5, 0" inertia="1/12"><frame name="top" pos="1, 0"/></body>
    <body name="bar" mass="1" com="0.5, 0" inertia="1/12"><frame name="end" pos="1, 0"/></body>
    <revolute name="hinge" a="foot[i]" b="post[i]" q="pi/2" qd="-1"/>
    <revolute name="left" a="prev" b="bar[i]" q="-pi/2" qd="1"/>
    <revolute name="right" a="bar[i].end" b="post[i].top" q="pi/2" qd="-1"/>
  </repeat>
  <output name="q" of="pin" quantity="q"/>
  <output name="qd" of="pin" quantity="qd"/>)xml";
}

struct Figures {
  double q, qd;
};

Figures after_ten_seconds(const std::string& text, const std::string& coordinates) {
  Diagnostics diagnostics;
  Model model = read_model_text(planar(text), "test.mbs.xml", diagnostics);
  model.solver.coordinates = coordinates;
  model.solver.method = "extrapolation";
  model.solver.rtol = model.solver.atol = 1e-10;
  const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
  EXPECT_TRUE(equations) << diagnostics.text();
  Simulation simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  simulation.advance(10.0);
  return {simulation.output(0), simulation.output(1)};
}

constexpr double pi = 3.14159265358979323846;

class Loops : public testing::TestWithParam<const char*> {};

TEST_P(Loops, SimplePendulum) {
  const Figures at = after_ten_seconds(simple_pendulum, GetParam());
  EXPECT_NEAR(std::remainder(at.q - 4.43370830681470690926, 2 * pi), 0.0, 1e-6);
  EXPECT_NEAR(at.qd, 4.34316069286468305329, 1e-6 * 5.3);
}

TEST_P(Loops, TwoFourBars) {
  const Figures at = after_ten_seconds(four_bars(2), GetParam());
  EXPECT_NEAR(at.q, -30.1798008601912051979, 1e-6 * 31.0);
  EXPECT_NEAR(at.qd, -1.50664218084182946989, 1e-6 * 2.5);
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Every, Loops, testing::Values("absolute", "joint", "mixed"), name_of);

TEST(ManyLoops, FortyFourBarsInJointCoordinates) {
  const Figures at = after_ten_seconds(four_bars(40), "joint");
  EXPECT_NEAR(at.q, -30.0266374171908411006, 1e-6 * 31.0);
  EXPECT_NEAR(at.qd, -1.16762210875170682781, 1e-6 * 2.2);
}

}  // namespace
}  // namespace mbs::test
