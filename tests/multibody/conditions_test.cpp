// Free conditions on the start: any expression, of positions and of velocities, exact and guessed.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

class Conditions : public testing::TestWithParam<const char*> {
 protected:
  Assembled made(const std::string& text) const { return Assembled(text, GetParam()); }
};

const std::string arm = R"xml(
  <parameter name="reach" value="0.9 m"/>
  <body name="upper" mass="2" com="0.3, 0" inertia="0.1"><frame name="elbow" pos="0.6, 0"/></body>
  <body name="lower" mass="1" com="0.25, 0" inertia="0.1"><frame name="tip" pos="0.5, 0"/></body>
  <revolute name="shoulder" a="ground" b="upper" q="20 deg"/>
  <revolute name="knee" a="upper.elbow" b="lower" q="40 deg"/>
  <measure name="x" of="lower.tip" quantity="position" component="x"/>
  <measure name="y" of="lower.tip" quantity="position" component="y"/>
  <measure name="vx" of="lower.tip" quantity="velocity" component="x"/>
  <measure name="vy" of="lower.tip" quantity="velocity" component="y"/>
  <output name="q1" of="shoulder" quantity="q"/>
  <output name="q2" of="knee" quantity="q"/>
  <output name="w1" of="shoulder" quantity="qd"/>
  <output name="w2" of="knee" quantity="qd"/>)xml";

// The tip of two links: by the law of cosines, its velocity by their Jacobian.
TEST_P(Conditions, PlaceAndMoveATip) {
  const Assembled m = made(planar(arm + R"xml(
    <condition name="distance" value="sqrt(x^2 + y^2)" equals="reach"/>
    <condition name="direction" value="atan2(y, x)" equals="0.5"/>
    <condition name="sideways" value="vx*y - vy*x" equals="0.3 m^2/s"/>
    <condition name="outward" value="(vx*x + vy*y)/reach" equals="0.2 m/s"/>)xml"));
  EXPECT_EQ(m->sizes().conditions_p, 2);
  EXPECT_EQ(m->sizes().conditions_v, 2);
  const State x = m.start();
  const double d = 0.9, a = 0.6, b = 0.5;
  const double q2 = std::acos((d * d - a * a - b * b) / (2 * a * b));
  const double q1 = 0.5 - std::atan2(b * std::sin(q2), a + b * std::cos(q2));
  EXPECT_NEAR(m.output(x, "q1"), q1, 1e-9);
  EXPECT_NEAR(m.output(x, "q2"), q2, 1e-9);
  // d' = -a b sin q2 q2' / d;  the angle of the tip turns with -0.3/d^2
  const double w2 = -0.2 * d / (a * b * std::sin(q2));
  const double inner = (b * b + a * b * std::cos(q2)) / (d * d);  // d(angle of the tip)/dq2
  EXPECT_NEAR(m.output(x, "w2"), w2, 1e-9);
  EXPECT_NEAR(m.output(x, "w1"), -0.3 / (d * d) - inner * w2, 1e-9);
}

TEST_P(Conditions, FollowAParameter) {
  Assembled m = made(planar(arm + R"(<condition name="d" value="x^2 + y^2" equals="reach^2"/>)"));
  m.set("reach", 0.7);
  const State x = m.start();
  EXPECT_NEAR(std::cos(m.output(x, "q2")), (0.49 - 0.36 - 0.25) / 0.6, 1e-9);
}

// A speed is not linear in the velocities and has no slope at rest.
TEST_P(Conditions, SetASpeedFromRest) {
  const Assembled m = made(planar(arm + R"xml(
    <measure name="speed" of="upper.elbow" quantity="velocity" component="norm"/>
    <condition name="turning" value="speed" equals="0.3 m/s"/>
    <condition name="stiff" value="knee.qd"/>)xml"));
  const State x = m.start();
  EXPECT_NEAR(std::abs(m.output(x, "w1")), 0.5, 1e-9);
  EXPECT_NEAR(m.output(x, "w2"), 0.0, 1e-12);
}

TEST_P(Conditions, GuessesGiveWay) {
  const Assembled two = made(planar(arm + R"xml(
    <condition name="one" value="shoulder.q" equals="0.2" target="guess"/>
    <condition name="other" value="shoulder.q" equals="0.4" target="guess"/>
    <condition name="bent" value="knee.q" equals="1.1" target="guess"/>)xml"));
  State x = two->initial(two.context(), 0.0);
  InitialReport report = make_consistent(*two, two.context(), x);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_NEAR(two.output(x, "q1"), 0.3, 1e-6);  // least squares
  EXPECT_NEAR(two.output(x, "q2"), 1.1, 1e-6);
  ASSERT_GE(report.missed.size(), 2u);
  EXPECT_NEAR(report.missed[0].to, 0.1, 1e-6);
  EXPECT_NE(report.text().find("'one' is missed by 0.1"), std::string::npos) << report.text();

  const Assembled exact = made(planar(arm + R"xml(
    <condition name="held" value="shoulder.q" equals="0.25"/>
    <condition name="target" value="shoulder.q" equals="0.4" target="guess"/>
    <condition name="rate" value="shoulder.qd" equals="2 rad/s" target="guess"/>
    <condition name="free" value="knee.qd" equals="3 rad/s" target="guess"/>
    <condition name="still" value="shoulder.qd"/>)xml"));
  x = exact->initial(exact.context(), 0.0);
  report = make_consistent(*exact, exact.context(), x);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_NEAR(exact.output(x, "q1"), 0.25, 1e-10);
  EXPECT_NEAR(exact.output(x, "w1"), 0.0, 1e-10);
  EXPECT_NEAR(exact.output(x, "w2"), 3.0, 1e-5);
  EXPECT_NEAR(report.missed[0].to, -0.15, 1e-9);  // 'target'
  EXPECT_NEAR(report.missed[1].to, -2.0, 1e-9);   // 'rate'
}

TEST_P(Conditions, ContradictionsAreNamed) {
  const auto refused = [&](const std::string& conditions) {
    const Assembled m = made(planar(arm + conditions));
    State x = m->initial(m.context(), 0.0);
    const InitialReport report = make_consistent(*m, m.context(), x);
    EXPECT_FALSE(report.ok);
    return report.message;
  };
  std::string text = refused(R"xml(<condition name="far" value="x" equals="2 m"/>)xml");
  EXPECT_NE(text.find("'far'"), std::string::npos) << text;
  text = refused(R"xml(<condition name="up" value="y" equals="0.4 m"/>
                       <condition name="down" value="2*y" equals="0.1 m"/>)xml");
  EXPECT_NE(text.find("'up' and 'down'"), std::string::npos) << text;
  text = refused(R"xml(<condition name="fast" value="knee.qd" equals="1"/>
                       <condition name="slow" value="knee.qd" equals="0.5"/>)xml");
  EXPECT_NE(text.find("'fast' and 'slow'"), std::string::npos) << text;
}

// The rows are the derivatives of the conditions along all motions, in space too.
TEST_P(Conditions, RowsAreDerivatives) {
  const Assembled m = made(spatial(R"xml(
    <body name="a" mass="1" inertia="1, 1.2, 0.9"><frame name="f" pos="0.4, 0.2, -0.3"/></body>
    <body name="b" mass="1" inertia="1, 1.2, 0.9"><frame name="f" pos="0.1, 0.5, 0.3"/></body>
    <body name="c" mass="1" inertia="1, 1.2, 0.9"/>
    <spherical name="ball" a="ground" b="a"/>
    <revolute name="hinge" a="a.f" b="b" axis="1, 2, 3"/>
    <spherical name="end" a="b.f" b="c"/>
    <measure name="z" of="b.f" quantity="position" component="z"/>
    <measure name="vz" of="b.f" quantity="velocity" component="z" relative_to="c"/>
    <measure name="rx" of="c" quantity="orientation" component="rx"/>
    <measure name="wy" of="c" quantity="angular_velocity" component="y"/>
    <condition name="mixed" value="z*cos(hinge.q) + rx*(1 m)" equals="0.1 m"/>
    <condition name="chosen" value="if(z &gt; 0.2 m, z, hinge.q*(2 m))"/>
    <condition name="rates" value="vz*hinge.qd + wy^2*z" equals="0"/>)xml"));
  const Sizes& n = m->sizes();
  ASSERT_EQ(n.conditions_p, 2);
  ASSERT_EQ(n.conditions_v, 1);
  for (int seed = 1; seed < 6; ++seed) {
    const State x = random_state(*m, seed), along = random_state(*m, 100 + seed);
    const auto conditions = [&](double h, bool of_v) {
      State there = x;
      Vector z;
      if (of_v) {
        there.v += h * along.v;
      } else {
        m->apply_Z(m.context(), x, along.v, z);
        there.p += h * z;
      }
      m->position(m.context(), there, want_M | want_G, *m.ws);
      m->velocity(m.context(), there, *m.ws);
      m->conditions(m.context(), there, *m.ws);
      return of_v ? m.ws->condition_v : m.ws->condition_p;
    };
    const double h = 1e-5;
    for (const bool of_v : {false, true}) {
      const Vector change = (conditions(h, of_v) - conditions(-h, of_v)) / (2 * h);
      conditions(0.0, of_v);
      const Vector row = (of_v ? m.ws->condition_v_rows : m.ws->condition_p_rows) * along.v;
      EXPECT_LT((row - change).lpNorm<Eigen::Infinity>(), 1e-8 * (1 + change.norm())) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Coordinates, Conditions, testing::Values("absolute", "joint", "mixed"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace mbs::test
