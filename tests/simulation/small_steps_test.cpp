// Small communication steps cost nothing: what the integrator does is counted, not timed.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/snapshot.hpp"
#include "tests/simulation/swing.hpp"

namespace mbs {
namespace {

using test::Swing;

CoSimulationDriver running(
    double tolerance = 1e-6, const char* method = "extrapolation",
    std::shared_ptr<const Equations> equations = std::make_shared<Swing>("steps")) {
  SolverChoice choice;
  choice.method = method;
  choice.options.rtol = choice.options.atol = tolerance;
  CoSimulationDriver simulation(std::move(equations), choice);
  EXPECT_TRUE(simulation.initialise(0.0).ok);
  return simulation;
}

constexpr double pace = 1.0;  // the swing makes three swings in `stop`
double u(double t) {
  return 3.0 + std::sin(pace * t);
}
void set_smooth(CoSimulationDriver& simulation) {
  const double t = simulation.time();
  simulation.set_input(0, u(t), pace * std::cos(pace * t), -pace * pace * std::sin(pace * t));
}

constexpr double stop = 4.0;
constexpr int points = 8000;  // about a hundred in a step

long evaluations(const CoSimulationDriver& simulation) {
  return simulation.statistics().force_evaluations;
}

TEST(SmallSteps, AreTheSameAsABigOne) {
  CoSimulationDriver big = running(), small = running();
  big.advance(stop);
  for (int i = 1; i <= points; ++i) {
    if (i % 3 == 0) small.set_input(0, 3.0);  // what it is
    small.advance(stop * i / points);
  }
  EXPECT_GT(points, 50 * big.statistics().steps);
  EXPECT_EQ(small.state().p, big.state().p);
  EXPECT_EQ(evaluations(small), evaluations(big));
}

// All evaluations that are asked for, by whomever.
class Watched final : public Swing {
 public:
  Watched() : Swing("steps") {}
  mutable long positions = 0, forces = 0, switchings = 0;
  void position(const Context& g, const State& s, unsigned want, Workspace& ws) const override {
    ++positions;
    Swing::position(g, s, want, ws);
  }
  void force(const Context& g, const State& s, unsigned want, Workspace& ws) const override {
    ++forces;
    Swing::force(g, s, want, ws);
  }
  void switching(const Context& g, const State& s, Workspace& ws) const override {
    ++switchings;
    Swing::switching(g, s, ws);
  }
};

// Points at which nobody looks are not even interpolated, with an input that is set to what it is
// and with a smooth one.
TEST(SmallSteps, CostNoEvaluation) {
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"})
    for (const bool smooth : {false, true}) {
      SCOPED_TRACE(method);
      const auto watched = std::make_shared<Watched>();
      CoSimulationDriver small = running(1e-6, method, watched);
      long steps = 0, within = 0;
      for (int i = 1; i <= points; ++i) {
        const long before = watched->positions + watched->forces + watched->switchings;
        if (smooth)
          set_smooth(small);
        else
          small.set_input(0, 3.0);
        small.advance(stop * i / points);
        if (std::exchange(steps, small.statistics().steps) != steps) continue;
        EXPECT_EQ(watched->positions + watched->forces + watched->switchings, before) << i;
        ++within;
      }
      EXPECT_GT(within, points - small.statistics().steps - 10);
      const auto alone = std::make_shared<Watched>();
      CoSimulationDriver big = running(1e-6, method, alone);
      big.advance(stop);
      if (smooth) continue;
      EXPECT_EQ(watched->positions, alone->positions);
      EXPECT_EQ(watched->forces, alone->forces);
      EXPECT_EQ(watched->switchings, alone->switchings);
    }
}

// A communication point within the last step that was made, at which nobody has looked, when the
// next step fails: the state is that at the end of what is known.
class Exploding final : public Swing {
 public:
  Exploding() : Swing("steps") {}
  void force(const Context& g, const State& s, unsigned want, Workspace& ws) const override {
    Swing::force(g, s, want, ws);
    if (s.t > 1.0) ws.f.setConstant(std::nan(""));
  }
};

TEST(SmallSteps, AFailureLeavesTheLastPointThatIsKnown) {
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    CoSimulationDriver small = running(1e-6, method, std::make_shared<Exploding>()),
                       good = running(1e-6, method);
    double asked = 0.0;
    EXPECT_THROW(while (asked < 2.0) small.advance(asked += 1.0 / 2048.0), SolverFailure);
    EXPECT_GT(small.time(), 0.9);
    EXPECT_LE(small.time(), 1.0 + 1.0 / 2048.0);
    EXPECT_LE(small.time(), asked);
    EXPECT_GE(small.time(), asked - 1.0 / 2048.0);
    good.advance(small.time());
    EXPECT_LT((small.state().p - good.state().p).norm(), 1e-5);
  }
}

struct Smooth {
  const char* name;
  double (*at)(double t, int order);
};
constexpr Smooth smooth_inputs[] = {{"sin",
                                     [](double t, int order) {
                                       return (order == 0 ? 3.0 : 0.0) +
                                              std::sin(t + order * 0.5 * std::numbers::pi);
                                     }},
                                    {"exp",
                                     [](double t, int order) {
                                       return (order == 0 ? 3.0 : 0.0) + (order == 1   ? -0.5
                                                                          : order == 2 ? 0.25
                                                                                       : 1.0) *
                                                                             std::exp(-0.5 * t);
                                     }},
                                    {"cubic",
                                     [](double t, int order) {
                                       return order == 0   ? 3.0 + 0.1 * t * t * t - 0.3 * t * t
                                              : order == 1 ? 0.3 * t * t - 0.6 * t
                                                           : 0.6 * t - 0.6;
                                     }},
                                    {"sum", [](double t, int order) {
                                       const double turn = order * 0.5 * std::numbers::pi;
                                       return (order == 0 ? 3.0 : 0.0) + 0.7 * std::sin(t + turn) +
                                              0.1 * std::pow(3.0, order) * std::cos(3.0 * t + turn);
                                     }}};

// The input is part of the equations: what one big step costs.
class Driven final : public Swing {
 public:
  explicit Driven(const Smooth& input) : Swing("steps"), input_(input) {}
  Inputs default_inputs(const Parameters&) const override { return now(0.0); }
  void force(const Context& context, const State& s, unsigned want, Workspace& ws) const override {
    const Inputs u = now(s.t);
    Swing::force({u, context.parameters}, s, want, ws);
  }
  void switching(const Context& context, const State& s, Workspace& ws) const override {
    const Inputs u = now(s.t);
    Swing::switching({u, context.parameters}, s, ws);
  }

 private:
  Inputs now(double t) const {
    Inputs u(1);
    u.t0 = t;
    u.value[0] = input_.at(t, 0);
    return u;
  }
  const Smooth& input_;
};

// An input that is given with its derivatives at every point, a hundred in a step, costs hardly
// more than one that is part of the equations, in one big step. Its third derivative jumps when a
// step takes up the next polynomial: that is far below the tolerance, and no method starts anew for
// it. Only where the input is as fast as the steps (the sum's 3 rad/s, steps of 0.15 s) predictions
// fail at tight tolerances.
//
// Single runs scatter: among tolerances within 4 %, starts vary by a factor of two where
// predictions fail, and evaluations by a fifth. The means of nine such tolerances are compared.
TEST(SmallSteps, WithASmoothInputCostWhatABigOneDoes) {
  constexpr int runs = 9;
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf"})
    for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8}) {
      double big_error = 0.0, small_error = 0.0;  // in tolerances, the largest of all inputs
      for (const Smooth& input : smooth_inputs) {
        SCOPED_TRACE(std::string(method) + ", " + input.name + ", " +
                     std::to_string(tolerance * 1e8));
        const auto driven = std::make_shared<Driven>(input);
        CoSimulationDriver exact = running(1e-12, "extrapolation", driven);
        exact.advance(stop);
        const auto error = [&](const CoSimulationDriver& of) {
          return (of.state().p - exact.state().p).norm() / tolerance;
        };
        double starts = 0.0, cost = 0.0;  // cost: evaluations of small steps by those of a big one
        for (int run = 0; run < runs; ++run) {
          const double near = tolerance * (0.96 + 0.01 * run);
          CoSimulationDriver big = running(near, method, driven), small = running(near, method);
          big.advance(stop);
          const int count = 100 * static_cast<int>(big.statistics().steps);
          for (int i = 0; i < count; ++i) {
            const double t = stop * i / count;
            small.set_input(0, input.at(t, 0), input.at(t, 1), input.at(t, 2));
            small.advance(stop * (i + 1) / count);
          }
          starts += static_cast<double>(small.statistics().starts) / runs;
          cost += static_cast<double>(evaluations(small)) / static_cast<double>(evaluations(big)) /
                  runs;
          big_error = std::max(big_error, error(big));
          small_error = std::max(small_error, error(small));
        }
        const bool fast = std::string_view(method) == "midpoint" &&
                          std::string_view(input.name) == "sum" && tolerance < 1e-6;
        EXPECT_LE(cost, fast ? 1.5 : 1.1);
        EXPECT_LE(starts, fast ? 25.0 : 6.0);
      }
      EXPECT_LE(small_error, std::max(0.1, 2.0 * big_error)) << method << " " << tolerance;
    }
}

TEST(SmallSteps, AChangeWithinTheToleranceKeepsTheHistory) {
  CoSimulationDriver simulation = running(1e-4);
  simulation.advance(1.0);
  const long starts = simulation.statistics().starts;
  simulation.set_input(0, 3.0 * (1.0 + 0.5e-4));
  simulation.advance(1.01);
  EXPECT_EQ(simulation.statistics().starts, starts);
  EXPECT_EQ(simulation.input(0), 3.0 * (1.0 + 0.5e-4)) << "as it was set";
  simulation.set_input(0, 3.0 * (1.0 + 2e-4));
  simulation.advance(1.02);
  EXPECT_EQ(simulation.statistics().starts, starts + 1) << "more than the tolerance";
  // Many small changes in one direction do not go unnoticed.
  CoSimulationDriver creeping = running();
  for (int i = 1; i <= 21000; ++i) {
    creeping.set_input(0, 3.0 + 0.04 * std::min(1.0, i / 20000.0));
    creeping.advance(i * 1e-3);
  }
  EXPECT_NEAR(creeping.output(Swing::drive), 3.04, 1e-4);
  EXPECT_LT(creeping.statistics().starts, 10000);
}

TEST(SmallSteps, PredictionsArePartOfASnapshot) {
  CoSimulationDriver one = running(), other = running();
  const auto go = [](CoSimulationDriver& simulation, int from, int to) {
    for (int i = from; i < to; ++i) {
      set_smooth(simulation);
      simulation.advance(stop * (i + 1) / points);
    }
  };
  go(one, 0, 777);
  deserialise(other, serialise(one, 1), 1);
  go(one, 777, 1500);
  go(other, 777, 1500);
  EXPECT_EQ(serialise(one, 1), serialise(other, 1));
}

}  // namespace
}  // namespace mbs
