// Explicit methods measure stiffness: they tell it of the hydraulic models, by figures, and of no
// model that is not stiff.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

// What is told of stiffness in a run of at most 1500 steps; `method` refuses some models.
std::string told(const std::string& name, const std::string& method) {
  Diagnostics diagnostics;
  Model model = read_model(
      (fs::path(std::getenv("MBS_TEMPLATES")) / name / (name + ".mbs.xml")).string(), diagnostics);
  model.solver.method = method;
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  SolverChoice choice = solver_choice(model);
  choice.options.method_options.clear();
  Simulation simulation(equations, choice);
  EXPECT_TRUE(simulation.initialise(model.solver.start_time).ok);
  simulation.set_progress([&](double) { return simulation.statistics().steps < 1500; });
  try {
    simulation.advance(model.solver.stop_time);
  } catch (const SolverFailure&) {  // not every method comes through every model
  }
  std::string text;
  for (const Simulation::Notice& notice : simulation.take_notices()) {
    if (notice.text.find("stiff") == std::string::npos) continue;
    EXPECT_EQ(text, "") << "told twice";
    text = notice.text;
  }
  return text;
}

const char* const explicit_methods[] = {"extrapolation", "midpoint", "reduction"};

TEST(Stiffness, IsToldOfTheHydraulicQuarterCarWithItsFigures) {
  for (const char* method : explicit_methods) {
    SCOPED_TRACE(method);
    const std::string text = told("quarter_car", method);
    EXPECT_EQ(text.find("the model is stiff for this method: h |lambda| = "), 0u) << text;
    EXPECT_NE(text.find("method=\"radau\" or \"bdf\""), std::string::npos) << text;
    const std::size_t at = text.find("|lambda| = ", text.find("mean step"));
    if (at == std::string::npos) continue;
    // mbsfmu eigen: 590 1/s with the valve closed; more with it open
    const double lambda = std::stod(text.substr(at + 11));
    EXPECT_GT(lambda, 400.0);
    EXPECT_LT(lambda, 2000.0);
  }
  for (const char* method : {"radau", "bdf"}) EXPECT_EQ(told("quarter_car", method), "") << method;
}

// Stiff are, beside it, those with stiff tyres, wheels and rails; actuator and controller are once
// they hold their place.
TEST(Stiffness, IsToldOfNothingThatIsNotStiff) {
  const std::set<std::string> stiff = {
      "axle_rig", "quarter_car",   "hydraulic_actuator", "pid_controller",
      "truck",    "passenger_car", "railway_carriage",   "all_terrain_vehicle"};
  for (const auto& entry : fs::directory_iterator(std::getenv("MBS_TEMPLATES"))) {
    const std::string name = entry.path().filename().string();
    if (!fs::exists(entry.path() / (name + ".mbs.xml")) || stiff.contains(name)) continue;
    for (const char* method : explicit_methods)
      EXPECT_EQ(told(name, method), "") << name << " " << method;
  }
}

}  // namespace
}  // namespace mbs
