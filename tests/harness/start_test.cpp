// Through each importer and in both versions: an FMU that starts in an equilibrium for which it
// finds a parameter, and one with an explicit method that reports the model's stiffness in its log.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

class Started : public testing::TestWithParam<std::tuple<Importer, int>> {
 protected:
  void open(const std::string& name, bool logging = false) {
    const auto& [importer, version] = GetParam();
    const char* folder = std::getenv("MBS_HARNESS_MODELS");
    fmu_ = importer.open(std::string(folder ? folder : "") + "/" + name + "_fmi" +
                         std::to_string(version) + ".fmu");
    instance_ = fmu_->instantiate({.logging = logging});
  }
  void initialise() {
    ASSERT_TRUE(is_good(instance_->enter_initialization({})));
    ASSERT_TRUE(is_good(instance_->exit_initialization()));
  }
  double get(const std::string& name) {
    const Variable* variable = fmu_->description().find(name);
    Value value;
    const bool got = variable && is_good(get_value(*instance_, *variable, 1, value));
    EXPECT_TRUE(got) << name;
    return got ? std::get<Reals>(value).front() : std::nan("");
  }
  Status set(const std::string& name, double value) {
    return set_value(*instance_, *fmu_->description().find(name), Reals{value});
  }
  void run(double from, double to, double step) {
    const long steps = std::lround((to - from) / step);
    for (long k = 0; k < steps; ++k) {
      const StepResult result =
          instance_->do_step(from + static_cast<double>(k) * step, step, false);
      ASSERT_TRUE(is_good(result.status)) << from + static_cast<double>(k) * step;
    }
  }

  std::unique_ptr<Fmu> fmu_;
  std::unique_ptr<Instance> instance_;
};

// (F0 + c (0.5 m - l)) 0.4 m = m g 0.3 m + m_l g 0.8 m with the arm level.
double preload(double m, double load) {
  return 9.81 * (0.3 * m + 0.8 * load) / 0.4 - 2000.0 * 0.05;
}

TEST_P(Started, FindsThePreloadOfItsEquilibrium) {
  open("trimmed_arm");
  const Variable* found = fmu_->description().find("F0");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->causality, Causality::calculated_parameter);
  initialise();
  EXPECT_NEAR(get("F0"), preload(4.0, 3.0), 1e-9);
  run(0.0, 1.0, 0.01);
  EXPECT_NEAR(get("q"), 0.0, 1e-12) << "it rests";
  EXPECT_NEAR(get("F"), preload(4.0, 3.0) + 100.0, 1e-9);

  // Another load has another preload after a new start; during a run the load alone moves the arm.
  ASSERT_TRUE(is_good(set("ml", 3.5)));
  run(1.0, 1.1, 0.01);
  EXPECT_NEAR(get("F0"), preload(4.0, 3.0), 1e-9);
  EXPECT_LT(get("q"), -1e-3);
  ASSERT_TRUE(is_good(instance_->reset()));
  ASSERT_TRUE(is_good(set("m", 5.0)));
  ASSERT_TRUE(is_good(set("ml", 2.0)));
  initialise();
  EXPECT_NEAR(get("F0"), preload(5.0, 2.0), 1e-9);
  run(0.0, 0.5, 0.05);
  EXPECT_NEAR(get("q"), 0.0, 1e-12);
}

TEST_P(Started, RefusesToSetWhatTheEquilibriumDetermines) {
  open("trimmed_arm");
  EXPECT_FALSE(is_good(set("F0", 5.0)));
}

// A stored state is restored with the parameter that was found.
TEST_P(Started, KeepsTheEquilibriumInItsState) {
  open("trimmed_arm");
  initialise();
  State state = nullptr;
  ASSERT_TRUE(is_good(instance_->get_state(state)));
  ASSERT_TRUE(is_good(instance_->reset()));
  ASSERT_TRUE(is_good(set("ml", 1.0)));
  initialise();
  EXPECT_NEAR(get("F0"), preload(4.0, 1.0), 1e-9);
  ASSERT_TRUE(is_good(instance_->set_state(state)));
  EXPECT_NEAR(get("F0"), preload(4.0, 3.0), 1e-9);
  run(0.0, 0.2, 0.05);
  EXPECT_NEAR(get("q"), 0.0, 1e-12);
  instance_->free_state(state);
}

double figure(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  return at == std::string::npos ? 0.0 : std::stod(text.substr(at + before.size()));
}

// The message comes at the stability bound of the midpoint rule, and once even if the run goes back
// to an earlier state.
TEST_P(Started, ReportsStiffnessOnceInItsLog) {
  open("explicit_car", true);
  initialise();
  const auto reports = [&] {
    std::vector<std::string> texts;
    for (const LogMessage& message : instance_->messages())
      if (message.text.find("stiff") != std::string::npos) texts.push_back(message.text);
    return texts;
  };
  run(0.0, 0.1, 0.01);
  EXPECT_EQ(reports().size(), 0u);
  run(0.1, 1.0, 0.01);
  ASSERT_EQ(reports().size(), 1u);
  const std::string text = reports().front();
  EXPECT_NE(text.find("the model is stiff for this method"), std::string::npos) << text;
  const double lambda = figure(text, ", |lambda| = "), bound = figure(text, "h |lambda| = ");
  EXPECT_GT(lambda, 850.0) << text;
  EXPECT_LT(lambda, 1700.0) << text;
  EXPECT_GT(bound, 2.0) << text;
  EXPECT_LT(bound, 5.0) << text;
  EXPECT_GT(figure(text, " at t = "), 0.1) << text;
  State state = nullptr;
  ASSERT_TRUE(is_good(instance_->get_state(state)));
  run(1.0, 1.5, 0.01);
  ASSERT_TRUE(is_good(instance_->set_state(state)));
  run(1.0, 2.0, 0.01);
  EXPECT_EQ(reports().size(), 1u) << "the state knows that it has been reported";
  instance_->free_state(state);
}

INSTANTIATE_TEST_SUITE_P(All, Started,
                         testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3)),
                         [](const auto& of) {
                           return std::get<0>(of.param).name + "_fmi" +
                                  std::to_string(std::get<1>(of.param));
                         });

}  // namespace
}  // namespace mbs::test
