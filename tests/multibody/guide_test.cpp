// Points on curves and surfaces against closed forms and another formulation.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/model/series.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

// The tautochrone: on the cycloid x = R (s + sin s), y = R (1 - cos s) the way from the lowest
// point is 4 R sin(s/2) and swings at sqrt(g/4R), from whatever height. N = m (g cos(s/2) +
// v^2/rho), rho = 4 R cos(s/2).
TEST(Guide, BeadOnACycloidMovesAsItsFormula) {
  const double R = 0.3, g = 9.81, w = std::sqrt(g / (4.0 * R)), m = 0.2;
  for (const double s0 : {0.5, 2.0}) {
    const std::string text =
        planar("<parameter name=\"R\" value=\"0.3 m\"/><parameter name=\"s0\" value=\"" +
               std::to_string(s0) + R"xml("/><gravity g="0, -9.81"/>
      <particle name="bead" mass="0.2"/>
      <free name="start" b="bead" pos="R*(s0 + sin(s0)), R*(1 - cos(s0))"/>
      <point_on_curve name="wire" a="ground" b="bead" x="R*(s + sin(s))" y="R*(1 - cos(s))" s="s0"/>
      <output name="x" value="start.x"/><output name="y" value="start.y"/>
      <output name="N" of="wire" quantity="force"/><output name="drift" quantity="residual"/>)xml");
    for (const auto& [coordinates, method] : every_choice) {
      SCOPED_TRACE(coordinates + " " + method);
      ModelRun run(text, coordinates, method);
      ASSERT_TRUE(run.simulation->initialise(0.0).ok);
      const double t = 1.4, way0 = 4.0 * R * std::sin(s0 / 2.0);
      run.simulation->advance(t);
      const double way = way0 * std::cos(w * t), v = -way0 * w * std::sin(w * t),
                   half = std::asin(way / (4.0 * R));
      EXPECT_NEAR(run.output("y"), way * way / (8.0 * R), 1e-7);
      EXPECT_NEAR(run.output("x"), R * (2.0 * half + std::sin(2.0 * half)), 1e-7);
      EXPECT_NEAR(run.output("N"), m * (g * std::cos(half) + v * v / (4.0 * R * std::cos(half))),
                  1e-5);
      EXPECT_LT(run.output("drift"), 1e-8);
    }
  }
}

// A marble in a bowl without symmetry, compared with z = f(x, y) integrated by Runge and Kutta:
// x'' = -f_x A, y'' = -f_y A, A = (g + f_xx x'^2 + 2 f_xy x' y' + f_yy y'^2)/(1 + f_x^2 + f_y^2),
// N = m A sqrt(1 + f_x^2 + f_y^2). The bowl's places are skew and curved.
TEST(Guide, MarbleInABowlMovesAsItsEquations) {
  const std::string text = spatial(R"xml(
    <parameter name="h" value="0.5"/><gravity g="0, 0, -9.81"/>
    <body name="marble" mass="0.2" inertia="1, 1, 1"/>
    <free name="start" b="marble" pos="0.4, 0.1, 0.1" vel="0.3, 1.1, 0"/>
    <point_on_surface name="bowl" a="ground" b="marble" s1="0.4" s2="0.1"
      x="(s1 + 0.3*s2)*1 m" y="(s2 + 0.2*s1^2)*1 m"
      z="(h*(s1 + 0.3*s2)^2 + 0.3*(s2 + 0.2*s1^2)^2 + 0.2*(s1 + 0.3*s2)*(s2 + 0.2*s1^2)
         + 0.1*(s1 + 0.3*s2)^3)*1 m"/>
    <output name="x" value="start.x"/><output name="y" value="start.y"/>
    <output name="z" value="start.z"/><output name="vx" value="start.xd"/>
    <output name="vy" value="start.yd"/><output name="N" of="bowl" quantity="force"/>)xml");
  struct Point {
    double x, y, vx, vy;
  };
  const auto f_x = [](const Point& p) { return p.x + 0.2 * p.y + 0.3 * p.x * p.x; };
  const auto f_y = [](const Point& p) { return 0.6 * p.y + 0.2 * p.x; };
  const auto A = [&](const Point& p) {
    const double curved = (1.0 + 0.6 * p.x) * p.vx * p.vx + 0.4 * p.vx * p.vy + 0.6 * p.vy * p.vy;
    return (9.81 + curved) / (1.0 + f_x(p) * f_x(p) + f_y(p) * f_y(p));
  };
  const auto rate = [&](const Point& p) {
    return Point{p.vx, p.vy, -f_x(p) * A(p), -f_y(p) * A(p)};
  };
  const auto moved = [](const Point& p, double h, const Point& k) {
    return Point{p.x + h * k.x, p.y + h * k.y, p.vx + h * k.vx, p.vy + h * k.vy};
  };
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    Point p{run.output("x"), run.output("y"), run.output("vx"), run.output("vy")};
    EXPECT_GT(std::hypot(p.vx, p.vy), 0.5);
    constexpr double h = 1e-3;
    for (int k = 0; k < 1500; ++k) {
      const Point k1 = rate(p), k2 = rate(moved(p, h / 2, k1)), k3 = rate(moved(p, h / 2, k2)),
                  k4 = rate(moved(p, h, k3));
      p = moved(moved(moved(moved(p, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    run.simulation->advance(1.5);
    EXPECT_NEAR(run.output("x"), p.x, 1e-6);
    EXPECT_NEAR(run.output("y"), p.y, 1e-6);
    const double z = 0.5 * p.x * p.x + 0.3 * p.y * p.y + 0.2 * p.x * p.y + 0.1 * p.x * p.x * p.x;
    EXPECT_NEAR(run.output("z"), z, 1e-6);
    const double length = std::sqrt(1.0 + f_x(p) * f_x(p) + f_y(p) * f_y(p));
    EXPECT_NEAR(run.output("N"), 0.2 * A(p) * length, 1e-5);
  }
}

// An auxiliary unknown that is the root of a cubic with the force: m x'' = -w, w + w^3 = k x. In
// terms of w energy is m x'^2/2 + (w^2/2 + 3 w^4/4)/k, which gives the speed at the middle.
TEST(Algebraic, SpringContainsARoot) {
  const std::string text = planar(R"xml(
    <body name="b" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="x" q="0.5" target="exact"/>
    <algebraic name="w" start="1" residual="w + w^3 - 20*rail.q/(1 m)"/>
    <force joint="rail" value="-w*1 N"/>
    <event name="middle" when="rail.q &lt; 0"/>
    <output name="t" of="middle" quantity="event_time"/><output name="q" value="rail.q"/>
    <output name="v" value="rail.qd"/><output name="root" value="w"/>)xml");
  double w0 = 2.0;
  for (int k = 0; k < 60; ++k) w0 -= (w0 + w0 * w0 * w0 - 10.0) / (1.0 + 3.0 * w0 * w0);
  const auto stored = [](double w) { return (w * w / 2.0 + 0.75 * w * w * w * w) / 20.0; };
  // Quarter of a period: t = integral dx/v, x = (w + w^3)/20, w = w0 cos(a): the root at the start
  // cancels; Gauss and Legendre would do, the midpoint rule is exact to rounding on the full
  // circle.
  double quarter = 0.0;
  constexpr int n = 400;
  for (int k = 0; k < n; ++k) {
    const double a = (k + 0.5) / n * std::acos(-1.0) / 2.0, w = w0 * std::cos(a);
    const double v = std::sqrt(stored(w0) - stored(w));  // m = 2
    quarter += (1.0 + 3.0 * w * w) / 20.0 * w0 * std::sin(a) / v * std::acos(-1.0) / 2.0 / n;
  }
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    EXPECT_NEAR(run.output("root"), w0, 1e-8);
    run.simulation->advance(2.0 * quarter);
    EXPECT_NEAR(run.output("t"), quarter, 1e-6);
    EXPECT_NEAR(run.output("q"), -0.5, 1e-6);
    EXPECT_NEAR(run.output("v"), 0.0, 1e-6);
    EXPECT_NEAR(run.output("root"), -w0, 1e-5);
  }
}

TEST(Guide, RefusesWhatCannotBe) {
  const std::string bead = "<particle name=\"b\" mass=\"1\"/>\n";
  EXPECT_EQ(
      errors_of(
          planar(bead + "<point_on_curve a=\"ground\" b=\"b\" x=\"s*1 m\" y=\"time*1 m/s\"/>")),
      "test.mbs.xml:3:1: error: point_on_curve 'point_on_curve#1' has a shape that depends on "
      "more than the place and parameters [not-fixed]\n  hint: fix it to a body that moves: "
      "a=\"...\"\n");
  EXPECT_NE(errors_of(planar(bead + "<point_on_curve a=\"b\" b=\"b\" x=\"s*1 m\" y=\"0\"/>"))
                .find("both sides on body 'b'"),
            std::string::npos);
  EXPECT_NE(errors_of(planar(bead + "<point_on_curve a=\"ground\" b=\"b\" x=\"s\" y=\"u*1 m\"/>"))
                .find("'u'"),
            std::string::npos);
  EXPECT_NE(errors_of(spatial(bead + "<point_on_curve a=\"ground\" b=\"b\" x=\"s*1 m\" y=\"0\"/>"))
                .find("exists only in planar models"),
            std::string::npos);
  // A curve that stands still at a place has no tangent: the start says so and names it.
  const Assembled still(planar(bead + R"xml(<free b="b" pos="1, 1"/>
    <point_on_curve name="cusp" a="ground" b="b" x="s^2*1 m" y="s^2*1 m"/>)xml"));
  State x = still->initial(still.context(), 0.0);
  EXPECT_FALSE(make_consistent(*still, still.context(), x).ok);
}

// Three derivatives of every function against differences of the two that are known otherwise.
TEST(Series, HaveThirdDerivatives) {
  const Model model = [] {
    Diagnostics diagnostics;
    Model m = read_model_text(planar(R"xml(<parameter name="x" value="0.4"/>
      <curve name="c" interpolation="spline" points="-1 0; 0.2 1; 1 -1; 2 3"/>
      <parameter name="y" value="sin(x)*cos(2*x) + tan(x) + sinh(x)*cosh(x) + tanh(2*x) + exp(x^2)
        + log(1 + x) + log10(2 + x) + sqrt(x) + asin(x) + acos(x/2) + atan(3*x) + atan2(x, 1 + x^2)
        + hypot(x, 2*x^2) + x^3/(1 + x) + x^(-1.5) + (1 + x)^x + abs(-x^2) + min(x, 2) + max(x, 2)*x
        + if(x > 0, x^4, 0) - mod(x^2, 0.1) + c(x^2)"/>)xml"),
                              "test.mbs.xml", diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    return m;
  }();
  const Expression& y = model.parameters[1].value;
  ASSERT_EQ(y.symbols().size(), 1u);
  const double x0 = 0.4137, x1 = 0.8;
  const auto second = [&](double tau) {
    const double x = x0 + tau * x1, one = x1, none = 0.0;
    return y.along({&x, 1}, {&one, 1}, {&none, 1}).second;
  };
  const auto found = series_along(y, {&x0, 1}, {&x1, 1});
  const double one = x1, none = 0.0;
  const auto jet = y.along({&x0, 1}, {&one, 1}, {&none, 1});
  EXPECT_NEAR(found[0], jet.value, 1e-13);
  EXPECT_NEAR(found[1], jet.first, 1e-12);
  EXPECT_NEAR(found[2], jet.second, 1e-10);
  const auto rate = [&](double h) { return (second(h) - second(-h)) / (2.0 * h); };
  const double third = (64.0 * rate(2.5e-4) - 20.0 * rate(5e-4) + rate(1e-3)) / 45.0;
  EXPECT_NEAR(found[3], third, 1e-8 * std::abs(third));
}

}  // namespace
}  // namespace mbs::test
