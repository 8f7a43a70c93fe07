// Static equilibrium: closed forms, stable ones from far away, and what cannot rest.

#include "engine/equations/static_equilibrium.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "engine/equations/initial_rows.hpp"
#include "engine/equations/relaxation.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

Equilibrium rest(const Assembled& model, State& x) {
  x = model.start();
  Equilibrium found = find_equilibrium(*model, model.context(), x);
  if (found.ok) {
    State again = x;
    model.solve(again);
    EXPECT_LT(again.a.cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((again.lambda - x.lambda).lpNorm<Eigen::Infinity>(),
              1e-7 * (1.0 + x.lambda.lpNorm<Eigen::Infinity>()));
  }
  return found;
}

std::string pendulum(const std::string& angle) {
  return planar(R"(
    <gravity g="0, -9.81"/>
    <body name="rod" mass="2" com="0.4, 0" inertia="0.15"/>
    <revolute name="hinge" a="ground" b="rod" q=")" +
                angle + R"("/>
    <output name="q" of="hinge" quantity="q"/>)");
}

TEST(Equilibria, APendulumHangsFromWhereverItStarts) {
  for (const char* angle : {"-80 deg", "0 deg", "60 deg", "89 deg", "-170 deg"}) {
    SCOPED_TRACE(angle);
    const Assembled model(pendulum(angle));
    State x;
    const Equilibrium found = rest(model, x);
    ASSERT_TRUE(found.ok) << found.message;
    EXPECT_NEAR(std::cos(x.p[model.p("rod.phi")]), 0.0, 1e-9);
    EXPECT_NEAR(std::sin(x.p[model.p("rod.phi")]), -1.0, 1e-9);
  }
}

// A mass on a stiffening spring: m g = k x + c x^3 at x = 0.5.
TEST(Equilibria, ANonlinearSpringCarriesItsWeight) {
  const Assembled model(planar(R"(
    <gravity g="0, -10"/>
    <body name="b" mass="6" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0, -1" q="0"/>
    <force joint="rail" value="-100 N/m*rail.q - 80 N/m^3*rail.q^3"/>
    <output name="q" of="rail" quantity="q"/>)"));
  State x;
  ASSERT_TRUE(rest(model, x).ok);
  EXPECT_NEAR(model.output(x, "q"), 0.5, 1e-10);
}

// Next to 100 t a sensor of a gram finds its place, on a spring that stiffens: each force is judged
// by those that meet on its own coordinate. m g = k x^3.
TEST(Equilibria, SmallForcesAreBalancedAsWellAsLargeOnes) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    const Assembled model(planar(R"(
      <gravity g="0, -10"/>
      <body name="ship" mass="100 t" inertia="1e6"/>
      <prismatic name="heave" a="ground" b="ship" axis="0, 1" q="1 m"/>
      <force joint="heave" value="-2 MN/m*heave.q"/>
      <body name="sensor" mass="1 g" inertia="1e-7"/>
      <prismatic name="rail" a="ship" b="sensor" axis="0, -1" q="30 mm"/>
      <force joint="rail" value="-80 N/m^3*rail.q^3"/>
      <output name="q" of="rail" quantity="q"/><output name="h" of="heave" quantity="q"/>)"),
                          coordinates);
    State x;
    const Equilibrium found = rest(model, x);
    ASSERT_TRUE(found.ok) << found.message;
    EXPECT_NEAR(model.output(x, "q"), 0.05, 1e-10) << coordinates;
    EXPECT_NEAR(model.output(x, "h"), -0.500000005, 1e-10) << coordinates;
  }
}

// First-order states come to rest as well: a controller's integral holds the load.
TEST(Equilibria, AnIntegralHoldsTheLoad) {
  const Assembled model(planar(R"(
    <gravity g="0, -10"/>
    <body name="b" mass="6" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0, 1" q="0"/>
    <state name="I" start="0 m.s" der="0.3 m - rail.q"/>
    <force joint="rail" value="500 N/m*(0.3 m - rail.q) + 40 N/m/s*I - 100 N.s/m*rail.qd"/>
    <output name="q" of="rail" quantity="q"/>)"));
  State x;
  const Equilibrium found = rest(model, x);
  ASSERT_TRUE(found.ok) << found.message;
  EXPECT_NEAR(model.output(x, "q"), 0.3, 1e-10);
  EXPECT_NEAR(x.r[0], 60.0 / 40.0, 1e-9);
}

// A ladder in a loop: four bars with a spring across; the reactions carry all weight.
TEST(Equilibria, TheReactionsOfTheTruckCarryItsWeight) {
  const Assembled model =
      Assembled::from_file(std::string(std::getenv("MBS_TEMPLATES")) + "/truck/truck.mbs.xml");
  State x;
  const Equilibrium found = rest(model, x);
  ASSERT_TRUE(found.ok) << found.message;
}

TEST(Equilibria, FreeFallHasNone) {
  const Assembled model(planar(R"(
    <gravity g="0, -9.81"/>
    <body name="stone" mass="1" inertia="1"/>)"));
  State x = model.start();
  const State before = x;
  const Equilibrium found =
      find_equilibrium(*model, model.context(), x, {.max_iterations = 50, .max_relaxations = 200});
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.message.find("'stone.vy'"), std::string::npos) << found.message;
  EXPECT_EQ(x.p, before.p);
}

TEST(Equilibria, UnrestrainedMotionIsNamed) {
  const Assembled model = Assembled::from_file(std::string(std::getenv("MBS_TEMPLATES")) +
                                               "/cable_drum/cable_drum.mbs.xml");
  State x = model.start();
  const Equilibrium found = find_equilibrium(*model, model.context(), x);
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.message.find("there is no static equilibrium"), std::string::npos)
      << found.message;
  EXPECT_NE(found.message.find("drum"), std::string::npos) << found.message;
}

// The preload of a spring that holds an arm level: F0 0.4 = m g 0.3.
const std::string arm = R"(
    <parameter name="F0" value="0 N"/>
    <gravity g="0, -9.81"/>
    <body name="arm" mass="4" com="0.3, 0" inertia="0.1"><frame name="eye" pos="0.4, 0"/>
      <frame name="end" pos="0.8, 0"/></body>
    <frame name="top" pos="0.4, 0.5"/>
    <revolute name="hinge" a="ground" b="arm" q="0" target="exact"/>
    <spring name="coil" a="top" b="arm.eye" stiffness="2000" length="0.45" preload="F0"/>
    <trim parameter="F0"/><init method="statics"/>
    <output name="q" of="hinge" quantity="q"/>)";

Equilibrium trimmed(const Assembled& model, State& x) {
  x = model.start();
  return find_equilibrium(*model, model.context(), x, {.trims = trims_of(model.model)});
}

TEST(Trims, FindThePreloadOfASpring) {
  const Assembled model(planar(arm));
  State x;
  const Equilibrium found = trimmed(model, x);
  ASSERT_TRUE(found.ok) << found.message;
  ASSERT_EQ(found.trimmed.size(), 1u);
  EXPECT_EQ(found.trimmed[0].name, "F0");
  EXPECT_NEAR(found.trimmed[0].to, 4 * 9.81 * 0.3 / 0.4 - 2000 * 0.05, 1e-12);
  EXPECT_NEAR(model.output(x, "q"), 0.0, 1e-12);
}

// Whatever else is there, and wherever the search has come from, to the last digits.
TEST(Trims, AreTheSameWhateverElseMoves) {
  const auto found_with = [](double stiffness) {
    State x;
    return trimmed(Assembled(planar(arm + R"(
      <body name="other" mass="1 kg"/><prismatic name="way" a="ground" b="other" axis="y"/>
      <force joint="way" value="-way.q*)" +
                                    std::to_string(stiffness) + R"( N/m"/>)")),
                   x)
        .trimmed.at(0)
        .to;
  };
  for (const double stiffness : {10.0, 33.0, 2000.0})
    EXPECT_NEAR(found_with(stiffness), found_with(100.0), 1e-13);
}

// The search starts again from its beginning each time: an importer that sets and sets back gets
// the same.
TEST(Trims, AreFoundAnewFromWhereTheyBegin) {
  const Assembled model(planar(arm));
  CoSimulationDriver simulation(model.equations, solver_choice(model.model));
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  const double first = simulation.system().parameters().value(0);
  simulation.system().parameters().set(0, 1e3);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  EXPECT_EQ(simulation.system().parameters().value(0), first);
}

// A body that no exact value holds finds its own equilibrium: a load that hangs on the arm.
TEST(Trims, LeaveOtherCoordinatesToTheirEquilibrium) {
  const Assembled model(planar(arm + R"(
    <body name="load" mass="3" inertia="0.1"/>
    <free name="there" a="arm.end" b="load" pos="0.1, -0.3"/>
    <spring name="rope" a="arm.end" b="load" stiffness="500" length="0.3"/>
    <output name="y" of="load" quantity="position" component="y"/>)"));
  State x;
  const Equilibrium found = trimmed(model, x);
  ASSERT_TRUE(found.ok) << found.message;
  EXPECT_NEAR(found.trimmed[0].to, (4 * 9.81 * 0.3 + 3 * 9.81 * 0.8) / 0.4 - 2000 * 0.05, 1e-6);
  EXPECT_NEAR(model.output(x, "y"), -0.3 - 3 * 9.81 / 500, 1e-8);
}

// A load on a rod that starts almost upright comes to hang, with the arm held where it is wanted:
// by Newton's method alone, and, where that has not time enough, by relaxation and Newton.
TEST(Trims, FindTheStableEquilibriumOfWhatIsFree) {
  for (const char* coordinates : {"absolute", "joint", "mixed"})
    for (const char* angle : {"89 deg", "60 deg", "-170 deg", "-20 deg"})
      for (const int iterations : {200, 36}) {
        SCOPED_TRACE(std::string(coordinates) + " " + angle + " " + std::to_string(iterations));
        const Assembled model(planar(arm + R"(
          <body name="rod" mass="3" com="0.5, 0" inertia="0.2"/>
          <revolute name="pin" a="arm.end" b="rod" q=")" +
                                     angle + R"("/>
          <output name="phi" of="pin" quantity="q"/>)"),
                              coordinates);
        State x = model.start();
        const Equilibrium found =
            find_equilibrium(*model, model.context(), x,
                             {.max_iterations = iterations, .trims = trims_of(model.model)});
        ASSERT_TRUE(found.ok) << found.message;
        const bool upright = angle[0] != '-';
        EXPECT_EQ(found.relaxations > 0, upright && iterations < 40) << found.iterations;
        EXPECT_LT(found.relaxations, 2000);
        EXPECT_NEAR(found.trimmed[0].to, (4 * 9.81 * 0.3 + 3 * 9.81 * 0.8) / 0.4 - 2000 * 0.05,
                    1e-6);
        EXPECT_NEAR(model.output(x, "q"), 0.0, 1e-12);
        EXPECT_NEAR(std::sin(model.output(x, "phi")), -1.0, 1e-9);
      }
}

// Relaxation alone gets near: 1e-3 of the forces; what is held stays to rounding, the parameter
// keeps it there.
TEST(Trims, AreMovedByRelaxationUnderTheConditions) {
  const Assembled model(planar(arm + R"(
    <body name="load" mass="3" inertia="0.1"/>
    <free name="there" a="arm.end" b="load" pos="0.3, 0.2"/>
    <spring name="rope" a="arm.end" b="load" stiffness="500" length="0.3"/>
    <output name="x" of="load" quantity="position" component="x"/>
    <output name="y" of="load" quantity="position" component="y"/>)"));
  State x = model.start();
  Parameters parameters = model.parameters;
  const Context context{model.inputs, parameters};
  const Vector scale = coordinate_scale(*model, context, x);
  Relaxation relaxation(*model, context, scale, 0, parameters,
                        {trims_of(model.model)[0].parameter});
  int peaks = 0;
  State at = x;
  ASSERT_TRUE(relaxation.run(at, 2000, [&](State& there) {
    ++peaks;
    EXPECT_NEAR(model.output(there, "q"), 0.0, 1e-9);
    State free = there;
    EXPECT_TRUE(solve_accelerations(*model, context, free, *model.ws, *model->make_solver("auto")));
    EXPECT_LT(std::abs(free.a[model.v("arm.omega")]), 1e-6) << "F0 holds the arm where the load is";
    return free.a.lpNorm<Eigen::Infinity>() < 1e-2;
  }));
  EXPECT_GT(peaks, 2);
  EXPECT_LT(relaxation.steps(), 500);  // 200 seen
  EXPECT_NEAR(model.output(at, "x"), 0.8, 1e-3);
  EXPECT_NEAR(model.output(at, "y"), -0.3 - 3 * 9.81 / 500, 1e-3);
}

// A car in the plane on two springs at its design height, level: F_f = m g b/(a + b).
TEST(Trims, PutACarAtItsDesignHeight) {
  const std::string text = R"(
    <parameter name="front" value="1 kN"/><parameter name="rear" value="1 kN"/>
    <parameter name="height" value="0.5 m"/>
    <gravity g="0, -9.81"/>
    <body name="car" mass="1200" inertia="1500"><frame name="f" pos="1.2, 0"/><frame name="r" pos="-1.6, 0"/></body>
    <frame name="road_f" pos="1.2, 0"/><frame name="road_r" pos="-1.6, 0"/>
    <prismatic name="rail" a="ground" b="post" axis="y" q="0.4"/>
    <body name="post" mass="10" inertia="1"/>
    <revolute name="pitch" a="post" b="car" q="0.1"/>
    <spring name="sf" a="road_f" b="car.f" stiffness="20000" length="0.5" preload="-front"/>
    <spring name="sr" a="road_r" b="car.r" stiffness="24000" length="0.5" preload="-rear"/>
    <condition name="level" value="pitch.q"/>
    <condition name="high" value="rail.q" equals="height"/>
    <trim parameter="front"/><trim parameter="rear"/><init method="statics"/>
    <output name="q" of="rail" quantity="q"/>)";
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    const Assembled model(planar(text), coordinates);
    State x;
    const Equilibrium found = trimmed(model, x);
    ASSERT_TRUE(found.ok) << found.message;
    const double weight = 1210 * 9.81;
    EXPECT_NEAR(found.trimmed[0].to, weight * 1.6 / 2.8, 1e-6);
    EXPECT_NEAR(found.trimmed[1].to, weight * 1.2 / 2.8, 1e-6);
    EXPECT_NEAR(model.output(x, "q"), 0.5, 1e-10);
  }
}

TEST(Trims, MustBeAsManyAsConditionsAndDoSomething) {
  std::string text = arm;
  text.replace(text.find(" target=\"exact\""), 15, "");
  const Assembled unheld(planar(text));
  State x;
  Equilibrium found = trimmed(unheld, x);
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.message.find("'F0'"), std::string::npos) << found.message;
  EXPECT_NE(found.message.find("1 and 0"), std::string::npos) << found.message;
  text = arm;
  text.replace(text.find("preload=\"F0\""), 12, "");
  const Assembled powerless(planar(text));
  found = trimmed(powerless, x);
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.message.find("changes no force"), std::string::npos) << found.message;
}

TEST(Trims, AreInForceInTheSimulation) {
  const Assembled model(planar(arm));
  CoSimulationDriver simulation(model.equations, solver_choice(model.model));
  const InitialReport report = simulation.initialise(0.0);
  ASSERT_TRUE(report.ok) << report.message;
  ASSERT_EQ(report.trimmed.size(), 1u);
  EXPECT_NE(report.text().find("Parameters found"), std::string::npos) << report.text();
  EXPECT_NEAR(simulation.system().parameters().value(0), report.trimmed[0].to, 0.0);
  simulation.advance(1.0);
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-9);
}

TEST(Equilibria, AreTheStartOfASimulation) {
  const Assembled model(pendulum("-60 deg"));
  SolverChoice choice;
  choice.statics = true;
  CoSimulationDriver simulation(model.equations, choice);
  const InitialReport report = simulation.initialise(0.0);
  ASSERT_TRUE(report.ok) << report.message;
  ASSERT_FALSE(report.moved_p.empty());
  EXPECT_NEAR(simulation.output(0), -std::numbers::pi / 2.0, 1e-9);
  simulation.advance(2.0);
  EXPECT_NEAR(simulation.output(0), -std::numbers::pi / 2.0, 1e-7);
}

}  // namespace
}  // namespace mbs::test
