// Derivatives through each importer, in both versions, for each choice of coordinates: directional
// and (FMI 3) adjoint ones against differences, in model exchange with respect to inputs and
// states, in co-simulation with respect to inputs; derivatives of outputs over time against
// differences of their values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

using Column = std::vector<double>;

// A variable with all its elements.
struct Group {
  const Variable* variable = nullptr;
  std::size_t count = 1;
};

class Derivatives : public testing::TestWithParam<std::tuple<Importer, int, std::string>> {
 protected:
  void open(bool model_exchange, bool with_inputs = true) {
    const auto& [importer, version, model] = GetParam();
    const char* folder = std::getenv("MBS_HARNESS_MODELS");
    fmu_ = importer.open(std::string(folder ? folder : "") + "/" + model + "_fmi" +
                         std::to_string(version) + ".fmu");
    instance_ = fmu_->instantiate({.logging = true, .model_exchange = model_exchange});
    ASSERT_TRUE(is_good(instance_->enter_initialization({.tolerance = 1e-12})));
    for (const Variable& variable : description().variables)
      if (variable.causality == Causality::input) inputs_.push_back(group(variable));
    for (const Unknown& unknown : description().structure.derivatives)
      rates_.push_back(group(description().variables.at(*unknown.variable)));
    for (const Group& rate : rates_)
      states_.push_back(
          group(description().variables.at(*description().position(*rate.variable->derivative))));
    for (const Unknown& unknown : description().structure.outputs) {
      const Variable& variable = description().variables.at(*unknown.variable);
      // The residual of the constraints is a maximum of absolute values, zero where the model is.
      if (is_real(variable.type) && variable.variability == Variability::continuous &&
          variable.name != "drift")
        outputs_.push_back(group(variable));
    }
    unknowns_ = outputs_;
    unknowns_.insert(unknowns_.end(), rates_.begin(), rates_.end());
    ASSERT_FALSE((with_inputs && inputs_.empty()) || outputs_.empty() || rates_.empty());
  }

  const ModelDescription& description() const { return fmu_->description(); }
  Group group(const Variable& variable) const {
    return {&variable, element_count(description(), variable).value_or(1)};
  }
  static std::size_t size(const std::vector<Group>& groups) {
    std::size_t sum = 0;
    for (const Group& one : groups) sum += one.count;
    return sum;
  }
  static std::vector<ValueReference> references(const std::vector<Group>& groups) {
    std::vector<ValueReference> list;
    for (const Group& one : groups) list.push_back(one.variable->reference);
    return list;
  }

  std::string said() const {
    const std::vector<LogMessage> messages = instance_->messages();
    return messages.empty() ? "" : messages.back().text;
  }

  Column get(const std::vector<Group>& groups) const {
    Column values(size(groups), NAN);
    EXPECT_TRUE(is_good(instance_->get_real(references(groups), values)));
    return values;
  }
  void set(const std::vector<Group>& groups, const Column& values) const {
    EXPECT_TRUE(is_good(instance_->set_real(references(groups), values)));
  }

  // d unknowns / d one element of x by differences of fourth order; x is what `move` sets.
  std::vector<Column> differences(const Column& x,
                                  const std::function<void(const Column&)>& move) const {
    std::vector<Column> jacobian;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double h = 1e-3 * std::max(1.0, std::abs(x[k]));
      Column column(size(unknowns_), 0.0);
      for (const auto& [by, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
        Column moved = x;
        moved[k] += by * h;
        move(moved);
        const Column values = get(unknowns_);
        for (std::size_t i = 0; i < column.size(); ++i)
          column[i] += weight / (12.0 * h) * values[i];
      }
      jacobian.push_back(column);
    }
    move(x);
    return jacobian;
  }

  // Real parameters that can be set, each an element of its own or an array.
  std::vector<Group> parameters() const {
    std::vector<Group> list;
    for (const Variable& variable : description().variables)
      if (variable.causality == Causality::parameter && is_real(variable.type))
        list.push_back(group(variable));
    return list;
  }
  Group time() const {
    for (const Variable& variable : description().variables)
      if (variable.causality == Causality::independent) return group(variable);
    return {};
  }

  // For model exchange at these states, anew: fixed parameters can be set before the start alone.
  void begin_again(const std::vector<Group>& of, const Column& values, const Column& u,
                   const Column& x) const {
    ASSERT_TRUE(is_good(instance_->reset()));
    set(of, values);
    ASSERT_TRUE(is_good(instance_->enter_initialization({.tolerance = 1e-12})));
    ASSERT_TRUE(is_good(instance_->exit_initialization())) << said();
    ASSERT_TRUE(is_good(instance_->update_discrete_states().status));
    ASSERT_TRUE(is_good(instance_->enter_continuous_time_mode()));
    set(inputs_, u);
    ASSERT_TRUE(is_good(instance_->set_time(0.01)));
    ASSERT_TRUE(is_good(instance_->set_continuous_states(x)));
  }

  // `scales`: typical changes of the knowns, one of which alone changes in each column.
  void expect_scaled(const std::vector<Group>& knowns, const Column& scales,
                     const std::function<void(const Column&)>& move) const {
    const std::vector<ValueReference> of = references(unknowns_), to = references(knowns);
    const Column values = get(unknowns_);
    std::vector<Column> columns;
    for (std::size_t k = 0; k < scales.size(); ++k) {
      Column seed(scales.size(), 0.0), column(values.size(), NAN);
      seed[k] = scales[k];
      ASSERT_EQ(instance_->directional_derivative(of, to, seed, column), Status::ok) << said();
      columns.push_back(column);
    }
    Column weights(values.size()), gradient(scales.size(), NAN);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = std::cos(static_cast<double>(i)) / (1.0 + std::abs(values[i]));
    ASSERT_TRUE(is_good(instance_->adjoint_derivative(of, to, weights, gradient))) << said();
    EXPECT_EQ(get(unknowns_), values) << "nothing is disturbed";
    double found = 0.0;
    for (std::size_t k = 0; k < scales.size(); ++k) {
      constexpr double h = 1e-3;
      Column wanted(values.size(), 0.0);
      for (const auto& [by, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
        Column moved(scales.size(), 0.0);
        moved[k] = by * h * scales[k];
        move(moved);
        const Column there = get(unknowns_);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += weight / (12.0 * h) * there[i];
      }
      double sum = 0.0, size = 1.0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(columns[k][i], wanted[i],
                    1e-6 * (1.0 + std::abs(wanted[i]) + std::abs(values[i])))
            << "element " << i << " to element " << k;
        sum += weights[i] * columns[k][i];
        size += std::abs(weights[i] * columns[k][i]);
        found += std::abs(wanted[i]);
      }
      EXPECT_NEAR(scales[k] * gradient[k], sum, 1e-9 * size) << "element " << k;
    }
    EXPECT_GT(found, 0.0);
  }

  // Each column by a directional derivative and, in FMI 3, the product with weights by an adjoint.
  void expect_derivatives(const std::vector<Group>& knowns,
                          const std::vector<Column>& wanted) const {
    const std::vector<ValueReference> of = references(unknowns_), to = references(knowns);
    const Column values = get(unknowns_);
    double found = 0.0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      Column seed(wanted.size(), 0.0), column(values.size(), NAN);
      seed[k] = 1.0;
      ASSERT_EQ(instance_->directional_derivative(of, to, seed, column), Status::ok) << said();
      for (std::size_t i = 0; i < column.size(); ++i) {
        EXPECT_NEAR(column[i], wanted[k][i],
                    1e-6 * (1.0 + std::abs(column[i]) + std::abs(values[i])))
            << "element " << i << " to element " << k;
        found += std::abs(column[i]);
      }
    }
    EXPECT_GT(found, 0.0);
    if (std::get<1>(GetParam()) == 2) return;
    Column weights(values.size()), gradient(wanted.size(), NAN);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = std::cos(static_cast<double>(i)) / (1.0 + std::abs(values[i]));
    ASSERT_TRUE(is_good(instance_->adjoint_derivative(of, to, weights, gradient)));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      double sum = 0.0, scale = 1.0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i] * wanted[k][i];
        scale += std::abs(weights[i]) * (1.0 + std::abs(wanted[k][i]) + std::abs(values[i]));
      }
      EXPECT_NEAR(gradient[k], sum, 1e-6 * scale) << "element " << k;
    }
  }

  std::unique_ptr<Fmu> fmu_;
  std::unique_ptr<Instance> instance_;
  std::vector<Group> inputs_, states_, outputs_, rates_, unknowns_;
};
std::string name_of(const testing::TestParamInfo<std::tuple<Importer, int, std::string>>& one) {
  return std::get<0>(one.param).name + "_Fmi" + std::to_string(std::get<1>(one.param)) + "_" +
         std::get<2>(one.param);
}
INSTANTIATE_TEST_SUITE_P(
    Importers, Derivatives,
    testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3),
                     testing::Values("slider_crank_absolute", "slider_crank_joint",
                                     "slider_crank_mixed", "quarter_car_vehicle_joint",
                                     "resizable_stops_absolute", "resizable_stops_joint",
                                     "resizable_stops_mixed", "resizable_space",
                                     "element_dependencies")),
    name_of);

TEST_P(Derivatives, AgreeWithDifferencesInModelExchange) {
  open(true);
  ASSERT_TRUE(is_good(instance_->exit_initialization()));
  ASSERT_TRUE(is_good(instance_->update_discrete_states().status));
  ASSERT_TRUE(is_good(instance_->enter_continuous_time_mode()));
  const Column u(size(inputs_), 3.0);
  set(inputs_, u);
  Column x(instance_->state_count());
  ASSERT_EQ(x.size(), size(states_));
  ASSERT_TRUE(is_good(instance_->get_continuous_states(x)));
  for (double& value : x) value += 0.01;  // not where it starts
  const auto move = [&](const Column& to) {
    EXPECT_TRUE(is_good(instance_->set_continuous_states(to)));
  };
  move(x);
  expect_derivatives(inputs_, differences(u, [&](const Column& to) { set(inputs_, to); }));
  expect_derivatives(states_, differences(x, move));
}

// Before the first step outputs follow inputs at once.
TEST_P(Derivatives, AgreeWithDifferencesInCoSimulation) {
  open(false);
  const Column u(size(inputs_), 3.0);
  set(inputs_, u);
  expect_derivatives(inputs_, differences(u, [&](const Column& to) { set(inputs_, to); }));
}

// FMI 3 lists parameters and time among the dependencies, so that they are knowns; the states stay.
// The models have parameters.
class ParameterDerivatives : public Derivatives {};
INSTANTIATE_TEST_SUITE_P(
    Importers, ParameterDerivatives,
    testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3),
                     testing::Values("slider_crank_absolute", "slider_crank_joint",
                                     "slider_crank_mixed", "quarter_car_vehicle_joint",
                                     "resizable_stops_absolute", "resizable_stops_joint",
                                     "resizable_stops_mixed", "element_dependencies")),
    name_of);

TEST_P(ParameterDerivatives, FollowParametersAndTimeInModelExchange) {
  open(true);
  ASSERT_TRUE(is_good(instance_->exit_initialization()));
  ASSERT_TRUE(is_good(instance_->update_discrete_states().status));
  ASSERT_TRUE(is_good(instance_->enter_continuous_time_mode()));
  const std::vector<Group> parameters = this->parameters();
  const Column u(size(inputs_), 3.0), values = get(parameters);
  Column x(instance_->state_count());
  ASSERT_TRUE(is_good(instance_->get_continuous_states(x)));
  for (double& value : x) value += 0.01;
  begin_again(parameters, values, u, x);
  if (std::get<1>(GetParam()) == 2) {
    const Column one(1, 1.0);
    Column column(size(unknowns_));
    EXPECT_EQ(instance_->directional_derivative(references(unknowns_), references({parameters[0]}),
                                                one, column),
              Status::error);
    EXPECT_NE(said().find("inputs and continuous states"), std::string::npos) << said();
    return;
  }
  Column scales;
  for (const double value : values) scales.push_back(value != 0.0 ? std::abs(value) : 1.0);
  expect_scaled(parameters, scales, [&](const Column& by) {
    Column moved = values;
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += by[k];
    begin_again(parameters, moved, u, x);
  });
  begin_again(parameters, values, u, x);
  // The derivative follows the road alone, or is zero.
  const auto at = [&](double t) { EXPECT_TRUE(is_good(instance_->set_time(t))); };
  const Column here = get(unknowns_);
  Column column(here.size()), first(here.size()), sum(here.size());
  ASSERT_EQ(instance_->directional_derivative(references(unknowns_), references({time()}),
                                              Column(1, 1.0), column),
            Status::ok)
      << said();
  constexpr double h = 1e-4;
  Column wanted(here.size(), 0.0);
  for (const auto& [by, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    at(0.01 + by * h);
    const Column there = get(unknowns_);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += weight / (12.0 * h) * there[i];
  }
  at(0.01);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(column[i], wanted[i], 1e-6 * (1.0 + std::abs(wanted[i]) + std::abs(here[i])))
        << "element " << i << " to time";
  // A parameter, time and an input in one call.
  std::vector<Group> mixed = {parameters[0], time(), inputs_[0]};
  Column direction(size(mixed), 0.5);
  ASSERT_EQ(
      instance_->directional_derivative(references(unknowns_), references(mixed), direction, sum),
      Status::ok);
  for (std::size_t k = 0; k < mixed.size(); ++k) {
    ASSERT_EQ(instance_->directional_derivative(references(unknowns_), references({mixed[k]}),
                                                Column(mixed[k].count, 0.5), first),
              Status::ok);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= first[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i)
    EXPECT_NEAR(sum[i], 0.0, 1e-9 * (1.0 + std::abs(first[i]) + std::abs(column[i])));
}

// D7: both orders that are advertised, at the end of a step, compared with differences of the
// outputs.
TEST_P(Derivatives, OfOutputsAgreeWithDifferencesOverTime) {
  open(false);
  ASSERT_EQ(description().co_simulation->max_output_derivative_order, 2u);
  set(inputs_, Column(size(inputs_), 0.5));
  ASSERT_TRUE(is_good(instance_->exit_initialization()));
  const auto derivatives = [&](int order) {
    const std::vector<std::int32_t> orders(outputs_.size(), order);
    Column values(size(outputs_), NAN);
    EXPECT_TRUE(is_good(instance_->get_output_derivatives(references(outputs_), orders, values)));
    return values;
  };
  // Differences of sixth order over small steps.
  constexpr double start = 0.005, h = 2e-4;
  ASSERT_TRUE(is_good(instance_->do_step(0.0, start).status));
  std::vector<Column> values, slopes, curvatures;
  for (int k = 0; k <= 6; ++k) {
    values.push_back(get(outputs_));
    slopes.push_back(derivatives(1));
    curvatures.push_back(derivatives(2));
    const double from = start + k * h;
    ASSERT_TRUE(is_good(instance_->do_step(from, start + (k + 1) * h - from).status));
  }
  const auto slope = [&](const std::vector<Column>& of, std::size_t i) {
    return (45.0 * (of[4][i] - of[2][i]) - 9.0 * (of[5][i] - of[1][i]) + of[6][i] - of[0][i]) /
           (60.0 * h);
  };
  for (std::size_t i = 0; i < values[3].size(); ++i) {
    const double size = 1.0 + std::abs(values[3][i]) + std::abs(slopes[3][i]);
    EXPECT_NEAR(slopes[3][i], slope(values, i), 1e-6 * size) << "output " << i;
    // These are of a formula that divides rounding by the square of its step.
    EXPECT_NEAR(curvatures[3][i], slope(slopes, i), 2e-4 * (size + std::abs(curvatures[3][i])))
        << "output " << i;
  }
}

// In initialization mode the whole start follows parameters, in FMI 3.
class StartDerivatives : public Derivatives {};
INSTANTIATE_TEST_SUITE_P(
    Importers, StartDerivatives,
    testing::Combine(testing::ValuesIn(importers()), testing::Values(3),
                     testing::Values("slider_crank_absolute", "slider_crank_joint",
                                     "slider_crank_mixed", "quarter_car_vehicle_joint",
                                     "trimmed_arm", "element_dependencies")),
    name_of);

TEST_P(StartDerivatives, FollowParameters) {
  open(false, false);
  const std::vector<Group> parameters = this->parameters();
  const Column values = get(parameters);
  Column scales;
  for (const double value : values) scales.push_back(value != 0.0 ? std::abs(value) : 1.0);
  expect_scaled(parameters, scales, [&](const Column& by) {
    Column moved = values;
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += by[k];
    set(parameters, moved);
  });
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
