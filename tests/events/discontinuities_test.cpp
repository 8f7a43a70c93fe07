// Laws that jump by their expressions, against closed forms.

#include <cmath>
#include <vector>

#include "tests/events/simulated.hpp"

namespace mbs {
namespace {

using test::simulated;

const std::string methods[] = {"extrapolation", "midpoint", "radau", "bdf", "reduction"};

std::string block(const std::string& name, const std::string& start, const std::string& force) {
  return "<body name=\"" + name + "_block\" mass=\"1 kg\"/><prismatic name=\"" + name +
         "\" a=\"ground\" b=\"" + name + "_block\" axis=\"x\" " + start + "/><force name=\"" +
         name + "_force\" joint=\"" + name + "\" value=\"" + force + "\"/><output name=\"" + name +
         "_x\" value=\"" + name + ".q\"/>";
}

// The end of a motion under constant forces that alternate at given times.
struct Motion {
  double x, v;
  void go(double a, double t) {
    x += v * t + 0.5 * a * t * t;
    v += a * t;
  }
};

// Each method at its default tolerance, and in each choice of coordinates.
void expect_at_end(const std::string& model, double t, double expected, double bound) {
  for (const std::string& method : methods)
    for (const char* coordinates : {"absolute", "joint"}) {
      auto simulation = simulated<CoSimulationDriver>(
          model, coordinates, "method=\"" + method + "\" stop_time=\"2 s\"");
      simulation.advance(t);
      EXPECT_NEAR(simulation.output(0), expected, bound) << method << ' ' << coordinates;
    }
}

TEST(Discontinuities, APulseShorterThanAStepIsMet) {
  const std::string law = "if(time > 0.7431, if(time &lt; 0.7533, 50 N, 0), 0)";
  Motion m{0.3, 0.2};
  m.go(0.0, 0.7431);
  m.go(50.0, 0.7533 - 0.7431);
  m.go(0.0, 2.0 - 0.7533);
  expect_at_end(block("r", "q=\"0.3 m\" qd=\"0.2 m/s\"", law), 2.0, m.x, 1e-8);
}

TEST(Discontinuities, APulseBetweenTimesThatParametersGiveIsMet) {
  const std::string law = "50 N*(if(time >= t0, 1, 0) - if(t0 + d > time, 0, 1))";
  Motion m{0.3, 0.2};
  m.go(0.0, 0.7431);
  m.go(50.0, 0.0102);
  m.go(0.0, 2.0 - 0.7431 - 0.0102);
  expect_at_end(
      "<parameter name=\"t0\" value=\"0.7431 s\"/><parameter name=\"d\" value=\"0.0102 s\"/>" +
          block("r", "q=\"0.3 m\" qd=\"0.2 m/s\"", law),
      2.0, m.x, 1e-8);
}

// A force of 30 N against the deflection: parabolas of a quarter period sqrt(2 x0/30).
double relay(double x0, double t) {
  const double quarter = std::sqrt(2.0 * x0 / 30.0), s = std::fmod(t, 4.0 * quarter);
  const int k = static_cast<int>(s / quarter);
  const double rest = k % 2 == 0 ? s - k * quarter : (k + 1) * quarter - s;
  const double x = x0 - 15.0 * rest * rest;
  return k == 0 || k == 3 ? x : -x;
}

TEST(Discontinuities, ARelayKeepsItsAmplitude) {
  for (const char* law : {"if(r.q > 0, -30 N, 30 N)", "if(r.q &lt;= 0, 30 N, -30 N)",
                          "-30 N*sign(r.q)", "if(not (0 >= r.q), -30 N, 30 N)"})
    expect_at_end(block("r", "q=\"0.95 m\"", law), 2.0, relay(0.95, 2.0), 2e-8);
}

// -3 N for each 0.1 m: constant forces from one step of the staircase to the next.
TEST(Discontinuities, AStaircaseOfForces) {
  Motion m{0.31, 0.2};
  double t = 0.0;
  int step = 3;
  while (true) {
    const double a = -3.0 * step;
    // The first time at which x leaves [0.1 step, 0.1 (step + 1)).
    double first = 2.0 - t;
    int next = step;
    for (const int side : {0, 1}) {
      const double c = m.x - 0.1 * (step + side), d = m.v * m.v - 2.0 * a * c;
      if (d < 0.0) continue;
      for (const double sign : {-1.0, 1.0}) {
        const double root = a == 0.0 ? -c / m.v : (-m.v + sign * std::sqrt(d)) / a;
        const double speed = m.v + a * root;
        if (root > 1e-12 && root < first && (side == 1 ? speed > 0.0 : speed < 0.0)) {
          first = root;
          next = step + (side == 1 ? 1 : -1);
        }
      }
    }
    m.go(a, first);
    t += first;
    if (next == step) break;
    step = next;
  }
  const double end = m.x;
  const std::string start = "q=\"0.31 m\" qd=\"0.2 m/s\"";
  expect_at_end(block("r", start, "-floor(r.q/(0.1 m))*3 N"), 2.0, end, 1e-7);
  expect_at_end(block("r", start, "ceil(-r.q/(0.1 m))*3 N"), 2.0, end, 1e-7);
  expect_at_end(block("r", start, "-(r.q - mod(r.q, 0.1 m))*30 N/m"), 2.0, end, 1e-7);
}

// 10 N during 2 ms of every 50 ms, seen by steps that would be longer.
TEST(Discontinuities, PulsesThatRepeat) {
  Motion m{0.0, 0.0};
  for (int k = 0; k < 20; ++k) {
    m.go(10.0, 0.002);
    m.go(0.0, 0.048);
  }
  expect_at_end(block("r", "", "if(mod(time, 50 ms) &lt; 2 ms, 10 N, 0)"), 1.0, m.x, 1e-9);
}

TEST(Discontinuities, AConditionThatBeginsAtZeroIsThatOfTheMotion) {
  // From rest at zero a force of 2 N moves it up, where the condition adds another.
  Motion m{0.0, 0.0};
  m.go(3.0, 1.0);
  expect_at_end(block("r", "", "2 N + if(r.q > 0, 1 N, 0)"), 1.0, m.x, 1e-8);
}

TEST(Discontinuities, ABranchWithARootIsNeverTakenWhereItHasNoValue) {
  // x'' = -1 from x = 0.5; below zero the branch with the root is left.
  for (const std::string& method : methods) {
    auto simulation = simulated<CoSimulationDriver>(
        block("r", "q=\"0.5 m\"", "-1 N + if(r.q > 0, 0*sqrt(r.q/(1 m)), -1)*1 N"), "joint",
        "method=\"" + method + "\" stop_time=\"2 s\"");
    simulation.advance(2.0);
    Motion m{0.5, 0.0};
    m.go(-1.0, 1.0);
    m.go(-2.0, 1.0);
    EXPECT_NEAR(simulation.output(0), m.x, 2e-5) << method;
  }
}

// A time that has not come yet, or one that has passed: what the parameter says counts from then
// on.
TEST(Discontinuities, ATimeThatAParameterMovesAcrossThePresentOneCounts) {
  auto simulation = simulated<CoSimulationDriver>(
      "<parameter name=\"p\" value=\"2 s\" variability=\"tunable\"/>" +
          block("r", "", "if(time > p, 1 N, 0)"),
      "joint", "stop_time=\"4 s\"");
  Motion m{0.0, 0.0};
  simulation.advance(1.0);
  simulation.system().parameters().set(0, 0.5);
  simulation.advance(2.0);
  m.go(1.0, 1.0);
  EXPECT_NEAR(simulation.output(0), m.x, 1e-9);
  simulation.system().parameters().set(0, 3.0);
  simulation.advance(3.5);
  m.go(0.0, 1.0);
  m.go(1.0, 0.5);
  EXPECT_NEAR(simulation.output(0), m.x, 1e-9);
}

TEST(Discontinuities, NestedModsAreNoBurden) {
  std::string law = "time";
  for (int k = 0; k < 40; ++k) law = "mod(" + law + ", 50 ms)";
  auto simulation = simulated<CoSimulationDriver>(block("r", "", law + "*1 N/(1 s)"), "joint");
  simulation.advance(0.04);
  EXPECT_NEAR(simulation.output(0), 0.04 * 0.04 * 0.04 / 6.0, 1e-9);
}

TEST(Discontinuities, ConditionsOfInputsFollowTheirJumps) {
  auto simulation = simulated<CoSimulationDriver>(
      "<input name=\"u\" unit=\"1\"/>" + block("r", "", "if(u > 0.5, 3 N, 1 N)"), "joint",
      "stop_time=\"2 s\"");
  Motion m{0.0, 0.0};
  for (int k = 0; k < 4; ++k) {
    simulation.set_input(0, k % 2 == 0 ? 0.0 : 1.0);
    simulation.advance(0.25 * (k + 1));
    m.go(k % 2 == 0 ? 1.0 : 3.0, 0.25);
    EXPECT_NEAR(simulation.output(0), m.x, 1e-9) << k;
  }
}

TEST(Discontinuities, TheirEventsAreInternal) {
  auto simulation = simulated<CoSimulationDriver>(
      block("r", "q=\"0.95 m\"", "if(r.q > 0, -30 N, 30 N)"), "joint", "stop_time=\"2 s\"");
  simulation.advance(2.0);
  const auto& functions = simulation.system().equations().structure().switching;
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_TRUE(functions[0].internal);
}

TEST(Discontinuities, NoEventLeavesALawAsItIs) {
  auto simulation = simulated<CoSimulationDriver>(
      block("r", "q=\"0.95 m\"",
            "noEvent(if(r.q > 0, -30 N, 30 N)) + noEvent(1 N*sign(time - 1 s))"),
      "joint", "stop_time=\"2 s\"");
  EXPECT_TRUE(simulation.system().equations().structure().switching.empty());
}

TEST(Discontinuities, TheSameConditionHasOneVariable) {
  auto simulation =
      simulated<CoSimulationDriver>(block("r", "q=\"0.95 m\"", "if(time > 0.2 s, 1 N, 0 N)") +
                                        block("s", "q=\"0.95 m\"", "-if(time > 0.2 s, 2 N, 0 N)"),
                                    "joint", "stop_time=\"2 s\"");
  EXPECT_EQ(simulation.system().equations().structure().switching.size(), 1u);
}

TEST(Discontinuities, AnImporterThatIntegratesSeesTheConditionChange) {
  auto simulation = simulated<ModelExchangeDriver>(
      block("r", "q=\"0.95 m\"", "if(r.q > 0, -30 N, 30 N)"), "joint");
  EXPECT_EQ(simulation.system().indicators().size(), 1);
  EXPECT_GT(simulation.system().indicators()[0], 0.0);
}

}  // namespace
}  // namespace mbs
