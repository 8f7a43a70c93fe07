// Model exchange of a model whose size is chosen in the FMU, through each importer, for each choice
// of coordinates: arms with end stops hang from the last of N to the first (so that unknowns along
// the tree run against the indices) and N balls bounce. Resized, it is the FMU made with that size,
// to the bit, and moves as in co-simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <ostream>

#include "tests/harness/exchange.hpp"
#include "tests/harness/harness.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the suite is about all of it

using Column = std::vector<double>;

class ResizableExchange : public testing::TestWithParam<std::tuple<Importer, std::string>> {
 protected:
  // Opens the chain with three links, or with five.
  static std::unique_ptr<Fmu> open(bool five = false) {
    const auto& [importer, coordinates] = GetParam();
    return importer.open(std::filesystem::path(std::getenv("MBS_HARNESS_MODELS")) /
                         ("resizable_stops_" + coordinates + (five ? "_5" : "") + "_fmi3.fmu"));
  }
  static const OdeSolver& solver() {
    static const std::vector<OdeSolver> all = ode_solvers();
    return all.front();
  }
  static bool joint() { return std::get<1>(GetParam()) == "joint"; }
  static bool mixed() { return std::get<1>(GetParam()) == "mixed"; }

  // The positions of N arms and N balls, of the tip and the shoulder, and N works.
  static std::size_t states(std::size_t n) {
    const std::size_t bodies = 3 * (n + 1) + 2 * n, joints = n + 1 + 2 * n;
    return 2 * (joint() ? joints : mixed() ? bodies + n + 1 : bodies) + n;
  }
  // A stop, a floor and a turn each, and the event of time.
  static std::size_t indicators(std::size_t n) { return 3 * n + 1; }
};
INSTANTIATE_TEST_SUITE_P(Importers, ResizableExchange,
                         testing::Combine(testing::ValuesIn(importers()),
                                          testing::Values("absolute", "joint", "mixed")),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_" + std::get<1>(one.param);
                         });

ValueReference reference(const Fmu& fmu, const char* name) {
  const Variable* variable = fmu.description().find(name);
  EXPECT_NE(variable, nullptr) << name;
  return variable ? variable->reference : 0;
}

Status resize(const Fmu& fmu, Instance& instance, std::int64_t size) {
  EXPECT_EQ(instance.enter_configuration_mode(), Status::ok);
  EXPECT_EQ(instance.set_integer(VariableType::uint64, std::vector{reference(fmu, "N")},
                                 std::vector{size}),
            Status::ok);
  return instance.exit_configuration_mode();
}
std::function<void(Instance&)> with_size(const Fmu& fmu, std::int64_t size) {
  return [&fmu, size](Instance& instance) { EXPECT_EQ(resize(fmu, instance, size), Status::ok); };
}

// The number of elements when N is that.
std::size_t count(const Fmu& fmu, const Variable& variable, std::size_t n) {
  std::size_t product = 1;
  for (const Dimension& dimension : variable.dimensions) product *= dimension.start.value_or(n);
  EXPECT_TRUE(variable.dimensions.empty() || fmu.description().find("N"));
  return product;
}
Column values(const Fmu& fmu, Instance& instance, const char* name, std::size_t n) {
  const Variable* variable = fmu.description().find(name);
  if (!variable) {
    ADD_FAILURE() << "there is no " << name;
    return {};
  }
  Column result(count(fmu, *variable, n), NAN);
  EXPECT_EQ(instance.get_real(std::vector{variable->reference}, result), Status::ok) << name;
  return result;
}

// The values at some times, with events on the way.
std::vector<Column> run(const Fmu& fmu, Exchange& exchange, std::size_t n, double end = 0.6) {
  std::vector<Column> seen;
  const double first = exchange.time();
  for (int k = 1; k <= 6; ++k) {
    const double goal = first + (end - first) * k / 6.0;
    while (exchange.time() < goal) EXPECT_FALSE(exchange.run(goal).terminate);
    seen.push_back(exchange.states());
    for (const char* name : {"end", "q", "y"})
      seen.push_back(values(fmu, *exchange.instance, name, n));
  }
  return seen;
}

std::vector<std::int64_t> counts(const Fmu& fmu, Instance& instance, const char* name,
                                 std::size_t n) {
  std::vector<std::int64_t> result(n);
  EXPECT_EQ(instance.get_integer(VariableType::int32, std::vector{reference(fmu, name)}, result),
            Status::ok)
      << name;
  return result;
}

TEST_P(ResizableExchange, IsTheOneMadeWithThatSizeToTheBit) {
  const auto three = open(), five = open(true);
  for (const std::size_t n : {5u, 3u}) {
    Fmu &resized = n == 5 ? *three : *five, &made = n == 5 ? *five : *three;
    Exchange a(resized, solver(), {.tolerance = 1e-9},
               with_size(resized, static_cast<std::int64_t>(n)));
    Exchange b(made, solver(), {.tolerance = 1e-9});
    EXPECT_EQ(a.states().size(), states(n));
    EXPECT_EQ(a.instance->indicator_count(), indicators(n));
    EXPECT_EQ(run(resized, a, n), run(made, b, n));
    const std::vector<std::int64_t> bounces = counts(resized, *a.instance, "floor.count", n);
    EXPECT_EQ(bounces, counts(made, *b.instance, "floor.count", n));
    for (const std::int64_t one : bounces) EXPECT_GE(one, 1);
    EXPECT_GE(counts(resized, *a.instance, "bumper.count", n).front(), 1);
    Column nominals(states(n)), others(states(n));
    ASSERT_TRUE(is_good(a.instance->get_nominals(nominals)));
    ASSERT_TRUE(is_good(b.instance->get_nominals(others)));
    EXPECT_EQ(nominals, others);
  }
}

TEST_P(ResizableExchange, MovesAsInCoSimulation) {
  const auto fmu = open();
  for (const std::size_t n : {1u, 2u, 6u}) {
    Exchange exchange(*fmu, solver(), {.largest_step = 2e-4},
                      with_size(*fmu, static_cast<std::int64_t>(n)));
    const auto own = fmu->instantiate();
    EXPECT_EQ(resize(*fmu, *own, static_cast<std::int64_t>(n)), Status::ok);
    ASSERT_TRUE(is_good(own->enter_initialization({.tolerance = 1e-10})));
    ASSERT_TRUE(is_good(own->exit_initialization()));
    for (int k = 1; k <= 6; ++k) {
      ASSERT_TRUE(is_good(own->do_step(0.1 * (k - 1), 0.1).status));
      while (exchange.time() < 0.1 * k) EXPECT_FALSE(exchange.run(0.1 * k).terminate);
      for (const char* name : {"end", "q", "y", "work"}) {
        const Column a = values(*fmu, *exchange.instance, name, n), b = values(*fmu, *own, name, n);
        for (std::size_t i = 0; i < a.size(); ++i)
          EXPECT_NEAR(a[i], b[i], 1e-9 * (1.0 + std::abs(b[i])))
              << name << '[' << i + 1 << "] at " << 0.1 * k << " with " << n;
      }
    }
    EXPECT_EQ(counts(*fmu, *exchange.instance, "floor.count", n),
              counts(*fmu, *own, "floor.count", n));
  }
}

// States by their names are the states in the order of ModelStructure; derivatives and indicators
// likewise.
TEST_P(ResizableExchange, ArraysAreInTheOrderOfTheStructure) {
  const auto fmu = open();
  const ModelDescription& d = fmu->description();
  const std::size_t n = 4;
  Exchange exchange(*fmu, solver(), {}, with_size(*fmu, n));
  while (exchange.time() < 0.05) exchange.run(0.05);
  Instance& instance = *exchange.instance;
  Column rates(states(n)), phi(indicators(n));
  ASSERT_TRUE(is_good(instance.get_state_derivatives(rates)));
  ASSERT_TRUE(is_good(instance.get_event_indicators(phi)));
  Column x_by_name, rates_by_name, phi_by_name;
  const auto add = [&](Column& all, const Variable& variable) {
    const Column some = values(*fmu, instance, variable.name.c_str(), n);
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const Unknown& unknown : d.structure.derivatives) {
    const Variable& rate = d.variables.at(*unknown.variable);
    const Variable& state = d.variables.at(*d.position(*rate.derivative));
    EXPECT_EQ(rate.name, "der(" + state.name + ")");
    add(rates_by_name, rate);
    add(x_by_name, state);
  }
  for (const Unknown& unknown : d.structure.event_indicators)
    add(phi_by_name, d.variables.at(*unknown.variable));
  EXPECT_EQ(exchange.states(), x_by_name);
  EXPECT_EQ(rates, rates_by_name);
  EXPECT_EQ(phi, phi_by_name);
  // The physical check: ball i falls, at 0.05 s, from 0.4 m + 0.05 m i.
  const Column y = values(*fmu, instance, "y", n);
  const Column gaps = values(*fmu, instance, "indicator(floor)", n);
  const Column heights = values(*fmu, instance, "ball.y", n);
  ASSERT_EQ(heights.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    const double height = 0.4 + 0.05 * static_cast<double>(i + 1) - 0.5 * 9.81 * 0.05 * 0.05;
    EXPECT_NEAR(y[i], height, 1e-9) << i;
    EXPECT_NEAR(gaps[i], height, 1e-9) << i;
    EXPECT_NEAR(heights[i], height, 1e-9) << i;
  }
  if (joint() || mixed()) {
    const Column q = values(*fmu, instance, "q", n), elbow = values(*fmu, instance, "elbow.q", n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(elbow[i], q[i], 1e-12) << i;
  }
}

// Directional and adjoint derivatives by whole arrays, at a size of its own, against differences of
// fourth order.
TEST_P(ResizableExchange, DerivativesAreThoseOfTheSize) {
  const auto fmu = open();
  const ModelDescription& d = fmu->description();
  const std::size_t n = 2;
  Exchange exchange(*fmu, solver(), {}, with_size(*fmu, n));
  while (exchange.time() < 0.02) exchange.run(0.02);
  Instance& instance = *exchange.instance;
  std::vector<ValueReference> unknowns, knowns;
  std::size_t rows = 0;
  for (const Unknown& unknown : d.structure.derivatives) {
    const Variable& rate = d.variables.at(*unknown.variable);
    unknowns.push_back(rate.reference);
    knowns.push_back(*rate.derivative);
    rows += count(*fmu, rate, n);
  }
  ASSERT_EQ(rows, states(n));
  for (const char* name : {"end", "q", "y"}) {
    unknowns.push_back(reference(*fmu, name));
    rows += count(*fmu, *d.find(name), n);
  }
  const Column x = exchange.states();
  const auto at = [&](const Column& moved) {
    Column result(rows, NAN);
    EXPECT_TRUE(is_good(instance.set_continuous_states(moved)));
    EXPECT_TRUE(is_good(instance.get_real(unknowns, result)));
    return result;
  };
  std::vector<Column> wanted;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double h = 1e-3 * std::max(1.0, std::abs(x[k]));
    Column column(rows, 0.0);
    for (const auto& [by, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      Column moved = x;
      moved[k] += by * h;
      const Column there = at(moved);
      for (std::size_t i = 0; i < rows; ++i) column[i] += weight / (12.0 * h) * there[i];
    }
    wanted.push_back(column);
  }
  const Column here = at(x);
  double found = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    Column seed(x.size(), 0.0), column(rows, NAN);
    seed[k] = 1.0;
    ASSERT_EQ(instance.directional_derivative(unknowns, knowns, seed, column), Status::ok);
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_NEAR(column[i], wanted[k][i], 1e-6 * (1.0 + std::abs(column[i]) + std::abs(here[i])))
          << i << " by " << k;
      found += std::abs(column[i]);
    }
  }
  EXPECT_GT(found, 10.0);
  Column weights(rows), gradient(x.size(), NAN);
  for (std::size_t i = 0; i < rows; ++i)
    weights[i] = std::cos(static_cast<double>(i)) / (1.0 + std::abs(here[i]));
  ASSERT_EQ(instance.adjoint_derivative(unknowns, knowns, weights, gradient), Status::ok);
  for (std::size_t k = 0; k < x.size(); ++k) {
    double sum = 0.0, scale = 1.0;
    for (std::size_t i = 0; i < rows; ++i) {
      sum += weights[i] * wanted[k][i];
      scale += std::abs(weights[i]) * (1.0 + std::abs(wanted[k][i]) + std::abs(here[i]));
    }
    EXPECT_NEAR(gradient[k], sum, 1e-6 * scale) << k;
  }
  // The original size of the FMU differs from the present one.
  Column many(states(3));
  EXPECT_EQ(instance.get_continuous_states(many), Status::error);
  EXPECT_EQ(instance.set_continuous_states(many), Status::error);
  EXPECT_EQ(instance.get_state_derivatives(many), Status::error);
  EXPECT_EQ(instance.get_nominals(many), Status::error);
  Column functions(indicators(3));
  EXPECT_EQ(instance.get_event_indicators(functions), Status::error);
}

// A stored state brings its size, also as bytes and to an instance of another size.
TEST_P(ResizableExchange, StoredStatesBringTheirSize) {
  const auto fmu = open();
  const std::size_t n = 5;
  Exchange five(*fmu, solver(), {.tolerance = 1e-9}, with_size(*fmu, n));
  while (five.time() < 0.33) five.run(0.33);  // between the first impacts
  const double there = five.time();
  State state = nullptr;
  Bytes bytes;
  ASSERT_TRUE(is_good(five.instance->get_state(state)));
  ASSERT_TRUE(is_good(five.instance->serialize(state, bytes)));
  five.restart(there);
  const std::vector<Column> wanted = run(*fmu, five, n);
  const Column x = wanted.front();
  ASSERT_TRUE(is_good(five.instance->set_state(state)));
  five.restart(there);
  EXPECT_EQ(run(*fmu, five, n), wanted);

  // An instance of three is taken over by it; an integrator of five goes on with that.
  const auto three = fmu->instantiate({.model_exchange = true});
  ASSERT_TRUE(is_good(three->enter_initialization({})));
  ASSERT_TRUE(is_good(three->exit_initialization()));
  EXPECT_EQ(three->state_count(), states(3));
  State carried = nullptr;
  ASSERT_TRUE(is_good(three->deserialize(bytes, carried)));
  ASSERT_TRUE(is_good(three->set_state(carried)));
  EXPECT_EQ(three->state_count(), states(n));
  EXPECT_EQ(three->indicator_count(), indicators(n));
  ASSERT_TRUE(is_good(five.instance->set_state(state)));
  Column a(states(n)), b(states(n));
  for (const bool rates : {false, true}) {
    const auto get = [&](Instance& instance, Column& to) {
      return rates ? instance.get_state_derivatives(to) : instance.get_continuous_states(to);
    };
    ASSERT_TRUE(is_good(get(*five.instance, a)));
    ASSERT_TRUE(is_good(get(*three, b)));
    EXPECT_EQ(a, b);
  }
  Exchange other(*fmu, solver(), {.tolerance = 1e-9}, with_size(*fmu, n));
  State again = nullptr;
  ASSERT_TRUE(is_good(other.instance->deserialize(bytes, again)));
  ASSERT_TRUE(is_good(other.instance->set_state(again)));
  other.restart(there);
  EXPECT_EQ(run(*fmu, other, n), wanted);
  EXPECT_TRUE(is_good(other.instance->free_state(again)));
  EXPECT_TRUE(is_good(three->free_state(carried)));
  EXPECT_TRUE(is_good(five.instance->free_state(state)));
}

TEST_P(ResizableExchange, ResetsToItsOwnSize) {
  const auto fmu = open();
  const auto instance = fmu->instantiate({.model_exchange = true});
  const auto start = [&](std::size_t n) {
    EXPECT_TRUE(is_good(instance->enter_initialization({})));
    EXPECT_EQ(instance->state_count(), states(n));
    Column x(states(n)), dx(states(n));
    EXPECT_TRUE(is_good(instance->get_continuous_states(x))) << "in initialization mode";
    EXPECT_TRUE(is_good(instance->exit_initialization()));
    EXPECT_TRUE(is_good(instance->update_discrete_states().status));
    EXPECT_TRUE(is_good(instance->enter_continuous_time_mode()));
    EXPECT_TRUE(is_good(instance->get_state_derivatives(dx)));
    x.insert(x.end(), dx.begin(), dx.end());
    return x;
  };
  const Column first = start(3);
  ASSERT_EQ(instance->reset(), Status::ok);
  for (const std::size_t n : {7u, 1u}) {
    EXPECT_EQ(resize(*fmu, *instance, static_cast<std::int64_t>(n)), Status::ok);
    EXPECT_EQ(instance->indicator_count(), indicators(n));
    const Column there = start(n);
    ASSERT_EQ(instance->reset(), Status::ok);
    EXPECT_EQ(instance->state_count(), states(3));
    EXPECT_EQ(start(3), first);
    ASSERT_EQ(instance->reset(), Status::ok);
    EXPECT_EQ(resize(*fmu, *instance, static_cast<std::int64_t>(n)), Status::ok);
    EXPECT_EQ(start(n), there);
    ASSERT_EQ(instance->reset(), Status::ok);
  }
}

// The model has Euler parameters, and states of its own before counters of turns.
TEST(ResizableSpace, MovesAsInCoSimulation) {
  for (const Importer& importer : importers()) {
    const auto fmu = importer.open(std::filesystem::path(std::getenv("MBS_HARNESS_MODELS")) /
                                   "resizable_space_fmi3.fmu");
    ASSERT_NE(fmu->description().find("hinge.q.turned"), nullptr);
    const std::size_t n = 4;
    Exchange exchange(*fmu, ode_solvers().front(), {}, with_size(*fmu, n));
    EXPECT_EQ(exchange.states().size(), 13 * (n + 1) + 2 * n);
    const auto own = fmu->instantiate();
    EXPECT_EQ(resize(*fmu, *own, n), Status::ok);
    ASSERT_TRUE(is_good(own->enter_initialization({.tolerance = 1e-10})));
    ASSERT_TRUE(is_good(own->exit_initialization()));
    ASSERT_TRUE(is_good(own->do_step(0.0, 0.5).status));
    while (exchange.time() < 0.5) EXPECT_FALSE(exchange.run(0.5).terminate);
    for (const char* name : {"end", "q", "wear", "hinge.q.turned", "link.e0", "der(wear)"}) {
      const Column a = values(*fmu, *exchange.instance, name, n), b = values(*fmu, *own, name, n);
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-8) << name << '[' << i + 1 << ']';
    }
  }
}

// Two sizes: arrays of two dimensions are row by row, together with arrays of one.
TEST(ResizableGrid, IsRowByRow) {
  for (const Importer& importer : importers()) {
    const auto fmu = importer.open(std::filesystem::path(std::getenv("MBS_HARNESS_MODELS")) /
                                   "resizable_grid_fmi3.fmu");
    const ModelDescription& d = fmu->description();
    const std::int64_t rows = 4, columns = 2;
    Exchange grid(*fmu, ode_solvers().front(), {}, [&](Instance& instance) {
      EXPECT_EQ(instance.enter_configuration_mode(), Status::ok);
      EXPECT_EQ(instance.set_integer(VariableType::uint64,
                                     std::vector{reference(*fmu, "N"), reference(*fmu, "K")},
                                     std::vector{rows, columns}),
                Status::ok);
      EXPECT_EQ(instance.exit_configuration_mode(), Status::ok);
    });
    const std::size_t balls = 8, fronts = 4;
    EXPECT_EQ(grid.states().size(), 4 * (balls + fronts));
    EXPECT_EQ(grid.instance->indicator_count(), balls);
    while (grid.time() < 0.1) grid.run(0.1);
    // The first element of each array among the states.
    const Column x = grid.states();
    std::size_t at = 0;
    int seen = 0;
    for (const Unknown& unknown : d.structure.derivatives) {
      const Variable& rate = d.variables.at(*unknown.variable);
      const Variable& state = d.variables.at(*d.position(*rate.derivative));
      const std::size_t size = state.name.starts_with("ball.") ? balls : fronts;
      EXPECT_EQ(state.dimensions.size(), size == balls ? 2u : 1u) << state.name;
      ASSERT_LE(at + size, x.size());
      for (std::size_t k = 0; k < size; ++k) {
        const double i = 1.0 + static_cast<double>(size == balls ? k / 2 : k);
        const double j = 1.0 + static_cast<double>(k % 2);
        const std::string name = state.name;
        const double wanted = name == "ball.x"     ? 0.1 * i + 0.001 * j
                              : name == "ball.y"   ? i + 0.1 * j - 0.5 * 9.81 * 0.01
                              : name == "ball.vx"  ? 0.01 * j
                              : name == "front.x"  ? 0.05 * i
                              : name == "front.vx" ? 0.5 * i
                                                   : NAN;
        if (std::isnan(wanted)) continue;
        EXPECT_NEAR(x[at + k], wanted, 1e-9) << name << ' ' << k;
        ++seen;
      }
      at += size;
    }
    EXPECT_EQ(at, x.size());
    EXPECT_EQ(seen, 3 * 8 + 2 * 4);
    while (grid.time() < 0.75) grid.run(0.75);
    std::vector<std::int64_t> counts(balls);
    ASSERT_EQ(grid.instance->get_integer(VariableType::int32,
                                         std::vector{reference(*fmu, "floor.count")}, counts),
              Status::ok);
    for (std::size_t k = 0; k < balls; ++k) {
      const double height =
          1.0 + static_cast<double>(k / 2) + 0.1 * (1.0 + static_cast<double>(k % 2));
      EXPECT_EQ(counts[k], std::sqrt(2.0 * height / 9.81) < 0.75 ? 1 : 0) << k;
    }
    EXPECT_EQ(std::ranges::count(counts, 1), 4);
  }
}

}  // namespace

void PrintTo(const Importer& importer, std::ostream* stream) {
  *stream << importer.name;
}

}  // namespace mbs::test
