// Contacts, stops and friction in every mode: exact Jacobian blocks against differences.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/contact/low_speed_direction.hpp"
#include "engine/contact/modes.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr const char* in_plane[] = {
    R"xml(<contact a="a.f" b="b.f" normal="0.6, 0.8"/>)xml",
    R"xml(<contact a="a.f" b="dot" normal="y" mu="0.3"/>)xml",
    R"xml(<contact a="nail" b="b.f" normal="x" radius_b="0.2" mu="0.3" mu_static="0.4"/>)xml",
    R"xml(<contact a="a.f" b="b.f" radius_a="0.1" radius_b="0.2" mu="0.3"/>)xml",
    R"xml(<revolute name="r" a="a.f" b="b.f"/><end_stop joint="r" upper="0.2"/>)xml",
    R"xml(<prismatic name="s" a="a.f" b="b.f" axis="0.6, 0.8"/><end_stop joint="s" lower="0.2"/>)xml",
    R"xml(<revolute name="r" a="a.f" b="b.f"/><friction joint="r" force="0.3 N.m + 0.1 N.m*u" speed="2"/>)xml",
    R"xml(<prismatic name="s" a="nail" b="b.f" axis="x"/>
       <measure name="N" of="s" quantity="reaction" component="fy"/>
       <friction joint="s" force="0.3*abs(N)" static="1.2"/>)xml",
};
constexpr const char* in_space[] = {
    R"xml(<contact a="a.f" b="b.f" normal="0.6, 0, 0.8" mu="0.3"/>)xml",
    R"xml(<contact a="nail" b="b.f" normal="z" radius_b="0.2" mu="0.3"/>)xml",
    R"xml(<contact a="a.f" b="dot" normal="y"/>)xml",
    R"xml(<contact a="a.f" b="b.f" radius_a="0.1" radius_b="0.2"/>)xml",
    R"xml(<contact a="a.f" b="b.f" radius_a="0.1" radius_b="0.2" mu="0.3"/>)xml",
    R"xml(<contact a="nail" b="b.f" radius_a="0.5" radius_b="0.2" mu="0.3"/>)xml",
    R"xml(<revolute name="r" a="a.f" b="b.f" axis="1, 2, 3"/><friction joint="r" mu="0.3" radius="0.1"/>)xml",
    R"xml(<prismatic name="s" a="nail" b="b.f" axis="x"/><friction joint="s" mu="0.3" law="regularised" width="0.4" speed="0.2"/>)xml",
    R"xml(<revolute name="r" a="a.f" b="b.f" axis="1, 2, 3"/><end_stop joint="r" upper="0.2"/>)xml",
    R"xml(<prismatic name="s" a="a.f" b="b.f" axis="x"/><friction joint="s" force="0.3 N + 0.1 N*u"/>)xml",
};

void check(const std::string& text, const std::string& coordinates) {
  const Assembled model(text, coordinates);
  for (int seed = 1; seed <= 2; ++seed) {
    for (int mode = 0; mode <= static_cast<int>(ContactMode::redundant_second); ++mode) {
      SCOPED_TRACE(coordinates + text + ", mode " + std::to_string(mode) + ", seed " +
                   std::to_string(seed));
      State x = random_state(*model, seed);
      std::fill(x.modes.begin(), x.modes.end(), mode);
      const Vector directions = x.z;
      for (double& z : x.z) z = std::round(z);  // turns
      for (const Structure::Contact& c : model->structure().contacts) {
        if (c.tangents == 0) continue;
        x.z.segment(c.direction, c.tangents) = directions.segment(c.direction, c.tangents);
        x.z.segment(c.direction, c.tangents).normalize();
        if (friction_is_redundant(static_cast<ContactMode>(mode)))
          x.z.segment(c.direction, c.tangents) *= 0.7;
        // The contact is slower, then faster than its low speed.
        if (c.low_speed >= 0)
          x.z.segment(c.low_speed, low_speed_entries) << (seed == 1 ? 5.0 : 1e-3), 0.0, 0.0;
      }
      expect_exact_derivatives(model, x);
      expect_exact_friction(model, x);
    }
  }
}

TEST(ContactDerivatives, AreExactInThePlane) {
  for (const char* lines : in_plane)
    for (const char* coordinates : {"absolute", "joint", "mixed"}) {
      check(planar(std::string(R"xml(<input name="u"/><frame name="nail" pos="0.3, -0.2" rot="0.4"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.6" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
  <particle name="dot" mass="0.3"/>)xml") +
                   lines),
            coordinates);
    }
}

TEST(ContactDerivatives, AreExactInSpace) {
  for (const char* lines : in_space)
    for (const char* coordinates : {"absolute", "joint", "mixed"}) {
      check(spatial(std::string(R"xml(<input name="u"/>
  <frame name="nail" pos="0.3, -0.2, 0.1" rot="0.4, -0.3, 0.8"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.6" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25">
    <frame name="f" pos="-0.4, 0.6, -0.7"/></body>
  <particle name="dot" mass="0.3"/>)xml") +
                    lines),
            coordinates);
    }
}

}  // namespace
}  // namespace mbs::test
