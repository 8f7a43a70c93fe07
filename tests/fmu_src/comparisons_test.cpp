// An input, and a state that an event sets to it, jump from the threshold of a comparison and onto
// it: by doStep, with event mode, and in model exchange (tests/events/comparisons_test.cpp: without
// an FMU).

#include <gtest/gtest.h>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

constexpr const char* switched = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Switched" version="1" planar="xy">
  <input name="u"/>
  <discrete name="n" start="0"/>
  <body name="mass" mass="1 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x" q="1 m" stiffness="9 N/m"/>
  <event name="take" every="0.1 s"><set n="u"/></event>
  <event name="above" when="u > 0"/>
  <event name="n_above" when="n > 0"/>
  <event name="beyond" when="u > 1"/>
  <event name="n_beyond" when="n > 1"/>
  <event name="reached" when="u >= 1"/>
  <event name="n_reached" when="n >= 1"/>
</mbs>)";

class FmuComparisons : public testing::Test {
 protected:
  const Fmu fmu{switched};
  const std::vector<double> inputs{1.0, 1.0, 0.0, 1.0, 2.0, 1.0, 2.0, 0.0, 2.0, -1.0, 0.0};
  // The expected counts of u, and of n, k steps later than u.
  template <class Count>
  void expect_counts(const Count& count, std::size_t of_u, std::size_t of_n) const {
    struct {
      std::string name;
      bool (*holds)(double);
    } const all[] = {{"above", [](double u) { return u > 0.0; }},
                     {"beyond", [](double u) { return u > 1.0; }},
                     {"reached", [](double u) { return u >= 1.0; }}};
    for (const auto& [name, holds] : all) {
      for (const bool n : {false, true}) {
        int wanted = 0;
        for (std::size_t k = 0; k < (n ? of_n : of_u); ++k)
          wanted += holds(inputs[k]) && !(k > 0 && holds(inputs[k - 1]));
        EXPECT_EQ(count((n ? "n_" : "") + name + ".count"), wanted) << (n ? "n_" : "") + name;
      }
    }
  }
};

TEST_F(FmuComparisons, SwitchInCoSimulation) {
  for (const int version : {2, 3}) {
    Instance instance(fmu, version);
    ASSERT_EQ(instance.start(), ok);
    const auto count = [&](const std::string& name) {
      std::int32_t value = -1;
      EXPECT_EQ(instance.get_integer(name, value), ok);
      return value;
    };
    ASSERT_EQ(instance.step(0.0, 0.05), ok);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      ASSERT_EQ(instance.set("u", inputs[k]), ok);
      const double t = 0.1 * static_cast<double>(k) + 0.05;
      ASSERT_EQ(instance.step(t, 0.04), ok);
      expect_counts(count, k + 1, k);
      ASSERT_EQ(instance.step(t + 0.04, 0.06), ok);
      expect_counts(count, k + 1, k + 1);
    }
  }
}

TEST_F(FmuComparisons, SwitchInEventMode) {
  const Functions3& f = runtime().fmi3;
  for (const bool exchange : {false, true}) {
    SCOPED_TRACE(exchange ? "model exchange" : "co-simulation");
    const std::string resources = fmu.resources.path() + "/";
    const char* token = fmu.description.token.c_str();
    void* handle =
        exchange ? f.InstantiateModelExchange("a", token, resources.c_str(), false, false, nullptr,
                                              nullptr)
                 : f.InstantiateCoSimulation("a", token, resources.c_str(), false, false, true,
                                             true, nullptr, 0, nullptr, nullptr, nullptr);
    ASSERT_NE(handle, nullptr);
    ASSERT_EQ(f.EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
    ASSERT_EQ(f.ExitInitializationMode(handle), fmi3OK);
    bool again, end, nominals, states, defined, event, early;
    double next = 0.0, time = 0.0;
    const auto count = [&](const std::string& name) {
      const std::uint32_t reference = fmu.description[name];
      std::int32_t value = -1;
      EXPECT_EQ(f.GetInt32(handle, &reference, 1, &value, 1), fmi3OK);
      return value;
    };
    const auto update = [&] {
      do {
        EXPECT_EQ(f.UpdateDiscreteStates(handle, &again, &end, &nominals, &states, &defined, &next),
                  fmi3OK);
      } while (again);
    };
    const auto go_on = [&](double to) {  // the mass moves as it likes
      if (exchange) {
        EXPECT_EQ(f.EnterContinuousTimeMode(handle), fmi3OK);
        EXPECT_EQ(f.SetTime(handle, to), fmi3OK);
        EXPECT_EQ(f.CompletedIntegratorStep(handle, true, &event, &end), fmi3OK);
        time = to;
      } else {
        EXPECT_EQ(f.EnterStepMode(handle), fmi3OK);
        EXPECT_EQ(f.DoStep(handle, time, to - time, true, &event, &end, &early, &time), fmi3OK);
        EXPECT_EQ(time, to);
      }
      EXPECT_EQ(f.EnterEventMode(handle), fmi3OK);
    };
    update();
    const std::uint32_t u = fmu.description["u"];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      EXPECT_TRUE(defined || !exchange);
      go_on(0.1 * static_cast<double>(k) + 0.05);
      ASSERT_EQ(f.SetFloat64(handle, &u, 1, &inputs[k], 1), fmi3OK);
      update();
      expect_counts(count, k + 1, k);
      go_on(exchange ? next : 0.1 * static_cast<double>(k + 1));
      update();
      expect_counts(count, k + 1, k + 1);
      if (HasFailure()) break;
    }
    f.FreeInstance(handle);
  }
}

TEST_F(FmuComparisons, SwitchInEventModeOfFmi2) {
  Instance instance(fmu, 2);  // for the messages' sake, none
  const Functions2& f = runtime().fmi2;
  static fmi2CallbackFunctions callbacks;
  callbacks = {log_fmi2, nullptr, nullptr, nullptr, &instance.messages};
  void* handle = f.Instantiate("a", fmi2ModelExchange, fmu.description.token.c_str(),
                               fmu.uri().c_str(), &callbacks, fmi2False, fmi2False);
  ASSERT_NE(handle, nullptr);
  ASSERT_EQ(f.SetupExperiment(handle, fmi2False, 0, 0, fmi2False, 0), fmi2OK);
  ASSERT_EQ(f.EnterInitializationMode(handle), fmi2OK);
  ASSERT_EQ(f.ExitInitializationMode(handle), fmi2OK);
  fmi2EventInfo info{};
  const auto count = [&](const std::string& name) {
    const fmi2ValueReference reference = fmu.description[name];
    fmi2Integer value = -1;
    EXPECT_EQ(f.GetInteger(handle, &reference, 1, &value), fmi2OK);
    return value;
  };
  const auto go_on = [&](double to) {
    fmi2Boolean event = fmi2False, end = fmi2False;
    EXPECT_EQ(f.EnterContinuousTimeMode(handle), fmi2OK);
    EXPECT_EQ(f.SetTime(handle, to), fmi2OK);
    EXPECT_EQ(f.CompletedIntegratorStep(handle, fmi2True, &event, &end), fmi2OK);
    EXPECT_EQ(f.EnterEventMode(handle), fmi2OK);
  };
  ASSERT_EQ(f.NewDiscreteStates(handle, &info), fmi2OK);
  const fmi2ValueReference u = fmu.description["u"];
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    go_on(0.1 * static_cast<double>(k) + 0.05);
    ASSERT_EQ(f.SetReal(handle, &u, 1, &inputs[k]), fmi2OK);
    ASSERT_EQ(f.NewDiscreteStates(handle, &info), fmi2OK);
    expect_counts(count, k + 1, k);
    ASSERT_EQ(info.nextEventTimeDefined, fmi2True);
    go_on(info.nextEventTime);
    ASSERT_EQ(f.NewDiscreteStates(handle, &info), fmi2OK);
    expect_counts(count, k + 1, k + 1);
  }
  f.FreeInstance(handle);
}

}  // namespace
}  // namespace mbs::test
