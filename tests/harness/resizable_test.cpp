// A model whose size is chosen in the FMU, through each importer: made with N = 8 and run with
// N = 32 by configuration mode it is the one made with N = 32, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "tests/harness/harness.hpp"
#include "tools/import/simulate.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

constexpr std::size_t small = 8, large = 32;

std::filesystem::path fmu_file(const char* name) {
  return std::filesystem::path(std::getenv("MBS_HARNESS_MODELS")) / name;
}

class Resizable : public testing::TestWithParam<Importer> {
 protected:
  std::unique_ptr<Fmu> open(const char* name) const { return GetParam().open(fmu_file(name)); }
};

ValueReference reference(const Fmu& fmu, const char* name) {
  const Variable* variable = fmu.description().find(name);
  EXPECT_NE(variable, nullptr) << name;
  return variable ? variable->reference : 0;
}

Status set_size(const Fmu& fmu, Instance& instance, std::int64_t size) {
  return instance.set_integer(VariableType::uint64, std::vector{reference(fmu, "N")},
                              std::vector{size});
}
Status resize(const Fmu& fmu, Instance& instance, std::int64_t size) {
  EXPECT_EQ(instance.enter_configuration_mode(), Status::ok);
  EXPECT_EQ(set_size(fmu, instance, size), Status::ok);
  return instance.exit_configuration_mode();
}
std::int64_t size_of(const Fmu& fmu, Instance& instance) {
  std::vector<std::int64_t> size{0};
  EXPECT_EQ(instance.get_integer(VariableType::uint64, std::vector{reference(fmu, "N")}, size),
            Status::ok);
  return size.front();
}
Reals values(const Fmu& fmu, Instance& instance, const char* name, std::size_t count) {
  Reals result(count);
  EXPECT_EQ(instance.get_real(std::vector{reference(fmu, name)}, result), Status::ok) << name;
  return result;
}
void start(Instance& instance) {
  ASSERT_TRUE(is_good(instance.enter_initialization({})));
  ASSERT_TRUE(is_good(instance.exit_initialization()));
}

TEST_P(Resizable, IsTheOtherSizeToTheBit) {
  const auto resized = open("resizable_chain_fmi3.fmu"), made = open("resizable_chain_32_fmi3.fmu");
  for (const bool event_mode : {false, true}) {
    const auto run = [&](Fmu& fmu, bool resizing) {
      SimulateOptions options;
      options.event_mode = event_mode;
      options.start_values = {{"wind", "3"}, {"d", "0.5"}};
      if (resizing) options.start_values.emplace_back("N", "32");
      const SimulateResult result = simulate(fmu, options);
      EXPECT_TRUE(is_good(result.status)) << result.failure;
      return result;
    };
    const SimulateResult a = run(*resized, true), b = run(*made, false);
    EXPECT_EQ(a.names, b.names);
    EXPECT_EQ(a.names.size(), 2 + large + 2 * large + large + 1) << "with counters";
    EXPECT_EQ(a.times, b.times);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_NE(run(*resized, false).rows.back(), a.rows.back());
  }
}

// Events have counters, those of repeated elements an array of them.
TEST_P(Resizable, CountsEvents) {
  const auto fmu = open("resizable_chain_fmi3.fmu");
  const auto instance = fmu->instantiate();
  EXPECT_EQ(resize(*fmu, *instance, 5), Status::ok);
  start(*instance);
  const auto counts = [&](const char* name, std::size_t count) {
    std::vector<std::int64_t> result(count);
    EXPECT_EQ(
        instance->get_integer(VariableType::int32, std::vector{reference(*fmu, name)}, result),
        Status::ok);
    return result;
  };
  EXPECT_EQ(counts("turn.count", 5), std::vector<std::int64_t>(5));
  ASSERT_TRUE(is_good(instance->do_step(0.0, 1.0).status));
  for (const std::int64_t turns : counts("turn.count", 5)) EXPECT_GT(turns, 0);
  EXPECT_EQ(counts("late.count", 1), std::vector<std::int64_t>{1});
}

// In FMI 2.0 the size is a constant.
TEST_P(Resizable, IsFoldedInFmi2) {
  const auto two = open("resizable_chain_32_fmi2.fmu"), three = open("resizable_chain_fmi3.fmu");
  const Variable* n = two->description().find("N");
  ASSERT_NE(n, nullptr);
  EXPECT_EQ(n->variability, Variability::constant);
  EXPECT_EQ(two->description().find("phi"), nullptr);
  EXPECT_NE(two->description().find("phi[32]"), nullptr);
  SimulateOptions options;
  options.event_mode = false;
  const SimulateResult a = simulate(*two, options);
  options.start_values = {{"N", "32"}};
  const SimulateResult b = simulate(*three, options);
  // The counters of events, which come last, stand in another order.
  const auto cut = [](auto list) {
    list.resize(2 + large + 2 * large);
    return list;
  };
  EXPECT_EQ(a.names.size(), b.names.size());
  EXPECT_EQ(cut(a.names), cut(b.names));
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_EQ(cut(a.rows[i]), cut(b.rows[i]));
}

TEST_P(Resizable, SizesHaveLimitsAndTheirTime) {
  const auto fmu = open("resizable_chain_fmi3.fmu");
  const auto instance = fmu->instantiate();
  EXPECT_EQ(size_of(*fmu, *instance), 8);
  EXPECT_EQ(set_size(*fmu, *instance, 32), Status::error) << "outside of configuration mode";
  EXPECT_EQ(instance->enter_configuration_mode(), Status::ok);
  for (const std::int64_t size : {0, 1, 65, 1'000'000'000})
    EXPECT_EQ(set_size(*fmu, *instance, size), Status::discard) << size;
  EXPECT_EQ(set_size(*fmu, *instance, 5), Status::ok);
  EXPECT_EQ(size_of(*fmu, *instance), 5);
  EXPECT_EQ(instance->exit_configuration_mode(), Status::ok);
  EXPECT_EQ(size_of(*fmu, *instance), 5);
  EXPECT_EQ(values(*fmu, *instance, "joints", 1), Reals{6.0});
  EXPECT_EQ(values(*fmu, *instance, "F", 5), (Reals{0.1, 0.2, 0.1 * 3, 0.4, 0.5}));
  Reals many(8);
  EXPECT_EQ(instance->get_real(std::vector{reference(*fmu, "F")}, many), Status::error);
  start(*instance);
  EXPECT_EQ(values(*fmu, *instance, "phi", 5).size(), 5u);
  EXPECT_EQ(set_size(*fmu, *instance, 8), Status::error);
  EXPECT_EQ(instance->enter_configuration_mode(), Status::error) << "nothing is tunable";
  EXPECT_TRUE(is_good(instance->do_step(0.0, 0.1).status));
}

TEST_P(Resizable, KeepsWhatWasSetAndResetsToItsOwnSize) {
  const auto fmu = open("resizable_chain_fmi3.fmu");
  const auto instance = fmu->instantiate();
  const std::vector wind{reference(*fmu, "wind")}, damping{reference(*fmu, "d")};
  EXPECT_EQ(instance->set_real(wind, Reals{7.0}), Status::ok);
  EXPECT_EQ(instance->set_real(damping, Reals{0.25}), Status::ok);
  EXPECT_EQ(resize(*fmu, *instance, 12), Status::ok);
  EXPECT_EQ(values(*fmu, *instance, "wind", 1), Reals{7.0});
  EXPECT_EQ(values(*fmu, *instance, "d", 1), Reals{0.25});
  start(*instance);
  ASSERT_TRUE(is_good(instance->do_step(0.0, 0.3).status));
  const Reals first = values(*fmu, *instance, "phi", 12);
  EXPECT_EQ(instance->reset(), Status::ok);
  EXPECT_EQ(size_of(*fmu, *instance), 8);
  EXPECT_EQ(values(*fmu, *instance, "wind", 1), Reals{0.0});
  EXPECT_EQ(resize(*fmu, *instance, 12), Status::ok);
  EXPECT_EQ(instance->set_real(wind, Reals{7.0}), Status::ok);
  EXPECT_EQ(instance->set_real(damping, Reals{0.25}), Status::ok);
  start(*instance);
  ASSERT_TRUE(is_good(instance->do_step(0.0, 0.3).status));
  EXPECT_EQ(values(*fmu, *instance, "phi", 12), first);
}

// A stored state brings its size with it, to instances of other sizes and by its bytes.
TEST_P(Resizable, StoredStatesHaveTheirSize) {
  const auto fmu = open("resizable_chain_fmi3.fmu"), other_fmu = open("resizable_chain_fmi3.fmu");
  const auto instance = fmu->instantiate(), other = other_fmu->instantiate();
  EXPECT_EQ(resize(*fmu, *instance, 20), Status::ok);
  start(*instance);
  ASSERT_TRUE(is_good(instance->do_step(0.0, 0.2).status));
  State state = nullptr, copy = nullptr;
  ASSERT_EQ(instance->get_state(state), Status::ok);
  Bytes bytes;
  ASSERT_EQ(instance->serialize(state, bytes), Status::ok);
  EXPECT_EQ(instance->free_state(state), Status::ok);
  ASSERT_TRUE(is_good(instance->do_step(0.2, 0.2).status));

  start(*other);
  ASSERT_TRUE(is_good(other->do_step(0.0, 0.5).status));
  ASSERT_EQ(other->deserialize(bytes, copy), Status::ok);
  ASSERT_EQ(other->set_state(copy), Status::ok);
  EXPECT_EQ(other->free_state(copy), Status::ok);
  EXPECT_EQ(size_of(*fmu, *other), 20);
  ASSERT_TRUE(is_good(other->do_step(0.2, 0.2).status));
  EXPECT_EQ(values(*fmu, *other, "phi", 20), values(*fmu, *instance, "phi", 20));
}

// Dependencies seen by model exchange at some sizes: states, inputs and time one by one, and
// parameters in instances of their own.
class Seen {
 public:
  Seen(Fmu& fmu, std::int64_t size) : fmu_(fmu), size_(size) {
    for (const auto* list : {&structure().outputs, &structure().derivatives})
      for (const Unknown& unknown : *list)
        if (variable(unknown).variability == Variability::continuous) unknowns_.push_back(unknown);
    instance_ = begin(nullptr);
    states_.resize(instance_->state_count());
    EXPECT_TRUE(is_good(instance_->get_continuous_states(states_)));
    for (std::size_t k = 0; k < states_.size(); ++k)
      states_[k] += 0.1 * std::sin(1.0 + static_cast<double>(k));
  }

  void look(std::map<std::string, std::set<std::string>>& seen) {
    const auto before = values(*instance_, 0.3);
    const auto note = [&](const std::vector<Reals>& after, const std::string& known) {
      for (std::size_t i = 0; i < unknowns_.size(); ++i)
        for (std::size_t k = 0; k < before[i].size(); ++k)
          if (std::abs(after[i][k] - before[i][k]) > 1e-11 * (1.0 + std::abs(before[i][k])))
            seen[variable(unknowns_[i]).name].insert(known);
    };
    std::size_t at = 0;
    for (const Unknown& derivative : structure().derivatives)
      for (std::size_t k = elements(variable(derivative)); k > 0; --k, ++at) {
        const double was = std::exchange(states_[at], states_[at] + 0.07);
        note(values(*instance_, 0.3), state_of(derivative).name);
        states_[at] = was;
      }
    for (const Variable& v : fmu_.description().variables) {
      if (v.causality == Causality::independent) note(values(*instance_, 0.8), v.name);
      if (v.causality == Causality::parameter && is_real(v.type))
        note(values(*begin(&v), 0.3), v.name);
      if (v.causality != Causality::input) continue;
      Reals u(elements(v));
      EXPECT_TRUE(is_good(instance_->get_real(std::vector{v.reference}, u)));
      for (double& element : u) {
        const double was = std::exchange(element, element + 0.4);
        EXPECT_TRUE(is_good(instance_->set_real(std::vector{v.reference}, u)));
        note(values(*instance_, 0.3), v.name);
        element = was;
      }
      EXPECT_TRUE(is_good(instance_->set_real(std::vector{v.reference}, u)));
    }
  }

 private:
  const ModelStructure& structure() const { return fmu_.description().structure; }
  const Variable& variable(const Unknown& unknown) const {
    return fmu_.description().variables.at(*unknown.variable);
  }
  const Variable& state_of(const Unknown& derivative) const {
    return fmu_.description().variables.at(
        *fmu_.description().position(*variable(derivative).derivative));
  }
  std::size_t elements(const Variable& v) const {
    std::size_t count = 1;
    for (const Dimension& d : v.dimensions)
      count *= d.start ? static_cast<std::size_t>(*d.start) : static_cast<std::size_t>(size_);
    return count;
  }
  std::unique_ptr<Instance> begin(const Variable* parameter) const {
    auto instance = fmu_.instantiate({.model_exchange = true});
    EXPECT_EQ(resize(fmu_, *instance, size_), Status::ok);
    if (parameter) {
      Reals value(1);
      EXPECT_TRUE(is_good(instance->get_real(std::vector{parameter->reference}, value)));
      value[0] = 1.1 * value[0] + 0.01;
      EXPECT_TRUE(is_good(instance->set_real(std::vector{parameter->reference}, value)));
    }
    start(*instance);
    EXPECT_TRUE(is_good(instance->update_discrete_states().status));
    EXPECT_TRUE(is_good(instance->enter_continuous_time_mode()));
    return instance;
  }
  std::vector<Reals> values(Instance& instance, double time) const {
    EXPECT_TRUE(is_good(instance.set_time(time)));
    EXPECT_TRUE(is_good(instance.set_continuous_states(states_)));
    std::vector<Reals> all;
    for (const Unknown& unknown : unknowns_) {
      all.emplace_back(elements(variable(unknown)));
      EXPECT_TRUE(is_good(instance.get_real(std::vector{variable(unknown).reference}, all.back())));
    }
    return all;
  }

  Fmu& fmu_;
  const std::int64_t size_;
  std::vector<Unknown> unknowns_;
  std::unique_ptr<Instance> instance_;
  Reals states_;
};

TEST_P(Resizable, ListsOfArraysContainEveryDetectedDependency) {
  for (const char* name : {"resizable_chain", "resizable_space"}) {
    SCOPED_TRACE(name);
    const auto fmu = open((std::string(name) + "_fmi3.fmu").c_str());
    std::map<std::string, std::set<std::string>> seen;
    for (const std::int64_t size : {2, 5}) Seen(*fmu, size).look(seen);
    const auto& structure = fmu->description().structure;
    const auto variable = [&](ValueReference reference) -> const Variable& {
      return fmu->description().variables.at(*fmu->description().position(reference));
    };
    for (const auto* list : {&structure.outputs, &structure.derivatives})
      for (const Unknown& unknown : *list) {
        const Variable& v = fmu->description().variables.at(*unknown.variable);
        if (v.variability != Variability::continuous) continue;
        if (!unknown.has_dependencies) continue;  // depends on all knowns
        std::set<std::string> declared;
        for (const ValueReference of : unknown.dependencies) declared.insert(variable(of).name);
        const bool sized = declared.erase("N") > 0;
        EXPECT_TRUE(std::ranges::includes(declared, seen[v.name])) << v.name;
        const bool follows = std::ranges::any_of(unknown.dependencies, [&](ValueReference of) {
          return std::ranges::any_of(variable(of).dimensions,
                                     [](const Dimension& d) { return !d.start; });
        });
        EXPECT_TRUE(sized || !follows) << v.name;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Resizable, testing::ValuesIn(importers()),
                         [](const auto& of) { return of.param.name; });

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
