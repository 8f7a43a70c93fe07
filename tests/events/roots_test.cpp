// Roots of benchmark problems against their references, and of signals whose zeros are known.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "engine/events/root_finder.hpp"
#include "tests/events/signals.hpp"
#include "tests/integrators/problem_run.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

// Integrates and finds roots on the way.
struct Search {
  Search(ProblemRun& problem, const IntegratorOptions& options, int points = 0)
      : run(problem),
        integrator(run.start("auto", options)),
        finder(*run.equations, run.context(), options, points) {
    finder.start(integrator->state());
  }
  void step(double t_stop) {
    integrator->step(t_stop);
    finder.examine(*integrator);
    while (finder.examined() < integrator->state().t)
      finder.extend(*integrator, integrator->state().t);
    const auto roots = finder.roots();
    found.insert(found.end(), roots.begin(), roots.end());
  }
  void to(double t) {
    while (integrator->state().t < t) step(t);
  }
  std::vector<double> times(int function) const {
    std::vector<double> t;
    for (const Root& root : found)
      if (root.function == function) t.push_back(root.t);
    return t;
  }
  ProblemRun& run;
  std::unique_ptr<Integrator> integrator;
  RootFinder finder;
  std::vector<Root> found;
};

ProblemRun signals(std::vector<Signals::Signal> list, double t_end) {
  const auto equations = std::make_shared<Signals>(std::move(list));
  return ProblemRun(equations, State(equations->sizes()), t_end);
}

// benchmarks, section 1: zeros of beta'' and what beta and beta' are there.
constexpr double zeros[] = {0.01124076445967710345, 0.01601703736554757161, 0.02146614375406307190,
                            0.02462377400381851398, 0.02997828445337241686};
constexpr double beta[] = {3.223796850774063, 6.090500379703669, 9.504641531772525,
                           11.88687651278654, 15.78601332657597};
constexpr double beta_dot[] = {970.8960980364282, 420.4815189991873, 1058.928865700850,
                               584.3757972103802, 1140.188130212539};

TEST(Roots, AllZerosOfTheSqueezerSAcceleration) {
  for (const auto& [tolerance, allowed] : {std::pair{1e-5, 3e-4}, {1e-7, 1e-5}, {1e-9, 1e-6}}) {
    ProblemRun run("andrews");
    Search search(run, with_tolerance(tolerance));
    State x = search.integrator->state();
    std::size_t next = 0;
    double worst = 0.0;
    while (search.integrator->state().t < run.t_end) {
      search.step(run.t_end);
      for (; next < search.found.size(); ++next) {
        ASSERT_LT(next, 5u);
        const Root& root = search.found[next];
        worst = std::max(worst, std::abs(root.t - zeros[next]) / zeros[next]);
        EXPECT_EQ(root.direction, next % 2 == 0 ? -1 : 1);
        search.integrator->interpolate(root.t, true, x);
        EXPECT_LE(x.a[0] * root.direction, 1.0) << "the acceleration is some 1e5 elsewhere";
        EXPECT_GE(x.a[0] * root.direction, 0.0) << "the sign has changed there";
        EXPECT_NEAR(x.p[0], beta[next], 100.0 * tolerance * beta[next]);
        EXPECT_NEAR(x.v[0], beta_dot[next], 1000.0 * tolerance * beta_dot[next]);
      }
    }
    EXPECT_EQ(search.found.size(), 5u) << tolerance;
    EXPECT_LT(worst, allowed) << tolerance;
    RecordProperty("worst at " + std::to_string(tolerance), std::to_string(worst));
  }
}

TEST(Roots, TheTopInsulatorComesToRest) {
  // benchmarks, section 4. The angular velocity is zero to rounding up to about 2.5 ms.
  constexpr double at[] = {0.1282957667041752, 0.15331348, 0.17453903, 0.19345152};
  for (const double tolerance : {1e-5, 1e-7}) {
    ProblemRun run("insul32");
    Search search(run, with_tolerance(tolerance));
    State x = search.integrator->state();
    while (search.found.empty()) search.step(0.2);
    search.integrator->interpolate(search.found[0].t, true, x);
    EXPECT_NEAR(x.p[x.p.size() - 1], -0.148004238, 100.0 * tolerance);
    EXPECT_NEAR(x.p[x.p.size() - 3], -0.0235943175, 100.0 * tolerance);
    search.to(0.2);
    ASSERT_EQ(search.found.size(), 4u) << tolerance;
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(search.found[k].t, at[k], tolerance == 1e-7 ? 1e-8 : 1e-5);
    EXPECT_NEAR(search.found[0].t, at[0], tolerance == 1e-7 ? 1e-9 : 1e-7);
  }
}

TEST(Roots, EachOnceAndInOrderWithSeveralFunctions) {
  // Zeros of sin at k pi, of the line at 5, of cos(3t) at (2k + 1) pi / 6.
  ProblemRun run = signals({[](double t) { return std::sin(t); }, [](double t) { return 5.0 - t; },
                            [](double t) { return std::cos(3.0 * t); }},
                           10.0);
  IntegratorOptions options = with_tolerance(1e-8);
  options.max_step = 0.7;
  Search search(run, options);
  search.to(10.0);
  ASSERT_EQ(search.times(0).size(), 3u);
  ASSERT_EQ(search.times(1).size(), 1u);
  ASSERT_EQ(search.times(2).size(), 10u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(search.times(0)[static_cast<std::size_t>(k)], (k + 1) * std::numbers::pi, 1e-11);
  EXPECT_NEAR(search.times(1)[0], 5.0, 1e-11);
  for (int k = 0; k < 10; ++k)
    EXPECT_NEAR(search.times(2)[static_cast<std::size_t>(k)], (2 * k + 1) * std::numbers::pi / 6.0,
                1e-11);
  for (std::size_t k = 1; k < search.found.size(); ++k)
    EXPECT_LE(search.found[k - 1].t, search.found[k].t);
}

TEST(Roots, TwoZerosInAStepAreFound) {
  const auto dip = [](double t) { return (t - 0.40) * (t - 0.45); };
  for (const int points : {1, 16}) {
    ProblemRun run = signals({dip}, 1.0);
    IntegratorOptions options = with_tolerance(1e-8);
    options.initial_step = 1.0;
    Search search(run, options, points);
    search.to(1.0);
    ASSERT_EQ(search.integrator->statistics().steps, 1);
    ASSERT_EQ(search.found.size(), 2u);
    EXPECT_NEAR(search.found[0].t, 0.40, 1e-11);
    EXPECT_NEAR(search.found[1].t, 0.45, 1e-11);
    EXPECT_EQ(search.found[0].direction, -1);
    EXPECT_EQ(search.found[1].direction, 1);
  }
}

TEST(Roots, OnlyInTheDirectionThatIsAskedFor) {
  for (const bool rising : {false, true}) {
    const auto equations = std::make_shared<Signals>(
        std::vector<Signals::Signal>{[](double t) { return std::cos(t); }});
    equations->at(0).rising = rising;
    equations->at(0).falling = !rising;
    ProblemRun run(equations, State(equations->sizes()), 20.0);
    IntegratorOptions options = with_tolerance(1e-8);
    options.max_step = 1.0;
    Search search(run, options);
    search.to(20.0);
    ASSERT_EQ(search.found.size(), 3u);
    for (int k = 0; k < 3; ++k) {
      const double zero = ((rising ? 1.5 : 0.5) + 2.0 * k) * std::numbers::pi;
      EXPECT_NEAR(search.found[static_cast<std::size_t>(k)].t, zero, 1e-11);
    }
  }
}

TEST(Roots, AtTheEndOfAStepOnce) {
  ProblemRun run = signals({[](double t) { return t - 0.5; }}, 1.0);
  for (const double stop : {0.5, std::nextafter(0.5, 0.0), std::nextafter(0.5, 1.0)}) {
    Search search(run, with_tolerance(1e-8));
    search.to(stop);
    search.to(1.0);
    ASSERT_EQ(search.found.size(), 1u);
    EXPECT_NEAR(search.found[0].t, 0.5, 1e-14);
  }
}

TEST(Roots, NotAgainAfterAStartAtTheRootItself) {
  ProblemRun run("andrews");
  Search search(run, with_tolerance(1e-8));
  State x = search.integrator->state();
  while (search.found.empty()) search.step(run.t_end);
  for (int k = 1; k < 5; ++k) {
    const std::size_t before = search.found.size();
    search.integrator->interpolate(search.found.back().t, true, x);
    EXPECT_TRUE(search.finder.restart(x).empty());
    search.integrator->start(x);
    while (search.found.size() == before) search.step(run.t_end);
    EXPECT_NEAR(search.found.back().t, zeros[k], 1e-6 * zeros[k]);
    EXPECT_EQ(search.found.size(), before + 1);
  }
  search.to(run.t_end);
  EXPECT_EQ(search.found.size(), 5u);
}

TEST(Roots, AJumpOverZeroCountsAndAStepGivenUpDoesNot) {
  double offset = 0.0;
  ProblemRun run =
      signals({[&](double t) { return t - 0.5 + offset; }, [](double t) { return t - 0.3; }}, 1.0);
  IntegratorOptions options = with_tolerance(1e-8);
  options.initial_step = 1.0;
  Search search(run, options);
  search.step(1.0);
  ASSERT_EQ(search.found.size(), 2u);
  State x = search.integrator->state();
  search.integrator->interpolate(0.4, true, x);
  EXPECT_TRUE(search.finder.restart(x).empty()) << "0.3 has been, 0.5 is to come";
  search.integrator->start(x);
  search.found.clear();
  search.step(0.45);
  EXPECT_TRUE(search.found.empty());
  offset = 0.2;
  const auto jumped = search.finder.restart(search.integrator->state());
  ASSERT_EQ(jumped.size(), 1u);
  EXPECT_EQ(jumped[0].t, 0.45);
  EXPECT_EQ(jumped[0].function, 0);
  EXPECT_EQ(jumped[0].direction, 1);
  search.integrator->start(x);
  search.to(1.0);
  EXPECT_TRUE(search.found.empty());
}

TEST(Roots, NoneWhileAFunctionIsZeroButForNoise) {
  const auto noise = [](double t) {
    return 1e-12 * std::sin(1e3 * t) + (t > 1.0 ? std::pow(t - 1.0, 3) * (2.0 - t) : 0.0);
  };
  ProblemRun run = signals({noise, noise}, 3.0);
  IntegratorOptions options = with_tolerance(1e-9);
  options.max_step = 0.01;
  Search search(run, options);
  search.to(3.0);
  ASSERT_EQ(search.times(0).size(), 1u);
  EXPECT_NEAR(search.times(0)[0], 2.0, 1e-9);

  const auto equations = std::make_shared<Signals>(std::vector<Signals::Signal>{noise});
  equations->at(0).dead_band = 0.0;  // every change of sign
  ProblemRun all(equations, State(equations->sizes()), 3.0);
  Search eager(all, options);
  eager.to(3.0);
  EXPECT_GT(eager.found.size(), 50u);
}

TEST(Roots, StepsAreTheSameToTheBit) {
  for (const char* problem : {"andrews", "insul16"}) {
    ProblemRun run(problem);
    const auto alone = run.start("auto", with_tolerance(1e-6));
    Search search(run, with_tolerance(1e-6));
    while (alone->state().t < run.t_end) {
      alone->step(run.t_end);
      search.step(run.t_end);
      ASSERT_TRUE(same_bits(alone->state(), search.integrator->state())) << problem;
    }
    for (const std::string_view keyword : Statistics::keywords())
      EXPECT_EQ(alone->statistics().by_keyword(keyword),
                search.integrator->statistics().by_keyword(keyword))
          << keyword;
  }
}

TEST(Roots, RestoredIsAsIfNeverStopped) {
  ProblemRun run("andrews");
  Search search(run, with_tolerance(1e-6));
  for (int i = 0; i < 12; ++i) search.step(run.t_end);
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  search.integrator->save(out);
  search.finder.save(out);
  Search other(run, with_tolerance(1e-6));
  ByteReader in(bytes);
  other.integrator->restore(in);
  other.finder.restore(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(other.finder.roots().size(), search.finder.roots().size());
  search.found.clear();
  search.to(run.t_end);
  other.to(run.t_end);
  ASSERT_EQ(other.found.size(), search.found.size());
  EXPECT_GT(search.found.size(), 0u);
  for (std::size_t i = 0; i < other.found.size(); ++i)
    EXPECT_EQ(std::tie(other.found[i].t, other.found[i].function, other.found[i].direction),
              std::tie(search.found[i].t, search.found[i].function, search.found[i].direction));
  std::vector<std::byte> first, second;
  ByteWriter(first).put(0), search.finder.save(*std::make_unique<ByteWriter>(first));
  ByteWriter(second).put(0), other.finder.save(*std::make_unique<ByteWriter>(second));
  EXPECT_EQ(first, second);
  for (const std::size_t keep : {std::size_t{0}, first.size() / 2, first.size() - 1}) {
    ByteReader truncated(std::span<const std::byte>(first).first(keep));
    EXPECT_THROW(other.finder.restore(truncated), std::runtime_error);
  }
}

TEST(Roots, NothingIsAllocatedWhenWarm) {
  if (!allocations_are_counted) GTEST_SKIP() << "allocations are not counted in this build";
  ProblemRun run("andrews");
  Search search(run, with_tolerance(1e-6));
  while (search.found.empty()) search.step(run.t_end);
  std::size_t roots = 0;
  EXPECT_EQ(allocations_in([&] {
              while (search.integrator->state().t < run.t_end) {
                search.integrator->step(run.t_end);
                roots += search.finder.examine(*search.integrator).size();
              }
            }),
            0);
  EXPECT_EQ(roots, 4u);
}

// Beyond the examined part of a step nothing fails until it counts, and what lies in between is
// found however the way there is divided.
TEST(Roots, WhatIsNoNumberCountsWhenItIsReached) {
  for (const int pieces : {1, 3, 200}) {
    ProblemRun run = signals({[](double t) { return std::sqrt(0.7 - t); },
                              [](double t) { return t - 0.3; }, [](double t) { return 0.65 - t; }},
                             1.0);
    IntegratorOptions options = with_tolerance(1e-6);
    options.initial_step = 1.0;
    Search search(run, options, 2);
    search.integrator->step(1.0);
    ASSERT_EQ(search.integrator->state().t, 1.0);
    ASSERT_EQ(search.finder.examine(*search.integrator).size(), 1u);
    EXPECT_EQ(search.finder.examined(), 0.5);
    EXPECT_EQ(search.finder.extend(*search.integrator, 0.4).size(), 1u) << "known already";
    std::vector<double> times;
    for (int k = 1; k <= pieces; ++k) {
      const double t = 0.5 + (0.69 - 0.5) * k / pieces;
      for (const Root& root : search.finder.extend(*search.integrator, t))
        if (times.empty() || root.t > times.back()) times.push_back(root.t);
      EXPECT_EQ(search.finder.examined(), t);
    }
    ASSERT_EQ(times.size(), 2u) << pieces;
    EXPECT_NEAR(times[0], 0.3, 1e-11);
    EXPECT_NEAR(times[1], 0.65, 1e-11);
    EXPECT_THROW(while (true) search.finder.extend(*search.integrator, 0.71), SolverFailure);
    EXPECT_NEAR(search.finder.examined(), 0.7, 1e-4);
  }
}

// Its solution is time; where it is projected, it is `shift` ahead.
struct Shifted final : Integrator {
  explicit Shifted(const Sizes& sizes, double s, double& added) : shift(s), now(added) {
    x_ = State(sizes);
  }
  std::string_view name() const override { return "shifted"; }
  std::string describe() const override { return "shifted"; }
  const SaddleStatistics& linear_statistics() const override { return none; }
  void start(const State& x0, double) override { x_.t = t_begin_ = x0.t; }
  void step(double t_stop) override {
    t_begin_ = x_.t;
    x_.t = t_stop;
  }
  void interpolate(double t, bool projected, State& x) override {
    x.t = t;
    now = projected ? shift : 0.0;
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}
  SaddleStatistics none;
  double shift;
  double& now;
};

// A step of two points, at 0.5 and 1. The root lies on one side of the first point before
// projection and on the other after it; an input changes between them.
TEST(Roots, MovedToAnotherPointSSideByProjectionAreFoundOnce) {
  struct Case {
    double zero, shift, change;
  };
  for (const Case& one : {Case{0.49, -0.03, 0.51}, Case{0.49, -0.03, 0.5}, Case{0.51, 0.03, 0.49},
                          Case{0.51, 0.03, 0.505}, Case{0.51, 0.03, 0.5}, Case{0.49, -0.03, 0.53},
                          Case{0.49, -0.03, 0.48}, Case{0.51, 0.03, 0.47}}) {
    for (const double way : {1.0, -1.0}) {
      SCOPED_TRACE(std::to_string(one.zero) + ", input at " + std::to_string(one.change));
      double added = 0.0;
      ProblemRun run = signals({[&](double t) { return way * (t + added - one.zero); }}, 1.0);
      Shifted integrator(run.equations->sizes(), one.shift, added);
      RootFinder finder(*run.equations, run.context(), with_tolerance(1e-9), 2);
      added = one.shift;  // states are projected
      finder.start(integrator.state());
      std::vector<Root> found;
      const auto count = [&](std::span<const Root> roots, double up_to) {
        for (const Root& root : roots)
          if (root.t <= up_to) found.push_back(root);
      };
      integrator.step(1.0);
      count(finder.examine(integrator), one.change);
      State x = integrator.state();
      x.t = one.change;
      added = one.shift;
      count(finder.restart(x), one.change);
      integrator.start(x, 0.0);
      integrator.step(1.0);
      count(finder.examine(integrator), 1.0);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0].t, one.zero - one.shift, 1e-11);
      EXPECT_EQ(found[0].direction, way > 0.0 ? 1 : -1);
    }
  }
}

TEST(Roots, WhatIsNoNumberIsNamed) {
  ProblemRun run = signals({[](double t) { return std::sqrt(0.5 - t); }}, 1.0);
  Search search(run, with_tolerance(1e-6));
  try {
    search.to(1.0);
    FAIL() << "nothing failed";
  } catch (const SolverFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("'signal 1'"), std::string::npos) << failure.what();
  }
  EXPECT_THROW(RootFinder(*run.equations, run.context(), {}, 33), std::invalid_argument);
  EXPECT_THROW(RootFinder(*run.equations, run.context(), {}, -1), std::invalid_argument);
}

}  // namespace
}  // namespace mbs::test
