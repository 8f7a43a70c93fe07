// The state machine: which function is allowed when, and the values of variables.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

class LifeCycle : public testing::TestWithParam<int> {
 protected:
  const Fmu fmu{rig_text};
  Instance instance{fmu, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(fmi, LifeCycle, testing::Values(2, 3));

TEST_P(LifeCycle, StartValuesAreThoseOfTheDescription) {
  for (const Variable& v : fmu.description.table.variables)
    if (v.start) expect_same_bits({instance[v.name]}, {*v.start});
  EXPECT_EQ(instance["half"], 0.2);
  EXPECT_EQ(instance["time"], 0.0);
  EXPECT_EQ(instance["x"], 0.0) << "no value yet, but no error";
}

TEST_P(LifeCycle, OutputsAreValidAtTheStartAndFollowSettings) {
  EXPECT_EQ(instance.set("M", 0.7), ok);  // before initialization: lenient
  EXPECT_EQ(instance.set_up_and_enter(0.5), ok);
  EXPECT_EQ(instance["time"], 0.5);
  EXPECT_EQ(instance["direct"], 1.4);
  const double x = instance["x"], alpha = instance["alpha"], reaction = instance["N"];
  EXPECT_NEAR(x, 0.4 * (std::cos(0.3) + std::cos(0.6)), 0.2);  // start angles are guesses
  EXPECT_EQ(instance.set("push", 100.0), ok);
  EXPECT_EQ(instance["x"], x);
  EXPECT_NE(instance["alpha"], alpha);
  EXPECT_NE(instance["N"], reaction);
  EXPECT_EQ(instance.set("L", 0.8), ok);
  EXPECT_NEAR(instance["x"], 2.0 * x, 1e-6);
  EXPECT_EQ(instance["half"], 0.4);
  EXPECT_EQ(instance.exit(), ok);
  EXPECT_NEAR(instance["x"], 2.0 * x, 1e-6);
  EXPECT_NE(instance.said().find("nitial"), std::string::npos);
}

TEST_P(LifeCycle, ReadingDuringInitializationChangesNothing) {
  Instance curious(fmu, GetParam());
  EXPECT_EQ(instance.set_up_and_enter(), ok);
  EXPECT_EQ(curious.set_up_and_enter(), ok);
  curious.all();
  EXPECT_EQ(curious.set("M", 5.0), ok);
  curious.all();
  for (Instance* i : {&instance, &curious}) {
    EXPECT_EQ(i->set("M", 0.4), ok);
    EXPECT_EQ(i->exit(), ok);
    EXPECT_EQ(i->step(0.0, 0.2), ok);
  }
  expect_same_bits(instance.all(), curious.all());
}

TEST_P(LifeCycle, GivesTheSameBitsAsTheEngine) {
  Diagnostics diagnostics;
  const Model model = read_model_text(rig_text, "rig", diagnostics);
  CoSimulationDriver simulation(assemble(model, diagnostics), solver_choice(model.solver));
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  ASSERT_EQ(instance.start(), ok);
  for (int i = 0; i < 50; ++i) {
    const double t = i * 0.01, push = i % 10 == 3 ? 2.0 * i : simulation.input(1);
    simulation.set_input(1, push);
    simulation.advance(t + 0.01);
    EXPECT_EQ(instance.set("push", push), ok);
    EXPECT_EQ(instance.step(t, 0.01), ok);
  }
  for (int i = 0; i < std::ssize(model.outputs); ++i)
    if (model.outputs[i].name != "steps")
      expect_same_bits({instance[model.outputs[i].name]}, {simulation.output(i)});
  std::int32_t steps = 0;
  EXPECT_EQ(instance.get_integer("steps", steps), ok);
  EXPECT_EQ(steps, simulation.statistics().steps);
  EXPECT_GT(steps, 0);
}

TEST_P(LifeCycle, AllowsEachFunctionInItsModes) {
  // Columns: before, in initialization, between steps, terminated, after an error.
  struct Row {
    const char* what;
    bool allowed[5];
    std::function<int(Instance&)> call;
  };
  const Row rows[] = {
      {"get",
       {1, 1, 1, 1, 1},
       [](Instance& i) {
         double v;
         return i.get("x", v);
       }},
      {"set input", {1, 1, 1, 0, 0}, [](Instance& i) { return i.set("M", 1.0); }},
      {"set tunable", {1, 1, 1, 0, 0}, [](Instance& i) { return i.set("d", 0.1); }},
      {"set fixed", {1, 1, 0, 0, 0}, [](Instance& i) { return i.set("m", 2.0); }},
      {"set calculated", {0, 0, 0, 0, 0}, [](Instance& i) { return i.set("half", 1.0); }},
      {"set constant", {0, 0, 0, 0, 0}, [](Instance& i) { return i.set("n", 3.0); }},
      {"set output", {0, 0, 0, 0, 0}, [](Instance& i) { return i.set("x", 1.0); }},
      {"set state", {0, 0, 0, 0, 0}, [](Instance& i) { return i.set("lag", 1.0); }},
      {"set time", {0, 0, 0, 0, 0}, [](Instance& i) { return i.set("time", 1.0); }},
      {"enter", {1, 0, 0, 0, 0}, [](Instance& i) { return i.set_up_and_enter(); }},
      {"exit", {0, 1, 0, 0, 0}, [](Instance& i) { return i.exit(); }},
      {"step", {0, 0, 1, 0, 0}, [](Instance& i) { return i.step(0.1, 0.1); }},
      {"terminate", {0, 0, 1, 0, 0}, [](Instance& i) { return i.terminate(); }},
      {"reset", {1, 1, 1, 1, 1}, [](Instance& i) { return i.reset(); }},
      {"state",
       {1, 1, 1, 1, 1},
       [](Instance& i) {
         void* state = nullptr;
         const int status = i.get_state(&state);
         i.free_state(&state);
         return status;
       }},
  };
  for (const Row& row : rows)
    for (int phase = 0; phase < 5; ++phase) {
      Instance i(fmu, GetParam());
      if (phase >= 1) {
        ASSERT_EQ(i.set_up_and_enter(), ok);
      }
      if (phase >= 2) {
        ASSERT_EQ(i.exit(), ok);
      }
      if (phase >= 2) {
        ASSERT_EQ(i.step(0.0, 0.1), ok);
      }
      if (phase == 3) {
        ASSERT_EQ(i.terminate(), ok);
      }
      if (phase == 4) {
        ASSERT_EQ(i.exit(), error);
      }
      const std::size_t before = i.messages.size();
      EXPECT_EQ(row.call(i), row.allowed[phase] ? ok : error) << row.what << " in phase " << phase;
      if (!row.allowed[phase]) {
        EXPECT_GT(i.messages.size(), before) << row.what;
      }
      // The instance can be started again from every state.
      EXPECT_EQ(i.reset(), ok);
      EXPECT_EQ(i.start(), ok);
      EXPECT_EQ(i.step(0.0, 0.1), ok);
    }
}

TEST_P(LifeCycle, DiscardsValuesOutsideTheirBounds) {
  EXPECT_EQ(instance.set("L", 3.0), discard);
  EXPECT_EQ(instance.set("L", 0.0), discard);
  EXPECT_EQ(instance.set("d", -0.1), discard);
  EXPECT_EQ(instance.set("M", std::nan("")), error);
  EXPECT_EQ(instance.set("M", INFINITY), error);
  EXPECT_EQ(instance["L"], 0.4);
  EXPECT_EQ(instance["M"], 0.3);
  EXPECT_EQ(instance.start(), ok);
  EXPECT_EQ(instance.set("m", 5.0), error);
  EXPECT_EQ(instance["m"], 0.1);
  EXPECT_NE(instance.said().find("'m' is a fixed parameter"), std::string::npos);
}

TEST_P(LifeCycle, SetsSeveralValuesAllOrNone) {
  const std::uint32_t references[] = {fmu.description["M"], fmu.description["L"]};
  const double values[] = {9.0, 9.0};
  EXPECT_EQ(GetParam() == 2
                ? int(runtime().fmi2.SetReal(instance.handle, references, 2, values))
                : int(runtime().fmi3.SetFloat64(instance.handle, references, 2, values, 2)),
            discard);
  EXPECT_EQ(instance["M"], 0.3);
}

TEST_P(LifeCycle, RefusesReferencesOfAnotherType) {
  double real = 0.0;
  std::int32_t integer = 0;
  EXPECT_EQ(instance.get("steps", real), error);
  EXPECT_EQ(instance.get_integer("x", integer), error);
  const std::uint32_t nonsense = 12345;
  EXPECT_EQ(GetParam() == 2
                ? int(runtime().fmi2.GetReal(instance.handle, &nonsense, 1, &real))
                : int(runtime().fmi3.GetFloat64(instance.handle, &nonsense, 1, &real, 1)),
            error);
  EXPECT_NE(instance.said().find("12345"), std::string::npos);
  EXPECT_EQ(instance.start(), ok) << "a refused call harms nothing";
}

TEST(Fmi3, RefusesAWrongNumberOfValues) {
  const Fmu fmu(rig_text);
  Instance instance(fmu, 3);
  const std::uint32_t reference = fmu.description["L"];
  double values[2] = {0.5, 0.5};
  EXPECT_EQ(runtime().fmi3.GetFloat64(instance.handle, &reference, 1, values, 2), fmi3Error);
  EXPECT_EQ(runtime().fmi3.SetFloat64(instance.handle, &reference, 1, values, 2), fmi3Error);
  EXPECT_EQ(runtime().fmi3.SetFloat64(instance.handle, &reference, 1, values, 0), fmi3Error);
  EXPECT_EQ(instance["L"], 0.4);
}

TEST_P(LifeCycle, TunableParametersActAtTheNextStep) {
  Instance other(fmu, GetParam());
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(other.start(), ok);
  EXPECT_EQ(instance.step(0.0, 0.1), ok);
  EXPECT_EQ(other.step(0.0, 0.1), ok);
  EXPECT_EQ(instance.set("d", 0.5), ok);
  EXPECT_EQ(instance["d2"], 1.0) << "calculated parameters follow at once";
  expect_same_bits({instance["w"]}, {other["w"]});
  EXPECT_EQ(instance.step(0.1, 0.1), ok);
  EXPECT_EQ(other.step(0.1, 0.1), ok);
  EXPECT_LT(std::abs(instance["w"]), std::abs(other["w"]));
}

TEST_P(LifeCycle, ResetRestoresTheFirstStateFromAnyMode) {
  Instance fresh(fmu, GetParam());
  ASSERT_EQ(fresh.start(), ok);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(fresh.step(i * 0.01, 0.01), ok);
  const std::function<void()> histories[] = {
      [] {}, [&] { instance.set("m", 2.0); },
      [&] {
        instance.set("L", 0.7);
        instance.set_up_and_enter(3.0, 9.0, 1e-3);
        instance.exit();
        instance.set("M", 2.0);
        instance.step(3.0, 0.2);
        instance.terminate();
      },
      [&] { instance.step(0.0, 1.0); },  // an error
  };
  for (const auto& history : histories) {
    history();
    ASSERT_EQ(instance.reset(), ok);
    EXPECT_EQ(instance["L"], 0.4);
    ASSERT_EQ(instance.start(), ok);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(instance.step(i * 0.01, 0.01), ok);
    expect_same_bits(instance.all(), fresh.all());
  }
}

TEST_P(LifeCycle, AFailedInitializationReportsItsReason) {
  // A rod of 1 m between two points that are 3 m apart.
  const Fmu apart(R"(<mbs name="Apart" version="1" planar="xy">
    <parameter name="gap" value="3 m" min="0 m"/>
    <frame name="far" pos="gap, 0"/>
    <body name="rod" mass="1 kg" inertia="1 kg.m^2"><frame name="tip" pos="1 m, 0"/></body>
    <body name="link" mass="1 kg" inertia="1 kg.m^2"><frame name="tip" pos="1 m, 0"/></body>
    <revolute name="near_pin" a="ground" b="rod"/>
    <revolute name="middle" a="rod.tip" b="link"/>
    <revolute name="far_pin" a="far" b="link.tip"/>
    <output name="w" of="near_pin" quantity="qd"/></mbs>)");
  Instance broken(apart, GetParam());
  EXPECT_EQ(broken.set_up_and_enter(), ok);
  double w = 0.0;
  EXPECT_EQ(broken.get("w", w), error);
  // The instance is still in initialization mode, where the error can be corrected.
  EXPECT_EQ(broken.set("gap", 1.5), ok);
  EXPECT_EQ(broken.get("w", w), ok);
  EXPECT_EQ(broken.set("gap", 3.0), ok);
  EXPECT_EQ(broken.exit(), error);
  EXPECT_NE(broken.said().find("pin"), std::string::npos) << broken.said();
  EXPECT_EQ(broken.get("w", w), error) << "there is no value";
  EXPECT_NE(broken.messages.back().text.find("'w'"), std::string::npos) << broken.said();
  EXPECT_EQ(broken.get("gap", w), ok);
  const std::uint32_t output = apart.description["w"];
  const int first = 1;
  EXPECT_EQ(
      GetParam() == 2
          ? int(runtime().fmi2.GetRealOutputDerivatives(broken.handle, &output, 1, &first, &w))
          : int(runtime().fmi3.GetOutputDerivatives(broken.handle, &output, 1, &first, &w, 1)),
      error);
  EXPECT_NE(broken.messages.back().text.find("there are no values"), std::string::npos);
  EXPECT_EQ(broken.step(0.0, 0.1), error);
  EXPECT_EQ(broken.reset(), ok);
  EXPECT_EQ(broken.set("gap", 1.5), ok);
  EXPECT_EQ(broken.start(), ok);
  EXPECT_EQ(broken.step(0.0, 0.1), ok);
}

TEST_P(LifeCycle, RefusesInvalidExperiments) {
  const double nan = std::nan("");
  if (GetParam() == 2) {
    EXPECT_EQ(runtime().fmi2.SetupExperiment(instance.handle, 0, 0, nan, 0, 0), fmi2Error);
    EXPECT_EQ(runtime().fmi2.SetupExperiment(instance.handle, 0, 0, 1.0, 1, 0.5), fmi2Error);
    EXPECT_EQ(runtime().fmi2.SetupExperiment(instance.handle, 1, -1.0, 0.0, 0, 0), fmi2Error);
  } else {
    EXPECT_EQ(runtime().fmi3.EnterInitializationMode(instance.handle, 0, 0, nan, 0, 0), fmi3Error);
    EXPECT_EQ(runtime().fmi3.EnterInitializationMode(instance.handle, 0, 0, 1, 1, .5), fmi3Error);
    EXPECT_EQ(runtime().fmi3.EnterInitializationMode(instance.handle, 1, nan, 0, 0, 0), fmi3Error);
  }
  EXPECT_EQ(instance.start(), ok);
}

// (L12)
TEST_P(LifeCycle, UsesTheImportersTolerance) {
  Instance coarse(fmu, GetParam());
  ASSERT_EQ(instance.set_up_and_enter(0.0, 1.0, 1e-10), ok);
  ASSERT_EQ(coarse.set_up_and_enter(0.0, 1.0, 1e-3), ok);
  std::int32_t fine_steps = 0, coarse_steps = 0;
  for (Instance* i : {&instance, &coarse}) {
    ASSERT_EQ(i->exit(), ok);
    ASSERT_EQ(i->step(0.0, 1.0), ok);
  }
  ASSERT_EQ(instance.get_integer("steps", fine_steps), ok);
  ASSERT_EQ(coarse.get_integer("steps", coarse_steps), ok);
  EXPECT_NE(instance["x"], coarse["x"]);
  EXPECT_NEAR(instance["x"], coarse["x"], 0.05);
  EXPECT_GT(fine_steps, coarse_steps);
}

}  // namespace
}  // namespace mbs::test
