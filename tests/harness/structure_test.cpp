// ModelStructure and InitialUnknowns through each importer, in both versions, against what is seen
// when each known by itself is set to other values: nothing reacts to what its list leaves out, and
// where the model was made for it, to everything in it. Nominal values of states are those of the
// description.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

using Names = std::set<std::string>;

class Structured : public testing::TestWithParam<std::tuple<Importer, int>> {
 protected:
  void open(const std::string& name) {
    const auto& [importer, version] = GetParam();
    const char* folder = std::getenv("MBS_HARNESS_MODELS");
    fmu_ = importer.open(std::string(folder ? folder : "") + "/" + name + "_fmi" +
                         std::to_string(version) + ".fmu");
  }
  const ModelDescription& description() const { return fmu_->description(); }

  // All elements; empty where there is no value.
  std::vector<double> read(Instance& instance, const Variable& variable) const {
    Value value;
    const auto count = element_count(description(), variable).value_or(1);
    if (!is_good(get_value(instance, variable, count, value))) return {};
    if (const auto* reals = std::get_if<Reals>(&value)) return *reals;
    const auto& whole = std::get<Integers>(value);
    return {whole.begin(), whole.end()};
  }
  static bool differ(const std::vector<double>& a, const std::vector<double>& b) {
    bool any = false;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      any = any || std::abs(a[i] - b[i]) > 1e-9 * (1.0 + std::abs(a[i]));
    return any;
  }

  // Knowns that can be set, of these kinds, as scalars.
  std::vector<const Variable*> settable(bool parameters) const {
    std::vector<const Variable*> list;
    for (const Variable& v : description().variables)
      if (is_real(v.type) && v.start && v.dimensions.empty() &&
          (v.causality == Causality::input || (parameters && v.causality == Causality::parameter &&
                                               v.variability != Variability::constant)))
        list.push_back(&v);
    return list;
  }
  Names listed(const Unknown& unknown, bool parameters) const {
    Names names;
    for (const std::uint32_t given : unknown.dependencies) {
      const Variable& known = description().variables.at(*description().position(given));
      if (parameters || (known.causality != Causality::parameter &&
                         known.causality != Causality::calculated_parameter))
        names.insert(known.name);
    }
    return names;
  }
  std::string time_name() const {
    for (const Variable& v : description().variables)
      if (v.causality == Causality::independent) return v.name;
    return "";
  }
  static double start_of(const Variable& v) { return std::get<Reals>(*v.start).front(); }
  // Other values, near and far, of both signs; the base at a point is beside the default one.
  static double base(double x, int point) { return x + 0.21 * point * (1.0 + std::abs(x)); }
  static constexpr double steps[] = {0.017, 0.3, -0.4};

  using Acting = std::map<std::string, Names>;  // unknown: knowns it has been seen to follow

  void compare(const std::vector<Unknown>& unknowns, Acting& seen, bool parameters, bool exact) {
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      const Names lists = listed(unknown, parameters);
      if (exact) {
        EXPECT_EQ(seen[name], lists) << name;
      } else {
        EXPECT_TRUE(std::includes(lists.begin(), lists.end(), seen[name].begin(), seen[name].end()))
            << name << " follows " << testing::PrintToString(seen[name]) << ", listed are "
            << testing::PrintToString(lists);
      }
    }
  }

  // f_init: everything that can be set before the start, and the start time.
  void expect_initial_unknowns(bool exact) {
    Acting seen;
    const auto& unknowns = description().structure.initial_unknowns;
    ASSERT_FALSE(unknowns.empty());
    const auto knowns = settable(true);
    using Row = std::map<std::string, std::vector<double>>;
    const auto values = [&](Instance& instance) {
      Row row;
      for (const Unknown& unknown : unknowns) {
        const Variable& v = description().variables.at(*unknown.variable);
        row[v.name] = read(instance, v);
      }
      return row;
    };
    const auto note = [&](const Row& before, const Row& after, const std::string& known) {
      for (const auto& [name, value] : before)
        if (differ(value, after.at(name))) seen[name].insert(known);
    };
    const auto put = [&](Instance& instance, const Variable& v, double x) {
      return is_good(set_value(instance, v, Reals{x}));
    };
    std::size_t compared = 0;
    for (int point = 0; point < 3; ++point) {
      const auto at = [&](const Variable& v) {
        return base(start_of(v), v.causality == Causality::input ? point : 0);
      };
      const auto begin = [&](double time) {
        auto instance = fmu_->instantiate({});
        EXPECT_TRUE(is_good(instance->enter_initialization({.start = time, .stop = time + 1.0})));
        for (const Variable* v : knowns) EXPECT_TRUE(put(*instance, *v, at(*v))) << v->name;
        return instance;
      };
      const double time = 0.6 * point;
      const auto instance = begin(time);
      const Row before = values(*instance);
      for (const Variable* v : knowns)
        for (const double step : steps) {
          if (!put(*instance, *v, base(at(*v), 0) + step * std::max(0.1, std::abs(at(*v)))))
            continue;
          note(before, values(*instance), v->name);
          EXPECT_TRUE(put(*instance, *v, at(*v)));
          ++compared;
        }
      for (const double step : {0.013, 0.7}) note(before, values(*begin(time + step)), time_name());
    }
    EXPECT_GT(compared, 0u);
    compare(unknowns, seen, true, exact);
  }

  // While it runs: states, inputs and time by model exchange.
  void expect_model_structure(bool exact) {
    Acting seen;
    const auto instance = fmu_->instantiate({.model_exchange = true});
    ASSERT_TRUE(is_good(instance->enter_initialization({.start = 0.0})));
    ASSERT_TRUE(is_good(instance->exit_initialization()));
    ASSERT_TRUE(is_good(instance->update_discrete_states().status));
    ASSERT_TRUE(is_good(instance->enter_continuous_time_mode()));
    std::vector<Unknown> unknowns;
    for (const auto* list :
         {&description().structure.outputs, &description().structure.derivatives})
      for (const Unknown& unknown : *list)
        if (unknown.variable &&
            description().variables.at(*unknown.variable).variability == Variability::continuous)
          unknowns.push_back(unknown);
    const auto values = [&] {
      std::vector<std::vector<double>> row;
      for (const Unknown& unknown : unknowns)
        row.push_back(read(*instance, description().variables.at(*unknown.variable)));
      return row;
    };
    std::vector<double> x(instance->state_count());
    ASSERT_TRUE(is_good(instance->get_continuous_states(x)));
    for (int point = 0; point < 3; ++point) {
      const double time = 0.1 + 0.6 * point;
      std::vector<double> beside = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        beside[i] += 0.02 * point * std::sin(1.0 + static_cast<double>(i));
      const auto place = [&] {
        EXPECT_TRUE(is_good(instance->set_time(time)));
        EXPECT_TRUE(is_good(instance->set_continuous_states(beside)));
        for (const Variable* v : settable(false))
          EXPECT_TRUE(is_good(set_value(*instance, *v, Reals{base(start_of(*v), point)})));
      };
      place();
      const auto before = values();
      const auto note = [&](const std::string& known) {
        const auto after = values();
        for (std::size_t i = 0; i < unknowns.size(); ++i)
          if (differ(before[i], after[i]))
            seen[description().variables.at(*unknowns[i].variable).name].insert(known);
        place();
      };
      for (std::size_t k = 0; k < x.size(); ++k)
        for (const double step : {1e-3, 0.05}) {
          std::vector<double> moved = beside;
          moved[k] += step * (1.0 + std::abs(moved[k]));
          EXPECT_TRUE(is_good(instance->set_continuous_states(moved)));
          const Unknown& rate = description().structure.derivatives.at(k);
          const Variable& derivative = description().variables.at(*rate.variable);
          note(description().variables.at(*description().position(*derivative.derivative)).name);
        }
      for (const Variable* v : settable(false)) {
        EXPECT_TRUE(is_good(set_value(*instance, *v, Reals{base(start_of(*v), point) + 0.4})));
        note(v->name);
      }
      EXPECT_TRUE(is_good(instance->set_time(time + 0.37)));
      note(time_name());
    }
    compare(unknowns, seen, false, exact);
  }

  std::unique_ptr<Fmu> fmu_;
};
INSTANTIATE_TEST_SUITE_P(Importers, Structured,
                         testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3)),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_Fmi" +
                                  std::to_string(std::get<1>(one.param));
                         });

constexpr const char* others[] = {"slider_crank_absolute", "slider_crank_joint",
                                  "slider_crank_mixed",    "quarter_car_vehicle_joint",
                                  "bouncing_balls",        "trimmed_arm"};

TEST_P(Structured, InitialUnknownsAreThoseThatAreSeen) {
  open("influences");
  expect_initial_unknowns(true);
}

TEST_P(Structured, InitialUnknownsLeaveNothingOut) {
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    expect_initial_unknowns(false);
  }
}

TEST_P(Structured, OutputsAndDerivativesLeaveNothingOut) {
  open("influences");
  expect_model_structure(false);
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    expect_model_structure(false);
  }
}

TEST_P(Structured, NominalValuesAreThoseOfTheDescription) {
  bool any = false;
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    const auto instance = fmu_->instantiate({.model_exchange = true});
    ASSERT_TRUE(is_good(instance->enter_initialization({.start = 0.0})));
    ASSERT_TRUE(is_good(instance->exit_initialization()));
    std::vector<double> nominals(instance->state_count());
    ASSERT_TRUE(is_good(instance->get_nominals(nominals)));
    const auto& derivatives = description().structure.derivatives;
    ASSERT_EQ(nominals.size(), derivatives.size());
    for (std::size_t k = 0; k < nominals.size(); ++k) {
      const Variable& rate = description().variables.at(*derivatives[k].variable);
      const Variable& state = description().variables.at(*description().position(*rate.derivative));
      EXPECT_EQ(nominals[k], state.attributes.nominal.value_or(1.0)) << state.name;
      any = any || nominals[k] != 1.0;
    }
  }
  EXPECT_TRUE(any);
}

// FMI 3: between steps nothing may be looked at after something was set (FMI 2.0.5 4.2.4, FMI 3.0.2
// 4.2.1), and what the step has computed stays; the next one starts from what was set. In event
// mode, and before the start, everything follows at once, and nothing has happened yet.
TEST_P(Structured, ValuesFollowWhatIsSetWhereTheyMay) {
  open("slider_crank_joint");
  const bool events = std::get<1>(GetParam()) == 3;
  constexpr double tau = 0.005, step = 1e-3;
  const Variable& torque = *description().find("Mset");
  const Variable& damping = *description().find("d");
  const Variable& rate = *description().find("der(M)");
  const Variable& power = *description().find("P");
  const auto instance = fmu_->instantiate({.event_mode = events});
  const auto value = [&](const Variable& v) { return read(*instance, v).at(0); };
  const auto set = [&](const Variable& v, double x) {
    EXPECT_TRUE(is_good(set_value(*instance, v, Reals{x})));
  };
  ASSERT_TRUE(is_good(instance->enter_initialization({})));
  EXPECT_EQ(value(rate), 0.0);
  set(torque, 1.0);
  EXPECT_NEAR(value(rate), 1.0 / tau, 1e-10 / tau);
  ASSERT_TRUE(is_good(instance->exit_initialization()));
  const Variable& turning = *description().find("der(main.qd)");
  if (events) {
    for (const double x : {2.0, -3.0, 2.0}) {  // as often as the importer's iteration takes
      set(torque, x);
      EXPECT_NEAR(value(rate), x / tau, 1e-10 / tau);
    }
    const double before = value(turning);
    set(damping, 0.04);  // -d w on the crank: 0.02 * 150 N.m more
    const double ahead = value(turning);
    EXPECT_LT(ahead, before - 1.0);
    ASSERT_TRUE(is_good(instance->update_discrete_states().status));
    EXPECT_NEAR(value(rate), 2.0 / tau, 1e-10 / tau);
    EXPECT_NEAR(value(turning), ahead, 1e-9 * std::abs(ahead));
    ASSERT_TRUE(is_good(instance->enter_step_mode()));
  } else {
    set(torque, 2.0);
    set(damping, 0.04);
  }
  ASSERT_TRUE(is_good(instance->do_step(0.0, step).status));
  // M' = (2 - M) / tau from M = 0, as P = M w tells.
  const double rest = 2.0 * std::exp(-step / tau);
  EXPECT_NEAR(value(rate), rest / tau, 1e-4 * rest / tau);
  const double at_end = value(rate), power_at_end = value(power);
  set(torque, 20.0);
  EXPECT_EQ(value(rate), at_end);
  EXPECT_EQ(value(power), power_at_end);
  constexpr double tiny = 1e-9;
  ASSERT_TRUE(is_good(instance->do_step(step, tiny).status));
  EXPECT_NEAR(value(rate), at_end + 18.0 / tau, 1e-5 * 20.0 / tau);
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
