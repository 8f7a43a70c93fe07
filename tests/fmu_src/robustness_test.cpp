// Calls that no sane importer makes, many instances, threads.

#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

// Generates an argument of each type. Pointers are null or lead to memory that is large enough for
// the generated counts.
class Arguments {
 public:
  explicit Arguments(unsigned seed) : random_(seed) {}

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, void*>) {
      return state;  // a stored state
    } else if constexpr (std::is_same_v<T, void**>) {
      return pick(8) == 0 ? nullptr : &state;
    } else if constexpr (std::is_same_v<T, std::size_t>) {
      return values.value_or(static_cast<std::size_t>(pick(4)));
    } else if constexpr (std::is_same_v<T, double>) {
      static constexpr double numbers[] = {0.0, 0.01, 0.02, 0.5, -1.0, -1e300, 1e-300};
      const int i = pick(8);
      return i == 7 ? std::numeric_limits<double>::quiet_NaN() : numbers[i];
    } else if constexpr (std::is_same_v<T, const std::uint32_t*>) {
      if (pick(8) == 0) return nullptr;
      for (std::uint32_t& reference : references_) reference = static_cast<std::uint32_t>(pick(30));
      return references_;
    } else if constexpr (std::is_same_v<T, const char*>) {
      return pick(4) == 0 ? nullptr : "some text";
    } else if constexpr (std::is_same_v<T, const char* const*> || std::is_same_v<T, const char**>) {
      if (pick(8) == 0) return nullptr;
      for (const char*& s : strings_) s = pick(3) == 0 ? "logAll" : "logStatusError";
      return strings_;
    } else if constexpr (std::is_pointer_v<T>) {
      using Pointee = std::remove_const_t<std::remove_pointer_t<T>>;
      if (pick(8) == 0) return nullptr;
      if constexpr (std::is_same_v<Pointee, double>)
        for (int i = 0; i < 4; ++i) reinterpret_cast<double*>(memory_)[i] = make<double>();
      else
        std::fill(std::begin(memory_), std::end(memory_), std::byte(0));
      return reinterpret_cast<T>(memory_);
    } else {
      return static_cast<T>(pick(2));  // numbers and enumerations
    }
  }

  void* state = nullptr;
  std::optional<std::size_t> values;  // how many of them, instead of any number

 private:
  int pick(unsigned count) { return static_cast<int>(random_() % count); }

  std::mt19937 random_;
  std::uint32_t references_[4] = {};
  const char* strings_[4] = {};
  alignas(16) std::byte memory_[256] = {};
};

template <class Result, class... Rest>
int call(Result (*function)(void*, Rest...), void* handle, Arguments& arguments) {
  return static_cast<int>(function(handle, arguments.make<Rest>()...));
}
int call(void (*)(void*), void*, Arguments&) {
  return ok;
}  // FreeInstance comes at the end
template <class Result>
int call(Result (*function)(), void*, Arguments&) {
  return function() != nullptr ? ok : error;
}
// Instantiate: without a name there is none.
template <class Result, class... Rest>
int call(Result (*function)(const char*, Rest...), void*, Arguments&) {
  return function(nullptr, Rest{}...) == nullptr ? ok : error;
}

using Call = std::function<int(void*, Arguments&)>;

std::vector<std::pair<std::string, Call>> all_functions(int version) {
  std::vector<std::pair<std::string, Call>> list;
  const Functions2& fmi2 = runtime().fmi2;
  const Functions3& fmi3 = runtime().fmi3;
#define FMI2_FUNCTION(result, name, parameters) \
  if (version == 2)                             \
    list.emplace_back(#name, [&fmi2](void* h, Arguments& a) { return call(fmi2.name, h, a); });
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
#define FMI3_FUNCTION(result, name, parameters) \
  if (version == 3)                             \
    list.emplace_back(#name, [&fmi3](void* h, Arguments& a) { return call(fmi3.name, h, a); });
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
  return list;
}

class Robustness : public testing::TestWithParam<int> {
 protected:
  const Fmu fmu{rig_text};
};
INSTANTIATE_TEST_SUITE_P(fmi, Robustness, testing::Values(2, 3));

TEST_P(Robustness, EveryFunctionSurvivesEveryMode) {
  const auto functions = all_functions(GetParam());
  for (const auto& [name, function] : functions)
    for (int phase = 0; phase < 5; ++phase)
      for (unsigned seed = 0; seed < 6; ++seed) {
        Instance i(fmu, GetParam());
        if (phase >= 1) {
          ASSERT_EQ(i.set_up_and_enter(), ok);
        }
        if (phase >= 2) {
          ASSERT_EQ(i.exit(), ok);
        }
        if (phase == 3) {
          ASSERT_EQ(i.terminate(), ok);
        }
        if (phase == 4) {
          ASSERT_EQ(i.exit(), error);
        }
        Arguments arguments(seed);
        const int status = function(i.handle, arguments);
        EXPECT_GE(status, ok) << name;
        EXPECT_LT(status, fatal) << name;
        i.free_state(&arguments.state);
        EXPECT_EQ(i.reset(), ok) << name;
        EXPECT_EQ(i.start(), ok) << name << " left its mark: " << i.said();
      }
}

TEST_P(Robustness, NullHandlesAreRefused) {
  for (const auto& [name, function] : all_functions(GetParam())) {
    Arguments arguments(1);
    const int status = function(nullptr, arguments);
    EXPECT_TRUE(status == error || status == ok) << name;
  }
}

TEST_P(Robustness, RandomSequencesDoNotCrash) {
  const auto functions = all_functions(GetParam());
  std::mt19937 engine(5);
  const auto random = [&engine] { return static_cast<int>(engine() % 1000); };
  long good = 0, bad = 0;
  for (int sequence = 0; sequence < 300; ++sequence) {
    Instance i(fmu, GetParam(), sequence % 2 == 0);
    Arguments arguments(static_cast<unsigned>(sequence));
    for (int k = 0; k < 200; ++k) {
      // Regular calls now and then lead through all states.
      const auto dice = random() % 10;
      int status = ok;
      if (dice == 0)
        status = i.reset();
      else if (dice == 1)
        status = i.start(0.01 * (random() % 3));
      else if (dice < 4)
        status = i.step(i["time"], 0.01);
      else
        status = functions[engine() % functions.size()].second(i.handle, arguments);
      (status == ok ? good : bad) += 1;
      i.messages.clear();
    }
    i.free_state(&arguments.state);
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(bad, 1000);
}

// All functions but those of this list must refuse and log the reason.
std::set<std::string> offered(int version) {
  std::set<std::string> names = {"GetVersion",
                                 "SetDebugLogging",
                                 "FreeInstance",
                                 "Reset",
                                 "EnterInitializationMode",
                                 "ExitInitializationMode",
                                 "Terminate",
                                 "DoStep"};
  if (version == 2)
    names.insert({"GetTypesPlatform",
                  "Instantiate",
                  "SetupExperiment",
                  "GetReal",
                  "SetReal",
                  "GetInteger",
                  "SetInteger",
                  "SetRealInputDerivatives",
                  "GetFMUstate",
                  "SetFMUstate",
                  "FreeFMUstate",
                  "SerializedFMUstateSize",
                  "SerializeFMUstate",
                  "DeSerializeFMUstate",
                  "GetStatus",
                  "GetRealStatus",
                  "GetIntegerStatus",
                  "GetBooleanStatus",
                  "GetStringStatus",
                  "GetDirectionalDerivative",
                  "GetRealOutputDerivatives"});
  else
    // Without a name there is no instance of any kind: instantiate_test.cpp.
    names.insert({"InstantiateCoSimulation", "InstantiateModelExchange",
                  "InstantiateScheduledExecution", "GetFloat64", "SetFloat64", "GetInt32",
                  "SetInt32", "GetFMUState", "SetFMUState", "FreeFMUState",
                  "SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState",
                  "EnterEventMode", "UpdateDiscreteStates", "EnterStepMode",
                  "GetDirectionalDerivative", "GetAdjointDerivative", "GetOutputDerivatives"});
  return names;
}

TEST_P(Robustness, UnsupportedFunctionsRefuseAndChangeNothing) {
  Instance i(fmu, GetParam());
  ASSERT_EQ(i.start(), ok);
  const std::set<std::string> allowed = offered(GetParam());
  for (const auto& [name, function] : all_functions(GetParam())) {
    if (allowed.contains(name)) continue;
    Arguments arguments(3);
    arguments.values = 2;
    const std::size_t before = i.messages.size();
    EXPECT_EQ(function(i.handle, arguments), error) << name;
    EXPECT_GT(i.messages.size(), before) << name;
  }
  EXPECT_EQ(i.step(0.0, 0.1), ok);
}

TEST_P(Robustness, AThousandInstancesLeaveNoMemory) {
  const auto once = [&] {
    Instance i(fmu, GetParam());
    ASSERT_EQ(i.start(), ok);
    ASSERT_EQ(i.step(0.0, 1e-3), ok);
  };
  for (int i = 0; i < 10; ++i) once();
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) once();
  const std::size_t after = mallinfo2().uordblks;
  EXPECT_LT(after, before + (64 << 10));
}

std::vector<double> trajectory(const Fmu& fmu, int version, double push) {
  Instance i(fmu, version);
  std::vector<double> values;
  EXPECT_EQ(i.start(), ok);
  for (int k = 0; k < 60; ++k) {
    if (k % 5 == 0) {
      EXPECT_EQ(i.set("push", k * push), ok);
    }
    if (k == 20) {
      EXPECT_NE(i.set("x", 1.0), ok);
    }  // exceptions fly in every thread
    EXPECT_EQ(i.step(k * 0.01, 0.01), ok);
    for (const double x : i.all()) values.push_back(x);
  }
  return values;
}

TEST_P(Robustness, InstancesAreIndependent) {
  const std::vector<double> first = trajectory(fmu, GetParam(), 1.0);
  const std::vector<double> second = trajectory(fmu, GetParam(), 2.0);
  EXPECT_NE(first, second);
  // Interleaved.
  Instance a(fmu, GetParam()), b(fmu, GetParam());
  std::vector<double> of_a, of_b;
  ASSERT_EQ(a.start(), ok);
  ASSERT_EQ(b.start(), ok);
  for (int k = 0; k < 60; ++k)
    for (Instance* i : {&a, &b}) {
      if (k % 5 == 0) {
        ASSERT_EQ(i->set("push", k * (i == &a ? 1.0 : 2.0)), ok);
      }
      ASSERT_EQ(i->step(k * 0.01, 0.01), ok);
      for (const double x : i->all()) (i == &a ? of_a : of_b).push_back(x);
    }
  expect_same_bits(of_a, first);
  expect_same_bits(of_b, second);
  // Both versions of the interface run in threads.
  std::vector<double> results[4];
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back(
        [&, k] { results[k] = trajectory(fmu, k < 2 ? 2 : 3, k % 2 == 0 ? 1.0 : 2.0); });
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < 4; ++k) expect_same_bits(results[k], k % 2 == 0 ? first : second);
}

}  // namespace
}  // namespace mbs::test
