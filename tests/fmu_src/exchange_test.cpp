// Model exchange and partial derivatives of one FMU: the driven pendulum.

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

const Functions2& f2() {
  return runtime().fmi2;
}
const Functions3& f3() {
  return runtime().fmi3;
}

// An instance for model exchange of either version.
class Exchange : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::string& token = fmu.description.token;
    if (two()) {
      static fmi2CallbackFunctions callbacks;
      callbacks = {log_fmi2, nullptr, nullptr, nullptr, &messages};
      handle = f2().Instantiate("me", fmi2ModelExchange, token.c_str(), fmu.uri().c_str(),
                                &callbacks, fmi2False, fmi2True);
      ASSERT_NE(handle, nullptr);
      ASSERT_EQ(f2().SetupExperiment(handle, fmi2False, 0, 0, fmi2False, 0), fmi2OK);
      ASSERT_EQ(f2().EnterInitializationMode(handle), fmi2OK);
      ASSERT_EQ(f2().ExitInitializationMode(handle), fmi2OK);
    } else {
      handle =
          f3().InstantiateModelExchange("me", token.c_str(), (fmu.resources.path() + "/").c_str(),
                                        false, true, &messages, log_fmi3);
      ASSERT_NE(handle, nullptr);
      ASSERT_EQ(f3().EnterInitializationMode(handle, false, 0, 0, false, 0), fmi3OK);
      ASSERT_EQ(f3().ExitInitializationMode(handle), fmi3OK);
    }
    EXPECT_FALSE(update());
    ASSERT_EQ(two() ? int(f2().EnterContinuousTimeMode(handle))
                    : int(f3().EnterContinuousTimeMode(handle)),
              ok);
  }
  void TearDown() override { two() ? f2().FreeInstance(handle) : f3().FreeInstance(handle); }

  bool two() const { return GetParam() == 2; }
  std::size_t size() const { return fmu.description.table.states.size(); }

  bool update() {  // whether states have changed
    if (two()) {
      fmi2EventInfo info{};
      EXPECT_EQ(f2().NewDiscreteStates(handle, &info), fmi2OK);
      EXPECT_FALSE(info.newDiscreteStatesNeeded || info.terminateSimulation);
      return info.valuesOfContinuousStatesChanged;
    }
    bool again = true, terminate = true, nominals = true, states = true, defined = true;
    double next = 0.0;
    EXPECT_EQ(
        f3().UpdateDiscreteStates(handle, &again, &terminate, &nominals, &states, &defined, &next),
        fmi3OK);
    EXPECT_FALSE(again || terminate || nominals || defined);
    return states;
  }
  void set_states(const std::vector<double>& x) {
    ASSERT_EQ(two() ? int(f2().SetContinuousStates(handle, x.data(), x.size()))
                    : int(f3().SetContinuousStates(handle, x.data(), x.size())),
              ok);
  }
  std::vector<double> states() {
    std::vector<double> x(size());
    EXPECT_EQ(two() ? int(f2().GetContinuousStates(handle, x.data(), x.size()))
                    : int(f3().GetContinuousStates(handle, x.data(), x.size())),
              ok);
    return x;
  }
  std::vector<double> rates() {
    std::vector<double> dx(size());
    EXPECT_EQ(two() ? int(f2().GetDerivatives(handle, dx.data(), dx.size()))
                    : int(f3().GetContinuousStateDerivatives(handle, dx.data(), dx.size())),
              ok);
    return dx;
  }
  void set_time(double t) {
    ASSERT_EQ(two() ? int(f2().SetTime(handle, t)) : int(f3().SetTime(handle, t)), ok);
  }
  bool completed_step() {
    if (two()) {
      fmi2Boolean event = fmi2False, terminate = fmi2True;
      EXPECT_EQ(f2().CompletedIntegratorStep(handle, fmi2True, &event, &terminate), fmi2OK);
      return event;
    }
    bool event = false, terminate = true;
    EXPECT_EQ(f3().CompletedIntegratorStep(handle, true, &event, &terminate), fmi3OK);
    return event;
  }
  double get(const char* name) {
    const std::uint32_t reference = fmu.description[name];
    double x = NAN;
    EXPECT_EQ(two() ? int(f2().GetReal(handle, &reference, 1, &x))
                    : int(f3().GetFloat64(handle, &reference, 1, &x, 1)),
              ok);
    return x;
  }
  void set(const char* name, double x) {
    const std::uint32_t reference = fmu.description[name];
    EXPECT_EQ(two() ? int(f2().SetReal(handle, &reference, 1, &x))
                    : int(f3().SetFloat64(handle, &reference, 1, &x, 1)),
              ok);
  }

  const Fmu fmu{rig_text};
  std::vector<Message> messages;
  void* handle = nullptr;
};
INSTANTIATE_TEST_SUITE_P(fmi, Exchange, testing::Values(2, 3));

// The Runge-Kutta method against the FMU's own integrator; projection keeps the constraints.
TEST_P(Exchange, GivesTheSolutionOfCoSimulation) {
  Instance own(fmu, GetParam());
  ASSERT_EQ(own.set_up_and_enter(0.0, -1.0, 1e-10), ok);
  ASSERT_EQ(own.exit(), ok);
  ASSERT_EQ(own.step(0.0, 0.5), ok);
  const int steps = 500;
  const double h = 0.5 / steps;
  std::vector<double> x = states();
  int events = 0;
  for (int i = 0; i < steps; ++i) {
    std::vector<double> sum(x.size(), 0.0), k(x.size(), 0.0), at(x.size());
    const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    for (int stage = 0; stage < 4; ++stage) {
      set_time((i + part[stage]) * h);
      for (std::size_t j = 0; j < x.size(); ++j) at[j] = x[j] + part[stage] * h * k[j];
      set_states(at);
      k = rates();
      for (std::size_t j = 0; j < x.size(); ++j) sum[j] += weight[stage] / 6.0 * k[j];
    }
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += h * sum[j];
    set_time((i + 1) * h);
    set_states(x);
    if (completed_step()) {
      ++events;
      ASSERT_EQ(two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle)), ok);
      EXPECT_TRUE(update());
      x = states();
      EXPECT_LT(get("drift"), 1e-12);
      ASSERT_EQ(two() ? int(f2().EnterContinuousTimeMode(handle))
                      : int(f3().EnterContinuousTimeMode(handle)),
                ok);
    }
  }
  for (const char* name : {"x", "w", "alpha", "N", "lag"})
    EXPECT_NEAR(get(name), own[name], 1e-5 * (1.0 + std::abs(own[name]))) << name;
  EXPECT_LT(get("drift"), 1e-6);
  EXPECT_LT(events, steps / 2);
}

TEST_P(Exchange, CorrectsDriftInEventModeAlone) {
  std::vector<double> x = states();
  EXPECT_FALSE(completed_step());
  x[0] += 1e-3;
  set_states(x);
  EXPECT_EQ(states(), x);
  EXPECT_TRUE(completed_step());
  EXPECT_EQ(states(), x) << "nothing moves before event mode";
  ASSERT_EQ(two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle)), ok);
  EXPECT_TRUE(update());
  EXPECT_NE(states(), x);
  EXPECT_LT(get("drift"), 1e-12);
  EXPECT_FALSE(update()) << "once is enough";
}

// Every output and every rate, with respect to every input and state.
TEST_P(Exchange, DerivativesAgreeWithDifferences) {
  set("push", 20.0);
  std::vector<std::uint32_t> unknowns = fmu.description.table.derivatives;
  std::vector<std::string> outputs = {"x", "w", "alpha", "N", "P", "direct", "E"};
  for (const std::string& name : outputs) unknowns.push_back(fmu.description[name]);
  const auto values = [&] {
    std::vector<double> all = rates();
    for (const std::string& name : outputs) all.push_back(get(name.c_str()));
    return all;
  };
  const auto derivative = [&](const std::vector<std::uint32_t>& knowns,
                              const std::vector<double>& seed) {
    std::vector<double> result(unknowns.size());
    EXPECT_EQ(two() ? int(f2().GetDirectionalDerivative(handle, unknowns.data(), unknowns.size(),
                                                        knowns.data(), knowns.size(), seed.data(),
                                                        result.data()))
                    : int(f3().GetDirectionalDerivative(handle, unknowns.data(), unknowns.size(),
                                                        knowns.data(), knowns.size(), seed.data(),
                                                        seed.size(), result.data(), result.size())),
              ok);
    return result;
  };
  const auto compare = [&](std::uint32_t known, const auto& move) {
    const std::vector<double> exact = derivative({known}, {1.0});
    const double h = 1e-3;
    std::vector<double> differences(unknowns.size(), 0.0);
    for (const auto& [by, weight] : {std::pair{h, 8.0}, {-h, -8.0}, {2 * h, -1.0}, {-2 * h, 1.0}}) {
      move(by);
      const std::vector<double> moved = values();
      for (std::size_t i = 0; i < moved.size(); ++i)
        differences[i] += weight / (12.0 * h) * moved[i];
    }
    move(0.0);
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_NEAR(exact[i], differences[i],
                  1e-6 * (1.0 + std::abs(exact[i]) + std::abs(values()[i])))
          << fmu.description.table.find(known)->name << " to "
          << fmu.description.table.find(unknowns[i])->name;
  };
  const std::vector<double> x = states();
  for (std::size_t k = 0; k < x.size(); ++k)
    compare(fmu.description.table.states[k], [&](double by) {
      std::vector<double> moved = x;
      moved[k] += by;
      set_states(moved);
    });
  for (const char* name : {"M", "push"}) {
    const double value = get(name);
    compare(fmu.description[name], [&](double by) { set(name, value + by); });
  }
  if (two()) return;
  // The adjoint is the transpose.
  const std::vector<std::uint32_t> knowns = {fmu.description["push"],
                                             fmu.description.table.states[2]};
  std::vector<double> weights(unknowns.size()), gradient(2);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.3 * static_cast<double>(i) - 1.0;
  ASSERT_EQ(f3().GetAdjointDerivative(handle, unknowns.data(), unknowns.size(), knowns.data(), 2,
                                      weights.data(), weights.size(), gradient.data(), 2),
            fmi3OK);
  for (std::size_t j = 0; j < 2; ++j) {
    const std::vector<double> column = derivative({knowns[j]}, {1.0});
    double sum = 0.0;
    for (std::size_t i = 0; i < column.size(); ++i) sum += weights[i] * column[i];
    EXPECT_NEAR(gradient[j], sum, 1e-12 * (1.0 + std::abs(sum)));
  }
}

// The parameter is at its bound, by default and after it was set: accelerations are linear in a
// damping.
TEST_P(Exchange, DerivativesByAParameterAtItsBoundAreOneSided) {
  const std::uint32_t d = fmu.description["d"], alpha = fmu.description["alpha"];
  const double one = 1.0;
  double slope = NAN;
  const auto derivative = [&] {
    return two() ? int(f2().GetDirectionalDerivative(handle, &alpha, 1, &d, 1, &one, &slope))
                 : int(f3().GetDirectionalDerivative(handle, &alpha, 1, &d, 1, &one, 1, &slope, 1));
  };
  std::vector<double> x = states();
  x[x.size() - 2] += 1.0;  // a speed
  set_states(x);
  ASSERT_EQ(two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle)), ok);
  update();
  if (two()) {
    EXPECT_EQ(derivative(), error);
    return;
  }
  set("d", 0.2);
  const double damped = get("alpha");
  set("d", 0.0);
  const double free = get("alpha");
  ASSERT_GT(std::abs(damped - free), 1e-3);
  ASSERT_EQ(derivative(), ok);
  EXPECT_NEAR(slope, (damped - free) / 0.2, 1e-8 * std::abs(slope));
  EXPECT_EQ(get("alpha"), free);
  update();
  EXPECT_EQ(get("d"), 0.0);
  ASSERT_EQ(derivative(), ok);
  EXPECT_NEAR(slope, (damped - free) / 0.2, 1e-8 * std::abs(slope));
  for (const char* name : {"half", "n", "alpha"}) {
    const std::uint32_t known = fmu.description[name];
    EXPECT_EQ(f3().GetDirectionalDerivative(handle, &alpha, 1, &known, 1, &one, 1, &slope, 1),
              fmi3Error)
        << name;
  }
}

// At the start: every initial unknown, with respect to each of its declared dependencies.
class StartDerivatives : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(fmi, StartDerivatives, testing::Values(2, 3));

TEST_P(StartDerivatives, FollowTheWholeInitialization) {
  const Fmu fmu(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Sag" version="1" planar="xy">
  <parameter name="k" value="200 N/m"/>
  <parameter name="m" value="2 kg"/>
  <parameter name="twice" value="2*m"/>
  <input name="F" unit="N"/>
  <gravity g="0, -9.81 m/s^2"/>
  <body name="mass" mass="m"/>
  <prismatic name="rail" a="ground" b="mass" axis="y"/>
  <force joint="rail" value="F - k*rail.q + 3 N*sin(2 1/s*time) + 0 N"/>
  <init method="statics"/>
  <output name="y" of="rail" quantity="q"/>
  <solver rtol="1e-9" atol="1e-9"/>
</mbs>)xml");
  Instance instance(fmu, GetParam());
  const auto derive = [&](std::span<const std::uint32_t> unknowns,
                          std::span<const std::uint32_t> knowns, const double* seed,
                          double* slopes) {
    const std::size_t n = unknowns.size(), m = knowns.size();
    return GetParam() == 2
               ? int(f2().GetDirectionalDerivative(instance.handle, unknowns.data(), n,
                                                   knowns.data(), m, seed, slopes))
               : int(f3().GetDirectionalDerivative(instance.handle, unknowns.data(), n,
                                                   knowns.data(), m, seed, m, slopes, n));
  };
  ASSERT_EQ(instance.set_up_and_enter(0.25), ok);
  ASSERT_EQ(instance.set("F", 1.5), ok);
  const double y = instance["y"], k = 200.0, g = 9.81;
  EXPECT_NEAR(y, (1.5 - 2.0 * g + 3.0 * std::sin(0.5)) / k, 1e-9);
  const std::uint32_t unknowns[] = {fmu.description["y"], fmu.description["twice"]};
  const std::uint32_t knowns[] = {fmu.description["k"], fmu.description["m"], fmu.description["F"],
                                  fmu.description["time"]};
  const double wanted[] = {-y / k, -g / k, 1.0 / k, 6.0 * std::cos(0.5) / k};
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    const double one = 1.0;
    double slopes[2] = {NAN, NAN};
    ASSERT_EQ(derive(unknowns, {&knowns[i], 1}, &one, slopes), ok) << instance.said();
    EXPECT_NEAR(slopes[0], wanted[i], 1e-7) << i;
    EXPECT_NEAR(slopes[1], i == 1 ? 2.0 : 0.0, 1e-9) << i;
    sum += (i + 1) * slopes[0];
  }
  const double seed[] = {1.0, 2.0, 3.0, 4.0};
  double both[2] = {NAN, NAN};
  ASSERT_EQ(derive(unknowns, knowns, seed, both), ok);
  EXPECT_NEAR(both[0], sum, 1e-12);
  ASSERT_EQ(derive(unknowns, {}, nullptr, both), ok);
  EXPECT_EQ(both[0], 0.0) << "along no known nothing changes";
  EXPECT_EQ(both[1], 0.0);
  EXPECT_EQ(instance["y"], y) << "nothing is disturbed";
  ASSERT_EQ(instance.exit(), ok);
  EXPECT_EQ(instance["y"], y);
}

// A driven coordinate starts where its input is: at once with it, with a lag or without, and what
// accelerates it with a lag begins at zero.
TEST_P(StartDerivatives, FollowDrivenCoordinates) {
  for (const char* lag : {"0", "0.2 s"}) {
    const Fmu fmu(std::string(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Follows" version="1" planar="xy">
  <input name="u" unit="m" start="0.3"/>
  <body name="slider" mass="2 kg"/>
  <prismatic name="rail" a="ground" b="slider" axis="x" stiffness="50 N/m"/>
  <drive name="motor" joint="rail" input="u" lag=")xml") +
                  lag + R"xml("/>
  <output name="q" of="rail" quantity="q"/>
  <output name="F" of="motor" quantity="force"/>
</mbs>)xml");
    Instance instance(fmu, GetParam());
    ASSERT_EQ(instance.set_up_and_enter(), ok);
    const std::uint32_t unknowns[] = {fmu.description["q"], fmu.description["F"]},
                        known = fmu.description["u"];
    const double one = 1.0;
    double slopes[2] = {NAN, NAN};
    ASSERT_EQ(GetParam() == 2 ? int(f2().GetDirectionalDerivative(instance.handle, unknowns, 2,
                                                                  &known, 1, &one, slopes))
                              : int(f3().GetDirectionalDerivative(instance.handle, unknowns, 2,
                                                                  &known, 1, &one, 1, slopes, 2)),
              ok)
        << instance.said();
    EXPECT_NEAR(slopes[0], 1.0, 1e-9) << lag;
    EXPECT_NEAR(slopes[1], 50.0, 1e-7) << lag;
  }
}

// Single states can be set in continuous-time mode, with the same effect as all states together.
TEST_P(Exchange, SetsSingleStates) {
  const std::vector<std::uint32_t>& references = fmu.description.table.states;
  const std::vector<double> x = states(), dx = rates();
  std::vector<double> moved = x;
  for (std::size_t i = 0; i < x.size(); ++i) moved[i] += 0.01 * static_cast<double>(i + 1);
  for (std::size_t i = x.size(); i-- > 0;)
    set(fmu.description.table.find(references[i])->name.c_str(), moved[i]);
  EXPECT_EQ(states(), moved);
  const std::vector<double> one_by_one = rates();
  set_states(x);
  EXPECT_EQ(rates(), dx);
  set_states(moved);
  EXPECT_EQ(rates(), one_by_one);
  set_states(x);
  // Some states and an input are set in one call.
  const std::uint32_t some[] = {references[2], fmu.description["M"], fmu.description["lag"]};
  const double values[] = {moved[2], 0.7, 0.4};
  const auto set_some = [&](const double* all) {
    return two() ? int(f2().SetReal(handle, some, 3, all))
                 : int(f3().SetFloat64(handle, some, 3, all, 3));
  };
  EXPECT_EQ(set_some(values), ok);
  std::vector<double> expected = x;
  expected[2] = moved[2];
  const auto lag = std::ranges::find(references, some[2]) - references.begin();
  expected.at(lag) = 0.4;
  EXPECT_EQ(states(), expected);
  EXPECT_EQ(get("M"), 0.7);
  EXPECT_NEAR(rates().at(lag), (0.7 - 0.4) / 0.02, 1e-12);
  const double none[] = {NAN, 0.8, 0.5};
  EXPECT_EQ(set_some(none), discard) << "another step may go better";
  EXPECT_EQ(states(), expected) << "all or none";
  EXPECT_EQ(get("M"), 0.7);
  // Variables that are no states.
  const std::uint32_t output = fmu.description["x"], rate = fmu.description.table.derivatives[0];
  for (const std::uint32_t other : {output, rate})
    EXPECT_EQ(two() ? int(f2().SetReal(handle, &other, 1, values))
                    : int(f3().SetFloat64(handle, &other, 1, values, 1)),
              error);
  ASSERT_EQ(two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle)), ok);
  EXPECT_EQ(set_some(values), error) << "events set states there";
  EXPECT_EQ(states(), expected);
}

// FMI 2.0.5, 3.2.3 allows this; FMI 3.0 does not.
TEST_P(Exchange, EntersEventModeFromEventMode) {
  const auto enter = [&] {
    return two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle));
  };
  std::vector<double> x = states();
  x[0] += 1e-3;  // drift
  set_states(x);
  ASSERT_EQ(enter(), ok);
  EXPECT_EQ(enter(), two() ? ok : error);
  if (!two()) return;
  EXPECT_EQ(states(), x);
  EXPECT_TRUE(update());
  const std::vector<double> after = states();
  ASSERT_EQ(enter(), ok);
  EXPECT_FALSE(update()) << "nothing happens twice";
  EXPECT_EQ(states(), after);
  EXPECT_EQ(f2().EnterContinuousTimeMode(handle), fmi2OK);
}

// Values after an error help to find its cause (FMI 2.0.5, 3.2.3; FMI 3.0.2, 2.3).
TEST_P(Exchange, AllValuesCanBeReadAfterAnError) {
  const std::uint32_t lag = fmu.description["lag"];
  const double one = 1.0;
  struct Values {
    std::vector<double> x, dx, nominals;
    double output, slope;
    bool operator==(const Values&) const = default;
  };
  const auto values_now = [&] {
    Values all{states(), rates(), std::vector<double>(size()), get("N"), NAN};
    const std::uint32_t rate = fmu.description["der(lag)"];
    if (two()) {
      EXPECT_EQ(f2().GetNominalsOfContinuousStates(handle, all.nominals.data(), size()), fmi2OK);
      EXPECT_EQ(f2().GetEventIndicators(handle, nullptr, 0), fmi2OK);
      EXPECT_EQ(f2().GetDirectionalDerivative(handle, &rate, 1, &lag, 1, &one, &all.slope), fmi2OK);
    } else {
      EXPECT_EQ(f3().GetNominalsOfContinuousStates(handle, all.nominals.data(), size()), fmi3OK);
      EXPECT_EQ(f3().GetEventIndicators(handle, nullptr, 0), fmi3OK);
      EXPECT_EQ(f3().GetDirectionalDerivative(handle, &rate, 1, &lag, 1, &one, 1, &all.slope, 1),
                fmi3OK);
    }
    return all;
  };
  const Values before = values_now();
  EXPECT_NEAR(before.slope, -50.0, 1e-10);
  void* good = nullptr;
  const auto get_state = [&](void** state) {
    return two() ? int(f2().GetFMUstate(handle, state)) : int(f3().GetFMUState(handle, state));
  };
  const auto set_state = [&](void* state) {
    return two() ? int(f2().SetFMUstate(handle, state)) : int(f3().SetFMUState(handle, state));
  };
  ASSERT_EQ(get_state(&good), ok);
  ASSERT_EQ(
      two() ? int(f2().ExitInitializationMode(handle)) : int(f3().ExitInitializationMode(handle)),
      error);
  EXPECT_TRUE(values_now() == before);
  void* bad = nullptr;
  ASSERT_EQ(get_state(&bad), ok);
  ASSERT_EQ(set_state(good), ok);
  set_time(0.1);
  ASSERT_EQ(set_state(bad), ok);
  EXPECT_TRUE(values_now() == before);
  EXPECT_EQ(two() ? int(f2().SetTime(handle, 0.1)) : int(f3().SetTime(handle, 0.1)), error);
  for (void** state : {&good, &bad})
    EXPECT_EQ(two() ? int(f2().FreeFMUstate(handle, state)) : int(f3().FreeFMUState(handle, state)),
              ok);
}

// In event mode all functions show what has been set before it is in force.
TEST_P(Exchange, SettingsInEventModeShowInAllValues) {
  const std::vector<std::uint32_t>& derivatives = fmu.description.table.derivatives;
  const auto values = [&] {
    std::vector<double> all(derivatives.size());
    EXPECT_EQ(two() ? int(f2().GetReal(handle, derivatives.data(), all.size(), all.data()))
                    : int(f3().GetFloat64(handle, derivatives.data(), all.size(), all.data(),
                                          all.size())),
              ok);
    return all;
  };
  const auto columns = [&] {
    std::vector<double> all;
    for (const std::uint32_t known : fmu.description.table.states) {
      std::vector<double> column(derivatives.size());
      const double one = 1.0;
      EXPECT_EQ(two() ? int(f2().GetDirectionalDerivative(handle, derivatives.data(), column.size(),
                                                          &known, 1, &one, column.data()))
                      : int(f3().GetDirectionalDerivative(handle, derivatives.data(), column.size(),
                                                          &known, 1, &one, 1, column.data(),
                                                          column.size())),
                ok);
      all.insert(all.end(), column.begin(), column.end());
    }
    return all;
  };
  const auto difference = [](const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
    return largest;
  };
  std::vector<double> x = states();
  x[x.size() - 2] += 1.0;  // a speed
  set_states(x);
  ASSERT_EQ(two() ? int(f2().EnterEventMode(handle)) : int(f3().EnterEventMode(handle)), ok);
  update();
  const std::vector<double> rates_before = rates(), columns_before = columns();
  set("d", 0.05);
  const std::vector<double> rates_ahead = rates(), columns_ahead = columns();
  EXPECT_EQ(values(), rates_ahead);
  EXPECT_GT(difference(rates_ahead, rates_before), 1e-3);
  EXPECT_GT(difference(columns_ahead, columns_before), 1e-3);
  update();
  EXPECT_EQ(values(), rates());
  EXPECT_LT(difference(rates(), rates_ahead), 1e-9);
  EXPECT_LT(difference(columns(), columns_ahead), 1e-8);
}

TEST_P(Exchange, RefusesStoredStatesOfTheOtherKind) {
  Instance other(fmu, GetParam());
  ASSERT_EQ(other.start(), ok);
  void* state = nullptr;
  ASSERT_EQ(other.get_state(&state), ok);
  EXPECT_EQ(two() ? int(f2().SetFMUstate(handle, state)) : int(f3().SetFMUState(handle, state)),
            error);
  EXPECT_EQ(other.free_state(&state), ok);
  const std::vector<double> x = states(), dx = rates();
  ASSERT_EQ(two() ? int(f2().GetFMUstate(handle, &state)) : int(f3().GetFMUState(handle, &state)),
            ok);
  set_states(std::vector<double>(x.size(), 0.25));
  ASSERT_EQ(two() ? int(f2().SetFMUstate(handle, state)) : int(f3().SetFMUState(handle, state)),
            ok);
  expect_same_bits(states(), x);
  expect_same_bits(rates(), dx);
  EXPECT_EQ(two() ? int(f2().FreeFMUstate(handle, &state)) : int(f3().FreeFMUState(handle, &state)),
            ok);
}

}  // namespace
}  // namespace mbs::test
