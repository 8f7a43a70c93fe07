// The worked example as FMUs: its variables, the rules of the standards, and the same motion as the
// same model written as a file.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "tools/check_fmu/check_fmu.hpp"
#include "tools/import/simulate.hpp"
#include "tools/mbsfmu/run_model.hpp"

namespace mbs {
namespace {

std::vector<std::string> fmus() {
  std::istringstream list(std::getenv("MBS_CPP_FMUS"));
  std::vector<std::string> paths;
  for (std::string path; std::getline(list, path, ':');) paths.push_back(path);
  return paths;
}

Table as_file(double F, double d) {
  Diagnostics diagnostics;
  const Model model =
      read_model(std::string(std::getenv("MBS_CPP_TESTS")) + "/crane.mbs.xml", diagnostics);
  CoSimulationDriver simulation(assemble(model, diagnostics), solver_choice(model.solver));
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  simulation.set_input(0, F);
  simulation.system().parameters().set(4, d);
  return run_model(model, simulation);
}

TEST(CppModelFmus, BreakNoRule) {
  ASSERT_EQ(fmus().size(), 2u);
  for (const std::string& path : fmus())
    for (const auto& finding : check_fmu::check_fmu(path))
      ADD_FAILURE() << path << ": " << check_fmu::to_text(finding);
}

TEST(CppModelFmus, MoveAsTheModelFileDoes) {
  const Table expected = as_file(800.0, 25.0);
  for (const std::string& path : fmus()) {
    SCOPED_TRACE(path);
    const auto fmu = import::open_fmu(path);
    import::SimulateOptions options;
    options.start_values = {{"F", "800"}, {"d", "25"}};
    const import::SimulateResult result = import::simulate(*fmu, options);
    ASSERT_TRUE(import::is_good(result.status)) << result.failure;
    ASSERT_EQ(result.names, (std::vector<std::string>{"position", "swing", "pull"}));
    ASSERT_EQ(result.rows.size(), expected.rows.size());
    const double tolerance[] = {2e-6, 2e-6, 2e-2};  // m, rad, N: rtol 1e-8 twice
    for (std::size_t i = 0; i < expected.rows.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_NEAR(result.rows[i][k], expected.rows[i][k], tolerance[k])
            << result.names[k] << " at " << result.times[i];
    EXPECT_GT(std::abs(expected.rows.back()[0]), 1.0);
  }
}

}  // namespace
}  // namespace mbs
