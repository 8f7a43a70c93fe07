#pragma once

// A model from its text, run in chosen coordinates by a chosen method.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/derivatives.hpp"
#include "engine/simulation/model_exchange_driver.hpp"

namespace mbs::test {

class ModelRun {
 public:
  ModelRun(const std::string& text, const std::string& coordinates, const std::string& method,
           double tolerance = 1e-9, std::vector<MethodSetting> settings = {}) {
    Diagnostics diagnostics;
    Model model = read_model_text(text, "test.mbs.xml", diagnostics);
    model.solver.coordinates = coordinates;
    model.solver.method = method;
    model.solver.rtol = model.solver.atol = tolerance;
    model.solver.method_settings = std::move(settings);
    if (diagnostics.ok()) equations_ = assemble(model, diagnostics);
    if (!equations_) throw std::runtime_error(diagnostics.text());
    simulation = std::make_unique<CoSimulationDriver>(equations_, solver_choice(model.solver));
  }
  int index(const std::string& name) const {  // of an output
    const auto& names = equations_->structure().output_names;
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return static_cast<int>(found - names.begin());
  }
  double output(const std::string& name) { return simulation->output(index(name)); }
  std::unique_ptr<CoSimulationDriver> simulation;

 private:
  std::shared_ptr<const Equations> equations_;
};

struct Choice {
  std::string coordinates, method;
};
inline std::string template_text(const std::string& name) {
  std::ifstream file(std::string(MBS_TEMPLATES) + "/" + name + "/" + name + ".mbs.xml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Coordinates and methods for tests of what holds in all of them.
const Choice every_choice[] = {{"absolute", "extrapolation"},
                               {"joint", "extrapolation"},
                               {"mixed", "extrapolation"},
                               {"absolute", "midpoint"},
                               {"absolute", "radau"},
                               {"mixed", "radau"},
                               {"joint", "radau"},
                               {"absolute", "bdf"},
                               {"absolute", "reduction"},
                               {"joint", "reduction"}};

// Every method with every choice of coordinates: `use` gets a run of the model at that tolerance.
template <class Use>
void in_every_way(const std::string& text, double tolerance, const Use& use) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
      SCOPED_TRACE(std::string(coordinates) + " " + method);
      ModelRun run(text, coordinates, method, tolerance);
      const InitialReport report = run.simulation->initialise(0.0);
      ASSERT_TRUE(report.ok) << report.message;
      use(run);
    }
  }
}

}  // namespace mbs::test
