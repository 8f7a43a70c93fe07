// Impacts and contact forces do not depend on the order of the contacts: every permutation of the
// same ones gives the same velocities and accelerations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

// Three discs in a pyramid, all touching, meet the floor and a wall at once.
std::string pyramid(const std::string& law, const std::vector<int>& order) {
  std::string lines = R"xml(<gravity g="0, -9.81 m/s^2"/>
<frame name="wall" pos="-0.2 m, 0"/>
<body name="a" mass="2 kg" inertia="0.01"/><body name="b" mass="1 kg" inertia="0.004"/>
<body name="c" mass="3 kg" inertia="0.02"/>
<free a="ground" b="a" pos="-0.1, 0.1" vel="-0.3, -1.2" omega="2"/>
<free a="ground" b="b" pos="0.1, 0.1" vel="-0.5, -0.8" omega="-1"/>
<free a="ground" b="c" pos="0, 0.1 + 0.1*sqrt(3)" vel="0.1, -1.7" omega="3"/>)xml";
  const std::string contacts[] = {
      R"(a="ground" b="a" normal="y" radius_b="0.1" mu="0.3" restitution="0.4")",
      R"(a="ground" b="b" normal="y" radius_b="0.1" mu="0.2" restitution="0.7")",
      R"(a="wall" b="a" normal="x" radius_b="0.1" mu="0.1" restitution="0.5")",
      R"(a="a" b="b" radius_a="0.1" radius_b="0.1" mu="0.25" restitution="0.6")",
      R"(a="a" b="c" radius_a="0.1" radius_b="0.1" mu="0.15" restitution="0.3")",
      R"(a="b" b="c" radius_a="0.1" radius_b="0.1" mu="0.35" restitution="0.8")"};
  for (const int i : order) {
    lines += "<contact name=\"k" + std::to_string(i) + "\" law=\"" + law + "\" " +
             contacts[static_cast<std::size_t>(i)] + "/>\n";
  }
  return lines;
}

TEST(ContactOrder, ImpactsAndForcesAreTheSameInEveryOrder) {
  for (const std::string law : {"newton", "poisson"}) {
    SCOPED_TRACE(law);
    std::vector<int> order = {0, 1, 2, 3, 4, 5};
    Vector v, a;
    double most_v = 0.0, most_a = 0.0;
    int permutations = 0;
    do {
      const CoSimulationDriver simulation = simulated(pyramid(law, order), "absolute");
      if (v.size() == 0) {
        v = simulation.state().v;
        a = simulation.state().a;
        EXPECT_GE(v[1], -1e-12);  // nothing goes through the floor
        EXPECT_GE(v[4], -1e-12);
        EXPECT_GT((v - Vector(Vector::Zero(v.size()))).norm(), 0.1);
      }
      most_v = std::max(most_v, (simulation.state().v - v).cwiseAbs().maxCoeff());
      most_a = std::max(most_a, (simulation.state().a - a).cwiseAbs().maxCoeff());
      ++permutations;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(permutations, 720);
    EXPECT_LT(most_v, 1e-14 * std::max(1.0, v.cwiseAbs().maxCoeff()));
    EXPECT_LT(most_a, 1e-13 * std::max(1.0, a.cwiseAbs().maxCoeff()));
  }
}

// All orders of the four contacts of the cradle agree to six digits more than the tolerance.
TEST(ContactOrder, CradleSharesTheImpactTheSameInEveryOrder) {
  std::vector<int> order = {1, 2, 3, 4};
  do {
    std::string lines;
    for (int i = 1; i <= 5; ++i) {
      const std::string n = std::to_string(i);
      lines += "<body name='b" + n + "' mass='1'/><prismatic name='g" + n + "' a='ground' b='b" +
               n + "' axis='x' q='0.2*" + n + "'" + (i == 1 ? " qd='1'" : "") + "/>";
    }
    for (const int i : order) {
      lines += "<contact a='b" + std::to_string(i) + "' b='b" + std::to_string(i + 1) +
               "' radius_a='0.1' radius_b='0.1' restitution='1'/>";
    }
    const CoSimulationDriver simulation = simulated(lines, "absolute");
    const double split[] = {-0.6, 0.4, 0.4, 0.4, 0.4};
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(simulation.state().v[3 * i], split[i], 1e-14);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace mbs::test
