// <contact>, <end_stop> and <friction> of model files against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;
const std::string every_choice[] = {"absolute", "joint", "mixed"};

TEST(ContactElements, BallBouncesOnAPlaneToRest) {
  CoSimulationDriver simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="2 kg"/><free a="ground" b="ball" pos="0, 1.1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" restitution="0.5"/>
<output name="push" of="floor" quantity="force"/>)");
  simulation.advance(3.0);
  const double fall = std::sqrt(2.0 / g);
  ASSERT_GE(simulation.events().size(), 10u);
  double t = fall, flight = fall;
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(simulation.events()[static_cast<std::size_t>(k)].t, t, 1e-9) << k;
    t += flight;
    flight *= 0.5;
  }
  EXPECT_NEAR(simulation.output(0), 2.0 * g, 1e-9);  // at rest
  EXPECT_NEAR(simulation.state().p[1], 0.1, 1e-12);
}

// A disc thrown along a floor slides, then rolls: v = 2/3 v0 for J = m R^2 / 2.
TEST(ContactElements, SlidingDiscComesToRoll) {
  CoSimulationDriver simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="disc" mass="2 kg" inertia="0.01 kg.m^2"/>
<free a="ground" b="disc" pos="0, 0.1 m" vel="3 m/s, 0"/>
<contact name="floor" a="ground" b="disc" normal="y" radius_b="0.1 m" mu="0.2"/>)");
  simulation.advance(2.0);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_NEAR(simulation.events()[0].t, 3.0 / (3.0 * 0.2 * g), 1e-9);
  EXPECT_NEAR(simulation.state().v[0], 2.0, 1e-9);
  EXPECT_NEAR(simulation.state().v[2], -20.0, 1e-8);
}

const std::string thrown_ball = R"(<gravity g="0, 0, -9.81 m/s^2"/>
<body name="ball" mass="2 kg" inertia="0.008, 0.008, 0.008"/>
<free a="ground" b="ball" pos="0, 0, 0.1 m" vel="2 m/s, 0, 0"/>
<contact name="floor" a="ground" b="ball" normal="z" radius_b="0.1 m" mu="0.2"/>)";

// An integrator may evaluate friction beyond the end of sliding: friction continues smoothly there
// and does not change its sign; a contact that only turns has friction against its direction.
TEST(ContactElements, FrictionIsSmoothBeyondTheEndOfSliding) {
  ModelExchangeDriver simulation =
      simulated<ModelExchangeDriver>(thrown_ball, "absolute", "rtol=\"1e-8\" atol=\"1e-8\"", false);
  simulation.begin();
  simulation.apply_discrete_changes();
  std::vector<double> x(13);
  simulation.get_states(x);
  const auto friction = [&](double along, double across) {
    x[11] = 3.0;  // omega_y
    x[7] = 0.3 + along;
    x[8] = across;
    simulation.set_states(x);
    return Eigen::Vector2d(simulation.rates().segment<2>(7) / (0.2 * g));
  };
  for (const double along : {1.0, 1e-3, -1e-3, -0.1}) {
    EXPECT_NEAR((friction(along, 0.0) - Eigen::Vector2d(-1.0, 0.0)).norm(), 0.0, 1e-12) << along;
    EXPECT_EQ(simulation.completed_step(), along < 0.0);
  }
  for (const double across : {0.04, -0.04})
    EXPECT_NEAR((friction(0.03, across) - Eigen::Vector2d(-0.6, -20.0 * across)).norm(), 0.0, 1e-5);
  EXPECT_NEAR((friction(0.0, 0.05) - Eigen::Vector2d(0.0, -1.0)).norm(), 0.0, 1e-5);
  EXPECT_NEAR((friction(-0.04, 0.03) - Eigen::Vector2d(-0.8, 0.6)).norm(), 0.0, 1e-5);
}

// Steps of the classical Runge-Kutta method, exact here but for rotations, end in rolling after 2
// v0/(7 mu g) with 5/7 v0.
TEST(ContactElements, SlidingBallComesToRollInModelExchange) {
  ModelExchangeDriver simulation = simulated<ModelExchangeDriver>(
      thrown_ball, "absolute", "rtol=\"1e-10\" atol=\"1e-10\"", false);
  simulation.begin();
  simulation.apply_discrete_changes();
  using States = Eigen::VectorXd;
  States x(13);
  const auto rates = [&](double t, const States& at) {
    simulation.set_time(t);
    simulation.set_states({at.data(), 13});
    return States(simulation.rates());
  };
  const auto step = [&](double t, double h) {
    const States k1 = rates(t, x), k2 = rates(t + 0.5 * h, x + 0.5 * h * k1),
                 k3 = rates(t + 0.5 * h, x + 0.5 * h * k2), k4 = rates(t + h, x + h * k3);
    return States(x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
  };
  const auto slides = [&](double t, double h) {
    rates(t + h, step(t, h));
    return simulation.indicators()[1] > 0.0;
  };
  simulation.get_states({x.data(), 13});
  double t = 0.0, h = 1e-3;
  for (; slides(t, h); t += h) x = step(t, h);
  double low = 0.0;
  for (double middle; (middle = 0.5 * (low + h)) > low && middle < h;)
    (slides(t, middle) ? low : h) = middle;
  x = step(t, h);
  rates(t += h, x);
  EXPECT_NEAR(t, 2.0 * 2.0 / (7.0 * 0.2 * g), 1e-8);
  ASSERT_TRUE(simulation.completed_step());
  simulation.apply_discrete_changes();
  simulation.get_states({x.data(), 13});
  EXPECT_NEAR(x[7], 10.0 / 7.0, 1e-8);
  EXPECT_NEAR(x[11], 100.0 / 7.0, 1e-7);
  EXPECT_EQ(simulation.system().events().count(1), 1.0);
  EXPECT_NEAR(rates(t, x)[7], 0.0, 1e-12) << "it rolls";
}

TEST(ContactElements, DoorBouncesOffItsStop) {
  CoSimulationDriver simulation = simulated(R"(
<body name="door" mass="20 kg" inertia="2 kg.m^2"/>
<revolute name="hinge" a="ground" b="door" qd="-1 rad/s"/>
<end_stop name="frame" joint="hinge" lower="-0.25 rad" restitution="0.4"/>
<end_stop name="wall" joint="hinge" upper="0.5 rad" restitution="0"/>)");
  simulation.advance(4.0);
  ASSERT_EQ(simulation.events().size(), 2u);
  EXPECT_NEAR(simulation.events()[0].t, 0.25, 1e-10);
  EXPECT_NEAR(simulation.events()[1].t, 0.25 + 0.75 / 0.4, 1e-9);
  EXPECT_EQ(simulation.state().v[2], 0.0);
  const std::vector<LogEntry> entries = simulation.system().events().take_log_entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].text, "'frame': impact at 1 rad/s");
  EXPECT_EQ(entries[1].text, "'wall': impact at 0.4 rad/s, stays closed");
}

TEST(ContactElements, FrictionSticksAndSlipsOnABelt) {
  CoSimulationDriver simulation = simulated(R"(
<body name="block" mass="2 kg"/>
<prismatic name="slide" a="ground" b="block" axis="x" stiffness="50 N/m" qd="0.3 m/s"/>
<friction name="belt" joint="slide" force="5 N" static="1.6" speed="0.3 m/s"/>)");
  const double omega = 5.0, X0 = 0.06, belt = 0.3;
  const double slip = 2.0 / omega * (std::numbers::pi - std::atan(X0 * omega / belt));
  simulation.advance(4.0);
  double t = 0.16 / belt;
  ASSERT_GE(simulation.events().size(), 4u);
  for (std::size_t k = 0; k < 4; k += 2) {
    EXPECT_NEAR(simulation.events()[k].t, t, 1e-9);
    EXPECT_NEAR(simulation.events()[k + 1].t, t + slip, 1e-9);
    t += slip + 2.0 * X0 / belt;
  }
}

// Times of events. An event that is found again at once, as rounding has left its gap below zero,
// counts once.
std::vector<double> event_times(const CoSimulationDriver& simulation) {
  std::vector<double> times;
  for (const Root& root : simulation.events()) {
    if (times.empty() || root.t > times.back() + 1e-9) times.push_back(root.t);
  }
  return times;
}

// All coordinate choices give the same events and the same motion.
void expect_agreement(const std::string& model, double end, double tolerance, bool planar = true) {
  std::vector<double> times, values;
  for (const std::string& coordinates : every_choice) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation =
        simulated(model, coordinates, "rtol=\"1e-11\" atol=\"1e-11\"", planar);
    simulation.advance(end);
    const std::vector<double> here = event_times(simulation);
    const int outputs = simulation.system().equations().sizes().y;
    if (times.empty()) {
      times = here;
      EXPECT_FALSE(times.empty());
      for (int i = 0; i < outputs; ++i) values.push_back(simulation.output(i));
      continue;
    }
    ASSERT_EQ(here.size(), times.size());
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(here[k], times[k], tolerance) << k;
    for (int i = 0; i < outputs; ++i) {
      EXPECT_NEAR(simulation.output(i), values[static_cast<std::size_t>(i)], 100.0 * tolerance)
          << simulation.system().equations().structure().output_names[static_cast<std::size_t>(i)];
    }
  }
}

// A double pendulum whose tip hits the floor and whose elbow has a stop.
TEST(ContactElements, ArmThatHitsTheFloorMovesTheSameInEveryChoice) {
  expect_agreement(R"(<gravity g="0, -9.81 m/s^2"/>
<frame name="shoulder" pos="0, 1.2 m"/><frame name="earth" pos="0, -0.2 m"/>
<body name="upper" mass="2 kg" com="0.4 m, 0" inertia="0.1 kg.m^2"><frame name="end" pos="0.8 m, 0"/></body>
<body name="lower" mass="1 kg" com="0.4 m, 0" inertia="0.05 kg.m^2"><frame name="tip" pos="0.8 m, 0"/></body>
<revolute name="main" a="shoulder" b="upper" q="-20 deg"/>
<revolute name="elbow" a="upper.end" b="lower" q="-10 deg"/>
<end_stop name="stop" joint="elbow" lower="-40 deg" restitution="0.3"/>
<contact name="floor" a="earth" b="lower.tip" normal="y" restitution="0.4" mu="0.3"/>
<friction name="bearing" joint="main" force="0.2 N.m"/>
<output name="q" of="main" quantity="q"/><output name="e" of="elbow" quantity="q"/>
<output name="N" of="floor" quantity="force"/><output name="S" of="stop" quantity="force"/>
<output name="f" of="bearing" quantity="force"/>
<output name="Fx" of="elbow" quantity="reaction" component="fx"/>)",
                   1.2, 1e-8);
}

// A four-bar mechanism whose rocker runs into a stop and rests there against a spring.
TEST(ContactElements, StopInALoopIsTheSameInEveryChoice) {
  expect_agreement(R"(<gravity g="0, -9.81 m/s^2"/><frame name="far" pos="1 m, 0"/>
<body name="crank" mass="1 kg" com="0.15 m, 0" inertia="0.02 kg.m^2"><frame name="end" pos="0.3 m, 0"/></body>
<body name="bar" mass="1 kg" com="0.5 m, 0" inertia="0.1 kg.m^2"><frame name="end" pos="1 m, 0"/></body>
<body name="rocker" mass="1 kg" com="0.3 m, 0" inertia="0.05 kg.m^2"><frame name="end" pos="0.6 m, 0"/></body>
<revolute name="A" a="ground" b="crank" q="80 deg" qd="-2 rad/s"/>
<revolute name="B" a="crank.end" b="bar" q="-60 deg"/>
<revolute name="D" a="far" b="rocker" q="90 deg"/>
<revolute name="C" a="bar.end" b="rocker.end"/>
<end_stop name="stop" joint="D" lower="80 deg" restitution="0.5" rest_speed="1 mrad/s"/>
<output name="q" of="A" quantity="q"/><output name="d" of="D" quantity="q"/>
<output name="N" of="stop" quantity="force"/>
<output name="Cx" of="C" quantity="reaction" component="fx"/>)",
                   1.0, 1e-8);
}

// Two discs on a floor: one rolls against the other; both can turn, with a spring between them.
TEST(ContactElements, TouchingDiscsMoveTheSameInEveryChoice) {
  expect_agreement(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="a" mass="2 kg" inertia="0.01 kg.m^2"/><body name="b" mass="1 kg" inertia="0.005 kg.m^2"/>
<prismatic name="way" a="ground" b="c" axis="x"/><body name="c" mass="0.1 kg"/>
<revolute name="hub" a="c" b="a"/>
<free a="ground" b="b" pos="0.3 m, 0" vel="-1 m/s, 0.1 m/s" />
<contact name="pair" a="a" b="b" radius_a="0.1 m" radius_b="0.1 m" restitution="0.5" mu="0.4"/>
<friction name="grip" joint="hub" force="0.3 N.m"/>
<output name="x" of="way" quantity="q"/><output name="q" of="hub" quantity="qd"/>
<output name="y" of="b" quantity="position" component="y"/>)",
                   0.5, 1e-9);
}

TEST(ContactElements, LegInSpaceStampsAndSlidesTheSameInEveryChoice) {
  expect_agreement(R"(<gravity g="0, 0, -9.81 m/s^2"/><frame name="hip" pos="0, 0, 0.9 m"/>
<body name="thigh" mass="2 kg" com="0, 0, -0.2 m" inertia="0.03, 0.03, 0.01"><frame name="knee" pos="0, 0, -0.4 m"/></body>
<body name="shank" mass="1 kg" com="0, 0, -0.2 m" inertia="0.02, 0.02, 0.005"><frame name="foot" pos="0, 0, -0.6 m"/></body>
<spherical name="ball" a="hip" b="thigh" rot="20 deg, 30 deg, 0"/>
<revolute name="knee" a="thigh.knee" b="shank" axis="y" q="20 deg"/>
<end_stop name="stop" joint="knee" upper="60 deg" restitution="0.2"/>
<contact name="floor" a="ground" b="shank.foot" normal="z" mu="0.4" restitution="0.1" rest_speed="1 mm/s"/>
<output name="q" of="knee" quantity="q"/><output name="N" of="floor" quantity="force"/>
<output name="x" of="shank.foot" quantity="position" component="x"/>
<output name="y" of="shank.foot" quantity="position" component="y"/>)",
                   0.5, 1e-8, false);
}

// A sledge with Coulomb friction by the reaction of its rail stops where it must.
TEST(ContactElements, FrictionByAReactionSticksInEveryChoice) {
  for (const std::string& coordinates : every_choice) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation = simulated(R"xml(<gravity g="0, -9.81 m/s^2"/>
<body name="sledge" mass="20 kg"/>
<prismatic name="ice" a="ground" b="sledge" axis="x" qd="3 m/s"/>
<measure name="N" of="ice" quantity="reaction" component="fy"/>
<friction name="rub" joint="ice" force="0.1*abs(N)"/>
<output name="x" of="ice" quantity="q"/><output name="v" of="ice" quantity="qd"/>)xml",
                                              coordinates);
    simulation.advance(10.0);
    ASSERT_EQ(simulation.events().size(), 1u);
    EXPECT_NEAR(simulation.events()[0].t, 3.0 / (0.1 * g), 1e-9);
    EXPECT_NEAR(simulation.output(0), 9.0 / (2.0 * 0.1 * g), 1e-9);
    EXPECT_NEAR(simulation.output(1), 0.0, 1e-14);
  }
}

// The reaction of a flywheel in a bearing is its weight, m g, until the wheel stops. Regularised
// friction gives the same motion at higher speeds, and a creep without end near rest.
TEST(ContactElements, BearingStopsAWheel) {
  const auto wheel = [](const std::string& more) {
    return R"xml(<gravity g="0, -9.81 m/s^2"/>
<body name="wheel" mass="4 kg" inertia="0.02 kg.m^2"/>
<revolute name="hub" a="ground" b="wheel" qd="20 rad/s"/>
<friction name="bearing" joint="hub" mu="0.1" radius="10 mm" )xml" +
           more + R"xml(/>
<output name="q" of="hub" quantity="q"/><output name="w" of="hub" quantity="qd"/>
<output name="T" of="bearing" quantity="force"/>)xml";
  };
  const double torque = 0.1 * 0.01 * 4.0 * g, slowing = torque / 0.02;
  for (const std::string& coordinates : every_choice) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation = simulated(wheel(""), coordinates);
    simulation.advance(5.0);
    EXPECT_NEAR(simulation.output(1), 20.0 - 5.0 * slowing, 1e-9);
    EXPECT_NEAR(simulation.output(2), -torque, 1e-12);
    simulation.advance(20.0);
    EXPECT_NEAR(simulation.output(0), 400.0 / (2.0 * slowing), 1e-8);
    EXPECT_NEAR(simulation.output(1), 0.0, 1e-14);
    ASSERT_EQ(simulation.events().size(), 1u);
    EXPECT_NEAR(simulation.events()[0].t, 20.0 / slowing, 1e-9);
  }
  // w' = -s tanh(w/d): sinh(w/d) = sinh(w0/d) exp(-s t/d)
  const double d = 2.0;
  CoSimulationDriver smooth = simulated(wheel(R"(law="regularised" width="2 rad/s")"));
  for (const double t : {5.0, 12.0}) {
    smooth.advance(t);
    EXPECT_NEAR(smooth.output(1), d * std::asinh(std::sinh(20.0 / d) * std::exp(-slowing * t / d)),
                1e-8);
  }
}

// A block on a slope in a guide: the friction of the guide grows with the lateral pull of the
// drive.
TEST(ContactElements, GuideHoldsOnASlopeByItsOwnReaction) {
  for (const double slope : {0.25, 0.35}) {  // tan: 0.2553, 0.365
    CoSimulationDriver simulation =
        simulated(R"xml(<parameter name="s" value=")xml" + std::to_string(slope) + R"xml("/>
<gravity g="-9.81 m/s^2*sin(s), -9.81 m/s^2*cos(s)"/><body name="block" mass="3 kg"/>
<prismatic name="guide" a="ground" b="block" axis="x"/>
<friction name="rub" joint="guide" mu="0.3"/><output name="x" of="guide" quantity="q"/>)xml");
    simulation.advance(1.0);
    const double pull = g * (std::sin(slope) - 0.3 * std::cos(slope));
    EXPECT_NEAR(simulation.output(0), pull > 0.0 ? -0.5 * pull : 0.0, 1e-9);
  }
}

// A ball that starts near the top of a fixed one rolls off: by energy
// (7/10) m v^2 = m g (z_0 - z), and N = m (g cos - v^2/(R + r)).
TEST(ContactElements, BallRollsOffAFixedBall) {
  CoSimulationDriver simulation = simulated(R"xml(<gravity g="0, 0, -9.81 m/s^2"/>
<body name="ball" mass="2 kg" inertia="0.4*2*0.01, 0.4*2*0.01, 0.4*2*0.01"/>
<free name="start" a="ground" b="ball" pos="0.5*sin(0.1), 0, 0.5*cos(0.1)"/>
<contact name="pair" a="ground" b="ball" radius_a="0.4 m" radius_b="0.1 m" mu="1.5"/>
<output name="x" of="ball" quantity="position" component="x"/>
<output name="z" of="ball" quantity="position" component="z"/>
<output name="v" of="ball" quantity="velocity" component="norm"/>
<output name="w" of="ball" quantity="angular_velocity" component="norm"/>
<output name="N" of="pair" quantity="force"/>)xml",
                                            "auto", "rtol=\"1e-10\" atol=\"1e-10\"", false);
  for (const double t : {0.1, 0.2, 0.3, 0.4}) {
    simulation.advance(t);
    const double z = simulation.output(1), v = simulation.output(2);
    EXPECT_NEAR(std::hypot(simulation.output(0), z), 0.5, 1e-9);
    EXPECT_NEAR(0.7 * v * v, g * (0.5 * std::cos(0.1) - z), 1e-8) << t;
    EXPECT_NEAR(simulation.output(3) * 0.1, v, 1e-8);
    EXPECT_NEAR(simulation.output(4), 2.0 * (g * z / 0.5 - v * v / 0.5), 1e-7);
  }
  EXPECT_TRUE(simulation.events().empty());
}

std::string refusal(const std::string& inside) {
  Diagnostics diagnostics;
  const Model model = read_model_text(
      R"(<?xml version="1.0"?><mbs name="T" version="1" planar="xy">)" + inside + "</mbs>",
      "t.mbs.xml", diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  EXPECT_EQ(assemble(model, diagnostics), nullptr);
  return diagnostics.text();
}

TEST(ContactElements, ContradictoryAttributesAreRefusedWithTheReason) {
  const std::string turning = R"(<body name="b" mass="1 kg" inertia="1"/>
<revolute name="r" a="ground" b="b"/>)",
                    sliding = R"(<body name="b" mass="1 kg" inertia="1"/>
<prismatic name="r" a="ground" b="b" axis="x"/>)";
  const struct {
    std::string model, keywords;
  } cases[] = {
      {turning + R"(<contact name="c" a="ground" b="b" normal="y" mu="0.3" mu_static="0.2"/>)",
       "mu_static of contact 'c' is 0.2, it must be at least mu, which is 0.3: friction holds at "
       "least as much while it sticks as while it slides"},
      {sliding + R"(<friction name="f" joint="r" force="1 N" static="0.9"/>)",
       "static of friction 'f' is 0.9, it must be at least 1"},
      {turning + R"(<friction name="f" joint="r" mu="0.1"/>)",
       "friction 'f' needs 'radius' with 'mu': its joint turns"},
      {sliding + R"(<friction name="f" joint="r" mu="0.1" radius="1 mm"/>)",
       "friction 'f' has a 'radius', but its joint slides"},
      {sliding + R"(<friction name="f" joint="r" mu="0.1" law="regularised"/>)",
       "friction 'f' needs 'width' for law=\"regularised\""},
      {sliding + R"(<friction name="f" joint="r" mu="0.1" width="1 mm/s"/>)",
       "friction 'f' has a 'width', which law=\"coulomb\" does not use"},
      {sliding +
           R"(<friction name="f" joint="r" mu="0.1" law="regularised" width="1 mm/s" static="2"/>)",
       "friction 'f' has a 'static', but regularised friction never sticks"},
      {sliding +
           R"(<particle name="p" mass="1 kg"/><contact name="c" a="b" b="p" radius_a="1 mm" radius_b="1 mm" mu="0.1"/>)",
       "contact 'c'"},
  };
  for (const auto& one : cases) {
    const std::string text = refusal(one.model);
    EXPECT_NE(text.find(one.keywords), std::string::npos) << one.model << "\n" << text;
  }
}

// The speed passes that of the belt and comes back within a long step of high order.
TEST(ContactElements, MassOnABeltSticksWithEveryMethod) {
  for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"})
    for (const std::string coordinates : {"absolute", "joint"})
      for (const double tolerance : {1e-6, 1e-7, 1e-8}) {
        SCOPED_TRACE(method + ", " + coordinates + ", " + std::to_string(tolerance));
        std::ostringstream solver;
        solver << "rtol=\"" << tolerance << "\" atol=\"" << tolerance << "\" method=\"" << method
               << "\"";
        CoSimulationDriver simulation = simulated(R"(<body name="m" mass="1 kg"/>
<prismatic name="j" a="ground" b="m" axis="x" q="0.05 m" stiffness="200 N/m" damping="0.5 N.s/m"/>
<friction name="belt" joint="j" force="5 N" static="1.6" speed="0.3 m/s"/>
<output name="q" of="j" quantity="q"/>)",
                                                  coordinates, solver.str());
        simulation.advance(5.0);
        EXPECT_NEAR(simulation.output(0), 0.0491829, 1e-6 + 100.0 * tolerance);
      }
}

// Friction that may change during a simulation is checked again.
TEST(ContactElements, TunableCoefficientIsCheckedWhenItChanges) {
  CoSimulationDriver simulation =
      simulated(R"(<parameter name="mu" value="0.3" variability="tunable"/>
<particle name="b" mass="1 kg"/><free a="ground" b="b" pos="0, 1 m"/>
<contact a="ground" b="b" normal="y" mu="mu" mu_static="0.4"/>)");
  simulation.system().parameters().set(0, 0.5);
  EXPECT_THROW(simulation.advance(1.0), SolverFailure);
}

}  // namespace
}  // namespace mbs::test
