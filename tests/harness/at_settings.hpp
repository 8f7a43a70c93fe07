// An FMU's dependencies looked at with given settings.
#pragma once

#include "tests/harness/dependency_settings.hpp"
#include "tests/harness/structured.hpp"

namespace mbs::test {

class AtSettings : public Structured {
 protected:
  void look_at(const Setting& setting, Detected& running, Detected& starting) {
    expect_names(setting.at);
    expect_names(setting.resolved);
    part_ = setting.wide ? clear_part : finest;
    relative_ = true;
    steps_ = {0.017, 0.3, -0.4};
    if (setting.wide) steps_.insert(steps_.end(), {-2.5, 9.0});
    const auto is_set = [&](const Variable& v) { return setting.at.contains(v.name); };
    const At at = [&](const Variable& v) {
      return is_set(v) ? setting.at.at(v.name) : start_of(v);
    };
    const auto given = setting.at.find(time_name());
    const double time = given == setting.at.end() ? 0.0 : given->second;
    look_at_start(starting, time, at);

    Values parameters;
    for (const Variable* v : settable(true))
      if (v->causality == Causality::parameter && is_set(*v)) parameters.emplace_back(v, at(*v));
    const auto begin = [&](const Values& values) {
      auto instance = started(values);
      bool good = instance && is_good(instance->enter_continuous_time_mode());
      if (good && !setting.resolved.empty())
        good = resolve_events(*instance, time, setting.resolved);
      return good ? std::move(instance) : nullptr;
    };
    const auto instance = begin(parameters);
    ASSERT_TRUE(instance);
    const auto modes = modes_of(*instance);
    // A parameter that acts through modes of contacts alone is no dependency while the model runs.
    const auto another = [&](const Variable& v, double step) {
      Values values = parameters;
      values.emplace_back(&v, perturbed(at(v), step));
      auto other = begin(values);
      return other && modes_of(*other) == modes ? std::move(other) : nullptr;
    };
    Detected here;
    look_at_point(here, *instance, {time, states_of(*instance, setting.at, setting.shift), at},
                  another);
    merge(here.any, running.any);
    // Nor do directions of sliding show what has led to them.
    if (std::ranges::none_of(modes, [](double mode) { return mode > 1.0; }))
      merge(here.clearly, running.clearly);
  }

  static constexpr double finest = 1e-12;  // part of a value that is more than rounding

 private:
  void expect_names(const Numbers& numbers) const {
    for (const auto& [name, value] : numbers)
      EXPECT_TRUE(std::ranges::any_of(description().variables, [&name](const Variable& v) {
        return v.name == name;
      })) << name;
  }
  static void merge(const std::map<std::string, Names>& from, std::map<std::string, Names>& to) {
    for (const auto& [name, names] : from) to[name].insert(names.begin(), names.end());
  }
  std::vector<double> states_of(Instance& instance, const Numbers& others, double shift) const {
    std::vector<double> x(instance.state_count());
    EXPECT_TRUE(is_good(instance.get_continuous_states(x)));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto found = others.find(state(k).name);
      x[k] = found != others.end() ? found->second
                                   : x[k] + shift * std::sin(1.0 + static_cast<double>(k));
    }
    return x;
  }
  bool resolve_events(Instance& instance, double time, const Numbers& states) const {
    bool good = is_good(instance.set_time(time)) &&
                is_good(instance.set_continuous_states(states_of(instance, states, 0.0))) &&
                is_good(instance.enter_event_mode());
    for (bool again = true; good && again;) {
      const DiscreteUpdate update = instance.update_discrete_states();
      good = is_good(update.status);
      again = update.needed_again;
    }
    return good && is_good(instance.enter_continuous_time_mode());
  }
  std::vector<double> modes_of(Instance& instance) const {
    std::vector<double> modes;
    for (const Variable& v : description().variables)
      if (v.name.ends_with(".mode")) modes.push_back(read(instance, v).at(0));
    return modes;
  }
};

}  // namespace mbs::test
