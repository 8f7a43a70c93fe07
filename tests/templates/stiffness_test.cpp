// The hydraulic quarter car with every method: implicit ones go through it without their steps
// collapsing, explicit ones stay at the bound of stability and warn of it, with measured figures;
// and of which models they warn, and of which not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string warning;  // of stiffness
  int warnings = 0;     // of that
  Statistics statistics;
  double end = 0.0, smallest = 1e300;  // the smallest step once motion is under way
  double mean = 0.0;                   // step in the last tenth
};

struct RunRequest {
  std::string way;  // a method with options of its own, "radau form=index1"
  double tolerance = 0.0, stop = 0.0, max_step = 0.0;  // 0: as the model says
  std::string coordinates = "auto";
  long most_steps = 100000;
  bool interrupted = false;  // another simulation goes on from a snapshot, ten times
};

Outcome run(Model model, const RunRequest& request) {
  Diagnostics diagnostics;
  std::istringstream keywords(request.way);
  keywords >> model.solver.method;
  model.solver.coordinates = request.coordinates;
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  SolverChoice choice = solver_choice(model);
  choice.options.method_options.clear();
  for (std::string option; keywords >> option;) {
    const std::size_t equals = option.find('=');
    choice.options.method_options.push_back(
        {model.solver.method, option.substr(0, equals), option.substr(equals + 1)});
  }
  if (request.tolerance > 0.0) {
    choice.options.rtol = request.tolerance;
    choice.options.atol = 0.01 * request.tolerance;
  }
  choice.options.max_step = request.max_step;
  auto simulation = std::make_unique<CoSimulationDriver>(equations, choice);
  EXPECT_TRUE(simulation->initialise(model.solver.start_time).ok);
  Outcome result;
  const auto note = [&] {
    for (const LogEntry& entry : simulation->system().events().take_log_entries()) {
      if (entry.text.find("stiff") == std::string::npos) continue;
      ++result.warnings;
      result.warning = entry.text;
    }
  };
  const auto watch = [&](double time) {
    const Statistics& now = simulation->statistics();
    constexpr double under_way = 0.05;
    if (time > under_way) result.smallest = std::min(result.smallest, now.last_step);
    return now.steps < request.most_steps;
  };
  const double stop = request.stop > 0.0 ? request.stop : model.solver.stop_time;
  constexpr int pieces = 10;
  try {
    for (int piece = 1; piece <= pieces; ++piece) {
      const long before = simulation->statistics().steps;
      simulation->set_progress(watch);
      simulation->advance(stop * piece / pieces);
      result.mean = stop / pieces / double(simulation->statistics().steps - before);
      note();
      if (!request.interrupted) continue;
      std::vector<std::byte> saved;
      ByteWriter writer(saved);
      simulation->save(writer);
      simulation = std::make_unique<CoSimulationDriver>(equations, choice);
      EXPECT_TRUE(simulation->initialise(model.solver.start_time).ok);
      ByteReader reader(saved);
      simulation->restore(reader);
    }
  } catch (const SolverFailure&) {  // not every method comes through every model
  }
  result.statistics = simulation->statistics();
  result.end = simulation->time();
  return result;
}

Model template_model(const std::string& name) {
  Diagnostics diagnostics;
  const fs::path file = fs::path(std::getenv("MBS_TEMPLATES")) / name / (name + ".mbs.xml");
  Model model = read_model(file.string(), diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  return model;
}

double figure(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? 0.0 : std::stod(text.substr(at + before.size()));
}

const char* const all_coordinates[] = {"absolute", "joint", "mixed"};
const char* const explicit_methods[] = {"extrapolation", "midpoint", "reduction"};

// 5 s: over the bump, and until all has come to rest. Steps seen: radau 146 ... 163 and 451 ...
// 510, bdf 491 ... 804 and 1793 ... 2511; the smallest 2.8e-6 s, where bdf begins again at a point
// of the road. The last ones are longer than any explicit method could make them.
TEST(QuarterCar, ImplicitMethodsFinishWithoutStepCollapse) {
  const char* const ways[] = {"radau",
                              "radau form=index1",
                              "radau structure=sparse",
                              "radau mass=general",
                              "radau algebraic=qr",
                              "radau algebraic=svd",
                              "radau differential=qr",
                              "radau selectors=adapted",
                              "radau step_control=classical",
                              "radau start_values=constant",
                              "bdf",
                              "bdf form=lambda_derivative",
                              "bdf formalism=explicit",
                              "bdf corrector=dassl",
                              "bdf jacobian=groups",
                              "bdf jacobian=differences",
                              "bdf phases=plain",
                              "bdf phases=dropped",
                              "bdf phases=krylov",
                              "bdf phases=all"};
  for (const std::string coordinates : all_coordinates)
    for (const std::string way : ways) {
      if (way == "bdf formalism=explicit" && coordinates != "joint") continue;  // M is singular
      const bool radau = way.starts_with("radau");
      for (const double tolerance : {1e-4, 1e-7}) {
        SCOPED_TRACE(way + " " + coordinates + (tolerance > 1e-5 ? " 1e-4" : " 1e-7"));
        const Outcome out =
            run(template_model("quarter_car"),
                {.way = way, .tolerance = tolerance, .stop = 5.0, .coordinates = coordinates});
        const Statistics& s = out.statistics;
        EXPECT_EQ(out.end, 5.0);
        EXPECT_EQ(out.warning, "");
        EXPECT_LT(s.steps,
                  radau ? (tolerance > 1e-5 ? 200 : 600) : (tolerance > 1e-5 ? 950 : 3000));
        EXPECT_LT(s.rejected + s.failed, 0.25 * static_cast<double>(s.steps));
        EXPECT_GT(out.smallest, 1e-6);
        EXPECT_GT(s.last_step, 0.01);
      }
    }
}

// mbsfmu eigen: 903 1/s with the valve closed, which they end at; up to 1600 with it open. Steps
// seen: 2369 ... 3256, 1235 ... 1388, 2824 ... 3250.
TEST(QuarterCar, ExplicitMethodsWarnOfItsStiffnessOnceWithFigures) {
  const char* const ways[] = {"extrapolation",
                              "midpoint",
                              "reduction",
                              "reduction method=stabilized",
                              "reduction method=hybrid",
                              "reduction method=svd",
                              "reduction method=nullspace"};
  for (const std::string coordinates : all_coordinates)
    for (const std::string way : ways)
      for (const double tolerance : {1e-4, 1e-7}) {
        SCOPED_TRACE(way + " " + coordinates + (tolerance > 1e-5 ? " 1e-4" : " 1e-7"));
        const Outcome out =
            run(template_model("quarter_car"),
                {.way = way, .tolerance = tolerance, .stop = 5.0, .coordinates = coordinates});
        EXPECT_EQ(out.end, 5.0);
        EXPECT_EQ(out.warnings, 1);
        EXPECT_EQ(out.warning.find("the model is stiff for this method: h |lambda| = "), 0u);
        EXPECT_NE(out.warning.find("method=\"radau\" or \"bdf\""), std::string::npos);
        const double bound = figure(out.warning, "h |lambda| = "),
                     h = figure(out.warning, "mean step "),
                     lambda = figure(out.warning, ", |lambda| = ");
        EXPECT_GT(lambda, 850.0);
        EXPECT_LT(lambda, 1700.0);
        EXPECT_NEAR(h * lambda, bound, 1e-4 * bound);
        EXPECT_LT(bound, 5.0);
        EXPECT_GE(figure(out.warning, "would allow steps "), 4.0);
        EXPECT_LT(903.0 * out.mean, 5.0) << "held there to the end";
      }
}

TEST(Stiffness, IsReportedOnceAndTheSameOverSnapshots) {
  for (const char* method : explicit_methods) {
    SCOPED_TRACE(method);
    const Model car = template_model("quarter_car");
    const Outcome whole = run(car, {.way = method}),
                  parts = run(car, {.way = method, .interrupted = true});
    EXPECT_EQ(parts.warnings, 1);
    EXPECT_EQ(parts.warning, whole.warning);
  }
}

// y' = -rate (y - sin t): slow but for what `rate` says.
Model relaxation(double rate) {
  Diagnostics diagnostics;
  return read_model_text(
      "<mbs name=\"Lag\" version=\"1\" planar=\"xy\">"
      "<state name=\"y\" start=\"0\" der=\"-" +
          std::to_string(rate) +
          "*(y - sin(time/(1 s)))/(1 s)\"/><output name=\"z\" value=\"y\"/>"
          "<solver rtol=\"1e-5\" atol=\"1e-5\" stop_time=\"10 s\"/></mbs>",
      "lag.mbs.xml", diagnostics);
}

// The eigenvalue to four digits; nothing where accuracy, or the longest step, limits the steps.
TEST(Stiffness, IsWhereStabilityAloneLimitsTheSteps) {
  for (const char* method : explicit_methods) {
    SCOPED_TRACE(method);
    for (const double rate : {300.0, 3000.0}) {
      const Outcome out = run(relaxation(rate), {.way = method});
      EXPECT_EQ(out.warnings, 1) << rate;
      EXPECT_NEAR(figure(out.warning, ", |lambda| = "), rate, 1e-4 * rate);
    }
    EXPECT_EQ(run(relaxation(1.0), {.way = method}).warning, "");
    EXPECT_EQ(run(relaxation(1.0), {.way = method, .tolerance = 1e-10}).warning, "");
    EXPECT_EQ(run(relaxation(300.0), {.way = method, .max_step = 1e-3}).warning, "");
  }
}

// Stiff are, apart from the quarter car, those with stiff tyres, and with wheels on rails.
TEST(Stiffness, IsReportedOfNoModelThatIsNotStiff) {
  const std::set<std::string> stiff = {"quarter_car",      "truck",         "axle_rig",
                                       "railway_carriage", "passenger_car", "all_terrain_vehicle"};
  for (const auto& entry : fs::directory_iterator(std::getenv("MBS_TEMPLATES"))) {
    const std::string name = entry.path().filename().string();
    if (!fs::exists(entry.path() / (name + ".mbs.xml")) || stiff.contains(name)) continue;
    for (const char* method : explicit_methods)
      EXPECT_EQ(run(template_model(name), {.way = method, .most_steps = 1500}).warning, "")
          << name << " " << method;
  }
}

}  // namespace
}  // namespace mbs
