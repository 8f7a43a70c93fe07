// Rolling and knife edges against closed forms, in every choice of coordinates and by every method.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

// A wheel down a slope: a = g sin(alpha)/(1 + J/(m R^2)), the grip is J a/R^2, N = m g cos(alpha).
TEST(Rolling, WheelRunsDownASlope) {
  const std::string text = planar(R"xml(
    <gravity g="0, -9.81"/><frame name="slope" rot="-0.3"/>
    <body name="wheel" mass="2" inertia="0.05"/>
    <free name="start" a="slope" b="wheel" pos="0, 0.2" vel="0.3, 0" omega="-1.5"/>
    <rolling name="tread" a="slope" b="wheel" normal="y" radius="0.2"/>
    <output name="x" value="start.x"/><output name="y" value="start.y"/>
    <output name="phi" value="start.phi"/><output name="N" of="tread" quantity="force"/>
    <output name="T" of="tread" quantity="value" component="along"/>)xml");
  const double a = 9.81 * std::sin(0.3) / (1.0 + 0.05 / (2.0 * 0.04)), t = 2.0;
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    run.simulation->advance(t);
    const double x = 0.3 * t + 0.5 * a * t * t;
    EXPECT_NEAR(run.output("x"), x, 1e-7);
    EXPECT_NEAR(run.output("y"), 0.2, 1e-8);
    EXPECT_NEAR(run.output("phi"), -x / 0.2, 1e-6);
    EXPECT_NEAR(run.output("N"), 2.0 * 9.81 * std::cos(0.3), 1e-5);
    // Positive turning rolls to the left, so that `along` points up the slope.
    EXPECT_NEAR(run.output("T"), 0.05 * a / 0.04, 1e-5);
  }
}

// A ball on a turntable that is driven: whatever its start, the velocity of its centre turns at
// 2/7 of the table's rate (a solid ball, J = 2/5 m R^2), on a circle.
TEST(Rolling, BallCirclesOnATurntable) {
  const std::string text = spatial(R"xml(
    <gravity g="0, 0, -9.81"/>
    <body name="table" mass="1" inertia="1, 1, 1"/><revolute name="pivot" a="ground" b="table" axis="z"/>
    <drive joint="pivot" q="3 rad/s*time"/>
    <body name="ball" mass="0.7" inertia="2/5*0.7*0.05^2, 2/5*0.7*0.05^2, 2/5*0.7*0.05^2"/>
    <free name="start" b="ball" pos="0.4, 0.1, 0.05" vel="0.1, 0.5, 0"/>
    <rolling name="contact" a="table" b="ball" normal="z" radius="0.05"/>
    <output name="x" value="start.x"/><output name="y" value="start.y"/>
    <output name="vx" value="start.xd"/><output name="vy" value="start.yd"/>
    <output name="N" of="contact" quantity="force"/>)xml");
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    // The start is made consistent, the velocities may have changed.
    const double x0 = run.output("x"), y0 = run.output("y"), vx = run.output("vx"),
                 vy = run.output("vy"), w = 3.0 * 2.0 / 7.0, t = 2.5;
    EXPECT_GT(std::hypot(vx, vy), 0.1);
    run.simulation->advance(t);
    const double s = std::sin(w * t), c = std::cos(w * t);
    EXPECT_NEAR(run.output("vx"), vx * c - vy * s, 1e-6);
    EXPECT_NEAR(run.output("vy"), vx * s + vy * c, 1e-6);
    EXPECT_NEAR(run.output("x"), x0 + (vx * s - vy * (1.0 - c)) / w, 1e-6);
    EXPECT_NEAR(run.output("y"), y0 + (vx * (1.0 - c) + vy * s) / w, 1e-6);
    EXPECT_NEAR(run.output("N"), 0.7 * 9.81, 1e-5);
  }
}

// The templates' closed forms (their pages) by every method: a sledge on a slope ...
TEST(KnifeEdge, CirclesOnASlope) {
  const double w = 1.5, c = 9.81 / 2.0, u0 = 0.4, t = 3.0, s = std::sin(w * t), k = std::cos(w * t);
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(template_text("knife_edge"), coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("x"), u0 * s / w + c * s * s / (2 * w * w), 1e-6);
    EXPECT_NEAR(run.output("y"), u0 * (1 - k) / w + c * (w * t - s * k) / (2 * w * w), 1e-6);
    EXPECT_NEAR(run.output("side"), 2.0 * ((u0 + c * s / w) * w + c * s), 1e-5);
    EXPECT_LT(run.output("slip"), 1e-7);
  }
}

// ... and a disc that rolls in a circle; pushed, it wobbles and keeps its energy.
TEST(Rolling, DiscPrecessesSteadily) {
  const double W = 2.0, tilt = 1.2, R = 0.3, m = 1.2, g = 9.81, t = 1.3;
  const double n = (W * std::cos(tilt) / 4.0 - g * std::cos(tilt) / (R * W * std::sin(tilt))) / 1.5;
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(template_text("rolling_disc"), coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("x"), -R * n / W * std::sin(W * t), 1e-6);
    EXPECT_NEAR(run.output("y"), R * n / W * std::cos(W * t), 1e-6);
    EXPECT_NEAR(run.output("z"), R * std::sin(tilt), 1e-6);
    EXPECT_NEAR(run.output("normal"), m * g, 1e-5);
    EXPECT_NEAR(run.output("along"), 0.0, 1e-5);
    EXPECT_NEAR(run.output("across"), m * R * n * W, 1e-5);

    ModelRun pushed(template_text("rolling_disc"), coordinates, method);
    pushed.simulation->system().parameters().set(5, 0.7);
    ASSERT_TRUE(pushed.simulation->initialise(0.0).ok);
    const double energy = pushed.output("energy");
    pushed.simulation->advance(t);
    EXPECT_GT(std::abs(pushed.output("z") - R * std::sin(tilt)), 1e-3);
    EXPECT_NEAR(pushed.output("energy"), energy, 1e-6 * energy);
    EXPECT_LT(pushed.output("slip"), 1e-6);
  }
}

TEST(Rolling, RefusesWhatCannotBe) {
  const std::string ball =
      R"xml(<body name="b" mass="1" inertia="1, 1, 1"/><particle name="p" mass="1"/>
)xml";
  EXPECT_EQ(
      errors_of(spatial(ball + "<rolling a=\"b\" b=\"b\" normal=\"z\" radius=\"1\"/>")),
      "test.mbs.xml:3:1: error: rolling 'rolling#1' has both sides on body 'b' "
      "[joint-on-one-body]\n  hint: a and b must be frames of different bodies, or one of them "
      "ground's\n");
  EXPECT_NE(errors_of(spatial(ball + "<rolling a=\"ground\" b=\"p\" normal=\"z\" radius=\"1\"/>"))
                .find("acts on an orientation, and particle 'p' has none"),
            std::string::npos);
  EXPECT_NE(errors_of(spatial(ball + "<rolling a=\"ground\" b=\"b\" normal=\"z\" radius=\"0\"/>"))
                .find("radius"),
            std::string::npos);
  EXPECT_NE(
      errors_of(spatial(ball + "<rolling a=\"ground\" b=\"b\" normal=\"0, 0, 0\" radius=\"1\"/>"))
          .find("normal"),
      std::string::npos);
  EXPECT_NE(errors_of(spatial(ball + "<knife_edge b=\"p\"/>")).find("particle 'p'"),
            std::string::npos);
  EXPECT_EQ(
      errors_of(planar("<body name=\"b\" mass=\"1\" inertia=\"1\"/>\n"
                       "<rolling a=\"ground\" b=\"b\" normal=\"y\" axis=\"x\" radius=\"1\"/>")),
      "test.mbs.xml:3:1: error: rolling 'rolling#1' has an axis, which in the plane is "
      "always its normal [no-axis]\n  hint: leave `axis` out\n");
}

}  // namespace
}  // namespace mbs::test
