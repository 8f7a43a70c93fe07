// Derivatives of outputs over time, and intermediate updates, of one FMU: the driven pendulum.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

const Functions3& f3() {
  return runtime().fmi3;
}

// D7: derivatives are given up to the advertised order; x' is the velocity output.
TEST(OutputDerivatives, AreSlopesOfTheOutputs) {
  const Fmu fmu(rig_text);
  Instance instance(fmu, 3);
  ASSERT_EQ(instance.set_up_and_enter(0.0, -1.0, 1e-10), ok);
  ASSERT_EQ(instance.exit(), ok);
  ASSERT_EQ(instance.step(0.0, 0.3), ok);
  const std::vector<std::string> names = {"x", "w", "alpha", "N", "P", "E"};
  std::vector<std::uint32_t> references;
  for (const std::string& name : names) references.push_back(fmu.description[name]);
  const std::vector<int> orders(names.size(), 1);
  std::vector<double> slopes(names.size(), NAN);
  ASSERT_EQ(f3().GetOutputDerivatives(instance.handle, references.data(), references.size(),
                                      orders.data(), slopes.data(), slopes.size()),
            fmi3OK);
  EXPECT_NEAR(slopes[1], instance["alpha"], 1e-7 * (1.0 + std::abs(slopes[1])));
  std::vector<double> differences(names.size(), 0.0);
  const double h = 1e-3;
  double t = 0.3 - 0.0;
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  const auto values = [&] {
    std::vector<double> all;
    for (const std::string& name : names) all.push_back(instance[name]);
    return all;
  };
  // One-sided, fourth order.
  const double weights[] = {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25};
  for (int k = 0; k < 5; ++k) {
    const std::vector<double> here = values();
    for (std::size_t i = 0; i < here.size(); ++i) differences[i] += weights[k] / h * here[i];
    ASSERT_EQ(instance.step(t, h), ok);
    t += h;
  }
  ASSERT_EQ(instance.free_state(&state), ok);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_NEAR(slopes[i], differences[i], 1e-4 * (1.0 + std::abs(slopes[i]))) << names[i];
  for (const int wrong : {0, 3, -1}) {
    double value = NAN;
    EXPECT_EQ(f3().GetOutputDerivatives(instance.handle, references.data(), 1, &wrong, &value, 1),
              fmi3Error);
    EXPECT_EQ(value, 0.0);
  }
}

// The second derivative of a position is the acceleration, and that of every output is the slope of
// its slope.
TEST(OutputDerivatives, AreCurvaturesOfTheOutputs) {
  const Fmu fmu(rig_text);
  Instance instance(fmu, 3);
  ASSERT_EQ(instance.set_up_and_enter(0.0, -1.0, 1e-10), ok);
  ASSERT_EQ(instance.exit(), ok);
  const std::vector<std::string> names = {"x", "w", "alpha", "N", "P", "E"};
  std::vector<std::uint32_t> references;
  for (const std::string& name : names) references.push_back(fmu.description[name]);
  const auto derivatives = [&](int order) {
    const std::vector<int> orders(names.size(), order);
    std::vector<double> values(names.size(), NAN);
    EXPECT_EQ(f3().GetOutputDerivatives(instance.handle, references.data(), references.size(),
                                        orders.data(), values.data(), values.size()),
              fmi3OK);
    return values;
  };
  ASSERT_EQ(instance.step(0.0, 0.3), ok);
  const double h = 1e-4;
  ASSERT_EQ(instance.step(0.3, h), ok);
  const std::vector<double> before = derivatives(1);
  ASSERT_EQ(instance.step(0.3 + h, h), ok);
  const std::vector<double> here = derivatives(2), slopes = derivatives(1);
  ASSERT_EQ(instance.step(0.3 + 2 * h, h), ok);
  const std::vector<double> after = derivatives(1);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_NEAR(here[i], (after[i] - before[i]) / (2.0 * h),
                2e-4 * (1.0 + std::abs(here[i]) + std::abs(slopes[i])))
        << names[i];
  // One call asks for both orders.
  const std::uint32_t twice[] = {references[1], references[1]};
  const int orders[] = {2, 1};
  double values[2];
  ASSERT_EQ(f3().GetOutputDerivatives(instance.handle, twice, 2, orders, values, 2), fmi3OK);
  EXPECT_EQ(values[0], derivatives(2)[1]);
  EXPECT_EQ(values[1], derivatives(1)[1]);
}

// At a kink and at a jump they are right limits: a lag behind a ramp, and a force that is
// switched on at an event of time.
TEST(OutputDerivatives, AreRightLimits) {
  const Fmu fmu(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Kinks" version="1" planar="xy">
  <body name="mass" mass="2 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x"/>
  <force joint="rail" value="if(time >= 0.5 s, 10 N, 0 N) + 0 N"/>
  <event name="on" at="0.5 s"/>
  <curve name="ramp" x_unit="s" y_unit="1" interpolation="linear" beyond="constant"
         points="0.1 0; 0.12 0.5; 0.6 0.5"/>
  <state name="s" start="0" der="(ramp(time) - s)/5 ms"/>
  <output name="opening" value="s"/>
  <output name="a" of="rail" quantity="qdd"/>
  <output name="v" of="rail" quantity="qd"/>
  <solver rtol="1e-9" atol="1e-9"/>
</mbs>)xml");
  Instance instance(fmu, 3);
  ASSERT_EQ(instance.start(), ok) << instance.said();
  const auto derivative = [&](const char* name, int order) {
    const std::uint32_t reference = fmu.description[name];
    double value = NAN;
    EXPECT_EQ(f3().GetOutputDerivatives(instance.handle, &reference, 1, &order, &value, 1), fmi3OK);
    return value;
  };
  ASSERT_EQ(instance.step(0.0, 0.1), ok);
  EXPECT_NEAR(derivative("opening", 1), -instance["opening"] / 5e-3, 1e-10);
  EXPECT_NEAR(derivative("opening", 2), 25.0 / 5e-3, 1e-4);
  ASSERT_EQ(instance.step(0.1, 0.4), ok);
  EXPECT_NEAR(instance["a"], 5.0, 1e-12);
  EXPECT_NEAR(derivative("a", 1), 0.0, 1e-8);
  EXPECT_NEAR(derivative("a", 2), 0.0, 1e-4);
  EXPECT_NEAR(derivative("v", 1), 5.0, 1e-9);
  EXPECT_NEAR(derivative("v", 2), 0.0, 1e-6);
  // They do not use values beyond the next event either.
  Instance close(fmu, 3);
  ASSERT_EQ(close.start(), ok);
  ASSERT_EQ(close.step(0.0, 0.4999), ok);
  const std::uint32_t a = fmu.description["a"];
  for (const int order : {1, 2}) {
    double value = NAN;
    EXPECT_EQ(f3().GetOutputDerivatives(close.handle, &a, 1, &order, &value, 1), fmi3OK);
    EXPECT_NEAR(value, 0.0, 1e-9) << order;
  }
}

// F5: the importer reads values at the integrator's steps and ends one.
struct Looks {
  void* handle = nullptr;
  std::uint32_t x = 0;
  std::vector<double> times, values;
  std::optional<double> wanted;
  bool could_end = false;
};

TEST(IntermediateUpdate, ShowsStepsAndEndsThem) {
  const Fmu fmu(rig_text);
  const auto update = [](void* environment, double time, bool set, bool get, bool finished,
                         bool may_end, bool* end, double* end_time) {
    auto& looks = *static_cast<Looks*>(environment);
    EXPECT_TRUE(set && get && finished);
    looks.could_end = may_end;
    double value = NAN;
    EXPECT_EQ(f3().GetFloat64(looks.handle, &looks.x, 1, &value, 1), fmi3OK);
    EXPECT_EQ(f3().SetFloat64(nullptr, &looks.x, 1, &value, 1), fmi3Error);
    looks.times.push_back(time);
    looks.values.push_back(value);
    *end = looks.wanted.has_value();
    *end_time = looks.wanted.value_or(0.0);
  };
  for (const bool allowed : {true, false}) {
    Looks looks;
    looks.x = fmu.description["x"];
    looks.handle = f3().InstantiateCoSimulation(
        "looks", fmu.description.token.c_str(), (fmu.resources.path() + "/").c_str(), false, false,
        false, allowed, &looks.x, 1, &looks, nullptr, update);
    ASSERT_NE(looks.handle, nullptr);
    ASSERT_EQ(f3().EnterInitializationMode(looks.handle, false, 0, 0, false, 0), fmi3OK);
    ASSERT_EQ(f3().ExitInitializationMode(looks.handle), fmi3OK);
    bool event = true, terminate = true, early = true;
    double last = -1.0;
    const auto step = [&](double t, double h) {
      return f3().DoStep(looks.handle, t, h, true, &event, &terminate, &early, &last);
    };
    ASSERT_EQ(step(0.0, 1.0), fmi3OK);
    EXPECT_FALSE(early || event || terminate);
    EXPECT_EQ(last, 1.0);
    ASSERT_GT(looks.times.size(), 5u);
    EXPECT_EQ(looks.could_end, allowed);
    for (std::size_t i = 1; i < looks.times.size(); ++i)
      EXPECT_GT(looks.times[i], looks.times[i - 1]);
    EXPECT_LE(looks.times.back(), 1.0);
    // The values are those of the solution, and reading them changes nothing.
    Instance quiet(fmu, 3);
    ASSERT_EQ(quiet.start(), ok);
    ASSERT_EQ(quiet.step(0.0, looks.times[2]), ok);
    expect_same_bits({quiet["x"]}, {looks.values[2]});
    // The importer requests the end of a step.
    looks.times.clear();
    looks.wanted = 1.7;
    ASSERT_EQ(step(1.0, 1.0), fmi3OK);
    EXPECT_EQ(early, allowed);
    EXPECT_EQ(last, allowed ? 1.7 : 2.0);
    f3().FreeInstance(looks.handle);
  }
}

// An input that is set at the integrator's own steps is compared with a model that contains it: in
// one step, and in a hundred. Samples go on as a parabola, so that the integrator's steps compare
// as 1.0, 1.3, 2.7 in one step and 1.1, 1.5, 4.1 in a hundred, by the tolerance.
TEST(IntermediateUpdate, TakesSmoothInputs) {
  std::string inside = rig_text;
  const std::string given = "(M - lag)";
  inside.replace(inside.find(given), given.size(), "(0.3 N.m + 0.1 N.m*sin(time/(1 s)) - lag)");
  const Fmu fmu(rig_text), driven(inside);
  struct Sets {
    void* handle = nullptr;
    std::uint32_t M = 0, d = 0;
    int calls = 0;
    static double at(double t) { return 0.3 + 0.1 * std::sin(t); }
  };
  const auto update = [](void* environment, double time, bool, bool, bool, bool, bool* end,
                         double*) {
    auto& sets = *static_cast<Sets*>(environment);
    const double value = Sets::at(time);
    EXPECT_EQ(f3().SetFloat64(sets.handle, &sets.M, 1, &value, 1), fmi3OK);
    if (sets.calls++ == 0) {  // and nothing else
      EXPECT_EQ(f3().SetFloat64(sets.handle, &sets.d, 1, &value, 1), fmi3Error);
    }
    *end = false;
  };
  constexpr double stop = 10.0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8})
    for (const int count : {1, 100}) {
      Instance other(driven, 3);
      ASSERT_EQ(other.set_up_and_enter(0.0, -1.0, tolerance), ok);
      ASSERT_EQ(other.exit(), ok);
      Sets sets;
      sets.M = fmu.description["M"];
      sets.d = fmu.description["d"];
      sets.handle = f3().InstantiateCoSimulation("sets", fmu.description.token.c_str(),
                                                 (fmu.resources.path() + "/").c_str(), false, false,
                                                 false, false, &sets.M, 1, &sets, nullptr, update);
      ASSERT_NE(sets.handle, nullptr);
      ASSERT_EQ(f3().EnterInitializationMode(sets.handle, true, tolerance, 0, false, 0), fmi3OK);
      const double begin = Sets::at(0.0);
      ASSERT_EQ(f3().SetFloat64(sets.handle, &sets.M, 1, &begin, 1), fmi3OK);
      ASSERT_EQ(f3().ExitInitializationMode(sets.handle), fmi3OK);
      bool event = true, terminate = true, early = true;
      double last = -1.0;
      for (int i = 0; i < count; ++i) {
        const double t = stop * i / count, value = Sets::at(t);
        ASSERT_EQ(f3().SetFloat64(sets.handle, &sets.M, 1, &value, 1), fmi3OK);
        ASSERT_EQ(f3().DoStep(sets.handle, t, stop * (i + 1) / count - t, true, &event, &terminate,
                              &early, &last),
                  fmi3OK);
        ASSERT_EQ(other.step(t, stop * (i + 1) / count - t), ok);
      }
      std::int32_t steps = 0, wanted = 0;
      const std::uint32_t counter = fmu.description["steps"], x = fmu.description["x"];
      double value = NAN;
      ASSERT_EQ(f3().GetInt32(sets.handle, &counter, 1, &steps, 1), fmi3OK);
      ASSERT_EQ(f3().GetFloat64(sets.handle, &x, 1, &value, 1), fmi3OK);
      other.get_integer("steps", wanted);
      EXPECT_NEAR(value, other["x"], 30.0 * tolerance);
      EXPECT_LT(steps, (tolerance > 1e-5   ? 1.2
                        : tolerance > 1e-7 ? 1.7
                                           : 4.5) *
                           wanted)
          << tolerance << " in " << count;
      EXPECT_GT(sets.calls, steps / 2);
      f3().FreeInstance(sets.handle);
    }
}

// FMI 3.0.2, 2.3.1: allowed there as everywhere. From the state the simulation goes on as from a
// step that ended there.
TEST(IntermediateUpdate, StoresStatesWithinSteps) {
  const Fmu fmu(rig_text);
  struct Stored {
    void* handle = nullptr;
    void* state = nullptr;
    std::uint32_t x = 0;
    double time = NAN, value = NAN;
  };
  const auto update = [](void* environment, double time, bool, bool, bool, bool, bool* end,
                         double*) {
    auto& stored = *static_cast<Stored*>(environment);
    *end = false;
    if (time < 0.2 || stored.state != nullptr) return;
    EXPECT_EQ(f3().GetFMUState(stored.handle, &stored.state), fmi3OK);
    EXPECT_EQ(f3().GetFloat64(stored.handle, &stored.x, 1, &stored.value, 1), fmi3OK);
    stored.time = time;
  };
  Stored stored;
  stored.x = fmu.description["x"];
  stored.handle = f3().InstantiateCoSimulation("stores", fmu.description.token.c_str(),
                                               (fmu.resources.path() + "/").c_str(), false, false,
                                               false, false, nullptr, 0, &stored, nullptr, update);
  ASSERT_NE(stored.handle, nullptr);
  ASSERT_EQ(f3().EnterInitializationMode(stored.handle, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f3().ExitInitializationMode(stored.handle), fmi3OK);
  bool event = true, terminate = true, early = true;
  double last = -1.0, end = NAN, now = NAN;
  const auto step = [&](double from) {
    EXPECT_EQ(f3().DoStep(stored.handle, from, 0.5 - from, true, &event, &terminate, &early, &last),
              fmi3OK);
    EXPECT_EQ(last, 0.5);
    EXPECT_FALSE(early);
    EXPECT_EQ(f3().GetFloat64(stored.handle, &stored.x, 1, &now, 1), fmi3OK);
  };
  step(0.0);
  end = now;
  ASSERT_NE(stored.state, nullptr);
  ASSERT_EQ(f3().SetFMUState(stored.handle, stored.state), fmi3OK);
  ASSERT_EQ(f3().GetFloat64(stored.handle, &stored.x, 1, &now, 1), fmi3OK);
  EXPECT_EQ(now, stored.value);
  EXPECT_LT(stored.time, 0.5);
  EXPECT_GE(stored.time, 0.2);
  step(stored.time);
  EXPECT_NEAR(now, end, 1e-6);
  EXPECT_EQ(f3().FreeFMUState(stored.handle, &stored.state), fmi3OK);
  f3().FreeInstance(stored.handle);
}

// An input that the importer no longer sets keeps its last value.
TEST(IntermediateUpdate, HoldsInputsThatAreNotSetAnyMore) {
  const Fmu fmu(rig_text);
  struct Sets {
    void* handle = nullptr;
    std::uint32_t M = 0;
    int calls = 0;
    double last = NAN;
  };
  const auto update = [](void* environment, double time, bool, bool, bool, bool, bool* end,
                         double*) {
    auto& sets = *static_cast<Sets*>(environment);
    *end = false;
    if (time > 2.0) return;
    ++sets.calls;
    sets.last = 0.3 + 0.1 * time;
    EXPECT_EQ(f3().SetFloat64(sets.handle, &sets.M, 1, &sets.last, 1), fmi3OK);
  };
  Sets sets;
  sets.M = fmu.description["M"];
  sets.handle = f3().InstantiateCoSimulation("sets", fmu.description.token.c_str(),
                                             (fmu.resources.path() + "/").c_str(), false, false,
                                             false, false, &sets.M, 1, &sets, nullptr, update);
  ASSERT_NE(sets.handle, nullptr);
  ASSERT_EQ(f3().EnterInitializationMode(sets.handle, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f3().ExitInitializationMode(sets.handle), fmi3OK);
  bool event = true, terminate = true, early = true;
  double last = -1.0, M = NAN;
  for (const double t : {0.0, 4.0}) {
    ASSERT_EQ(f3().DoStep(sets.handle, t, 4.0, true, &event, &terminate, &early, &last), fmi3OK);
    ASSERT_EQ(f3().GetFloat64(sets.handle, &sets.M, 1, &M, 1), fmi3OK);
    EXPECT_EQ(M, sets.last);
  }
  EXPECT_GT(sets.calls, 5);
  EXPECT_NEAR(M, 0.5, 0.02);
  f3().FreeInstance(sets.handle);
}

}  // namespace
}  // namespace mbs::test
