// An FMU's lists of dependencies compared with what is detected when each known by itself is set to
// other values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "tests/harness/harness.hpp"

namespace mbs::test {

using namespace import;  // NOLINT: the suites are about all of it

using Names = std::set<std::string>;

class Structured : public testing::TestWithParam<std::tuple<Importer, int>> {
 protected:
  void open(const std::string& name, const char* where = "MBS_HARNESS_MODELS") {
    const auto& [importer, version] = GetParam();
    const char* folder = std::getenv(where);
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
  std::size_t compared_ = 0;  // at starts
  int points_ = 3;            // at which it is looked while it runs
  // By more than such a part.
  static constexpr double clear_part = 1e-9;
  double part_ = clear_part;
  static bool differ(const std::vector<double>& a, const std::vector<double>& b, double part) {
    bool any = false;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      any = any || std::abs(a[i] - b[i]) > part * (1.0 + std::abs(a[i]));
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
  Names declared(const Unknown& unknown, bool parameters) const {
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
  // Other values, near and far, of both signs; the base at a point lies next to the default one.
  static double base(double x, int point) { return x + 0.21 * point * (1.0 + std::abs(x)); }
  // Each input by another part: differences of two show, too.
  static double input_at(const Variable& v, int point) {
    const double apart = 1.0 + 0.3 * std::sin(static_cast<double>(v.reference));
    return point == 0 ? start_of(v) : apart * base(start_of(v), point);
  }
  std::vector<double> steps_ = {0.017, 0.3, -0.4};

  bool relative_ = false;  // steps of small numbers are small
  double perturbed(double x, double step) const {
    return x + step * (relative_ && x != 0.0 ? std::abs(x) : std::max(0.1, std::abs(x)));
  }

  // unknown: knowns it has been seen to follow; by more than digits
  struct Detected {
    std::map<std::string, Names> any, clearly;
  };

  using Row = std::vector<std::vector<double>>;  // a value for each unknown
  Row values(Instance& of, const std::vector<Unknown>& unknowns) const {
    Row row;
    for (const Unknown& unknown : unknowns)
      row.push_back(read(of, description().variables.at(*unknown.variable)));
    return row;
  }
  void note(const std::vector<Unknown>& unknowns, const Row& before, const Row& after,
            const std::string& known, Detected& seen) const {
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      for (const auto& [part, names] : {std::pair(part_, &seen.any), {clear_part, &seen.clearly}})
        if (differ(before[i], after[i], part))
          (*names)[description().variables.at(*unknowns[i].variable).name].insert(known);
  }

  void compare(const std::vector<Unknown>& unknowns, Detected& seen, bool parameters, bool exact,
               const Names& undetected = {}) {
    for (const Unknown& unknown : unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const std::string& name = description().variables.at(*unknown.variable).name;
      Names lists = declared(unknown, parameters);
      if (exact) {
        for (const std::string& known : undetected)
          if (!seen.any[name].contains(known)) lists.erase(known);
        EXPECT_EQ(seen.any[name], lists) << name;
      } else {
        const Names& detected = seen.clearly[name];
        EXPECT_TRUE(std::includes(lists.begin(), lists.end(), detected.begin(), detected.end()))
            << name << " follows " << testing::PrintToString(detected) << ", declared are "
            << testing::PrintToString(lists);
      }
    }
  }

  using At = std::function<double(const Variable&)>;

  // f_init: everything that can be set before the start, and the start time. At a start with these
  // values.
  void look_at_start(Detected& seen, double time, const At& at) {
    const auto& unknowns = description().structure.initial_unknowns;
    const auto knowns = settable(true);
    const auto begin = [&](double start) {
      auto instance = fmu_->instantiate({});
      EXPECT_TRUE(is_good(instance->enter_initialization({.start = start, .stop = start + 1.0})));
      for (const Variable* v : knowns)
        EXPECT_TRUE(is_good(set_value(*instance, *v, Reals{at(*v)}))) << v->name;
      return instance;
    };
    const auto instance = begin(time);
    const Row before = values(*instance, unknowns);
    for (const Variable* v : knowns)
      for (const double step : steps_) {
        const double to = perturbed(at(*v), step);
        if (!is_good(set_value(*instance, *v, Reals{to}))) continue;
        note(unknowns, before, values(*instance, unknowns), v->name, seen);
        EXPECT_TRUE(is_good(set_value(*instance, *v, Reals{at(*v)})));
        ++compared_;
      }
    for (const double step : {0.013, 0.7})
      note(unknowns, before, values(*begin(time + step), unknowns), time_name(), seen);
  }
  void look_at_starts(Detected& seen, bool others = false) {
    ASSERT_FALSE(description().structure.initial_unknowns.empty());
    compared_ = 0;
    for (int point = 0; point < 3; ++point) {
      // Other parameters at the last point, a little: what is zero by the default ones is not
      // there.
      const auto at = [&](const Variable& v) {
        if (v.causality == Causality::input) return input_at(v, point);
        const double part = std::sin(static_cast<double>(v.reference));
        const double by = point == 2 && others ? 0.02 * part : 0.0;
        return start_of(v) == 0.0 ? std::abs(by) : start_of(v) * (1.0 + by);
      };
      look_at_start(seen, 0.6 * point, at);
    }
    EXPECT_TRUE(compared_ > 0 || settable(true).empty());
  }

  // Inputs that move a value at the start in any digit, by steps that an importer may take.
  Names reacting_in_digits(const Unknown& unknown) {
    Names names;
    const Variable& value = description().variables.at(*unknown.variable);
    auto instance = fmu_->instantiate({});
    EXPECT_TRUE(is_good(instance->enter_initialization({.start = 0.0})));
    for (const int point : {0, 1})
      for (const Variable* input : settable(false)) {
        const double at = input_at(*input, point);
        EXPECT_TRUE(is_good(set_value(*instance, *input, Reals{at})));
        const auto before = read(*instance, value);
        for (const double step : {0.01, 0.3, -0.4, 0.017}) {
          EXPECT_TRUE(is_good(set_value(*instance, *input, Reals{at + step})));
          if (read(*instance, value) != before) names.insert(input->name);
        }
        EXPECT_TRUE(is_good(set_value(*instance, *input, Reals{at})));
      }
    return names;
  }

  // in_digits: inputs whose effect may be one on the last digits alone, which counts as one.
  void expect_initial_unknowns(bool exact, const Names& in_digits = {}) {
    Detected seen;
    look_at_starts(seen);
    compare(description().structure.initial_unknowns, seen, true, exact, in_digits);
  }

  // FMI 3 has parameters among the knowns.
  static bool knows_parameters() { return std::get<1>(GetParam()) == 3; }

  std::vector<Unknown> running_unknowns() const {
    std::vector<Unknown> unknowns;
    for (const auto* list : {&description().structure.outputs, &description().structure.derivatives,
                             &description().structure.event_indicators})
      for (const Unknown& unknown : *list)
        if (unknown.variable &&
            description().variables.at(*unknown.variable).variability == Variability::continuous)
          unknowns.push_back(unknown);
    return unknowns;
  }

  using Values = std::vector<std::pair<const Variable*, double>>;

  // An instance in event mode, with other values of some parameters; null where that is not
  // possible.
  std::unique_ptr<Instance> started(const Values& parameters = {}) {
    auto instance = fmu_->instantiate({.model_exchange = true});
    bool good = is_good(instance->enter_initialization({.start = 0.0}));
    for (const auto& [v, value] : parameters)
      good = good && is_good(set_value(*instance, *v, Reals{value}));
    good = good && is_good(instance->exit_initialization()) &&
           is_good(instance->update_discrete_states().status);
    EXPECT_TRUE(good || !parameters.empty());
    return good ? std::move(instance) : nullptr;
  }

  // The values that are given while the model runs.
  struct Point {
    double time = 0.0;
    std::vector<double> states;
    At input;
    double far = 0.2;  // how far states are moved
  };
  // Detects what acts on an instance in continuous-time mode. `another` makes one with a step of a
  // parameter: null where there is none.
  using Another = std::function<std::unique_ptr<Instance>(const Variable&, double step)>;
  void look_at_point(Detected& seen, Instance& instance, const Point& point,
                     const Another& another) {
    const std::vector<Unknown> unknowns = running_unknowns();
    const auto place = [&](Instance& of) {
      bool good =
          is_good(of.set_time(point.time)) && is_good(of.set_continuous_states(point.states));
      for (const Variable* v : settable(false))
        good = is_good(set_value(of, *v, Reals{point.input(*v)})) && good;
      return good;
    };
    bool going = place(instance), always = going;
    const Row before = values(instance, unknowns);
    const auto look = [&](const std::string& known) {
      if (going) note(unknowns, before, values(instance, unknowns), known, seen);
      going = place(instance) && going;
      always = always && going;
    };
    for (std::size_t k = 0; k < point.states.size(); ++k)
      for (const double step : {1e-3, 0.25 * point.far}) {
        std::vector<double> moved = point.states;
        moved[k] += step * (1.0 + std::abs(moved[k]));
        going = is_good(instance.set_continuous_states(moved));
        look(state(k).name);
      }
    for (const Variable* v : settable(false))
      for (const double step : {0.4, -1.3}) {
        going = going && is_good(set_value(instance, *v, Reals{point.input(*v) + step}));
        look(v->name);
      }
    for (const double step : {0.004, 0.37, -0.1}) {
      going = is_good(instance.set_time(point.time + step));
      look(time_name());
    }
    EXPECT_TRUE(always) << "no accelerations at time " << point.time;
    for (const Variable* v : settable(knows_parameters())) {
      if (v->causality == Causality::input) continue;
      for (const double step : steps_)
        if (const auto other = another(*v, step); other && place(*other))
          note(unknowns, before, values(*other, unknowns), v->name, seen);
    }
  }
  const Variable& state(std::size_t k) const {
    const Unknown& rate = description().structure.derivatives.at(k);
    const Variable& derivative = description().variables.at(*rate.variable);
    return description().variables.at(*description().position(*derivative.derivative));
  }

  // Modes of contacts and the like: dependencies while it runs are those at the same discrete
  // state.
  std::vector<Value> discrete_state(Instance& of) const {
    std::vector<Value> all;
    for (const Variable& v : description().variables) {
      if (v.type != VariableType::int32 || v.variability != Variability::discrete) continue;
      EXPECT_TRUE(is_good(get_value(of, v, 1, all.emplace_back()))) << v.name;
    }
    return all;
  }

  // While it runs, by model exchange: states, inputs and time; parameters, of other instances at
  // the same states; and at the start, in event mode, what can be set there.
  // in_steps: and in event mode of a co-simulation, where positions follow inputs. far: how far
  // states are moved.
  void look_while_it_runs(Detected& seen, bool in_steps, double far = 0.2) {
    const bool parameters = knows_parameters();
    const std::vector<Unknown> unknowns = running_unknowns();
    const auto instance = started();
    ASSERT_TRUE(instance);
    const auto look_in_event_mode = [&](Instance& of) {
      const Row before = values(of, unknowns);
      for (const Variable* v : settable(parameters)) {
        if (v->causality != Causality::input && v->variability != Variability::tunable) continue;
        for (const double step : steps_) {
          if (is_good(set_value(of, *v, Reals{perturbed(start_of(*v), step)})))
            note(unknowns, before, values(of, unknowns), v->name, seen);
          EXPECT_TRUE(is_good(set_value(of, *v, Reals{start_of(*v)})));
        }
      }
    };
    look_in_event_mode(*instance);
    ASSERT_TRUE(is_good(instance->update_discrete_states().status));
    ASSERT_TRUE(is_good(instance->enter_continuous_time_mode()));
    if (in_steps) {
      const auto stepping = fmu_->instantiate({.event_mode = true});
      EXPECT_TRUE(is_good(stepping->enter_initialization({})));
      EXPECT_TRUE(is_good(stepping->exit_initialization()));
      EXPECT_TRUE(is_good(stepping->enter_step_mode()));
      EXPECT_TRUE(is_good(stepping->do_step(0.0, 0.1).status));
      EXPECT_TRUE(is_good(stepping->enter_event_mode()));
      look_in_event_mode(*stepping);
    }
    std::vector<double> x(instance->state_count());
    ASSERT_TRUE(is_good(instance->get_continuous_states(x)));
    const auto another = [&](const Variable& v, double step) {
      auto other = started({{&v, perturbed(start_of(v), step)}});
      const bool good = other && is_good(other->enter_continuous_time_mode()) &&
                        discrete_state(*other) == discrete_state(*instance);
      return good ? std::move(other) : nullptr;
    };
    for (int point = 0; point < points_; ++point) {
      const double time = 0.1 + 0.6 * point;
      std::vector<double> states = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        states[i] +=
            (point >= 2 ? far : 0.1 * far * point) * std::sin(1.0 + static_cast<double>(i));
      const auto input = [point](const Variable& v) { return input_at(v, point); };
      look_at_point(seen, *instance, {time, states, input, far}, another);
    }
  }

  // fed_through: inputs that move joints. FMI 2.0 has no mode to see it in before the next step.
  void expect_model_structure(bool exact, const Names& fed_through = {}) {
    Detected seen;
    look_while_it_runs(seen, exact && knows_parameters());
    compare(running_unknowns(), seen, knows_parameters(), exact,
            knows_parameters() ? Names{} : fed_through);
  }

  std::unique_ptr<Fmu> fmu_;
};
inline void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
