// Redundant constraints: a parallelogram in space with four parallel hinges (three rows too many)
// and the double parallelogram in the plane (one), by every policy.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/equations/redundant_rows.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

// Cranks of length 1 without mass of their own to speak of, the coupler of mass 2 moves on a circle
// and does not turn: a pendulum of length 1 with q'' = -g sin q, q from the vertical.
std::string parallelogram(const std::string& policy, const std::string& coordinates) {
  return R"xml(
    <gravity g="0, -9.81, 0"/>
    <frame name="right" pos="2, 0, 0"/>
    <body name="one" mass="1e-6" com="0, -0.5, 0" inertia="1e-7, 1e-7, 1e-7">
      <frame name="tip" pos="0, -1, 0"/></body>
    <body name="two" mass="1e-6" com="0, -0.5, 0" inertia="1e-7, 1e-7, 1e-7">
      <frame name="tip" pos="0, -1, 0"/></body>
    <body name="coupler" mass="2" com="1, 0, 0" inertia="0.1, 0.2, 0.2">
      <frame name="end" pos="2, 0, 0"/></body>
    <revolute name="a" a="ground" b="one" axis="z" q="0.6" target="exact"/>
    <revolute name="b" a="right" b="two" axis="z" q="0.6"/>
    <revolute name="c" a="one.tip" b="coupler" axis="z" q="-0.6"/>
    <revolute name="d" a="two.tip" b="coupler.end" axis="z" q="-0.6"/>
    <output name="q" of="a" quantity="q"/>
    <output name="qdd" of="a" quantity="qdd"/>
    <output name="fl" of="a" quantity="reaction" component="fy" in="ground"/>
    <output name="fr" of="b" quantity="reaction" component="fy" in="ground"/>
    <output name="energy" quantity="energy"/>
    <output name="drift" quantity="residual"/>
    <solver redundancy=")xml" +
         policy + "\" coordinates=\"" + coordinates + "\" rtol=\"1e-9\" atol=\"1e-9\"/>";
}

class Redundant : public testing::TestWithParam<const char*> {};

TEST_P(Redundant, IsRefusedByName) {
  const Assembled m(spatial(parallelogram("error", "auto")), GetParam());
  State x = m->initial(m.context(), 0.0);
  const InitialReport report = make_consistent(*m, m.context(), x);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.redundant_rows, 3);
  for (const char* joint : {"'a'", "'b'", "'c'", "'d'"}) {  // whichever of them is cut
    EXPECT_NE(report.message.find(joint), std::string::npos) << report.message;
  }
  EXPECT_NE(report.message.find("redundancy=\"drop\""), std::string::npos) << report.message;
}

// A crank, a slider and a rod that is too short for where both have to be.
TEST_P(Redundant, ContradictionsNameTheWholeLoop) {
  const std::string loop = R"xml(
    <body name="crank" mass="1" inertia="0.1"><frame name="pin" pos="0.3, 0"/></body>
    <body name="slider" mass="1" inertia="0.1"/>
    <revolute name="main" a="ground" b="crank" q="0.4" target="exact"/>
    <rod name="link" a="crank.pin" b="slider" length="0.4"/>)xml";
  const auto message = [&](const std::string& more) {
    const Assembled m(planar(loop + more), GetParam());
    State x = m->initial(m.context(), 0.0);
    const InitialReport report = make_consistent(*m, m.context(), x);
    EXPECT_FALSE(report.ok);
    EXPECT_TRUE(report.contradictory) << report.message;
    return report.message;
  };
  const std::string of_positions =
      message("<prismatic name='guide' a='ground' b='slider' axis='x' q='0.5' target='exact'/>");
  for (const char* name : {"'main'", "'guide'", "'link'", "'main.q'", "'guide.q'"}) {
    EXPECT_NE(of_positions.find(name), std::string::npos) << of_positions;
  }
  const std::string of_velocities = message(
      "<prismatic name='guide' a='ground' b='slider' axis='x' q='0.65' qd='1'/>"
      "<drive name='motor' joint='main' q='0.4 + time*1 rad/s'/>"
      "<condition name='at_rest' value='guide.qd'/>");
  for (const char* name : {"'main'", "'guide'", "'link'", "'motor'", "'at_rest'"}) {
    EXPECT_NE(of_velocities.find(name), std::string::npos) << of_velocities;
  }
}

TEST_P(Redundant, DroppedRowsAreInactive) {
  const Assembled m(spatial(parallelogram("drop", "auto")), GetParam());
  State x = m.start();
  int out = 0;
  for (int i = 0; i < m->sizes().lambda; ++i) out += is_left_out(m->structure(), x, i);
  EXPECT_EQ(out, 3);
  m.solve(x);
  EXPECT_NEAR(m.output(x, "qdd"), -9.81 * std::sin(0.6), 1e-5);
  // Off the constraints and in motion, with the modes found.
  State moved = random_state(*m, 2);
  moved.modes = x.modes;
  for (int i = 0; i < m->sizes().lambda; ++i) {
    if (is_left_out(m->structure(), x, i)) moved.lambda[i] = 0.0;
  }
  expect_exact_derivatives(m, moved);
}

struct Motion {
  double q, left, right, energy, drift;
  InitialReport report;
  bool ok = false;
};

Motion run(const std::string& policy, const std::string& coordinates, const std::string& method,
           const std::string& options = {}) {
  Diagnostics diagnostics;
  Model model = read_model_text(spatial(parallelogram(policy, coordinates) + options),
                                "test.mbs.xml", diagnostics);
  model.solver.method = method;
  const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
  if (!equations) throw std::runtime_error(diagnostics.text());
  CoSimulationDriver simulation(equations, solver_choice(model));
  Motion result;
  result.report = simulation.initialise(0.0);
  result.ok = result.report.ok;
  if (!result.ok) return result;
  result.left = simulation.output(2);
  result.right = simulation.output(3);
  const double energy = simulation.output(4);
  simulation.advance(2.0);
  result.q = simulation.output(0);
  result.energy = simulation.output(4) - energy;
  result.drift = simulation.output(5);
  return result;
}

// The pendulum at 2 s: its own equation by a fine Runge-Kutta rule.
double pendulum() {
  const auto slope = [](double q) { return -9.81 * std::sin(q); };
  double q = 0.6, w = 0.0;
  const double h = 2e-4;
  for (int k = 0; k < 10000; ++k) {
    const double k1 = w, l1 = slope(q), k2 = w + h / 2 * l1, l2 = slope(q + h / 2 * k1);
    const double k3 = w + h / 2 * l2, l3 = slope(q + h / 2 * k2), k4 = w + h * l3,
                 l4 = slope(q + h * k3);
    q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return q;
}

TEST_P(Redundant, MovesAsAPendulumByEveryMethod) {
  const double expected = pendulum();
  for (const std::string policy : {"drop", "minimum_norm"}) {
    for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
      SCOPED_TRACE(policy + " " + method);
      const Motion at = run(policy, GetParam(), method);
      if (policy == "minimum_norm" && !treats_redundancy(method)) {
        EXPECT_FALSE(at.ok);
        EXPECT_NE(at.report.message.find("redundancy=\"drop\""), std::string::npos);
        continue;
      }
      ASSERT_TRUE(at.ok) << at.report.text();
      const double tolerance = method == "bdf" || method == "reduction" ? 2e-5 : 2e-6;
      EXPECT_NEAR(at.q, expected, tolerance);
      EXPECT_NEAR(at.energy, 0.0, 20.0 * tolerance);
      EXPECT_LT(at.drift, 1e-6);
      EXPECT_EQ(at.report.redundant_rows, 3);
      EXPECT_EQ(at.report.dropped.empty(), policy == "minimum_norm");
      // All that the coupler's circle needs, whoever bears it.
      EXPECT_NEAR(at.left + at.right, 2.0 * 9.81 * std::pow(std::cos(0.6), 2), 1e-3);
    }
  }
}

// Left out by name: what <drop> says has no reaction, the others bear all of it.
TEST_P(Redundant, NamedRowsAreLeftOut) {
  for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    const Motion at =
        run("error", GetParam(), method, "<drop joint=\"d\" reactions=\"fz mx my\"/>");
    ASSERT_TRUE(at.ok) << at.report.text();
    const double tolerance = method == "bdf" || method == "reduction" ? 2e-5 : 2e-6;
    EXPECT_NEAR(at.q, pendulum(), tolerance);
    EXPECT_NEAR(at.energy, 0.0, 20.0 * tolerance);
    EXPECT_EQ(at.report.named_rows, 3);
    EXPECT_NE(at.report.text().find("3 reactions of 'd' are left out"), std::string::npos)
        << at.report.text();
  }
  const Assembled m(spatial(parallelogram("error", "auto") + R"xml(
    <drop joint="c" reactions="fz mx"/><drop joint="d" reactions="my"/>
    <output name="cz" of="c" quantity="reaction" component="fz"/>
    <output name="cx" of="c" quantity="reaction" component="mx"/>
    <output name="dx" of="d" quantity="reaction" component="my"/>
    <output name="dy" of="d" quantity="reaction" component="fy"/>)xml"),
                    GetParam());
  State x = m.start();
  m.solve(x);
  for (const char* none : {"cz", "cx", "dx"}) EXPECT_NEAR(m.output(x, none), 0.0, 1e-9) << none;
  EXPECT_GT(std::abs(m.output(x, "dy")), 1.0);
  State moved = random_state(*m, 3);
  moved.modes = x.modes;
  for (int i = 0; i < m->sizes().lambda; ++i) {
    if (is_left_out(m->structure(), x, i)) moved.lambda[i] = 0.0;
  }
  expect_exact_derivatives(m, moved);
}

// A four-bar of unequal lengths in space, on a base that leans, against the same one in the plane.
TEST_P(Redundant, AFourBarInSpaceIsTheOneInThePlane) {
  const auto bars = [](bool space, bool leans = true) {
    const std::string z = space ? ", 0" : "", axis = space ? " axis=\"z\"" : "";
    const auto body = [&](const char* name, double mass, double com, double J, double end) {
      const std::string J_text = std::to_string(J);
      return "<body name=\"" + std::string(name) + "\" mass=\"" + std::to_string(mass) +
             "\" com=\"" + std::to_string(com) + ", 0" + z + "\" inertia=\"" +
             (space ? J_text + ", " + J_text + ", " + J_text : J_text) +
             "\"><frame name=\"e\" pos=\"" + std::to_string(end) + ", 0" + z + "\"/></body>";
    };
    return std::string(space && leans
                           ? "<frame name=\"base\" pos=\"1, 2, 3\" rot=\"0.4, -0.3, 0.7\"/>"
                           : "<frame name=\"base\"/>") +
           "<frame name=\"right\" on=\"base\" pos=\"1.2, 0.1" + z + "\"/>" +
           body("p", 1, 0.2, 0.05, 0.4) + body("bar", 2, 0.5, 0.2, 1.1) +
           body("r", 1.5, 0.35, 0.1, 0.8) +
           "<revolute name=\"a\" a=\"base\" b=\"p\" q=\"1.1\" qd=\"5\" target=\"exact\"" + axis +
           "/><revolute name=\"b\" a=\"p.e\" b=\"bar\" q=\"-0.6\"" + axis +
           "/><revolute name=\"c\" a=\"right\" b=\"r\" q=\"1.6\"" + axis +
           "/><revolute name=\"d\" a=\"bar.e\" b=\"r.e\" q=\"1\"" + axis +
           "/><output name=\"q\" of=\"a\" quantity=\"q\"/><output name=\"w\" of=\"c\" "
           "quantity=\"qd\"/>";
  };
  const auto after = [&](const std::string& text, const std::string& method) {
    Diagnostics diagnostics;
    Model model = read_model_text(text, "test.mbs.xml", diagnostics);
    model.solver.method = method;
    model.solver.coordinates = GetParam();
    model.solver.rtol = model.solver.atol = 1e-9;
    const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
    if (!equations) throw std::runtime_error(diagnostics.text());
    CoSimulationDriver simulation(equations, solver_choice(model));
    const InitialReport report = simulation.initialise(0.0);
    if (!report.ok) throw std::runtime_error(report.text());
    simulation.advance(1.0);
    return std::array{simulation.output(0), simulation.output(1)};
  };
  const auto plane = after(planar(bars(false)), "extrapolation");
  EXPECT_GT(std::abs(plane[0] - 1.1), 1.0);
  for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    for (const std::string policy : {"drop", "minimum_norm", "named"}) {
      if (policy == "minimum_norm" && !treats_redundancy(method)) continue;
      SCOPED_TRACE(method + " " + policy);
      const std::string how = policy == "named"
                                  ? std::string("<drop joint=\"d\" reactions=\"fz mx my\"/>")
                                  : "<solver redundancy=\"" + policy + "\"/>";
      // On a base that leans the redundant rows are rounding in joint coordinates, in which radau
      // sees changes of rank.
      const bool leans =
          !(policy == "minimum_norm" && method == "radau" && std::string(GetParam()) == "joint");
      const auto space = after(spatial(bars(true, leans) + how), method);
      const double tolerance = method == "bdf" || method == "reduction" ? 1e-4 : 1e-6;
      EXPECT_NEAR(space[0], plane[0], tolerance);
      EXPECT_NEAR(space[1], plane[1], 10 * tolerance);
    }
  }
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Every, Redundant, testing::Values("absolute", "joint", "mixed"), name_of);

// Rows that depend on others here alone, a parallelogram that lies flat, are no redundancy.
TEST(Singular, IsRefusedWhateverThePolicy) {
  for (const std::string policy : {"error", "drop", "minimum_norm"}) {
    const Assembled m(planar(R"xml(
      <frame name="there" pos="1, 0"/>
      <body name="p" mass="1" com="0.5, 0" inertia="1/12"><frame name="top" pos="1, 0"/></body>
      <body name="r" mass="1" com="0.5, 0" inertia="1/12"><frame name="top" pos="1, 0"/></body>
      <body name="bar" mass="1" com="0.5, 0" inertia="1/12"><frame name="end" pos="1, 0"/></body>
      <revolute name="a" a="ground" b="p"/> <revolute name="b" a="there" b="r"/>
      <revolute name="c" a="p.top" b="bar"/> <revolute name="d" a="bar.end" b="r.top"/>
      <solver redundancy=")xml" +
                             policy + "\"/>"));
    State x = m->initial(m.context(), 0.0);
    const InitialReport report = make_consistent(*m, m.context(), x);
    EXPECT_FALSE(report.ok) << policy;
    EXPECT_NE(report.message.find("singular position"), std::string::npos) << report.message;
  }
}

// Contradictory joints are no redundant ones.
TEST(Contradiction, IsRefusedWhateverThePolicy) {
  for (const std::string policy : {"drop", "minimum_norm"}) {
    const Assembled m(planar(R"xml(
      <body name="p" mass="1" inertia="1"><frame name="off" pos="1, 0"/></body>
      <frame name="there" pos="1.1, 0"/>
      <revolute name="a" a="ground" b="p"/> <revolute name="b" a="there" b="p.off"/>
      <solver redundancy=")xml" +
                             policy + "\"/>"));
    State x = m->initial(m.context(), 0.0);
    const InitialReport report = make_consistent(*m, m.context(), x);
    EXPECT_FALSE(report.ok);
    EXPECT_TRUE(report.contradictory);
  }
}

}  // namespace
}  // namespace mbs::test
