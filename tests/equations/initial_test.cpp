// Consistent initial values: what is found, that it is the nearest, and what is said when nothing
// can be found.

#include "engine/equations/initial.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "tests/equations/mechanisms.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

struct Outcome {
  State guess, x;
  InitialReport report;
  double g = 0.0, G_v = 0.0;  // residuals at x
};

double norm(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

Outcome find(const Equations& equations, const std::function<void(State&)>& change = {}) {
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const Context context{inputs, parameters};
  Outcome outcome;
  outcome.guess = equations.initial(context, 0.0);
  if (change) change(outcome.guess);
  outcome.x = outcome.guess;
  outcome.report = make_consistent(equations, context, outcome.x);
  const auto ws = equations.make_workspace();
  equations.position(context, outcome.x, want_position_all, *ws);
  equations.velocity(context, outcome.x, *ws);
  outcome.g = std::max(norm(ws->g), norm(ws->n));
  outcome.G_v = norm(ws->G_v);
  return outcome;
}

void expect_found(const Outcome& outcome) {
  EXPECT_TRUE(outcome.report.ok) << outcome.report.message;
  EXPECT_LT(outcome.g, 1e-13);
  EXPECT_LT(outcome.G_v, 1e-12);
  EXPECT_TRUE(outcome.report.message.empty());
  EXPECT_TRUE(outcome.report.redundant.empty());
}

void expect_refused(const Outcome& outcome, const std::vector<std::string>& keywords) {
  EXPECT_FALSE(outcome.report.ok);
  for (const std::string& keyword : keywords) {
    EXPECT_NE(outcome.report.message.find(keyword), std::string::npos)
        << "'" << keyword << "' is not in: " << outcome.report.message;
  }
  // Nothing has been touched.
  const auto same = [](const Vector& a, const Vector& b) {
    return a.size() == b.size() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
  };
  EXPECT_TRUE(same(outcome.x.p, outcome.guess.p));
  EXPECT_TRUE(same(outcome.x.v, outcome.guess.v));
  EXPECT_TRUE(same(outcome.x.a, outcome.guess.a));
  EXPECT_TRUE(same(outcome.x.lambda, outcome.guess.lambda));
}

// How far M (x - guess) is from the span of G^T: the part that a motion in ker G could reduce.
double off_nearest(const Equations& equations, const Outcome& outcome, bool velocities) {
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const auto ws = equations.make_workspace();
  const State& at = outcome.x;
  equations.position({inputs, parameters}, at, want_M | want_G, *ws);
  const Matrix free = Matrix(ws->G).fullPivLu().kernel();
  const Vector moved = velocities ? at.v - outcome.guess.v : at.p - outcome.guess.p;
  return (free.transpose() * (ws->M * moved)).norm();
}

TEST(Initial, FourBarIsFoundNextToAGuess) {
  const Linkage mechanism = four_bar(1.0, 0.3, 1.7);
  Outcome outcome = find(mechanism, [](State& x) { x.v.setLinSpaced(-1.0, 2.0); });
  expect_found(outcome);
  EXPECT_LT(off_nearest(mechanism, outcome, false), 1e-8);
  EXPECT_LT(off_nearest(mechanism, outcome, true), 1e-7);
  EXPECT_GT(norm(outcome.x.p - outcome.guess.p), 1e-3);
  // The accelerations belong to it.
  EXPECT_TRUE(outcome.x.a.allFinite());
  EXPECT_GT(outcome.x.lambda.norm(), 0.0);
}

TEST(Initial, FourBarIsFoundFromPoorGuesses) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-3.0, 3.0), place(-4.0, 4.0);
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const Linkage mechanism = four_bar(angle(random), angle(random), angle(random));
    expect_found(find(mechanism, [&](State& x) {
      for (int i = 0; i < 9; ++i) {
        if (i % 3 != 2) x.p[i] += place(random);
      }
    }));
  }
}

// The coupler points away from the rocker: no direction of the search helps at first.
TEST(Initial, LeavesASingularGuess) {
  Linkage mechanism = four_bar(0.0, 0.0, 0.0);
  expect_found(find(mechanism, [](State& x) {
    x.p << 0.5, 0.0, 0.0, 2.5, 0.0, 0.0, 5.25, 0.0, std::numbers::pi;
  }));
}

TEST(Initial, ConsistentValuesStayAsTheyAre) {
  const Problem problem = make_problem("insul16");
  const Outcome outcome = find(*problem.equations);
  expect_found(outcome);
  EXPECT_EQ(outcome.x.p, outcome.guess.p);
  EXPECT_EQ(outcome.x.v, outcome.guess.v);
  EXPECT_TRUE(outcome.report.moved_p.empty());
  EXPECT_NE(outcome.report.text().find("Nothing had to be moved"), std::string::npos);
}

TEST(Initial, ExactTargetsAreMet) {
  Linkage mechanism = four_bar(0.6, 0.3, 1.7);
  mechanism.add_velocity_target({"crank.omega", 2, 2.0});
  mechanism.add_position_target({"crank.phi", 2, 0.8});
  const Outcome outcome = find(mechanism);
  expect_found(outcome);
  EXPECT_NEAR(outcome.x.p[2], 0.8, 1e-14);
  EXPECT_NEAR(outcome.x.v[2], 2.0, 1e-13);
}

// More conditions than freedom, which agree: one angle, and where that brings the crank and the
// rocker.
TEST(Initial, TargetsThatAgreeMayBeMoreThanNeeded) {
  Linkage once = four_bar(0.6, 0.3, 1.7);
  once.add_position_target({"crank.phi", 2, 0.8});
  once.add_velocity_target({"crank.omega", 2, 2.0});
  const Outcome first = find(once);
  expect_found(first);
  Linkage again = four_bar(0.6, 0.3, 1.7);
  for (const int i : {0, 1, 2, 8}) {
    again.add_position_target({"p" + std::to_string(i), i, first.x.p[i]});
    again.add_velocity_target({"v" + std::to_string(i), i, first.x.v[i]});
  }
  const Outcome outcome = find(again);
  expect_found(outcome);
  EXPECT_LT((outcome.x.p - first.x.p).norm(), 1e-12);
  EXPECT_LT((outcome.x.v - first.x.v).norm(), 1e-11);
}

TEST(Initial, TargetThatAConstraintForbidsIsRefused) {
  Linkage mechanism = four_bar(0.6, 0.3, 1.7);
  mechanism.add_position_target({"crank.x", 0, 0.9});
  Outcome outcome = find(mechanism);
  expect_refused(outcome, {"'ground.crank'", "'crank.x'", "cannot be satisfied together"});
  EXPECT_TRUE(outcome.report.contradictory);

  Linkage moving = four_bar(0.6, 0.3, 1.7);
  moving.add_velocity_target({"crank.omega", 2, 2.0});
  moving.add_velocity_target({"crank.vx", 0, 2.0});
  outcome = find(moving);
  expect_refused(outcome, {"'crank.omega'", "'crank.vx'", "'ground.crank'"});
  EXPECT_TRUE(outcome.report.contradictory);
}

TEST(Initial, RodThatIsTooLongIsRefused) {
  const Linkage rod(rods(1),
                    {{"left", body(0, -1.5, 0.0), ground(0.0, 0.0)},
                     {"right", body(0, 1.5, 0.0), ground(2.0, 0.0)}},
                    Eigen::Vector3d(1.1, 0.2, 0.1));
  const Outcome outcome = find(rod);
  expect_refused(outcome, {"'left'", "'right'", "0.5", "Check the lengths"});
  EXPECT_TRUE(outcome.report.contradictory);
  EXPECT_EQ(outcome.report.redundant.size(), 2u);
}

// A coupler on three parallel cranks, and a fourth joint elsewhere that has no part in it.
TEST(Initial, RedundantJointsAreNamed) {
  Vector guess(15);
  const Eigen::Vector2d crank(0.5, std::sqrt(0.75));
  for (int i = 0; i < 3; ++i) {
    guess.segment<3>(3 * i) = between({i, 0.0}, Eigen::Vector2d(i, 0.0) + crank);
  }
  guess.segment<3>(9) = between(crank, crank + Eigen::Vector2d(2.0, 0.0));
  guess.segment<3>(12) = between({5.0, 0.0}, {6.0, 0.0});
  const Linkage mechanism(rods(5),
                          {{"A", body(0, -0.5, 0.0), ground(0.0, 0.0)},
                           {"B", body(3, -0.5, 0.0), ground(1.0, 0.0)},
                           {"C", body(6, -0.5, 0.0), ground(2.0, 0.0)},
                           {"elsewhere", body(12, -0.5, 0.0), ground(5.0, 0.0)},
                           {"a", body(0, 0.5, 0.0), body(9, -1.0, 0.0)},
                           {"b", body(3, 0.5, 0.0), body(9, 0.0, 0.0)},
                           {"c", body(6, 0.5, 0.0), body(9, 1.0, 0.0)}},
                          guess);
  const Outcome outcome = find(
      mechanism, [](State& x) { x.p.array() += 0.01 * Vector::LinSpaced(15, 0.0, 1.0).array(); });
  expect_refused(outcome, {"'A'", "'B'", "'C'", "'a'", "'b'", "'c'", "depend on each other"});
  EXPECT_FALSE(outcome.report.contradictory);
  EXPECT_EQ(outcome.report.redundant.size(), 6u);
}

// A long chain is treated by the sparse factorisation. One of its joints is given twice.
TEST(Initial, RedundantJointInALongChainIsNamed) {
  const int N = 200;
  Vector guess(3 * N);
  std::vector<Linkage::Pin> pins;
  for (int i = 0; i < N; ++i) {
    guess.segment<3>(3 * i) << i + 0.5, 0.0, 0.0;
    const Side before = i == 0 ? ground(0.0, 0.0) : body(3 * (i - 1), 0.5, 0.0);
    pins.push_back({"pin" + std::to_string(i), body(3 * i, -0.5, 0.0), before});
    if (i == 57) pins.push_back({"double", body(3 * i, -0.5, 0.0), before});
  }
  const Outcome outcome = find(Linkage(rods(N), pins, guess));
  expect_refused(outcome, {"'pin57'", "'double'"});
  EXPECT_EQ(outcome.report.redundant.size(), 2u);
  pins.erase(pins.begin() + 58);
  EXPECT_TRUE(find(Linkage(rods(N), pins, guess)).report.ok);
}

TEST(Initial, SingularPositionIsNotTakenForAStart) {
  const Problem problem = make_problem("fourbar2");
  const Outcome outcome = find(*problem.equations, [](State& x) {
    x.p << 0.5, 0, 0, 1.5, 0, 0, 2.5, 0, 0, 1.5, 0, 0, 2.5, 0, 0;
    x.v.setZero();
  });
  expect_refused(outcome, {"depend on each other", "singular position"});
}

TEST(Initial, MasslessPointsInTheChainAreAllowed) {
  for (const char* name : {"insul16", "insul256"}) {
    SCOPED_TRACE(name);
    const Problem problem = make_problem(name);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> change(-0.02, 0.02);
    const Outcome outcome = find(*problem.equations, [&](State& x) {
      for (double& p : x.p) p += change(random);
      for (double& v : x.v) v += change(random);
    });
    expect_found(outcome);
    EXPECT_LT(off_nearest(*problem.equations, outcome, true), 1e-3);
  }
}

TEST(Initial, MasslessAndFreeIsNamed) {
  Vector masses(5);
  masses << rods(1), 0.0, 0.0;
  class Floating : public Linkage {
   public:
    using Linkage::Linkage;
    Floating(Linkage&& from) : Linkage(from) { structure_.v_names[3] = "point.x"; }
  };
  const Floating mechanism(Linkage(masses, {{"hinge", body(0, -0.5, 0.0), ground(0.0, 0.0)}},
                                   (Vector(5) << 0.5, 0.0, 0.0, 2.0, 3.0).finished()));
  expect_refused(find(mechanism), {"'point.x'", "without inertia"});
}

TEST(Initial, EulerParametersAreNormalised) {
  const SphericalPendulum pendulum;
  const Outcome outcome = find(pendulum);
  expect_found(outcome);
  EXPECT_NEAR(outcome.x.p.tail<4>().norm(), 1.0, 1e-15);
  // Both the body moves and turns: neither alone is the nearest.
  EXPECT_GT((outcome.x.p.head<3>() - outcome.guess.p.head<3>()).norm(), 0.05);
  const Vector turned = outcome.x.p.tail<4>() - outcome.guess.p.tail<4>().normalized();
  EXPECT_GT(turned.norm(), 0.01);
}

TEST(Initial, ValuesThatAreNoNumbersAreNamed) {
  const Linkage mechanism = four_bar(1.0, 0.3, 1.7);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_refused(find(mechanism, [&](State& x) { x.p[4] = value; }), {"'p5'", "finite"});
    expect_refused(find(mechanism, [&](State& x) { x.v[0] = value; }), {"'v1'", "finite"});
  }
  // Finite values at which nothing else is.
  expect_refused(find(mechanism, [&](State& x) { x.p[0] = 1.7e308, x.p[3] = -1.7e308; }),
                 {"'crank.coupler'", "cannot be evaluated"});
}

TEST(Initial, ReportReadsAsText) {
  const Problem problem = make_problem("insul16");
  const Outcome outcome = find(*problem.equations, [&](State& x) {
    for (int i = 0; i < x.p.size(); ++i) x.p[i] += 1e-3 * (i % 7);
  });
  ASSERT_TRUE(outcome.report.ok);
  const auto& moved = outcome.report.moved_p;
  ASSERT_GT(moved.size(), 20u);
  for (std::size_t i = 1; i < moved.size(); ++i) {
    EXPECT_GE(std::abs(moved[i - 1].to - moved[i - 1].from), std::abs(moved[i].to - moved[i].from));
  }
  const std::string text = outcome.report.text();
  EXPECT_NE(text.find("and " + std::to_string(moved.size() - 10) + " more"), std::string::npos)
      << text;
  EXPECT_LT(std::ranges::count(text, '\n'), 30);
  EXPECT_NE(text.find("Positions moved"), std::string::npos);
}

}  // namespace
}  // namespace mbs::test
