// The five reductions on models: nonholonomic ones, a linkage near a singular position and
// through dead points, in every choice of coordinates, compared with extrapolation and radau.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/integrators/problem_run.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

const std::string reductions[] = {"partition", "stabilized", "hybrid", "svd", "nullspace"};

struct Shown {
  std::vector<std::string> names;
  std::vector<double> values;
};

Shown end_of(const std::string& name, const std::string& coordinates, const std::string& method,
             const std::string& reduction, double end) {
  ModelRun run(template_text(name), coordinates, method, 1e-9,
               reduction.empty() ? std::vector<MethodSetting>{}
                                 : std::vector<MethodSetting>{{"reduction", "method", reduction}});
  EXPECT_TRUE(run.simulation->initialise(0.0).ok);
  run.simulation->advance(end);
  Shown shown{run.simulation->system().equations().structure().output_names, {}};
  for (std::size_t i = 0; i < shown.names.size(); ++i) {
    shown.values.push_back(run.simulation->output(static_cast<int>(i)));
  }
  return shown;
}

// All outputs, constraint forces among them. The bounds are the tolerance of 1e-9 times what these
// motions multiply errors by (error / tolerance of extrapolation against the figures of the pages).
TEST(ReductionModels, AgreeWithExtrapolationAndRadau) {
  struct Case {
    std::string name;
    double end, bound;
  };
  for (const Case& c : {Case{"knife_edge", 2.0, 1e-6},
                        {"rolling_disc", 1.0, 1e-6},
                        {"four_bar", 0.9, 1e-5},
                        {"slider_crank", 0.06, 1e-5}}) {
    const Shown reference = end_of(c.name, "absolute", "extrapolation", "", c.end);
    const auto compare = [&](const Shown& other) {
      for (std::size_t i = 0; i < reference.names.size(); ++i) {
        const double x = reference.values[i];
        EXPECT_NEAR(other.values[i], x, c.bound * (1.0 + std::abs(x))) << reference.names[i];
      }
    };
    SCOPED_TRACE(c.name);
    compare(end_of(c.name, "absolute", "radau", "", c.end));
    for (const std::string& reduction : reductions) {
      for (const char* coordinates : {"absolute", "joint", "mixed"}) {
        SCOPED_TRACE(reduction + " " + coordinates);
        compare(end_of(c.name, coordinates, "reduction", reduction, c.end));
      }
    }
  }
}

// Bodies in space with Euler parameters, by the figures of the templates' pages: Lagrange's
// equations in three angles (gimbal, 15 constraints), closed form (rolling disc, one of three
// holonomic).
TEST(ReductionModels, KeepEulerParametersInSpace) {
  struct Figure {
    const char *model, *output;
    double t, value;
  };
  for (const Figure& f : {Figure{"gimbal", "a", 1.0, 0.232954327519},
                          {"gimbal", "b", 1.0, -2.06795422439},
                          {"gimbal", "c", 1.0, -4.45279484267},
                          {"rolling_disc", "x", 2.5, -0.592170939982008627},
                          {"rolling_disc", "y", 2.5, -0.175171812249844447}}) {
    for (const std::string& reduction : reductions) {
      for (const double tolerance : {1e-6, 1e-9}) {
        const Assembled model(template_text(f.model), "absolute");
        ProblemRun run(model.equations, model.start(), f.t);
        run.parameters = model.parameters;
        ASSERT_FALSE(model.equations->structure().euler_parameters.empty());
        const auto integrator =
            run.start("reduction method=" + reduction, with_tolerance(tolerance));
        ProblemRun::advance(*integrator, f.t);
        const State& x = integrator->state();
        for (const int e : model.equations->structure().euler_parameters) {
          EXPECT_NEAR(x.p.segment<4>(e).norm(), 1.0, 1e-15);
        }
        // the gimbal multiplies errors a hundredfold a second
        EXPECT_NEAR(model.output(x, f.output), f.value, 300.0 * tolerance)
            << f.model << " " << f.output << " " << reduction << " at " << tolerance;
      }
    }
  }
}

// The template's crank is driven, and its angle a good coordinate in every position: through 1000
// turns, 2000 dead points, there is nothing to change.
TEST(ReductionModels, SliderCrankOfTheTemplateTurns) {
  const Assembled model(template_text("slider_crank"), "absolute");
  for (const std::string& reduction : reductions) {
    ProblemRun run(model.equations, model.start(), 1e3);
    run.parameters = model.parameters;
    run.inputs = model.inputs;
    run.inputs.value[0] = 2.0;  // N m
    const auto integrator = run.start("reduction method=" + reduction, with_tolerance(1e-6));
    const int crank = model.p("crank.phi");
    const double turns = reduction == "partition" ? 1000.0 : 100.0;
    const double end = integrator->state().p[crank] + turns * 2.0 * std::numbers::pi;
    const long begin = integrator->statistics().selectors;
    double g = 0.0;
    while (integrator->state().p[crank] < end) {
      integrator->step(run.t_end);
      g = std::max(g, run.position_residual(integrator->state()));
    }
    EXPECT_EQ(integrator->statistics().failed, 0) << reduction;
    EXPECT_LT(g, 1e-5) << reduction;
    if (reduction == "partition" || reduction == "hybrid") {
      EXPECT_EQ(integrator->statistics().selectors, begin) << reduction;
    }
  }
}

// The linkage of the template by the quadrature of its energy (its page).
TEST(ReductionModels, FourBarAgreesWithQuadrature) {
  ModelRun run(template_text("four_bar"), "absolute", "extrapolation");
  ASSERT_TRUE(run.simulation->initialise(0.0).ok);
  run.simulation->advance(1.0);
  EXPECT_NEAR(run.output("crank_angle"), 7.21271461289242851, 1e-6);
  EXPECT_NEAR(run.output("rocker_angle"), 1.32057700841723868, 1e-6);
  run.simulation->advance(5.0);
  EXPECT_NEAR(run.output("crank_angle"), 32.0377764444882748, 1e-6);
  EXPECT_NEAR(run.output("rocker_angle"), 1.16945698311544385, 1e-6);
  EXPECT_NEAR(run.output("energy"), 2.73387135027788899, 1e-7);
}

}  // namespace
}  // namespace mbs::test
