// The reductions of report 004 on models: nonholonomic ones, a linkage near a singular position and
// through dead points, in every choice of coordinates, beside extrapolation and radau.

#include <gtest/gtest.h>

#include <cmath>

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
  Shown shown{run.simulation->equations().structure().output_names, {}};
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

// The linkage of the template by the quadrature of its energy (its page).
TEST(ReductionModels, FourBarByQuadrature) {
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
