// Events through each importer: two balls bounce, and the times of their impacts have a closed
// form (balls.hpp), in event mode, without early return, without event mode, and with FMI 2.0.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/harness/balls.hpp"
#include "tests/harness/harness.hpp"
#include "tools/import/simulate.hpp"

namespace mbs::test {
namespace {

using namespace import;    // NOLINT: the suite is about all of it
using namespace bouncing;  // NOLINT

constexpr int impacts = 20;
constexpr double accuracy = 1e-9;

class Balls {
 public:
  Balls(Fmu& fmu, const InstanceOptions& options = {})
      : fmu_(fmu), event_mode_(options.event_mode), instance(fmu.instantiate(options)) {
    EXPECT_TRUE(is_good(instance->enter_initialization({})));
    EXPECT_TRUE(is_good(instance->exit_initialization()));
    if (event_mode_) update();
  }

  double operator[](const char* name) {
    const Variable* variable = fmu_.description().find(name);
    Value value;
    EXPECT_TRUE(variable && is_good(get_value(*instance, *variable, 1, value))) << name;
    if (const auto* reals = std::get_if<Reals>(&value)) return reals->front();
    return static_cast<double>(std::get<Integers>(value).front());
  }

  DiscreteUpdate update(bool enter = false) {
    if (enter) {
      EXPECT_TRUE(is_good(instance->enter_event_mode()));
    }
    const DiscreteUpdate result = instance->update_discrete_states();
    EXPECT_TRUE(is_good(result.status));
    EXPECT_FALSE(result.needed_again);
    if (!result.terminate) {
      EXPECT_TRUE(is_good(instance->enter_step_mode()));
    }
    return result;
  }

  // At an event: what is before it, then what is after it.
  void expect_impact(int k, double time) {
    EXPECT_NEAR(time, time_of(k), accuracy) << k;
    const double v = fall * g * std::pow(e, k - 1);
    EXPECT_EQ((*this)["hits"], k - 1);
    EXPECT_EQ((*this)["hits_b"], k - 1);
    EXPECT_NEAR((*this)["vy"], -v, 1e-7);
    EXPECT_TRUE(is_good(instance->enter_event_mode()));
    EXPECT_EQ((*this)["hits"], k - 1) << "left limits until the update";
    EXPECT_NEAR((*this)["vy"], -v, 1e-7);
    EXPECT_FALSE(update().terminate);
    EXPECT_EQ((*this)["hits"], k);
    EXPECT_EQ((*this)["hits_b"], k) << "both at once";
    EXPECT_NEAR((*this)["vy"], e * v, 1e-7);
    EXPECT_EQ((*this)["last"], time);
  }

 private:
  Fmu& fmu_;
  bool event_mode_;

 public:
  std::unique_ptr<Instance> instance;
};

class Events : public testing::TestWithParam<Importer> {
 protected:
  static std::unique_ptr<Fmu> open(const std::string& file) {
    const char* folder = std::getenv("MBS_HARNESS_MODELS");
    return GetParam().open(std::string(folder ? folder : "") + "/" + file + ".fmu");
  }
  static std::unique_ptr<Fmu> open(int version) {
    return open("bouncing_balls_fmi" + std::to_string(version));
  }
};
INSTANTIATE_TEST_SUITE_P(Importers, Events, testing::ValuesIn(importers()),
                         [](const auto& importer) { return importer.param.name; });

// F2, F4, D8: steps end at events, however short the remaining part is.
TEST_P(Events, EndStepsInEventMode) {
  const auto fmu = open(3);
  EXPECT_TRUE(fmu->description().co_simulation->has_event_mode);
  EXPECT_TRUE(fmu->description().co_simulation->might_return_early);
  Balls balls(*fmu, {.event_mode = true, .early_return = true});
  double time = 0.0;
  int k = 0;
  for (int i = 1; i <= 80; ++i) {
    const double end = 0.05 * i;
    while (time < end) {
      const double hits = balls["hits"];
      const StepResult step = balls.instance->do_step(time, end - time);
      ASSERT_TRUE(is_good(step.status));
      EXPECT_EQ(step.early_return, step.time < end);
      EXPECT_EQ(balls["hits"], hits) << "changes in event mode alone";
      time = step.time;
      if (step.event_needed)
        balls.expect_impact(++k, time);
      else
        EXPECT_EQ(time, end);
    }
  }
  EXPECT_EQ(k, impacts - 1);
  StepResult step = balls.instance->do_step(time, 0.01 + 1e-9);
  EXPECT_FALSE(step.event_needed);
  step = balls.instance->do_step(step.time, time_of(impacts) + 1e-9 - step.time);
  ASSERT_TRUE(step.early_return);
  balls.expect_impact(impacts, step.time);
  step = balls.instance->do_step(step.time, time_of(impacts) + 1e-9 - step.time);
  EXPECT_TRUE(is_good(step.status)) << "what remains is 1e-9 s";
  EXPECT_FALSE(step.early_return);
  // The model ends itself, in event mode.
  step = balls.instance->do_step(step.time, 1.0);
  EXPECT_TRUE(step.early_return && step.event_needed);
  EXPECT_FALSE(step.terminate);
  EXPECT_EQ(step.time, 4.02);
  EXPECT_TRUE(balls.update(true).terminate);
  EXPECT_TRUE(is_good(balls.instance->terminate()));
}

// F2: an event at the end of a step is no early return.
TEST_P(Events, AreHandledAtTheEndOfAStep) {
  const auto fmu = open(3);
  Balls scout(*fmu, {.event_mode = true, .early_return = true});
  const double t = scout.instance->do_step(0.0, 1.0).time;
  for (const bool early : {true, false}) {
    Balls balls(*fmu, {.event_mode = true, .early_return = early});
    const StepResult step = balls.instance->do_step(0.0, t);
    ASSERT_TRUE(is_good(step.status));
    EXPECT_FALSE(step.early_return);
    EXPECT_TRUE(step.event_needed);
    EXPECT_EQ(step.time, t);
    balls.expect_impact(1, step.time);
  }
}

// In FMI 2.0 the event has happened then, and the remaining 1e-9 s are a step, too.
TEST_P(Events, AreHandledAtTheEndOfAStepOfFmi2) {
  const auto events = open(3), fmu = open(2);
  Balls scout(*events, {.event_mode = true, .early_return = true}), balls(*fmu);
  const double t = scout.instance->do_step(0.0, 1.0).time;
  ASSERT_TRUE(is_good(balls.instance->do_step(0.0, t).status));
  EXPECT_EQ(balls["hits"], 1);
  EXPECT_EQ(balls["hits_b"], 1) << "both at once";
  EXPECT_EQ(balls["last"], t);
  EXPECT_NEAR(balls["vy"], e * g * fall, 1e-7);
  ASSERT_TRUE(is_good(balls.instance->do_step(t, 1e-9).status));
  EXPECT_EQ(balls["hits"], 1);
}

// D11: infinitely many impacts are ended and reported, and the step goes on; in event mode the
// importer handles each of them.
TEST_P(Events, ComeToAnEndWhenTheyChatter) {
  for (const int version : {2, 3})
    for (const bool event_mode : {false, true}) {
      if (version == 2 && event_mode) continue;
      const auto fmu = open("chattering_ball_fmi" + std::to_string(version));
      Balls ball(*fmu, {.logging = true, .event_mode = event_mode, .early_return = event_mode});
      double time = 0.0;
      int returns = 0;
      while (time < 2.0) {
        const StepResult step = ball.instance->do_step(time, 2.0 - time);
        ASSERT_TRUE(is_good(step.status));
        ASSERT_GE(step.time, time);
        ASSERT_LT(++returns, 200);
        time = step.time;
        if (step.event_needed) ball.update(true);
      }
      EXPECT_EQ(returns > 10, event_mode);
      EXPECT_EQ(time, 2.0);
      EXPECT_NEAR(ball["y"], 0.0, 1e-9);
      EXPECT_EQ(ball["floor.mode"], 1);
      EXPECT_GT(ball["floor.count"], 10);
      EXPECT_LT(ball["floor.count"], 200);
      bool reported = false;
      for (const LogMessage& message : ball.instance->messages())
        reported = reported || (message.category == "logEvents" &&
                                message.text.find("stays closed") != std::string::npos);
      EXPECT_TRUE(reported);
    }
}

// F2: events that were handled inside are not announced.
TEST_P(Events, AreHandledInsideWithoutEarlyReturn) {
  const auto fmu = open(3);
  Balls balls(*fmu, {.event_mode = true});
  for (int k = 1; k <= impacts; ++k) {
    const double begin = k == 1 ? 0.0 : time_of(k - 1) + 1e-3, end = time_of(k) + 1e-3;
    const StepResult step = balls.instance->do_step(begin, end - begin);
    ASSERT_TRUE(is_good(step.status));
    EXPECT_FALSE(step.early_return || step.event_needed || step.terminate);
    EXPECT_EQ(balls["hits"], k);
    EXPECT_NEAR(balls["last"], time_of(k), accuracy);
  }
}

TEST_P(Events, AreHandledInsideWithoutEventMode) {
  for (const int version : {2, 3})
    for (const bool early : {false, true}) {
      const auto fmu = open(version);
      Balls balls(*fmu, {.early_return = early});
      int k = 0;
      for (int i = 1; i <= 402; ++i) {
        const double begin = 0.01 * (i - 1);
        const StepResult step = balls.instance->do_step(begin, 0.01 * i - begin);
        if (i == 402 && version == 2)
          EXPECT_EQ(step.status, Status::discard) << "FMI 2's way to end";
        else
          ASSERT_TRUE(is_good(step.status)) << version << " " << i;
        EXPECT_FALSE(step.event_needed);
        EXPECT_EQ(step.terminate, i == 402);
        // The end at 4.02 s is a reason to return early from a step to 4.02 s and a bit alone.
        EXPECT_EQ(step.early_return, version == 3 && early && i == 402 && step.time < 0.01 * i);
        if (i == 402) {
          EXPECT_EQ(step.time, 4.02) << "how far it came";
        }
        if (balls["hits"] == k) continue;
        EXPECT_EQ(balls["hits"], ++k);
        EXPECT_NEAR(balls["last"], time_of(k), accuracy) << version << " " << k;
      }
      EXPECT_EQ(k, impacts);
    }
}

// F2: a model that ends itself within a step returns early where that is allowed.
TEST_P(Events, EndingTheModelReturnEarly) {
  const auto fmu = open(3);
  for (const bool early : {false, true}) {
    Balls balls(*fmu, {.early_return = early});
    const StepResult step = balls.instance->do_step(0.0, 5.0);
    ASSERT_TRUE(is_good(step.status));
    EXPECT_TRUE(step.terminate);
    EXPECT_EQ(step.early_return, early);
    EXPECT_FALSE(step.event_needed);
    EXPECT_EQ(step.time, 4.02);
  }
}

// A run ends at the time that the FMU gives, also where steps must not return early.
TEST_P(Events, EndingTheModelEndItsResults) {
  for (const int version : {2, 3}) {
    const auto fmu = open(version);
    const SimulateResult result = simulate(*fmu, {.stop = 5.0, .step = 0.05, .event_mode = false});
    EXPECT_TRUE(result.terminated);
    EXPECT_EQ(result.early_returns, 0u);
    EXPECT_NEAR(result.times.back(), 4.02, 1e-12) << version;
    EXPECT_NEAR(result.times.end()[-2], 4.0, 1e-12) << version;
  }
}

TEST_P(Events, AreLogged) {
  const auto fmu = open(3);
  Balls balls(*fmu, {.logging = true, .event_mode = true, .early_return = true});
  const StepResult step = balls.instance->do_step(0.0, 1.0);
  ASSERT_TRUE(step.event_needed);
  balls.update(true);
  std::string events;
  for (const LogMessage& message : balls.instance->messages())
    if (message.category == "logEvents") events += message.text + "\n";
  EXPECT_NE(events.find("event 'floor_a' at t = 0.4515"), std::string::npos) << events;
  EXPECT_NE(events.find("impact at 4.42945 m/s at t = 0.4515"), std::string::npos) << events;
  EXPECT_NE(events.find("event 'impact' at t = 0.4515"), std::string::npos) << events;
}

// Counters and modes of all events and contacts are outputs without a request in the model.
TEST_P(Events, AreOutputsOfTheirOwn) {
  for (const int version : {2, 3}) {
    const auto fmu = open(version);
    for (const char* name : {"floor_a.mode", "floor_b.count", "impact.count", "end.count"}) {
      const Variable* variable = fmu->description().find(name);
      ASSERT_TRUE(variable) << name;
      EXPECT_EQ(variable->causality, Causality::output) << name;
      EXPECT_EQ(variable->variability, Variability::discrete) << name;
    }
    Balls balls(*fmu, {.event_mode = version == 3, .early_return = version == 3});
    EXPECT_EQ(balls["floor_a.count"], 0);
    if (version == 2) {
      EXPECT_TRUE(is_good(balls.instance->do_step(0.0, 1.0).status));
      EXPECT_EQ(balls["floor_a.count"], 1);
      EXPECT_EQ(balls["impact.count"], 1);
    } else {
      const StepResult step = balls.instance->do_step(0.0, 1.0);
      EXPECT_EQ(balls["floor_a.count"], 0) << "left limits";
      balls.expect_impact(1, step.time);
      EXPECT_EQ(balls["floor_a.count"], 1);
      EXPECT_EQ(balls["impact.count"], 1);
    }
    EXPECT_EQ(balls["floor_a.mode"], 0) << "it bounces";
  }
}

// F6: the contacts' clocks tick until they have acted, those of what follows from it with the next
// update.
TEST_P(Events, ClocksTickWithThem) {
  const auto fmu = open("bouncing_balls_clocks");
  const Variable* clock = fmu->description().find("impact.clock");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->type, VariableType::clock);
  EXPECT_EQ(clock->interval_variability, "triggered");
  Balls balls(*fmu, {.event_mode = true, .early_return = true});
  const auto ticks = [&] {
    std::string all;
    for (const char* name : {"floor_a.clock", "floor_b.clock", "impact.clock", "end.clock"})
      all += balls[name] != 0 ? '1' : '0';
    return all;
  };
  double time = 0.0;
  for (int k = 1; k <= impacts; ++k) {
    const StepResult step = balls.instance->do_step(time, 4.015 - time);
    ASSERT_TRUE(step.event_needed);
    time = step.time;
    EXPECT_NEAR(time, time_of(k), accuracy);
    ASSERT_TRUE(is_good(balls.instance->enter_event_mode()));
    EXPECT_EQ(ticks(), "1100");
    EXPECT_EQ(balls["impact.count"], k - 1);
    DiscreteUpdate update = balls.instance->update_discrete_states();
    EXPECT_TRUE(is_good(update.status) && update.needed_again);
    EXPECT_EQ(ticks(), "0010");
    EXPECT_EQ(balls["impact.count"], k);
    update = balls.instance->update_discrete_states();
    EXPECT_TRUE(is_good(update.status));
    EXPECT_FALSE(update.needed_again);
    EXPECT_EQ(ticks(), "0000");
    ASSERT_TRUE(is_good(balls.instance->enter_step_mode()));
  }
  Value value;
  EXPECT_FALSE(is_good(get_value(*balls.instance, *clock, 1, value))) << "in step mode";
  const StepResult step = balls.instance->do_step(time, 1.0);
  EXPECT_TRUE(step.event_needed);
  ASSERT_TRUE(is_good(balls.instance->enter_event_mode()));
  EXPECT_EQ(ticks(), "0001");
  EXPECT_TRUE(balls.instance->update_discrete_states().terminate);
}

// A state that is stored between an event and its update keeps the event.
TEST_P(Events, AreKeptByStoredStates) {
  const auto fmu = open(3);
  Balls balls(*fmu, {.event_mode = true, .early_return = true});
  const double t = balls.instance->do_step(0.0, 1.0).time;
  State state = nullptr;
  ASSERT_TRUE(is_good(balls.instance->get_state(state)));
  double next[2];
  for (double& time : next) {
    balls.expect_impact(1, t);
    time = balls.instance->do_step(t, 1.0).time;
    EXPECT_NEAR(time, time_of(2), accuracy);
    ASSERT_TRUE(is_good(balls.instance->set_state(state)));
  }
  EXPECT_EQ(next[0], next[1]);
  EXPECT_TRUE(is_good(balls.instance->free_state(state)));
}

// F5: in an intermediate update the importer requests an early return, and continues from there.
// An importer that did not allow an early return learns it from the argument, and the step goes on.
TEST_P(Events, IntermediateUpdatesMayEndTheStep) {
  const auto fmu = open(3);
  ASSERT_TRUE(fmu->description().co_simulation->provides_intermediate_update);
  ASSERT_TRUE(fmu->description().co_simulation->can_return_early_after_intermediate_update);
  constexpr double end = 0.4, wanted = 0.1;  // before the first impact
  for (const bool allowed : {true, false}) {
    std::vector<IntermediateUpdate> seen;
    const auto update = [&](const IntermediateUpdate& u) -> std::optional<double> {
      seen.push_back(u);
      return u.can_return_early && u.time >= wanted ? std::optional(u.time) : std::nullopt;
    };
    Balls balls(*fmu, {.early_return = allowed, .intermediate_update = update});
    double time = 0.0;
    for (int k = 1; k <= 4; ++k) {
      const StepResult step = balls.instance->do_step(time, k * wanted - time);
      ASSERT_TRUE(is_good(step.status));
      EXPECT_FALSE(step.event_needed);
      EXPECT_LE(step.time, k * wanted);
      if (!step.early_return) {
        EXPECT_EQ(step.time, k * wanted);
      }
      EXPECT_TRUE(allowed || !step.early_return);
      time = step.time;
    }
    if (time < end) time = balls.instance->do_step(time, end - time).time;
    ASSERT_FALSE(seen.empty());
    double before = 0.0;
    for (const IntermediateUpdate& u : seen) {
      EXPECT_GE(u.time, before);
      EXPECT_LE(u.time, end);
      EXPECT_EQ(u.can_return_early, allowed);
      EXPECT_TRUE(u.get_allowed && u.step_finished);
      before = u.time;
    }
    EXPECT_NEAR(balls["y"], 1.0 - 0.5 * g * time * time, accuracy);
    EXPECT_NEAR(balls["vy"], -g * time, accuracy);
  }
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
