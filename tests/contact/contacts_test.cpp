// Contacts, impacts and dry friction against closed forms, through CoSimulationDriver.

#include "engine/contact/contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/snapshot.hpp"
#include "tests/contact/touching_masses.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;
using Touch = TouchingMasses::Touch;
using Geometry = TouchingMasses::Geometry;

Vector numbers(std::initializer_list<double> list) {
  Vector x(static_cast<Eigen::Index>(list.size()));
  std::copy(list.begin(), list.end(), x.begin());
  return x;
}

SolverChoice tight(double tolerance = 1e-10) {
  SolverChoice choice;
  choice.options.rtol = choice.options.atol = tolerance;
  return choice;
}

struct Recorded {
  std::vector<Root> events;
  State end;
};

Recorded run(const std::shared_ptr<const Equations>& equations, double t_end,
             const SolverChoice& choice, int pieces = 1) {
  CoSimulationDriver simulation(equations, choice);
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.message;
  Recorded record;
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance(t_end * k / pieces);
    for (const Root& root : simulation.events()) record.events.push_back(root);
  }
  record.end = simulation.state();
  return record;
}

std::shared_ptr<const Equations> ball(double height, double e, bool poisson = false) {
  Touch floor{"floor",
              [](const Vector& p, const Vector&) {
                Geometry at;
                at.gap = p[0];
                at.normal = numbers({1.0});
                return at;
              },
              {.restitution = e, .poisson = poisson}};
  return std::make_shared<TouchingMasses>(
      numbers({1.0}), [](double, const Vector&, const Vector&) { return numbers({-g}); },
      std::vector<Touch>{floor}, numbers({height}), numbers({0.0}));
}

TEST(Contacts, BallBouncesToRest) {
  for (const bool poisson : {false, true}) {
    const double e = 0.8, v1 = std::sqrt(2.0 * g);
    const Recorded record = run(ball(1.0, e, poisson), 10.0, tight(), 7);
    ASSERT_GT(record.events.size(), 60u);
    EXPECT_LT(record.events.size(), 130u);  // the last bounces are slower than the tolerance
    double t = v1 / g, speed = v1;
    for (std::size_t k = 0; k < 60; ++k) {
      EXPECT_NEAR(record.events[k].t, t, 1e-9) << k;
      speed *= e;
      t += 2.0 * speed / g;
    }
    const double rest = v1 / g * (1.0 + e) / (1.0 - e);
    EXPECT_NEAR(record.events.back().t, rest, 1e-9);
    EXPECT_NEAR(record.end.p[0], 0.0, 1e-15);
    EXPECT_EQ(record.end.v[0], 0.0);
    EXPECT_NEAR(record.end.lambda[0], -g, 1e-12);
    EXPECT_EQ(contact_mode(record.end, 0), ContactMode::stick);
  }
}

TEST(Contacts, InelasticBallStaysAfterOneImpact) {
  const Recorded record = run(ball(1.0, 0.0), 3.0, tight());
  ASSERT_EQ(record.events.size(), 1u);
  EXPECT_EQ(record.end.v[0], 0.0);
}

std::shared_ptr<const Equations> cradle(double gap) {
  const int n = 5;
  std::vector<Touch> touches;
  for (int i = 0; i + 1 < n; ++i) {
    touches.push_back({"pair " + std::to_string(i + 1),
                       [i, n](const Vector& p, const Vector&) {
                         Geometry at;
                         at.gap = p[i + 1] - p[i];
                         at.normal = Vector::Zero(n);
                         at.normal[i] = -1.0;
                         at.normal[i + 1] = 1.0;
                         return at;
                       },
                       {.restitution = 1.0}});
  }
  Vector p0(n), v0 = Vector::Zero(n);
  for (int i = 0; i < n; ++i) p0[i] = gap * i;
  p0[0] -= 1.0;
  v0[0] = 2.0;
  return std::make_shared<TouchingMasses>(
      Vector::Ones(n), [n](double, const Vector&, const Vector&) { return Vector::Zero(n).eval(); },
      touches, p0, v0);
}

TEST(Contacts, NewtonsCradleWithGapsTransfersAllSpeed) {
  const Recorded record = run(cradle(1e-6), 1.0, tight());
  EXPECT_EQ(record.events.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(record.end.v[i], 0.0, 1e-12);
  EXPECT_NEAR(record.end.v[4], 2.0, 1e-12);
}

TEST(Contacts, TouchingNewtonsCradleSharesTheImpact) {
  const Recorded record = run(cradle(0.0), 1.0, tight());
  const double v[] = {-0.6, 0.4, 0.4, 0.4, 0.4};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(record.end.v[i], 2.0 * v[i], 1e-12);
}

TEST(Contacts, SliderOnABeltSticksAndSlips) {
  const double m = 2.0, k = 50.0, belt = 0.3, F_s = 8.0, F_k = 5.0;
  Touch friction{"belt",
                 [belt](const Vector&, const Vector&) {
                   Geometry at;
                   at.T = Matrix::Ones(1, 1);
                   at.T_t = numbers({-belt});
                   at.T_gamma = numbers({0.0});
                   return at;
                 },
                 {.limit = F_k, .limit_static = F_s},
                 1,
                 false};
  const auto slider = std::make_shared<TouchingMasses>(
      numbers({m}), [k](double, const Vector& p, const Vector&) { return Vector(-k * p); },
      std::vector<Touch>{friction}, numbers({0.0}), numbers({belt}));
  const double omega = std::sqrt(k / m), X0 = (F_s - F_k) / k;
  const double slip = 2.0 / omega * (std::numbers::pi - std::atan(X0 * omega / belt));
  const double hold = 2.0 * X0 / belt;
  const Recorded record = run(slider, 10.0, tight(), 3);
  double t = F_s / k / belt;
  ASSERT_GE(record.events.size(), 8u);
  for (std::size_t i = 0; i < 8; i += 2) {
    EXPECT_NEAR(record.events[i].t, t, 1e-9) << i;
    t += slip;
    EXPECT_NEAR(record.events[i + 1].t, t, 1e-9) << i;
    t += hold;
  }
}

std::shared_ptr<const Equations> block_on_incline(double slope, double mu, const Vector& v0) {
  Touch plane{"plane",
              [](const Vector& p, const Vector&) {
                Geometry at;
                at.gap = p[2];
                at.normal = numbers({0.0, 0.0, 1.0});
                at.T = Matrix::Zero(2, 3);
                at.T(0, 0) = at.T(1, 1) = 1.0;
                at.T_t = at.T_gamma = Vector::Zero(2);
                return at;
              },
              {.mu = mu, .mu_static = mu},
              2};
  return std::make_shared<TouchingMasses>(
      numbers({1.0, 1.0, 1.0}),
      [slope](double, const Vector&, const Vector&) {
        return numbers({g * std::sin(slope), 0.0, -g * std::cos(slope)});
      },
      std::vector<Touch>{plane}, Vector::Zero(3), v0);
}

TEST(Contacts, StickingBlockDoesNotCreep) {
  const Recorded record = run(block_on_incline(0.4, 0.5, Vector::Zero(3)), 100.0, tight(1e-6), 50);
  EXPECT_TRUE(record.events.empty());
  EXPECT_LT(record.end.p.norm(), 1e-12);
  EXPECT_NEAR(record.end.lambda[1], g * std::sin(0.4), 1e-12);
}

TEST(Contacts, SlidingBlockStopsAfterItsStoppingDistance) {
  const double mu = 0.25;
  const Recorded record = run(block_on_incline(0.0, mu, numbers({3.0, 4.0, 0.0})), 5.0, tight());
  ASSERT_EQ(record.events.size(), 1u);
  EXPECT_NEAR(record.events[0].t, 5.0 / (mu * g), 1e-9);
  const double way = 25.0 / (2.0 * mu * g);
  EXPECT_NEAR(record.end.p[0], 0.6 * way, 1e-8);
  EXPECT_NEAR(record.end.p[1], 0.8 * way, 1e-8);
  EXPECT_EQ(record.end.v.norm(), 0.0);
}

TEST(Contacts, BlockOnTooSteepSlopeSlidesFromRest) {
  const double slope = 0.6, mu = 0.5;
  const Recorded record = run(block_on_incline(slope, mu, Vector::Zero(3)), 2.0, tight());
  EXPECT_NEAR(record.end.p[0], 2.0 * g * (std::sin(slope) - mu * std::cos(slope)), 1e-8);
  EXPECT_NEAR(record.end.p[1], 0.0, 1e-12);
}

// A block of half width b and half height h rocks about its lower corners, p = (x, y, theta);
// Housner (1963).
std::shared_ptr<const Equations> rocking_block(double b, double h, double tilt) {
  const auto corner = [b, h](double side) {
    return [b, h, side](const Vector& p, const Vector& v) {
      const double c = std::cos(p[2]), s = std::sin(p[2]);
      const double rx = side * b * c + h * s, ry = side * b * s - h * c;  // R (side b, -h)
      Geometry at;
      at.gap = p[1] + ry;
      at.normal = numbers({0.0, 1.0, rx});
      at.normal_gamma = -ry * v[2] * v[2];
      at.T = Matrix::Zero(1, 3);
      at.T(0, 0) = 1.0;
      at.T(0, 2) = -ry;
      at.T_t = numbers({0.0});
      at.T_gamma = numbers({-rx * v[2] * v[2]});
      return at;
    };
  };
  const TouchingMasses::ContactLaw law{.mu = 2.0, .mu_static = 2.0};
  const double J = (b * b + h * h) / 3.0;
  // Tilted by tilt > 0 about the left corner.
  const double c = std::cos(tilt), s = std::sin(tilt);
  return std::make_shared<TouchingMasses>(
      numbers({1.0, 1.0, J}),
      [](double, const Vector&, const Vector&) {
        return numbers({0.0, -g, 0.0});
      },
      std::vector<Touch>{{"left", corner(-1.0), law, 1}, {"right", corner(1.0), law, 1}},
      numbers({b * c - h * s, b * s + h * c, tilt}), Vector::Zero(3));
}

TEST(Contacts, RockingBlockFollowsHousner) {
  const double b = 0.2, h = 1.0, tilt = 0.1, alpha = std::atan(b / h), R = std::hypot(b, h);
  const double pp = g * R / (4.0 / 3.0 * R * R);  // p^2
  // Time from theta0 at rest to 0: theta'^2 = 2 p^2 (cos(alpha - theta0) - cos(alpha - theta)).
  // With theta = theta0 (1 - s^2) the difference of cosines is 2 sin(alpha - (theta0 + theta)/2)
  // sin(theta0 s^2/2), and the integrand has no singularity; Simpson's rule.
  const auto quarter = [&](double theta0) {
    const auto integrand = [&](double s) {
      const double theta = theta0 * (1.0 - s * s), x = 0.5 * theta0 * s * s;
      const double sinc = x > 0.0 ? std::sin(x) / x : 1.0;
      return 2.0 * theta0 /
             std::sqrt(2.0 * pp * std::sin(alpha - 0.5 * (theta0 + theta)) * theta0 * sinc);
    };
    const int n = 2000;
    double sum = integrand(0.0) + integrand(1.0);
    for (int k = 1; k < n; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * integrand(double(k) / n);
    return sum / (3.0 * n);
  };
  const double ratio = 1.0 - 1.5 * std::sin(alpha) * std::sin(alpha);
  double t = quarter(tilt), theta = tilt;
  const Recorded record = run(rocking_block(b, h, tilt), 3.0, tight());
  ASSERT_GE(record.events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(record.events[k].t, t, 1e-8) << k;
    // the next peak: cos(alpha - theta) grows back to what the lost energy leaves
    const double energy = ratio * ratio * (std::cos(alpha - theta) - std::cos(alpha));
    theta = alpha - std::acos(std::cos(alpha) + energy);
    t += 2.0 * quarter(theta);
  }
}

TEST(Contacts, PenetrationAtTheStartIsRefused) {
  CoSimulationDriver simulation(ball(-0.1, 0.5), tight());
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.message.find("'floor' by 0.1"), std::string::npos) << report.message;
}

TEST(Contacts, SnapshotReplaysBitwise) {
  const auto equations = ball(1.0, 0.7);
  CoSimulationDriver first(equations, tight(1e-7));
  ASSERT_TRUE(first.initialise(0.0).ok);
  first.advance(0.7);
  const std::vector<std::byte> bytes = serialise(first, 1);
  CoSimulationDriver second(equations, tight(1e-7));
  deserialise(second, bytes, 1);
  first.advance(3.0);
  second.advance(3.0);
  EXPECT_EQ(first.state().p[0], second.state().p[0]);
  EXPECT_EQ(first.state().v[0], second.state().v[0]);
  EXPECT_EQ(first.system().events().count(0), second.system().events().count(0));
  EXPECT_GT(first.system().events().count(0), 10.0);
}

TEST(Contacts, StopAtEventShowsTheLeftLimit) {
  CoSimulationDriver simulation(ball(1.0, 0.5), tight());
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  ASSERT_EQ(simulation.advance(1.0, CoSimulationDriver::Events::stop),
            CoSimulationDriver::Advance::event);
  EXPECT_NEAR(simulation.state().v[0], -std::sqrt(2.0 * g), 1e-9);
  EXPECT_TRUE(simulation.system().events().is_due());
  simulation.apply_discrete_changes();
  EXPECT_FALSE(simulation.system().events().is_due());
  EXPECT_NEAR(simulation.state().v[0], 0.5 * std::sqrt(2.0 * g), 1e-9);
}

}  // namespace
}  // namespace mbs::test
