// Mechanisms of the IFToMM library (benchmarks: A01, A02) in all coordinates: the simple pendulum
// and the N-four-bar, which has one degree of freedom, and N + 1 of them whenever it lies flat. It
// goes through there on the branch of a parallelogram. Figures at 10 s in quadruple precision.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
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

Figures after(double t, const std::string& text, const std::string& coordinates,
              double tolerance = 1e-10) {
  Diagnostics diagnostics;
  Model model = read_model_text(planar(text), "test.mbs.xml", diagnostics);
  model.solver.coordinates = coordinates;
  model.solver.method = "extrapolation";
  model.solver.rtol = model.solver.atol = tolerance;
  const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
  EXPECT_TRUE(equations) << diagnostics.text();
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  simulation.advance(t);
  return {simulation.output(0), simulation.output(1)};
}

Figures after_ten_seconds(const std::string& text, const std::string& coordinates,
                          double tolerance = 1e-10) {
  return after(10.0, text, coordinates, tolerance);
}

constexpr double pi = 3.14159265358979323846;

class Loops : public testing::TestWithParam<const char*> {};

TEST_P(Loops, SimplePendulumHasTheReferenceFigures) {
  const Figures at = after_ten_seconds(simple_pendulum, GetParam());
  EXPECT_NEAR(std::remainder(at.q - 4.43370830681470690926, 2 * pi), 0.0, 1e-6);
  EXPECT_NEAR(at.qd, 4.34316069286468305329, 1e-6 * 5.3);
}

// Ten singular positions lie on the way, and where steps fall near them differs with every
// tolerance.
TEST_P(Loops, TwoFourBarsHaveTheReferenceFigures) {
  for (double tolerance = 2e-8; tolerance > 7e-11; tolerance *= 0.63) {
    SCOPED_TRACE(tolerance);
    const Figures at = after_ten_seconds(four_bars(2), GetParam(), tolerance);
    EXPECT_NEAR(at.q, -30.1798008601912051979, 1e-6 * 31.0);
    EXPECT_NEAR(at.qd, -1.50664218084182946989, 1e-6 * 2.5 * std::max(1.0, tolerance / 1e-9));
  }
}

// Below 2e-10 rounding near a singular position may be more than a step is allowed to be off: in
// absolute and mixed coordinates steps then become tiny.
TEST_P(Loops, FortyFourBarsHaveTheReferenceFigures) {
  std::vector<double> tolerances = {1e-8, 1e-9, 4e-10, 2.5e-10};
  if (GetParam() == std::string("joint")) tolerances.push_back(1e-10);
  for (const double tolerance : tolerances) {
    SCOPED_TRACE(tolerance);
    const Figures at = after_ten_seconds(four_bars(40), GetParam(), tolerance);
    EXPECT_NEAR(at.q, -30.0266374171908411006, 1e-6 * 31.0);
    EXPECT_NEAR(at.qd, -1.16762210875170682781, 1e-6 * 2.2 * std::max(1.0, tolerance / 1e-9));
  }
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Every, Loops, testing::Values("absolute", "joint", "mixed"), name_of);

// Watt's chain: the rocker of a crank-rocker carries the crank of another, bars of different
// lengths and masses, no symmetry. One degree of freedom, so that energy alone gives the motion:
// with T = M(theta) theta'^2 / 2 and the potential V,
//
//   t(theta_1) = int from theta_0 to theta_1 sqrt( M / (2 (E - V)) ) dtheta
//
// from the closed form of a four-bar's position and rates, by quadrature. Nothing of it is ours.
struct Point {
  double x, y;
};

struct Chain {
  double M = 0.0, V = 0.0;
  void add(double mass, double inertia, Point at, Point rate, double turn) {
    M += mass * (rate.x * rate.x + rate.y * rate.y) + inertia * turn * turn;
    V += mass * 9.81 * at.y;
  }
};

constexpr double first[] = {0.3, 0.8, 0.6, 0.9};     // crank, coupler, rocker, ground
constexpr double second[] = {0.25, 0.7, 0.5, 0.75};  // likewise
constexpr double lever = 0.4;                        // the second crank from the first rocker
constexpr double mass[] = {1.0, 1.5, 0.8, 0.5, 1.2, 0.7};

// Adds a four-bar's bars, its crank at `foot` at an angle with a rate; the rocker's angle and rate.
void four_bar(const double* l, const double* m, double foot, double angle, double rate, Chain& sum,
              double& rocker, double& rocker_rate) {
  const Point u{std::cos(angle), std::sin(angle)};
  const Point A{foot + l[0] * u.x, l[0] * u.y}, A_dot{-l[0] * rate * u.y, l[0] * rate * u.x};
  const double x = A.x - foot - l[3], y = A.y, d = std::hypot(x, y);
  rocker = std::atan2(y, x) - std::acos((d * d + l[2] * l[2] - l[1] * l[1]) / (2.0 * d * l[2]));
  const Point w{std::cos(rocker), std::sin(rocker)};
  const Point B{foot + l[3] + l[2] * w.x, l[2] * w.y}, AB{B.x - A.x, B.y - A.y};
  rocker_rate = (AB.x * A_dot.x + AB.y * A_dot.y) / (l[2] * (AB.y * w.x - AB.x * w.y));
  const Point B_dot{-l[2] * rocker_rate * w.y, l[2] * rocker_rate * w.x};
  const double turn = (AB.x * (B_dot.y - A_dot.y) - AB.y * (B_dot.x - A_dot.x)) / (l[1] * l[1]);
  const auto middle = [](Point a, Point b) { return Point{(a.x + b.x) / 2, (a.y + b.y) / 2}; };
  const auto J = [&](int i) { return m[i] * l[i] * l[i] / 12.0; };
  sum.add(m[0], J(0), middle({foot, 0}, A), middle({0, 0}, A_dot), rate);
  sum.add(m[1], J(1), middle(A, B), middle(A_dot, B_dot), turn);
  sum.add(m[2], J(2), middle({foot + l[3], 0}, B), middle({0, 0}, B_dot), rocker_rate);
}

Chain watt(double theta, double* rocker_1 = nullptr, double* rocker_2 = nullptr) {
  Chain sum;
  double psi, psi_rate, chi, chi_rate;
  four_bar(first, mass, 0.0, theta, 1.0, sum, psi, psi_rate);
  four_bar(second, mass + 3, first[3], psi + lever, psi_rate, sum, chi, chi_rate);
  if (rocker_1 != nullptr) *rocker_1 = psi, *rocker_2 = chi;
  return sum;
}

std::string watt_model(double theta, double rate) {
  double psi, chi;
  watt(theta, &psi, &chi);
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return std::string(text);
  };
  const auto bar = [&](const std::string& name, double m, double l) {
    return "<body name='" + name + "' mass='" + number(m) + "' com='" + number(l / 2) +
           ", 0' inertia='" + number(m * l * l / 12.0) + "'><frame name='end' pos='" + number(l) +
           ", 0'/></body>\n";
  };
  const auto pivot = [&](const std::string& name, const std::string& a, const std::string& b,
                         const std::string& more) {
    return "<revolute name='" + name + "' a='" + a + "' b='" + b + "' " + more + "/>\n";
  };
  const double g = first[3], h = g + second[3];
  return "<gravity g='0, -9.81'/><frame name='P' pos='" + number(g) +
         ", 0'/><frame name='Q' pos='" + number(h) + ", 0'/>\n" + bar("crank", mass[0], first[0]) +
         bar("coupler", mass[1], first[1]) + bar("rocker", mass[2], first[2]) +
         bar("crank2", mass[3], second[0]) + bar("coupler2", mass[4], second[1]) +
         bar("rocker2", mass[5], second[2]) +
         pivot("drive", "ground", "crank",
               "q='" + number(theta) + "' qd='" + number(rate) + "' target='exact'") +
         pivot("A", "crank.end", "coupler", "") +
         pivot("C", "P", "rocker", "q='" + number(psi) + "'") +
         pivot("B", "coupler.end", "rocker.end", "") + "<frame name='lever' on='rocker' rot='" +
         number(lever) + "'/><weld name='glue' a='lever' b='crank2'/>\n" +
         pivot("D", "crank2.end", "coupler2", "") +
         pivot("F", "Q", "rocker2", "q='" + number(chi) + "'") +
         pivot("E", "coupler2.end", "rocker2.end", "") +
         "<output name='q' of='drive' quantity='q'/><output name='qd' of='drive' quantity='qd'/>";
}

TEST_P(Loops, WattsChainAgreesWithQuadrature) {
  const double theta_0 = 0.5, rate_0 = 15.0, theta_1 = 10.5;
  const Chain start = watt(theta_0);
  const double E = start.M * rate_0 * rate_0 / 2.0 + start.V;
  const auto slowness = [&](double theta) {
    const Chain at = watt(theta);
    return std::sqrt(at.M / (2.0 * (E - at.V)));
  };
  // Gauss's rule of three points; halving the intervals changes 1e-12.
  const auto time_by = [&](int n) {
    double sum = 0.0;
    const double h = (theta_1 - theta_0) / n, x = std::sqrt(0.6) * h / 2.0;
    for (int i = 0; i < n; ++i) {
      const double middle = theta_0 + (i + 0.5) * h;
      sum += h / 18.0 *
             (5.0 * slowness(middle - x) + 8.0 * slowness(middle) + 5.0 * slowness(middle + x));
    }
    return sum;
  };
  const double t = time_by(2000);
  ASSERT_NEAR(t, time_by(1000), 1e-12);
  const Figures at = after(t, watt_model(theta_0, rate_0), GetParam());
  EXPECT_NEAR(at.q, theta_1, 1e-7 * theta_1);
  EXPECT_NEAR(at.qd, 1.0 / slowness(theta_1), 1e-7 * rate_0);
}

// Nine equal bars in an arch between two posts, and a hinge that must not be in the tree, if any:
// one whose reaction is measured.
std::string arch(int cut) {
  constexpr int bars = 9;
  const auto slope = [](int i) { return 1.2 * (1.0 - 2.0 * i / (bars - 1)); };
  double span = 0.0;
  std::string text, before = "ground";
  for (int i = 0; i < bars; ++i) {
    const std::string name = "bar" + std::to_string(i),
                      q = std::to_string(slope(i) - (i == 0 ? 0.0 : slope(i - 1)));
    span += std::cos(slope(i));
    text += "<body name='" + name +
            "' mass='1' com='0.5, 0' inertia='1/12'><frame name='end' pos='1, 0'/></body>\n" +
            "<revolute name='hinge" + std::to_string(i) + "' a='" + before + "' b='" + name +
            "' q='" + q + "'/>\n";
    before = name + ".end";
  }
  text += "<frame name='post' pos='" + std::to_string(span) + ", 0'/><revolute name='hinge9' a='" +
          before + "' b='post'/>\n";
  if (cut >= 0)
    text += "<measure name='r' of='hinge" + std::to_string(cut) +
            "' quantity='reaction' component='fx'/>\n";
  return text;
}

double condition_of_joint_inertia(int cut) {
  const Assembled model(planar(arch(cut)), "joint");
  const State x = model.start();
  EXPECT_EQ(model->sizes().v, 9);
  EXPECT_EQ(model->sizes().lambda, 2);
  model->position(model.context(), x, want_M, *model.ws);
  const Eigen::SelfAdjointEigenSolver<Matrix> M(Matrix(model.ws->M), Eigen::EigenvaluesOnly);
  return M.eigenvalues().maxCoeff() / M.eigenvalues().minCoeff();
}

TEST(Cut, LeavesTheTreeOfTheBestConditionedInertia) {
  const double chosen = condition_of_joint_inertia(-1);
  double best = 1e300, worst = 0.0;
  for (int cut = 0; cut <= 9; ++cut) {
    const double condition = condition_of_joint_inertia(cut);
    best = std::min(best, condition);
    worst = std::max(worst, condition);
  }
  std::printf("condition of M: chosen %.0f, best %.0f, worst %.0f\n", chosen, best, worst);
  EXPECT_LE(chosen, 1.001 * best);
  EXPECT_GE(worst, 5.0 * best);
}

}  // namespace
}  // namespace mbs::test
