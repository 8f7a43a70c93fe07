// Power, parameters, measures, auxiliary unknowns, allocations, and what is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/multibody/assembly/assembly.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

const std::string busy = R"xml(
  <parameter name="k" value="30 N/m" variability="tunable"/>
  <parameter name="k2" value="2*k" variability="tunable"/>
  <parameter name="L" value="0.4 m" variability="tunable"/>
  <input name="u" start="0.7"/>
  <gravity g="0, -1 m/s^2, -9.81 m/s^2"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="L, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"/>
  <revolute name="r" a="ground" b="a" axis="1, 1, 0" q="0.4" qd="2" stiffness="3" rest="0.1"/>
  <spherical name="s" a="a.f" b="b" rot="0.2, 0.4, 0.1" omega="1, -2, 3"/>
  <spring name="one" a="ground" b="b" stiffness="k2" length="0.1" preload="0.3"/>
  <state name="h" start="1 rad" der="(r.q - h)/(0.1 s)"/>
  <algebraic name="w" start="1" residual="w + w^3 - u - h/(1 rad)"/>
  <measure name="mv" of="b" quantity="velocity" component="y" in="a" relative_to="a.f"/>
  <output name="energy" quantity="energy"/>
  <output name="mb" of="b" quantity="kinetic_energy"/>
  <output name="tension" of="one" quantity="force"/>
  <output name="power" value="LAW*r.qd"/>
  <output name="drift" quantity="residual"/>
  <torque joint="r" value="LAW"/>)xml";

std::string with_law(const std::string& law) {
  std::string text = busy;
  for (std::size_t at; (at = text.find("LAW")) != std::string::npos;) text.replace(at, 3, law);
  return spatial(text);
}

// d(energy)/dt along the motion is the power of the torque that has no potential.
TEST(Power, IsTheRateOfEnergy) {
  const Assembled m(with_law("(2 N.m + w*(1 N.m) + mv*(0.1 N.s))"));
  State x = m.start();
  m.solve(x);
  const double power = m.output(x, "power");
  ASSERT_GT(std::abs(power), 0.1);
  m->position(m.context(), x, want_position_all, *m.ws);
  m->velocity(m.context(), x, *m.ws);
  const Vector p_dot = m.ws->p_dot;
  const auto energy = [&](double h) {
    State y = x;
    y.p += h * p_dot;
    y.v += h * x.a;
    return m.output(y, "energy");
  };
  const double h = 1e-3;
  const double rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
  EXPECT_NEAR(rate, power, 1e-8);
  const Equations::Energy parts = m->energy(m.context(), x, *m.ws);
  EXPECT_NEAR(parts.kinetic + parts.potential, m.output(x, "energy"), 1e-13);
}

TEST(Auxiliary, IsSolved) {
  const Assembled m(with_law("w*(1 N.m)"));
  State x = m.start();
  x.w[0] = -3.0;
  ASSERT_TRUE(m->solve_auxiliary(m.context(), x, *m.ws));
  const double w = x.w[0];
  EXPECT_NEAR(w + w * w * w, 0.7 + 1.0, 1e-14);
}

TEST(Auxiliary, WithoutSolutionIsRefused) {
  const Assembled m(planar(R"xml(<algebraic name="w" start="1" residual="w^2 + 1"/>)xml"));
  State x(m->sizes());
  x.w[0] = 1.0;
  EXPECT_FALSE(m->solve_auxiliary(m.context(), x, *m.ws));
}

TEST(Parameters, AreDerivedAgain) {
  Assembled m(with_law("0 N.m"));
  const State x = m.start();
  const double before = m.output(x, "tension");
  m.set("k", 60.0);
  EXPECT_NEAR(m.output(x, "tension") - 0.3, 2.0 * (before - 0.3), 1e-13);
  EXPECT_NEAR(m.output(x, "drift"), 0.0, 1e-12);
  m.set("L", 0.5);
  EXPECT_GT(m.output(x, "drift"), 0.05);
}

TEST(Parameters, ImpossibleOnesAreRefused) {
  Assembled m(planar(R"xml(
    <parameter name="m" value="1 kg" variability="tunable"/>
    <parameter name="x" value="1" variability="tunable"/>
    <body name="b" mass="m" inertia="1/x"/>
    <prismatic name="p" a="ground" b="b" axis="x, 0"/>)xml"));
  const auto refusal = [&](double mass, double x) {
    Parameters changed = m.parameters;
    changed.values << mass, x;
    return m->derive(changed);
  };
  EXPECT_EQ(refusal(2.0, 3.0), "");
  EXPECT_EQ(refusal(-2.0, 3.0), "mass of body 'b' is -2, it must be >=0");
  EXPECT_EQ(refusal(0.0, 3.0),
            "a mass or a moment of inertia is zero that was not when the model was set up");
  EXPECT_EQ(refusal(1.0, 0.0), "inertia of body 'b' is inf");
  EXPECT_EQ(refusal(1.0, -1.0), "inertia of body 'b' is negative: -1 kg.m^2");
}

TEST(Stages, DoNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer has its own malloc";
  const Assembled m(with_law("(2 N.m + w*(1 N.m) + mv*(0.1 N.s))"));
  State x = m.start();
  const auto solver = m->make_solver("dense");
  const auto all = [&] {
    m->residual(m.context(), x, *m.ws);
    m->jacobian(m.context(), x, *m.ws);
    m->solve_auxiliary(m.context(), x, *m.ws);
    m->outputs(m.context(), x, *m.ws);
    m->conditions(m.context(), x, *m.ws);
    m->energy(m.context(), x, *m.ws);
  };
  all();
  const long count = allocations_in(all);
  EXPECT_EQ(count, 0);
}

// Results do not depend on what a workspace held before.
TEST(Stages, DependOnTheirArgumentsAlone) {
  const Assembled m(with_law("(2 N.m + w*(1 N.m) + mv*(0.1 N.s))"));
  const State x = m.start(), other = random_state(*m, 3);
  const auto fresh = m->make_workspace();
  for (const State* state : {&other, &x}) {
    m->residual(m.context(), *state, *m.ws);
    m->jacobian(m.context(), *state, *m.ws);
    m->outputs(m.context(), *state, *m.ws);
  }
  m->residual(m.context(), x, *fresh);
  m->jacobian(m.context(), x, *fresh);
  m->outputs(m.context(), x, *fresh);
  EXPECT_TRUE(fresh->residual == m.ws->residual);
  EXPECT_TRUE(fresh->jacobian.coeffs().isApprox(m.ws->jacobian.coeffs(), 0.0));
  EXPECT_TRUE(fresh->y == m.ws->y);
}

TEST(Refused, GivesTheReason) {
  const std::string bodies =
      R"(<body name="b" mass="1" inertia="1"><frame name="f" pos="1, 0"/></body>
    <particle name="dot" mass="1"/>)";
  const struct {
    const char *lines, *message;
  } cases[] = {
      {R"(<revolute name="r" a="b" b="b.f"/>)", "revolute 'r' has both sides on body 'b'"},
      {R"(<weld name="w" a="ground" b="ground"/>)", "weld 'w' has both sides on ground"},
      {R"(<weld name="w" a="b" b="dot"/>)",
       "weld 'w' acts on an orientation, and particle 'dot' has none"},
      {R"(<prismatic name="p" a="dot" b="b" axis="x"/>)",
       "prismatic 'p' acts on an orientation, and particle 'dot' has none"},
      {R"(<torque name="t" on="dot" value="1"/>)",
       "torque 't' acts on an orientation, and particle 'dot' has none"},
      {R"(<revolute name="r" a="b" b="dot" damping="1"/>)",
       "revolute 'r' has stiffness or damping about an angle, but a particle does not turn"},
      {R"(<revolute name="r" a="b" b="dot"/><output name="q" value="r.q"/>)",
       "'r.q' has no value: a particle does not turn"},
      {R"(<prismatic name="p" a="ground" b="b" axis="0, 0"/>)", "axis"},
      {R"xml(<revolute name="r" a="ground" b="b"/><coupling name="k" relation="sin(r.q)"/>)xml",
       "coupling 'k' needs a relation that is linear in coordinates"},
      {R"(<revolute name="r" a="ground" b="b"/><coupling relation="r.q*r.q"/>)", "linear"},
      {R"(<revolute name="r" a="ground" b="b"/><coupling relation="1/r.q"/>)", "linear"},
      {R"xml(<revolute name="r" a="ground" b="b"/><coupling relation="r.q - time/(1 s)"/>)xml",
       "linear"},
      {R"(<revolute name="r" a="ground" b="b"/><coupling relation="r.qd"/>)", "linear"},
      {R"(<coupling relation="3"/>)", "linear"},
      {R"(<revolute name="r" a="ground" b="b"/><coupling name="k" relation="r.q - 1"/>
          <measure name="m" of="k" quantity="reaction" component="fx"/>
          <force on="b" value="m, 0"/>)",
       "has no frame at which a reaction could act"},
      {R"(<revolute name="r" a="ground" b="b"/><coupling name="k" relation="r.q - 1"/>
          <output name="m" of="k" quantity="reaction" component="fx"/>)",
       "has no frame at which a reaction could act"},
  };
  for (const auto& c : cases) {
    const std::string text = errors_of(planar(bodies + c.lines));
    EXPECT_NE(text.find(c.message), std::string::npos) << text;
    EXPECT_NE(text.find("test.mbs.xml:"), std::string::npos) << text;
  }
}

// Every body, joint and force of the schema has its equations, in the plane and in space where the
// schema knows it there.
TEST(Elements, AreComplete) {
  const auto types = element_types();
  for (const TagSchema& tag : schema()) {
    if (tag.role != TagRole::body && tag.role != TagRole::joint && tag.role != TagRole::force) {
      continue;
    }
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const ElementType* type) { return type->tag == tag.name; });
    ASSERT_NE(found, types.end()) << tag.name;
    EXPECT_EQ((*found)->bind_in_plane != nullptr, tag.space != SpaceSupport::spatial) << tag.name;
    EXPECT_EQ((*found)->bind_in_space != nullptr, tag.space != SpaceSupport::planar) << tag.name;
  }
}

}  // namespace
}  // namespace mbs::test
