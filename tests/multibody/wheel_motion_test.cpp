// Tyres and wheels on rails in motion against closed forms, by every method in every choice of
// coordinates.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

// A wheel led over the road at 12 m/s, spun 2 % too fast and turned by 0.04 rad against its way:
// both slips come up along their relaxation lengths, s = s_end (1 - exp(-|v_x| t/length)).
TEST(WheelMotion, TyreSlipsBuildUp) {
  const std::string text = spatial(R"xml(
    <body name="fork" mass="50" inertia="1, 1, 1">
      <frame name="head" rot="0, 0, -0.04"/></body>
    <body name="wheel" mass="20" inertia="0.9, 1, 0.9"/>
    <frame name="lane" pos="0, 0, 0.29" rot="0, 0, 0.04"/>
    <prismatic name="way" a="lane" b="fork" axis="x"/>
    <revolute name="axle" a="fork.head" b="wheel" axis="y"/>
    <drive joint="way" q="12 m/s*time"/><drive name="spin" joint="axle" q="41 rad/s*time"/>
    <tyre name="t" wheel="wheel" radius="0.3" stiffness="200 kN/m" cornering_stiffness="50 kN/rad"
      slip_stiffness="60 kN" friction="0.9" relaxation_x="0.2" relaxation_y="0.5"/>
    <output name="kappa" value="t.slip_x"/><output name="alpha" value="t.slip_y"/>
    <output name="Fz" of="t" quantity="force"/>
    <output name="Fx" of="t" quantity="value" component="longitudinal"/>
    <output name="Fy" of="t" quantity="value" component="lateral"/>
    <output name="M" of="spin" quantity="force"/>)xml");
  const double v_x = 12.0 * std::cos(0.04), v_y = 12.0 * std::sin(0.04),
               s_x = (41.0 * (0.3 - 0.01 / 3.0) - v_x) / v_x, s_y = -v_y / v_x;
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.01, 0.04, 0.3}) {
      run.simulation->advance(t);
      const double kappa = s_x * (1.0 - std::exp(-v_x * t / 0.2)),
                   alpha = s_y * (1.0 - std::exp(-v_x * t / 0.5));
      EXPECT_NEAR(run.output("kappa"), kappa, 1e-8);
      EXPECT_NEAR(run.output("alpha"), alpha, 1e-8);
      EXPECT_NEAR(run.output("Fz"), 2000.0, 1e-5);
      const double s = std::hypot(60e3 * kappa, 50e3 * alpha) / 1800.0, f = std::tanh(s) / s;
      EXPECT_NEAR(run.output("Fx"), f * 60e3 * kappa, 1e-4);
      EXPECT_NEAR(run.output("Fy"), f * 50e3 * alpha, 1e-4);
      EXPECT_NEAR(run.output("M"), 0.29 * f * 60e3 * kappa, 1e-4);
    }
  });
}

// A wheel that spins too fast over its rail at a constant speed: first friction brakes it evenly;
// from u = 3 on J w' = -R mu N (1 - y^3), y = 1 - u/3, u = creep nu/(mu N): with the function
// H(y) = integral dy/(1 - y^3), H(y) = (R^2 creep/(3 J speed)) t.
TEST(WheelMotion, ACreepingWheelComesToRoll) {
  const std::string text = planar(R"xml(
    <body name="bogie" mass="50" inertia="1"/><body name="wheel" mass="20" inertia="60"/>
    <frame name="lane" pos="0, 0.4599"/>
    <prismatic name="way" a="lane" b="bogie" axis="x"/>
    <revolute name="axle" a="bogie" b="wheel" axis="-z" qd="60" target="exact"/>
    <drive joint="way" q="20 m/s*time"/>
    <wheel_rail name="c" wheel="wheel" radius="0.46" stiffness="1 GN/m" creep_x="1 MN"
        friction="0.25" low_speed="0.5"/>
    <output name="w" value="axle.qd"/>
    <output name="T" of="c" quantity="value" component="longitudinal"/>)xml");
  const double R = 0.46, J = 60.0, limit = 0.25 * 1e5, speed = std::hypot(20.0, 0.5), creep = 1e6;
  const double per_u = limit * speed / (creep * R);  // of w
  const double w_3 = 20.0 / R + 3.0 * per_u, t_3 = (60.0 - w_3) * J / (R * limit);
  const auto H = [](double y) {
    const double r = std::sqrt(3.0);
    return -std::log(1.0 - y) / 3.0 + std::log(1.0 + y + y * y) / 6.0 +
           (std::atan((2.0 * y + 1.0) / r) - std::atan(1.0 / r)) / r;
  };
  in_every_way(text, 1e-12, [&](ModelRun& run) {
    run.simulation->advance(0.5 * t_3);
    EXPECT_NEAR(run.output("w"), 60.0 - R * limit / J * 0.5 * t_3, 1e-8);
    EXPECT_NEAR(run.output("T"), limit, 1e-4);
    for (const double t : {0.05, 0.3}) {
      run.simulation->advance(t_3 + t);
      double y = 0.0;
      for (int k = 0; k < 200; ++k) {
        const double step = (H(y) - R / (3.0 * J * per_u) * limit * t) * (1.0 - y * y * y);
        y = y - step < 1.0 ? y - step : 0.5 * (1.0 + y);
      }
      const double small = 1e-9;
      EXPECT_NEAR(run.output("w"), 20.0 / R + 3.0 * (1.0 - y) * per_u, 46.0 * small);
      EXPECT_NEAR(run.output("T"), limit * (1.0 - y * y * y), creep * R / speed * 46.0 * small);
    }
  });
}

}  // namespace
}  // namespace mbs::test
