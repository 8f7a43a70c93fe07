// Every option of radau is a keyword of the model file and of the command line, and has an effect.

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "engine/integrators/radau/integrator.hpp"
#include "engine/model/schema.hpp"
#include "engine/model/solver_overrides.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

struct Counts {
  std::string description;
  long steps, rejected, failed, f, jacobians, factorisations, selectors;
  double error;
};

Counts counts_of(const std::string& keywords, const std::string& problem, double tolerance,
                 double initial_step = 0.0) {
  ProblemRun run(problem);
  IntegratorOptions options = with_tolerance(tolerance);
  options.initial_step = initial_step;
  const auto integrator = run.start("radau " + keywords, options);
  ProblemRun::advance(*integrator, run.reference->t);
  const Statistics& s = integrator->statistics();
  return {integrator->describe(),
          s.steps,
          s.rejected,
          s.failed,
          s.force_evaluations,
          s.jacobians,
          s.factorisations,
          s.selectors,
          error_of(integrator->state().p, run.reference->p)};
}

struct Effect {
  const char* option;  // name=value
  const char* common;  // other options, in both runs
  const char* problem;
  // True when the counts with and without the option show its effect.
  bool (*shown)(const Counts& with, const Counts& without);
};

template <long Counts::*count>
bool more(const Counts& with, const Counts& without) {
  return with.*count > without.*count;
}
template <long Counts::*count>
bool fewer(const Counts& with, const Counts& without) {
  return with.*count < without.*count;
}
bool described(const Counts& with, const Counts& without) {
  return with.description != without.description;
}
bool others(const Counts& with, const Counts& without) {
  return with.steps != without.steps || with.f != without.f;
}

const Effect effects[] = {
    {"form=index1", "", "andrews", described},
    {"structure=sparse", "", "andrews", described},
    {"mass=general", "", "truckC", described},
    {"algebraic=qr", "", "andrews", described},
    {"algebraic=svd", "", "andrews", described},
    {"differential=qr", "", "andrews", described},
    {"selectors=adapted", "", "andrews", fewer<&Counts::selectors>},
    {"selectors=every_step", "selectors=adapted", "andrews", more<&Counts::selectors>},
    {"start_values=constant", "newton_stage=0", "andrews", more<&Counts::f>},
    {"newton_stage=0", "", "andrews", more<&Counts::f>},
    {"newton_updates=1", "start_values=constant", "andrews", fewer<&Counts::failed>},
    {"newton_iterations=3", "", "andrews", more<&Counts::failed>},
    {"newton_stop=1e-6", "", "andrews", more<&Counts::f>},
    {"step_control=classical", "", "andrews", others},
    {"safety=0.5", "", "andrews", more<&Counts::steps>},
    {"jacobian_reuse=0.1", "", "andrews", fewer<&Counts::jacobians>},
    {"keep_step_from=0.5", "jacobian_reuse=0.2", "andrews", others},
    {"keep_step_to=4", "jacobian_reuse=0.2", "andrews", more<&Counts::steps>},
    {"least_change=0.7", "", "andrews", others},
    {"largest_change=1.05", "", "andrews", more<&Counts::steps>},
};

TEST(RadauOptions, EachHasAnEffect) {
  for (const Effect& effect : effects) {
    const std::string common = effect.common;
    const Counts without = counts_of(common, effect.problem, 1e-6);
    const Counts with = counts_of(common + " " + effect.option, effect.problem, 1e-6);
    EXPECT_TRUE(effect.shown(with, without))
        << effect.option << ": steps " << without.steps << " -> " << with.steps << ", failed "
        << without.failed << " -> " << with.failed << ", f " << without.f << " -> " << with.f
        << ", Jacobians " << without.jacobians << " -> " << with.jacobians << ", factorisations "
        << without.factorisations << " -> " << with.factorisations << ", selectors "
        << without.selectors << " -> " << with.selectors << "\n  " << with.description;
    EXPECT_LT(with.error, 3e-5) << effect.option;
    EXPECT_LT(without.error, 3e-5) << effect.option;
  }
}

// The language's keywords are those of the table above, and each can be set from outside.
TEST(RadauOptions, AreThoseOfTheModelFile) {
  std::set<std::string> tested, known;
  for (const Effect& effect : effects) {
    const std::string text = effect.option;
    tested.insert(text.substr(0, text.find('=')));
  }
  const TagSchema* tag = find_tag("radau");
  ASSERT_NE(tag, nullptr);
  for (const AttributeSchema& attribute : tag->attributes) {
    known.insert(std::string(attribute.name));
    EXPECT_FALSE(attribute.doc.empty()) << attribute.name;
    const std::string name = override_name(*tag, attribute.name);
    EXPECT_EQ(name, "solver.radau." + std::string(attribute.name));
    EXPECT_EQ(solver_override(name).attribute, &attribute);
  }
  EXPECT_EQ(tested, known);
}

TEST(RadauOptions, TheStructureOfTheMassMatrixDoesNotChangeTheResult) {
  for (const char* problem : {"truckC", "pendulum", "andrews"}) {
    const Counts used = counts_of("", problem, 1e-7);
    const Counts general = counts_of("mass=general", problem, 1e-7);
    EXPECT_NEAR(used.error, general.error, 1e-9) << problem;
    EXPECT_NEAR(static_cast<double>(used.f), static_cast<double>(general.f),
                0.02 * static_cast<double>(general.f))
        << problem;
  }
}

}  // namespace
}  // namespace mbs::test
