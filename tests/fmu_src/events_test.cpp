// Events in an FMU (D11): the log, counters as outputs, one that ends the simulation.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

// x = sin(w t) / w with w^2 = 40, which turns after a quarter of its period, and ends at x < -0.1.
constexpr const char* oscillator = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Swing" version="1" planar="xy">
  <body name="mass" mass="1 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s"/>
  <frame name="wall" pos="-1 m, 0"/>
  <spring name="spring" a="wall" b="mass" stiffness="40 N/m" length="1 m"/>
  <event name="turn" when="rail.qd == 0"/>
  <event name="end" when="rail.q &lt; -0.1 m" terminate="true"/>
  <output name="x" of="rail" quantity="q"/>
  <output name="turns" of="turn" quantity="events"/>
  <output name="last" of="turn" quantity="event_time"/>
  <solver rtol="1e-9" atol="1e-9"/>
</mbs>)";
const double w = std::sqrt(40.0), quarter = 0.5 * std::numbers::pi / w;
const double last = (std::numbers::pi + std::asin(0.1 * w)) / w;

class FmuEvents : public testing::TestWithParam<int> {
 protected:
  const Fmu fmu{oscillator};
  Instance instance{fmu, GetParam()};
  int turns() {
    std::int32_t value = -1;
    EXPECT_EQ(instance.get_integer("turns", value), ok);
    return value;
  }
};
INSTANTIATE_TEST_SUITE_P(fmi, FmuEvents, testing::Values(2, 3));

TEST_P(FmuEvents, AreLoggedAndCounted) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.2), ok);
  EXPECT_EQ(turns(), 0);
  instance.messages.clear();
  ASSERT_EQ(instance.step(0.2, 0.1), ok);
  EXPECT_EQ(turns(), 1);
  EXPECT_NEAR(instance["last"], quarter, 1e-8);
  ASSERT_EQ(instance.messages.size(), 1u);
  EXPECT_EQ(instance.messages[0].category, "logEvents");
  EXPECT_EQ(instance.messages[0].status, ok);
  EXPECT_NE(instance.said().find("event 'turn' at t = 0.248"), std::string::npos);
}

TEST_P(FmuEvents, CanEndTheSimulation) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.5), ok);
  if (GetParam() == 2) {
    EXPECT_EQ(instance.step(0.5, 0.5), discard);
    const Functions2& f = runtime().fmi2;
    fmi2Boolean terminated = fmi2False;
    fmi2Real reached = 0.0;
    fmi2Status status = fmi2OK;
    ASSERT_EQ(f.GetBooleanStatus(instance.handle, fmi2Terminated, &terminated), fmi2OK);
    ASSERT_EQ(f.GetRealStatus(instance.handle, fmi2LastSuccessfulTime, &reached), fmi2OK);
    ASSERT_EQ(f.GetStatus(instance.handle, fmi2DoStepStatus, &status), fmi2OK);
    EXPECT_EQ(terminated, fmi2True);
    EXPECT_EQ(status, fmi2Discard);
    EXPECT_NEAR(reached, last, 1e-8);
  } else {
    fmi3Boolean event_needed = true, terminate = false, early = true;
    fmi3Float64 reached = 0.0;
    EXPECT_EQ(runtime().fmi3.DoStep(instance.handle, 0.5, 0.5, false, &event_needed, &terminate,
                                    &early, &reached),
              fmi3OK);
    EXPECT_TRUE(terminate);
    EXPECT_FALSE(event_needed);
    EXPECT_FALSE(early);
    EXPECT_NEAR(reached, last, 1e-8);
  }
  EXPECT_NEAR(instance["x"], -0.1, 1e-8);
  EXPECT_NEAR(instance["time"], last, 1e-8);
  EXPECT_EQ(instance.step(instance["time"], 0.1), error) << "there is no way on";
  if (GetParam() == 3) {
    EXPECT_NE(instance.said().find("ended the simulation"), std::string::npos);
  }
  ASSERT_EQ(instance.reset(), ok);
  ASSERT_EQ(instance.start(), ok);
  EXPECT_EQ(instance.step(0.0, 0.5), ok);
}

TEST_P(FmuEvents, HaveCountersAsOutputs) {
  ASSERT_EQ(instance.start(), ok);
  const auto count = [&] {
    std::int32_t value = -1;
    EXPECT_EQ(instance.get_integer("turn.count", value), ok);
    return value;
  };
  EXPECT_EQ(count(), 0);
  ASSERT_EQ(instance.step(0.0, 0.3), ok);
  EXPECT_EQ(count(), 1);
}

// Infinitely many bounces in a finite time (Zeno): the guard ends them, reports that, and the step
// is completed. In event mode the importer handles each of them until the ball rests.
constexpr const char* falling_ball = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Ball" version="1" planar="xy">
  <gravity g="0, -9.81 m/s^2"/>
  <particle name="ball" mass="1 kg"/>
  <free name="fall" a="ground" b="ball" pos="0, 1 m"/>
  <contact name="floor" a="ground" b="ball" normal="y" restitution="0.5"/>
  <output name="y" of="ball" quantity="position" component="y"/>
  <solver rtol="1e-8" atol="1e-8"/>
</mbs>)";

// Each impact has a log entry of its own besides that of its event, and the end of bouncing has
// one.
TEST(FmuChattering, IsReportedInTheLog) {
  std::string with_radius = falling_ball;
  with_radius.replace(with_radius.find("0, 1 m"), 6, "0, 1.1 m");
  with_radius.replace(with_radius.find("restitution"), 0, "radius_b=\"0.1 m\" ");
  const Fmu fmu(with_radius);
  for (const int version : {2, 3}) {
    Instance instance(fmu, version);
    ASSERT_EQ(instance.start(), ok);
    ASSERT_EQ(instance.step(0.0, 2.0), ok) << instance.said();
    int events = 0, impacts = 0, rests = 0;
    for (const auto& message : instance.messages) {
      if (message.category != "logEvents") continue;
      EXPECT_EQ(message.status, ok);
      const auto has = [&](const char* keywords) {
        return message.text.find(keywords) != std::string::npos;
      };
      events += has("event 'floor' at t = ");
      impacts += has("'floor': impact at ");
      rests += has("'floor': brought to rest: its bounces, the last of ");
    }
    EXPECT_NE(instance.said().find("'floor': impact at 4.42945 m/s at t = 0.4515"),
              std::string::npos);
    EXPECT_GT(impacts, 10);
    EXPECT_EQ(rests, 1);
    EXPECT_EQ(events, impacts + rests);
  }
}

TEST(FmuChattering, EndsAtRest) {
  const Fmu fmu(falling_ball);
  for (const int version : {2, 3}) {
    Instance instance(fmu, version);
    ASSERT_EQ(instance.start(), ok);
    ASSERT_EQ(instance.step(0.0, 2.0), ok) << instance.said();
    EXPECT_NEAR(instance["y"], 0.0, 1e-9);
    std::int32_t mode = -1, count = 0;
    ASSERT_EQ(instance.get_integer("floor.mode", mode), ok);
    ASSERT_EQ(instance.get_integer("floor.count", count), ok);
    EXPECT_EQ(mode, 1);
    EXPECT_GT(count, 10);
    EXPECT_LT(count, 200);
    EXPECT_NE(instance.said().find("stays closed"), std::string::npos) << instance.said();
  }
  const Functions3& f = runtime().fmi3;
  void* handle = f.InstantiateCoSimulation("events", fmu.description.token.c_str(),
                                           (fmu.resources.path() + "/").c_str(), false, false, true,
                                           true, nullptr, 0, nullptr, nullptr, nullptr);
  ASSERT_NE(handle, nullptr);
  ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
  bool again, end, nominals, states, defined, event, early;
  double next = 0.0, time = 0.0;
  const auto update = [&] {
    EXPECT_EQ(f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next),
              fmi3OK);
    EXPECT_EQ(f.EnterStepMode(handle), fmi3OK);
  };
  update();
  int returns = 0;
  while (time < 2.0 && returns < 1000) {
    const double before = time;
    ASSERT_EQ(f.DoStep(handle, time, 2.0 - time, true, &event, &end, &early, &time), fmi3OK);
    EXPECT_GE(time, before);
    EXPECT_EQ(early, time < 2.0);
    if (!event) continue;
    ++returns;
    ASSERT_EQ(f.EnterEventMode(handle), fmi3OK);
    update();
  }
  EXPECT_EQ(time, 2.0);
  EXPECT_GT(returns, 10);
  EXPECT_LT(returns, 200);
  const std::uint32_t mode = fmu.description["floor.mode"];
  std::int32_t value = -1;
  ASSERT_EQ(f.GetInt32(handle, &mode, 1, &value, 1), fmi3OK);
  EXPECT_EQ(value, 1);
  f.FreeInstance(handle);
}

// F4: the integrator's counters are discrete; with event mode they change in it alone, and a stored
// state remembers them.
TEST(Counters, ChangeInEventModeAlone) {
  const Fmu fmu(rig_text);
  const Functions3& f = runtime().fmi3;
  void* handle = f.InstantiateCoSimulation("counters", fmu.description.token.c_str(),
                                           (fmu.resources.path() + "/").c_str(), false, false, true,
                                           true, nullptr, 0, nullptr, nullptr, nullptr);
  ASSERT_NE(handle, nullptr);
  const auto steps = [&] {
    const std::uint32_t reference = fmu.description["steps"];
    std::int32_t value = -1;
    EXPECT_EQ(f.GetInt32(handle, &reference, 1, &value, 1), fmi3OK);
    return value;
  };
  ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
  bool again, end, nominals, states, defined, event, early;
  double next = 0.0, time = 0.0;
  const auto update = [&] {
    return f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next);
  };
  ASSERT_EQ(update(), fmi3OK);
  ASSERT_EQ(f.EnterStepMode(handle), fmi3OK);
  EXPECT_EQ(steps(), 0);
  ASSERT_EQ(f.DoStep(handle, 0.0, 0.2, true, &event, &end, &early, &time), fmi3OK);
  EXPECT_EQ(steps(), 0);
  ASSERT_EQ(f.EnterEventMode(handle), fmi3OK);
  EXPECT_EQ(steps(), 0) << "the left limit";
  ASSERT_EQ(update(), fmi3OK);
  const std::int32_t counted = steps();
  EXPECT_GT(counted, 0);
  ASSERT_EQ(f.EnterStepMode(handle), fmi3OK);
  void* state = nullptr;
  ASSERT_EQ(f.GetFMUState(handle, &state), fmi3OK);
  ASSERT_EQ(f.DoStep(handle, time, 0.2, true, &event, &end, &early, &time), fmi3OK);
  EXPECT_EQ(steps(), counted);
  ASSERT_EQ(f.EnterEventMode(handle), fmi3OK);
  ASSERT_EQ(update(), fmi3OK);
  EXPECT_GT(steps(), counted);
  ASSERT_EQ(f.SetFMUState(handle, state), fmi3OK);
  EXPECT_EQ(steps(), counted);
  ASSERT_EQ(f.FreeFMUState(handle, &state), fmi3OK);
  f.FreeInstance(handle);
}

// F6: an FMU without clocks has none, one with them has its own token; in model exchange they tick
// with what an update finds.
TEST(Clocks, ExistOnlyWithTheirToken) {
  const Fmu fmu(oscillator);
  const Functions3& f = runtime().fmi3;
  ASSERT_NE(fmu.description.token, fmu.description.clock_token);
  const std::uint32_t turn = fmu.description.table.clocks.at(0).reference;
  for (const bool clocks : {false, true}) {
    const std::string& token = clocks ? fmu.description.clock_token : fmu.description.token;
    void* handle =
        f.InstantiateModelExchange("clocks", token.c_str(), (fmu.resources.path() + "/").c_str(),
                                   false, false, nullptr, nullptr);
    ASSERT_NE(handle, nullptr);
    ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
    ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
    bool again = true, end = false, nominals = false, states = false, defined = false, ticks = true;
    double next = 0.0;
    const auto update = [&] {
      return f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next);
    };
    ASSERT_EQ(update(), fmi3OK);
    EXPECT_FALSE(again);
    ASSERT_EQ(f.EnterContinuousTimeMode(handle), fmi3OK);
    double x[2] = {0.1, -0.5};  // past the turn
    ASSERT_EQ(f.SetTime(handle, quarter), fmi3OK);
    ASSERT_EQ(fmu.description.table.states.size(), 6u);
    std::vector<double> all(6);
    ASSERT_EQ(f.GetContinuousStates(handle, all.data(), 6), fmi3OK);
    all[0] = x[0];
    all[3] = x[1];
    ASSERT_EQ(f.SetContinuousStates(handle, all.data(), 6), fmi3OK);
    bool event = false, terminate = false;
    ASSERT_EQ(f.CompletedIntegratorStep(handle, true, &event, &terminate), fmi3OK);
    EXPECT_TRUE(event);
    ASSERT_EQ(f.EnterEventMode(handle), fmi3OK);
    ASSERT_EQ(update(), fmi3OK);
    EXPECT_EQ(again, clocks);
    EXPECT_EQ(f.GetClock(handle, &turn, 1, &ticks), clocks ? fmi3OK : fmi3Error);
    if (clocks) {
      EXPECT_TRUE(ticks);
      ASSERT_EQ(update(), fmi3OK);
      EXPECT_FALSE(again);
      EXPECT_EQ(f.GetClock(handle, &turn, 1, &ticks), fmi3OK);
      EXPECT_FALSE(ticks);
      const std::uint32_t none = first_clock + 7, other = 0;
      EXPECT_EQ(f.GetClock(handle, &none, 1, &ticks), fmi3Error);
      EXPECT_EQ(f.GetClock(handle, &other, 1, &ticks), fmi3Error);
    }
    f.FreeInstance(handle);
  }
}

// A force law jumps at a time event that sets nothing: before the event all values are left limits,
// after it right limits, in co-simulation and in model exchange.
TEST(TimeEvents, HaveLeftAndRightLimits) {
  for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf"}) {
    SCOPED_TRACE(method);
    const Fmu fmu(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Push" version="1" planar="xy">
  <body name="mass" mass="2 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x"/>
  <force joint="rail" name="push" value="if(time >= 0.5 s, 10 N, 0 N)"/>
  <event name="on" at="0.5 s"/>
  <output name="f" of="push" quantity="force"/>
  <output name="a" of="rail" quantity="qdd"/>
  <output name="v" of="rail" quantity="qd"/>
  <solver rtol="1e-8" atol="1e-8" method=")xml" +
                  method + "\"/></mbs>");
    const Functions3& f = runtime().fmi3;
    const std::string folder = fmu.resources.path() + "/";
    const char* token = fmu.description.token.c_str();
    bool again, end, nominals, states, defined, event, early;
    double next = 0.0, time = 0.0;
    for (const bool exchange : {false, true}) {
      SCOPED_TRACE(exchange ? "model exchange" : "co-simulation");
      void* handle =
          exchange ? f.InstantiateModelExchange("limits", token, folder.c_str(), false, false,
                                                nullptr, nullptr)
                   : f.InstantiateCoSimulation("limits", token, folder.c_str(), false, false, true,
                                               true, nullptr, 0, nullptr, nullptr, nullptr);
      ASSERT_NE(handle, nullptr);
      const auto get = [&](const char* name) {
        const std::uint32_t reference = fmu.description[name];
        double value = NAN;
        EXPECT_EQ(f.GetFloat64(handle, &reference, 1, &value, 1), fmi3OK);
        return value;
      };
      const auto update = [&] {
        EXPECT_EQ(f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next),
                  fmi3OK);
      };
      ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
      ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
      update();
      EXPECT_TRUE(defined);
      EXPECT_EQ(next, 0.5);
      if (exchange) {
        ASSERT_EQ(f.EnterContinuousTimeMode(handle), fmi3OK);
        ASSERT_EQ(f.SetTime(handle, 0.5), fmi3OK);
        ASSERT_EQ(f.CompletedIntegratorStep(handle, true, &event, &end), fmi3OK);
      } else {
        ASSERT_EQ(f.EnterStepMode(handle), fmi3OK);
        ASSERT_EQ(f.DoStep(handle, 0.0, 1.0, true, &event, &end, &early, &time), fmi3OK);
        EXPECT_EQ(time, 0.5);
      }
      EXPECT_TRUE(event);
      EXPECT_EQ(get("f"), 0.0);
      EXPECT_NEAR(get("a"), 0.0, 1e-12);
      ASSERT_EQ(f.EnterEventMode(handle), fmi3OK);
      EXPECT_EQ(get("f"), 0.0);
      EXPECT_NEAR(get("a"), 0.0, 1e-12);
      update();
      EXPECT_EQ(get("f"), 10.0);
      EXPECT_NEAR(get("a"), 5.0, 1e-12);
      if (!exchange) {
        ASSERT_EQ(f.EnterStepMode(handle), fmi3OK);
        ASSERT_EQ(f.DoStep(handle, 0.5, 0.5, true, &event, &end, &early, &time), fmi3OK);
        EXPECT_NEAR(get("v"), 2.5, 1e-12);
      }
      f.FreeInstance(handle);
    }
  }
}

TEST(Clocks, TickByThemselves) {
  const Fmu fmu(oscillator);
  const Functions3& f = runtime().fmi3;
  const std::uint32_t turn = fmu.description.table.clocks.at(0).reference;
  const bool tick = true;
  for (const bool clocks : {false, true}) {
    const std::string& token = clocks ? fmu.description.clock_token : fmu.description.token;
    std::vector<Message> said;
    void* handle =
        f.InstantiateModelExchange("clocks", token.c_str(), (fmu.resources.path() + "/").c_str(),
                                   false, true, &said, log_fmi3);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(f.SetClock(handle, &turn, 1, &tick), fmi3Error);
    ASSERT_FALSE(said.empty());
    EXPECT_NE(said.back().text.find(clocks ? "output clock" : "there is no clock"),
              std::string::npos)
        << said.back().text;
    EXPECT_EQ(f.SetClock(handle, nullptr, 0, nullptr), fmi3OK);
    f.FreeInstance(handle);
  }
}

// After a call in a wrong mode all results are defined, and a state can be restored.
TEST(AfterAnError, TimesAreDefinedAndStatesCanBeRead) {
  const Fmu fmu(oscillator);
  const Functions3& f = runtime().fmi3;
  Instance instance(fmu, 3);
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.125), ok);
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  std::vector<char> bytes;
  ASSERT_EQ(instance.serialise(state, bytes), ok);
  ASSERT_EQ(instance.free_state(&state), ok);
  ASSERT_EQ(instance.terminate(), ok);
  bool event = true, end = true, early = true;
  double time = NAN;
  EXPECT_EQ(f.DoStep(instance.handle, 0.125, 0.1, true, &event, &end, &early, &time), fmi3Error);
  EXPECT_EQ(time, 0.125);
  ASSERT_EQ(instance.reset(), ok);
  EXPECT_EQ(f.EnterStepMode(instance.handle), fmi3Error) << "it has failed now";
  ASSERT_EQ(instance.deserialise(bytes, &state), ok) << instance.said();
  ASSERT_EQ(instance.set_state(state), ok);
  EXPECT_EQ(instance["time"], 0.125);
  EXPECT_EQ(instance.free_state(&state), ok);
}

// A mass on a rail and a time event at 0.5 s that adds 1 to the discrete variable n or the state s.
std::string kick(const std::string& target) {
  return R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Kick" version="1" planar="xy">
  <body name="mass" mass="2 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x"/>
  <discrete name="n" start="0"/><state name="s" start="1" der="0 1/s"/>
  <event name="on" at="0.5 s"><set )xml" +
         target + "=\"" + target + R"xml( + 1"/></event>
  <output name="count" value="n + s"/>
</mbs>)xml";
}

class Exchange {
 public:
  explicit Exchange(const Fmu& fmu)
      : handle(f.InstantiateModelExchange("exchange", fmu.description.token.c_str(),
                                          (fmu.resources.path() + "/").c_str(), false, false,
                                          nullptr, nullptr)),
        count_(fmu.description["count"]) {}
  ~Exchange() { f.FreeInstance(handle); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void begin() {
    ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
    ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
    update();
    ASSERT_EQ(f.EnterContinuousTimeMode(handle), fmi3OK);
  }
  void update() {
    ASSERT_EQ(f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next),
              fmi3OK);
  }
  void step_to(double t) {
    ASSERT_EQ(f.SetTime(handle, t), fmi3OK);
    ASSERT_EQ(f.CompletedIntegratorStep(handle, true, &event, &end), fmi3OK);
  }
  double count() {
    double value = NAN;
    EXPECT_EQ(f.GetFloat64(handle, &count_, 1, &value, 1), fmi3OK);
    return value;
  }
  std::vector<fmi3Byte> stored() {
    fmi3FMUState state = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(f.GetFMUState(handle, &state), fmi3OK);
    EXPECT_EQ(f.SerializedFMUStateSize(handle, state, &size), fmi3OK);
    std::vector<fmi3Byte> bytes(size);
    EXPECT_EQ(f.SerializeFMUState(handle, state, bytes.data(), size), fmi3OK);
    EXPECT_EQ(f.FreeFMUState(handle, &state), fmi3OK);
    return bytes;
  }
  void restore(const std::vector<fmi3Byte>& bytes) {
    fmi3FMUState state = nullptr;
    ASSERT_EQ(f.DeserializeFMUState(handle, bytes.data(), bytes.size(), &state), fmi3OK);
    EXPECT_EQ(f.SetFMUState(handle, state), fmi3OK);
    EXPECT_EQ(f.FreeFMUState(handle, &state), fmi3OK);
  }

  const Functions3& f = runtime().fmi3;
  void* handle;
  bool again = false, end = false, nominals = false, states = false, defined = false, event = false;
  double next = 0.0;

 private:
  const std::uint32_t count_;
};

// An event that sets nothing but a counter changes no continuous state.
TEST(TimeEvents, ReportWhetherStatesHaveChanged) {
  for (const bool kicks : {false, true}) {
    const Fmu fmu(kick(kicks ? "s" : "n"));
    Exchange run(fmu);
    ASSERT_NE(run.handle, nullptr);
    run.begin();
    EXPECT_FALSE(run.states);
    run.step_to(0.5);
    EXPECT_TRUE(run.event);
    ASSERT_EQ(run.f.EnterEventMode(run.handle), fmi3OK);
    run.update();
    EXPECT_EQ(run.states, kicks);
    EXPECT_EQ(run.count(), 2.0);
  }
}

// A state is stored before a time event, when it is reached, and in event mode before it is
// handled. In a fresh instance that takes the stored state it happens once in each case.
TEST(TimeEvents, HappenInAFreshInstanceWithAStoredState) {
  const Fmu fmu(kick("n"));
  const std::vector<std::function<void(Exchange&)>> calls{
      [](Exchange& run) { run.step_to(0.25); },
      [](Exchange& run) {
        run.step_to(0.5);
        EXPECT_TRUE(run.event);
      },
      [](Exchange& run) { ASSERT_EQ(run.f.EnterEventMode(run.handle), fmi3OK); },
      [](Exchange& run) { run.update(); }};
  for (std::size_t before = 1; before < calls.size(); ++before) {
    SCOPED_TRACE(before);
    Exchange first(fmu), fresh(fmu);
    ASSERT_TRUE(first.handle != nullptr && fresh.handle != nullptr);
    first.begin();
    EXPECT_TRUE(first.defined);
    EXPECT_EQ(first.next, 0.5);
    for (std::size_t i = 0; i < before; ++i) calls[i](first);
    fresh.restore(first.stored());
    EXPECT_EQ(fresh.count(), 1.0);
    for (std::size_t i = before; i < calls.size(); ++i) calls[i](fresh);
    EXPECT_EQ(fresh.count(), 2.0);
    EXPECT_FALSE(fresh.defined);
  }
}

// F6: without event mode clocks cannot be read; that is reported at once, and all else works.
TEST(Clocks, CannotBeReadWithoutEventMode) {
  const Fmu fmu(oscillator);
  const Functions3& f = runtime().fmi3;
  std::vector<Message> said;
  void* handle = f.InstantiateCoSimulation("clocks", fmu.description.clock_token.c_str(),
                                           (fmu.resources.path() + "/").c_str(), false, true, false,
                                           false, nullptr, 0, &said, log_fmi3, nullptr);
  ASSERT_NE(handle, nullptr);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].status, warning);
  EXPECT_NE(said[0].text.find("tick in event mode"), std::string::npos) << said[0].text;
  ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
  const std::uint32_t turn = fmu.description.table.clocks.at(0).reference;
  const std::uint32_t count = fmu.description["turn.count"];
  bool ticks = false, event = true, end = true, early = true;
  std::int32_t turns = 0;
  double time = 0.0;
  EXPECT_EQ(f.GetClock(handle, &turn, 1, &ticks), fmi3Error);
  EXPECT_EQ(f.DoStep(handle, 0.0, 0.3, true, &event, &end, &early, &time), fmi3OK);
  EXPECT_FALSE(event || end || early);
  EXPECT_EQ(f.GetInt32(handle, &count, 1, &turns, 1), fmi3OK);
  EXPECT_EQ(turns, 1);
  f.FreeInstance(handle);
}

TEST_P(FmuEvents, RepeatAfterAStateIsRestored) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.2), ok);
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(instance.step(0.2, 0.1), ok);
    EXPECT_EQ(turns(), 1);
    EXPECT_NEAR(instance["last"], quarter, 1e-8);
    ASSERT_EQ(instance.set_state(state), ok);
    EXPECT_EQ(turns(), 0);
  }
  EXPECT_EQ(instance.free_state(&state), ok);
}

}  // namespace
}  // namespace mbs::test
