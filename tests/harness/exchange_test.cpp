// Model exchange through each importer, in both versions, with integrators of others: two balls
// bounce at the times of a closed form (balls.hpp), a slider crank stays on its
// constraints, and stored states are replayed bit by bit.
#include "tests/harness/exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/harness/balls.hpp"
#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;    // NOLINT: the suite is about all of it
using namespace bouncing;  // NOLINT

std::unique_ptr<Fmu> open(const Importer& importer, const std::string& name, int version) {
  const char* folder = std::getenv("MBS_HARNESS_MODELS");
  return importer.open(std::string(folder ? folder : "") + "/" + name + "_fmi" +
                       std::to_string(version) + ".fmu");
}

class ModelExchange : public testing::TestWithParam<std::tuple<Importer, int, OdeSolver>> {
 protected:
  static std::unique_ptr<Fmu> open(const std::string& name) {
    return test::open(std::get<0>(GetParam()), name, version());
  }
  static int version() { return std::get<1>(GetParam()); }
  static const OdeSolver& solver() { return std::get<2>(GetParam()); }

  // On to the next impact; false: the model has ended.
  static bool next_impact(Exchange& balls) {
    for (const double hits = balls["hits"]; balls["hits"] == hits;)
      if (balls.run(5.0).terminate) return false;
    return true;
  }
};
INSTANTIATE_TEST_SUITE_P(Importers, ModelExchange,
                         testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3),
                                          testing::ValuesIn(ode_solvers())),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_Fmi" +
                                  std::to_string(std::get<1>(one.param)) + "_" +
                                  std::get<2>(one.param).name;
                         });

TEST_P(ModelExchange, BallsBounceAtTheirTimes) {
  const auto fmu = open("bouncing_balls");
  Exchange balls(*fmu, solver());
  EXPECT_EQ(balls.states().size(), 8u);
  EXPECT_GE(balls.instance->indicator_count(), 2u);
  for (int k = 1; k <= 20; ++k) {
    ASSERT_TRUE(next_impact(balls)) << k;
    const double v = fall * g * std::pow(e, k);
    EXPECT_NEAR(balls.time(), time_of(k), 1e-9) << k;
    EXPECT_EQ(balls["last"], balls.time());
    EXPECT_EQ(balls["hits"], k);
    EXPECT_EQ(balls["hits_b"], k) << "both at once";
    EXPECT_NEAR(balls["y"], 0.0, 1e-9);
    EXPECT_NEAR(balls["vy"], v, 1e-8);
    EXPECT_NEAR(balls["vy_b"], v, 1e-8);
  }
  EXPECT_FALSE(next_impact(balls)) << "the model ends itself";
  EXPECT_NEAR(balls.time(), 4.02, 1e-12);
  EXPECT_TRUE(is_good(balls.instance->terminate()));
  for (const LogMessage& message : balls.instance->messages())
    EXPECT_LT(message.status, Status::error) << message.text;
}

// An importer passes all modes twice: initialization, event mode, continuous time, the end, reset.
TEST_P(ModelExchange, LivesThroughItsModes) {
  const auto fmu = open("bouncing_balls");
  const auto instance = fmu->instantiate({.model_exchange = true});
  const std::size_t size = instance->state_count();
  std::vector<double> first, x(size);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(is_good(instance->enter_initialization({.start = 0.0, .stop = 1.0})));
    ASSERT_TRUE(is_good(instance->exit_initialization()));
    DiscreteUpdate update = instance->update_discrete_states();
    ASSERT_TRUE(is_good(update.status));
    EXPECT_FALSE(update.needed_again || update.terminate || update.states_changed ||
                 update.nominals_changed);
    EXPECT_FALSE(update.next_event) << "all of them have indicators";
    ASSERT_TRUE(is_good(instance->enter_continuous_time_mode()));
    ASSERT_TRUE(is_good(instance->get_continuous_states(x)));
    if (run == 0) first = x;
    EXPECT_EQ(x, first) << "reset is a fresh start";
    ASSERT_TRUE(is_good(instance->set_time(0.1)));
    x[0] += 0.25;
    ASSERT_TRUE(is_good(instance->set_continuous_states(x)));
    std::vector<double> set(size), rates(size);
    ASSERT_TRUE(is_good(instance->get_continuous_states(set)));
    EXPECT_EQ(set, x);
    ASSERT_TRUE(is_good(instance->get_state_derivatives(rates)));
    // The states are set once more, one by one and from other ones.
    ASSERT_TRUE(is_good(instance->set_continuous_states(first)));
    const ModelDescription& d = fmu->description();
    for (std::size_t i = 0; i < size; ++i) {
      const Variable& rate = d.variables.at(*d.structure.derivatives.at(i).variable);
      const Variable& state = d.variables.at(*d.position(*rate.derivative));
      ASSERT_TRUE(is_good(instance->set_real({&state.reference, 1}, {&x[i], 1}))) << state.name;
    }
    ASSERT_TRUE(is_good(instance->get_continuous_states(set)));
    EXPECT_EQ(set, x);
    std::vector<double> alone(size);
    ASSERT_TRUE(is_good(instance->get_state_derivatives(alone)));
    EXPECT_EQ(alone, rates);
    const CompletedStep step = instance->completed_integrator_step();
    EXPECT_TRUE(is_good(step.status));
    EXPECT_FALSE(step.terminate);
    ASSERT_TRUE(is_good(instance->enter_event_mode()));
    if (version() == 2) {  // which allows it once more
      EXPECT_TRUE(is_good(instance->enter_event_mode()));
    }
    ASSERT_TRUE(is_good(instance->update_discrete_states().status));
    ASSERT_TRUE(is_good(instance->enter_continuous_time_mode()));
    ASSERT_TRUE(is_good(instance->terminate()));
    ASSERT_TRUE(is_good(instance->reset()));
  }
}

TEST_P(ModelExchange, WrongCallsAreRefused) {
  const auto fmu = open("bouncing_balls");
  const auto expect_error = [&](const auto& call) {
    Exchange balls(*fmu, solver());
    const std::vector<double> before = balls.states();
    EXPECT_EQ(call(*balls.instance), Status::error);
    EXPECT_EQ(balls.states(), before) << "readable after an error, too";
  };
  const std::vector<double> x(7);
  expect_error([](Instance& i) { return i.enter_continuous_time_mode(); });
  expect_error([](Instance& i) { return i.update_discrete_states().status; });
  expect_error([](Instance& i) { return i.set_time(NAN); });
  expect_error([&](Instance& i) { return i.set_continuous_states(x); });
  expect_error([](Instance& i) {
    EXPECT_TRUE(is_good(i.enter_event_mode()));
    return i.completed_integrator_step().status;
  });
}

// Lengths are measured by that of the mechanism: here the crank.
TEST_P(ModelExchange, NominalsAreThoseOfTheModel) {
  const auto fmu = open("slider_crank_absolute");
  Exchange crank(*fmu, solver());
  std::vector<double> nominals(crank.states().size());
  ASSERT_TRUE(is_good(crank.instance->get_nominals(nominals)));
  const double length = crank["r"];
  std::vector<double> wanted;
  for (int body_and_rate = 0; body_and_rate < 6; ++body_and_rate)
    wanted.insert(wanted.end(), {length, length, 1.0});
  wanted.push_back(1.0);  // the drive's torque
  EXPECT_EQ(nominals, wanted);
}

TEST_P(ModelExchange, ASliderCrankMovesAsInCoSimulation) {
  const auto fmu = open("slider_crank_absolute");
  const auto own = fmu->instantiate();
  ASSERT_TRUE(is_good(own->enter_initialization({.tolerance = 1e-10})));
  ASSERT_TRUE(is_good(own->exit_initialization()));
  ASSERT_TRUE(is_good(own->do_step(0.0, 0.02).status));
  Exchange crank(*fmu, solver(), {.tolerance = 1e-10, .largest_step = 1e-4});
  while (crank.time() < 0.02) EXPECT_FALSE(crank.run(0.02).terminate);
  for (const char* name : {"x", "phi", "w", "energy"}) {
    const Variable& variable = *fmu->description().find(name);
    Value value;
    ASSERT_TRUE(is_good(get_value(*own, variable, 1, value)));
    const double wanted = std::get<Reals>(value).front();
    EXPECT_NEAR(crank[name], wanted, 1e-6 * (1.0 + std::abs(wanted))) << name;
  }
  EXPECT_LT(crank["drift"], 1e-6);
}

// Bounces get lower and lower until the integrator steps over a whole flight.
TEST_P(ModelExchange, ABouncingBallComesToLieOnTheFloor) {
  const auto fmu = open("chattering_ball");
  Exchange ball(*fmu, solver(), {.tolerance = 1e-8, .largest_step = 0.05});
  double lowest = 0.0;
  while (ball.time() < 2.0) {
    ASSERT_FALSE(ball.run(2.0).terminate);
    lowest = std::min(lowest, ball["y"]);
  }
  EXPECT_GT(lowest, -1e-9);
  EXPECT_EQ(ball["floor.mode"], 1);
  EXPECT_NEAR(ball["y"], 0.0, 1e-12);
}

// "z != 0 after leaving event mode", as both standards require: an indicator that an event made
// zero has changed its sign for the importer, whatever its last digits are at the next evaluation.
TEST_P(ModelExchange, IndicatorsAreNotZeroWhenEventModeIsLeft) {
  for (const char* name : {"chattering_ball", "woodpecker"}) {
    SCOPED_TRACE(name);
    const auto fmu = open(name);
    Exchange run(*fmu, solver(), {.tolerance = 1e-9, .largest_step = 1e-3});
    std::vector<double> z(run.instance->indicator_count());
    int events = 0;
    const auto look = [&] {
      ASSERT_TRUE(is_good(run.instance->get_event_indicators(z)));
      for (const double value : z) EXPECT_GT(std::abs(value), 1e-13) << run.time();
    };
    look();
    while (run.time() < 0.5) {
      const Exchange::Stop stop = run.run(0.5);
      events += stop.event ? 1 : 0;
      if (stop.event) look();
    }
    EXPECT_GE(events, 1);
  }
}

TEST_P(ModelExchange, AWoodpeckerClimbsDownAsInCoSimulation) {
  const auto fmu = open("woodpecker");
  const auto own = fmu->instantiate();
  ASSERT_TRUE(is_good(own->enter_initialization({.tolerance = 1e-9})));
  ASSERT_TRUE(is_good(own->exit_initialization()));
  ASSERT_TRUE(is_good(own->do_step(0.0, 0.5).status));
  Exchange bird(*fmu, solver(), {.tolerance = 1e-9, .largest_step = 1e-4});
  while (bird.time() < 0.5) ASSERT_FALSE(bird.run(0.5).terminate);
  for (const char* name : {"y", "tilt", "bird_q", "top.count", "bottom.count", "beak.count"}) {
    const Variable& variable = *fmu->description().find(name);
    Value value;
    ASSERT_TRUE(is_good(get_value(*own, variable, 1, value)));
    const double wanted = std::holds_alternative<Reals>(value)
                              ? std::get<Reals>(value).front()
                              : static_cast<double>(std::get<Integers>(value).front());
    EXPECT_NEAR(bird[name], wanted, 1e-5) << name;
  }
}

// The standards allow states to change after completedIntegratorStep has requested event mode.
TEST_P(ModelExchange, DriftIsCorrectedInEventMode) {
  const auto fmu = open("slider_crank_absolute");
  Exchange crank(*fmu, solver());
  std::vector<double> x = crank.states();
  EXPECT_FALSE(crank.instance->completed_integrator_step().event_needed);
  x[0] += 1e-3;
  ASSERT_TRUE(is_good(crank.instance->set_continuous_states(x)));
  EXPECT_GT(crank["drift"], 1e-4);
  EXPECT_TRUE(crank.instance->completed_integrator_step().event_needed);
  EXPECT_EQ(crank.states(), x) << "nothing moves before event mode";
  ASSERT_TRUE(is_good(crank.instance->enter_event_mode()));
  const DiscreteUpdate update = crank.instance->update_discrete_states();
  ASSERT_TRUE(is_good(update.status));
  EXPECT_TRUE(update.states_changed);
  EXPECT_NE(crank.states(), x);
  EXPECT_LT(crank["drift"], 1e-10);
  EXPECT_FALSE(crank.instance->update_discrete_states().states_changed) << "once is enough";
}

// Stored, serialised, carried to another instance: the same impacts, bit by bit.
TEST_P(ModelExchange, StoredStatesAreReplayed) {
  const auto fmu = open("bouncing_balls");
  Exchange balls(*fmu, solver()), other(*fmu, solver());
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(next_impact(balls));
  balls.run(balls.time() + 0.03);  // between impacts
  const double there = balls.time();
  const std::vector<double> x = balls.states();
  State state = nullptr;
  Bytes bytes;
  ASSERT_TRUE(is_good(balls.instance->get_state(state)));
  ASSERT_TRUE(is_good(balls.instance->serialize(state, bytes)));
  const auto replay = [&](Exchange& run) {
    std::vector<double> seen;
    run.restart(there);
    EXPECT_EQ(run.states(), x);
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(next_impact(run));
      seen.push_back(run.time());
      for (const double value : run.states()) seen.push_back(value);
    }
    EXPECT_EQ(run["hits"], 5);
    return seen;
  };
  const std::vector<double> wanted = replay(balls);
  ASSERT_TRUE(is_good(balls.instance->set_state(state)));
  EXPECT_TRUE(same_bits(Value(replay(balls)), Value(wanted)));
  State carried = nullptr;
  ASSERT_TRUE(is_good(other.instance->deserialize(bytes, carried)));
  ASSERT_TRUE(is_good(other.instance->set_state(carried)));
  EXPECT_TRUE(same_bits(Value(replay(other)), Value(wanted)));
  EXPECT_TRUE(is_good(other.instance->free_state(carried)));
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_FALSE(is_good(other.instance->deserialize(bytes, carried))) << "altered";
  EXPECT_TRUE(is_good(balls.instance->free_state(state)));
}

TEST(ModelExchangeAlone, IsNotForInstancesOfCoSimulation) {
  for (const Importer& importer : importers())
    for (const int version : {2, 3}) {
      const auto fmu = open(importer, "bouncing_balls", version);
      const auto instance = fmu->instantiate();
      ASSERT_TRUE(is_good(instance->enter_initialization({})));
      ASSERT_TRUE(is_good(instance->exit_initialization()));
      EXPECT_EQ(instance->set_time(0.1), Status::error);
      EXPECT_EQ(instance->enter_continuous_time_mode(), Status::error);
      EXPECT_EQ(instance->completed_integrator_step().status, Status::error);
      std::vector<double> x(8);
      EXPECT_EQ(instance->get_continuous_states(x), Status::error);
      EXPECT_EQ(instance->set_continuous_states(x), Status::error);
    }
}

TEST(ModelExchangeAlone, IsRefusedWhereAnFmuHasNone) {
  for (const Importer& importer : importers())
    for (const char* file : {TINY_FMU2, TINY_FMU3}) {
      const auto fmu = importer.open(file);
      ASSERT_FALSE(fmu->description().model_exchange);
      try {
        fmu->instantiate({.model_exchange = true});
        FAIL() << "it is made";
      } catch (const ImportError& error) {
        EXPECT_NE(std::string(error.what()).find("is not for model exchange"), std::string::npos)
            << error.what();
      }
    }
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}
void PrintTo(const OdeSolver& solver, std::ostream* stream) {
  *stream << solver.name;
}

}  // namespace mbs::test
