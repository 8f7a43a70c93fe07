// The life of an FMU through each importer: load, step, two instances at once, reset, saved and
// serialised states, a thousand instances. Everything is compared bit for bit.
#include <gtest/gtest.h>

#include <cctype>
#include <thread>

#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

constexpr int steps = 40;

class Harness : public testing::TestWithParam<std::tuple<Importer, std::filesystem::path>> {
 protected:
  void SetUp() override {
    fmu_ = std::get<0>(GetParam()).open(std::get<1>(GetParam()));
    const DefaultExperiment experiment =
        description().default_experiment.value_or(DefaultExperiment{});
    start_ = experiment.start.value_or(0);
    stop_ = experiment.stop.value_or(start_ + 1);
    step_ = experiment.step.value_or((stop_ - start_) / steps);
  }

  const ModelDescription& description() const { return fmu_->description(); }
  double time(int i) const { return start_ + i * step_; }
  int last() const {
    return std::min(steps, static_cast<int>((stop_ - start_) / step_ * (1 + 1e-12)));
  }

  void initialize(Instance& instance) const {
    ASSERT_TRUE(is_good(instance.enter_initialization({start_, stop_, {}})));
    ASSERT_TRUE(is_good(instance.exit_initialization()));
  }

  // Steps from i to j; false when the FMU ended before.
  void advance(Instance& instance, int i, int j) const {
    for (; i < j; ++i) {
      const StepResult result = instance.do_step(time(i), time(i + 1) - time(i));
      ASSERT_TRUE(is_good(result.status)) << "step to " << time(i + 1);
      ASSERT_FALSE(result.early_return);
    }
  }

  // Every output, as values of all types.
  std::vector<Value> outputs(Instance& instance) const {
    std::vector<Value> values;
    for (const Variable& variable : description().variables) {
      if (variable.causality != Causality::output || variable.type == VariableType::clock) continue;
      values.emplace_back();
      const auto count = element_count(description(), variable);
      EXPECT_TRUE(count) << variable.name;
      EXPECT_TRUE(is_good(get_value(instance, variable, count.value_or(1), values.back())))
          << variable.name;
    }
    return values;
  }

  void expect_same(const std::vector<Value>& a, const std::vector<Value>& b) const {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i])) << "output " << i;
  }

  // A whole run from the start, for comparison.
  std::vector<Value> fresh_run(int end) {
    const auto instance = fmu_->instantiate();
    initialize(*instance);
    advance(*instance, 0, end);
    return outputs(*instance);
  }

  bool saves_states() const { return description().co_simulation->can_get_and_set_state; }
  bool serializes_states() const { return description().co_simulation->can_serialize_state; }

  std::unique_ptr<Fmu> fmu_;
  double start_ = 0, stop_ = 1, step_ = 0.1;
};

TEST_P(Harness, LivesThroughAWholeRun) {
  const auto instance = fmu_->instantiate({.name = "life", .logging = true});
  initialize(*instance);
  const std::vector<Value> first = outputs(*instance);
  EXPECT_FALSE(first.empty());
  advance(*instance, 0, last());
  outputs(*instance);
  EXPECT_TRUE(is_good(instance->terminate()));
  for (const LogMessage& message : instance->messages()) {
    EXPECT_LT(message.status, Status::error) << message.text;
    if (!message.category) continue;
    bool declared = false;
    for (const LogCategory& category : description().log_categories)
      declared = declared || category.name == *message.category;
    EXPECT_TRUE(declared) << *message.category;
  }
}

TEST_P(Harness, RunsTwoInstancesInTurns) {
  const std::vector<Value> alone = fresh_run(last());
  const auto a = fmu_->instantiate({.name = "a"});
  const auto b = fmu_->instantiate({.name = "b"});
  initialize(*a);
  advance(*a, 0, 1);
  initialize(*b);
  for (int i = 0; i < last(); ++i) {
    if (i + 1 < last()) advance(*a, i + 1, i + 2);
    advance(*b, i, i + 1);
  }
  expect_same(outputs(*a), alone);
  expect_same(outputs(*b), alone);
}

TEST_P(Harness, RunsInThreads) {
  const std::vector<Value> alone = fresh_run(last());
  std::vector<std::unique_ptr<Instance>> instances;
  for (int k = 0; k < 3; ++k) {
    instances.push_back(fmu_->instantiate({.name = "thread " + std::to_string(k)}));
    initialize(*instances.back());
  }
  std::vector<std::thread> threads;
  for (const auto& instance : instances)
    threads.emplace_back([this, &instance] { advance(*instance, 0, last()); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& instance : instances) expect_same(outputs(*instance), alone);
}

TEST_P(Harness, ResetIsAFreshStart) {
  const auto instance = fmu_->instantiate();
  initialize(*instance);
  const std::vector<Value> initially = outputs(*instance);
  advance(*instance, 0, last() / 2 + 1);
  ASSERT_TRUE(is_good(instance->reset()));
  initialize(*instance);
  expect_same(outputs(*instance), initially);
  advance(*instance, 0, last());
  expect_same(outputs(*instance), fresh_run(last()));
}

TEST_P(Harness, RestoresAState) {
  if (!saves_states()) GTEST_SKIP() << "canGetAndSetFMUState is false";
  const int middle = last() / 2;
  const auto instance = fmu_->instantiate();
  initialize(*instance);
  advance(*instance, 0, middle);
  State state = nullptr;
  ASSERT_TRUE(is_good(instance->get_state(state)));
  ASSERT_NE(state, nullptr);
  const std::vector<Value> there = outputs(*instance);
  advance(*instance, middle, last());
  const std::vector<Value> end = outputs(*instance);
  expect_same(end, fresh_run(last()));  // saving changes nothing
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(is_good(instance->set_state(state)));
    expect_same(outputs(*instance), there);
    advance(*instance, middle, last());
    expect_same(outputs(*instance), end);
  }
  State same = state;  // overwritten, not allocated again
  ASSERT_TRUE(is_good(instance->get_state(same)));
  EXPECT_EQ(same, state);
  ASSERT_TRUE(is_good(instance->set_state(same)));
  expect_same(outputs(*instance), end);
  ASSERT_TRUE(is_good(instance->free_state(same)));
  EXPECT_EQ(same, nullptr);
  EXPECT_TRUE(is_good(instance->free_state(same)));  // null is allowed
}

TEST_P(Harness, CarriesAStateToAnotherInstance) {
  if (!serializes_states()) GTEST_SKIP() << "canSerializeFMUState is false";
  const int middle = last() / 2;
  Bytes bytes;
  std::vector<Value> there;
  {
    const auto instance = fmu_->instantiate();
    initialize(*instance);
    advance(*instance, 0, middle);
    there = outputs(*instance);
    State state = nullptr;
    ASSERT_TRUE(is_good(instance->get_state(state)));
    ASSERT_TRUE(is_good(instance->serialize(state, bytes)));
    EXPECT_FALSE(bytes.empty());
    ASSERT_TRUE(is_good(instance->free_state(state)));
  }
  const auto other = fmu_->instantiate();
  initialize(*other);
  State state = nullptr;
  ASSERT_TRUE(is_good(other->deserialize(bytes, state)));
  ASSERT_TRUE(is_good(other->set_state(state)));
  expect_same(outputs(*other), there);
  advance(*other, middle, last());
  expect_same(outputs(*other), fresh_run(last()));
  ASSERT_TRUE(is_good(other->free_state(state)));
}

TEST_P(Harness, IsInstantiatedAThousandTimes) {
  std::vector<Value> first;
  for (int i = 0; i < 1000; ++i) {
    const auto instance = fmu_->instantiate();
    ASSERT_TRUE(instance);
    if (i % 100 != 0) continue;  // freed as it is; and now and then after a start
    initialize(*instance);
    const std::vector<Value> values = outputs(*instance);
    if (i == 0) first = values;
    expect_same(values, first);
  }
}

std::string test_name(const testing::TestParamInfo<Harness::ParamType>& info) {
  std::string name = std::get<0>(info.param).name + "_" + std::get<1>(info.param).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + "_" + std::to_string(info.index);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Harness);
INSTANTIATE_TEST_SUITE_P(Fmus, Harness,
                         testing::Combine(testing::ValuesIn(importers()),
                                          testing::ValuesIn(harness_fmus())),
                         test_name);

TEST(HarnessSetup, SaysWhatItRuns) {
  EXPECT_FALSE(harness_fmus().empty()) << "MBS_HARNESS_FMUS names no FMU: nothing was tested";
  if (importers().size() == 1)
    GTEST_SKIP() << "without FMI Library: configure with -DFMILIB_ROOT=<where it is installed>";
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
