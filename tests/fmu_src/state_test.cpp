// Stored states, in memory and as bytes.

#include <gtest/gtest.h>

#include <random>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

class StoredStates : public testing::TestWithParam<int> {
 protected:
  void run(Instance& i, int from, int steps, unsigned seed) {
    std::mt19937 engine(seed);
    const auto random = [&engine] { return static_cast<int>(engine() % 1000); };
    for (int k = from; k < from + steps; ++k) {
      if (random() % 4 == 0) {
        ASSERT_EQ(i.set("push", 10.0 * (random() % 100)), ok);
      }
      if (random() % 7 == 0) {
        ASSERT_EQ(i.set("d", 0.001 * (random() % 100)), ok);
      }
      ASSERT_EQ(i.step(k * 0.013, 0.013), ok) << i.said();
    }
  }
  const Fmu fmu{rig_text};
  Instance instance{fmu, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(fmi, StoredStates, testing::Values(2, 3));

TEST_P(StoredStates, ReplayBitwise) {
  ASSERT_EQ(instance.set("L", 0.6), ok);
  ASSERT_EQ(instance.start(), ok);
  run(instance, 0, 10, 1);
  ASSERT_EQ(instance.set("M", 0.9), ok);  // set and not yet used
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  std::vector<char> bytes;
  ASSERT_EQ(instance.serialise(state, bytes), ok);
  const std::vector<double> at_state = instance.all();
  run(instance, 10, 20, 2);
  const std::vector<double> expected = instance.all();

  for (int again = 0; again < 2; ++again) {  // setting does not wear the state out
    ASSERT_EQ(instance.set_state(state), ok);
    expect_same_bits(instance.all(), at_state);
    run(instance, 10, 20, 2);
    expect_same_bits(instance.all(), expected);
  }
  // The bytes restore another instance in any state.
  for (const bool busy : {false, true}) {
    Instance other(fmu, GetParam());
    if (busy) {
      ASSERT_EQ(other.start(), ok);
      run(other, 0, 7, 3);
    }
    void* copy = nullptr;
    ASSERT_EQ(other.deserialise(bytes, &copy), ok) << other.said();
    ASSERT_EQ(other.set_state(copy), ok) << other.said();
    expect_same_bits(other.all(), at_state);
    run(other, 10, 20, 2);
    expect_same_bits(other.all(), expected);
    EXPECT_EQ(other.free_state(&copy), ok);
    EXPECT_EQ(copy, nullptr);
  }
  EXPECT_EQ(instance.free_state(&state), ok);
}

TEST_P(StoredStates, AreStoredAndRestoredInEveryMode) {
  void* fresh = nullptr;
  void* initial = nullptr;
  void* ended = nullptr;
  ASSERT_EQ(instance.set("M", 0.8), ok);
  ASSERT_EQ(instance.get_state(&fresh), ok);
  ASSERT_EQ(instance.set_up_and_enter(0.0, 0.5), ok);
  ASSERT_EQ(instance.get_state(&initial), ok);
  ASSERT_EQ(instance.exit(), ok);
  run(instance, 0, 10, 4);
  const std::vector<double> expected = instance.all();
  ASSERT_EQ(instance.terminate(), ok);
  ASSERT_EQ(instance.get_state(&ended), ok);
  ASSERT_EQ(instance.exit(), error);

  ASSERT_EQ(instance.set_state(initial), ok);
  ASSERT_EQ(instance.exit(), ok);
  run(instance, 0, 10, 4);
  expect_same_bits(instance.all(), expected);
  EXPECT_EQ(instance.step(0.13, 0.4), error) << "the stop time belongs to the state";
  ASSERT_EQ(instance.set_state(fresh), ok);
  EXPECT_EQ(instance["M"], 0.8);
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.set_state(ended), ok);
  expect_same_bits(instance.all(), expected);
  EXPECT_EQ(instance.step(0.13, 0.1), error);
  for (void** state : {&fresh, &initial, &ended}) EXPECT_EQ(instance.free_state(state), ok);
}

TEST_P(StoredStates, LogNothingEmpty) {
  ASSERT_EQ(instance.set_up_and_enter(), ok);
  instance["x"];  // initial values are computed
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  Instance other(fmu, GetParam());
  ASSERT_EQ(other.set_state(state), ok);
  ASSERT_EQ(other.exit(), ok);
  // The report of an initialization belongs to it and not to a state from elsewhere.
  ASSERT_EQ(instance.set_state(state), ok);
  ASSERT_EQ(instance.exit(), ok);
  for (const Instance* i : {&instance, &other}) EXPECT_TRUE(i->messages.empty()) << i->said();
  EXPECT_EQ(instance.free_state(&state), ok);
  Instance whole(fmu, GetParam());
  ASSERT_EQ(whole.start(), ok);
  EXPECT_EQ(whole.messages.size(), 1u) << "otherwise it is logged";
}

TEST_P(StoredStates, OverwriteAGivenState) {
  ASSERT_EQ(instance.start(), ok);
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  void* const first = state;
  run(instance, 0, 5, 5);
  const std::vector<double> expected = instance.all();
  ASSERT_EQ(instance.get_state(&state), ok);
  EXPECT_EQ(state, first);
  run(instance, 5, 5, 6);
  ASSERT_EQ(instance.set_state(state), ok);
  expect_same_bits(instance.all(), expected);
  EXPECT_EQ(instance.free_state(&state), ok);
  EXPECT_EQ(instance.free_state(&state), ok) << "freeing nothing is no error";
  EXPECT_EQ(instance.free_state(nullptr), ok);
}

TEST_P(StoredStates, ForeignBytesAreRefusedAndChangeNothing) {
  ASSERT_EQ(instance.start(), ok);
  run(instance, 0, 5, 7);
  const std::vector<double> before = instance.all();
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  std::vector<char> good;
  ASSERT_EQ(instance.serialise(state, good), ok);
  void* copy = nullptr;
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    std::vector<char> bad = good;
    if (i % 3 == 0)
      bad.resize(random() % good.size());
    else
      bad[random() % good.size()] ^= static_cast<char>(1 << random() % 8);
    EXPECT_EQ(instance.deserialise(bad, &copy), error);
    EXPECT_EQ(copy, nullptr);
  }
  // A state of another model.
  std::string text = rig_text;
  text.replace(text.find("0.1 kg"), 6, "0.2 kg");
  const Fmu heavier(text);
  Instance other(heavier, GetParam());
  EXPECT_EQ(other.deserialise(good, &copy), error);
  EXPECT_NE(other.said().find("another model"), std::string::npos) << other.said();
  EXPECT_EQ(other.set_state(state), error);
  EXPECT_EQ(other.start(), ok);

  EXPECT_EQ(instance.set_state(nullptr), error);
  std::size_t size = 0;
  EXPECT_EQ(instance.state_size(nullptr, &size), error);
  EXPECT_EQ(instance.state_size(state, nullptr), error);
  EXPECT_EQ(instance.get_state(nullptr), error);
  char small[8];
  EXPECT_EQ(GetParam() == 2
                ? int(runtime().fmi2.SerializeFMUstate(instance.handle, state, small, 8))
                : int(runtime().fmi3.SerializeFMUState(instance.handle, state,
                                                       reinterpret_cast<std::uint8_t*>(small), 8)),
            error);
  expect_same_bits(instance.all(), before);
  run(instance, 5, 5, 9);
  EXPECT_EQ(instance.free_state(&state), ok);
}

TEST_P(StoredStates, SurviveTenThousandRollbacks) {
  ASSERT_EQ(instance.start(), ok);
  run(instance, 0, 5, 10);
  const std::vector<double> before = instance.all();
  void* state = nullptr;
  std::size_t first_size = 0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(instance.get_state(&state), ok);
    ASSERT_EQ(instance.set_state(state), ok);
    std::size_t size = 0;
    ASSERT_EQ(instance.state_size(state, &size), ok);
    if (i == 0) first_size = size;
    ASSERT_EQ(size, first_size);
  }
  expect_same_bits(instance.all(), before);
  EXPECT_EQ(instance.free_state(&state), ok);
}

TEST(StoredStates, OfFmi2ContinueInFmi3) {
  const Fmu fmu(rig_text);
  Instance two(fmu, 2), three(fmu, 3);
  ASSERT_EQ(two.start(), ok);
  ASSERT_EQ(two.step(0.0, 0.2), ok);
  void* state = nullptr;
  std::vector<char> bytes;
  ASSERT_EQ(two.get_state(&state), ok);
  ASSERT_EQ(two.serialise(state, bytes), ok);
  ASSERT_EQ(two.free_state(&state), ok);
  ASSERT_EQ(three.deserialise(bytes, &state), ok);
  ASSERT_EQ(three.set_state(state), ok);
  ASSERT_EQ(three.free_state(&state), ok);
  ASSERT_EQ(two.step(0.2, 0.2), ok);
  ASSERT_EQ(three.step(0.2, 0.2), ok);
  expect_same_bits(two.all(), three.all());
}

}  // namespace
}  // namespace mbs::test
