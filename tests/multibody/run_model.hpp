#pragma once

// A model from its text, run in chosen coordinates by a chosen method.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs::test {

class ModelRun {
 public:
  ModelRun(const std::string& text, const std::string& coordinates, const std::string& method,
           double tolerance = 1e-9, std::vector<MethodSetting> settings = {}) {
    Diagnostics diagnostics;
    Model model = read_model_text(text, "test.mbs.xml", diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    model.solver.coordinates = coordinates;
    model.solver.method = method;
    model.solver.rtol = model.solver.atol = tolerance;
    model.solver.method_settings = std::move(settings);
    equations_ = assemble(model, diagnostics);
    EXPECT_TRUE(equations_) << diagnostics.text();
    simulation = std::make_unique<Simulation>(equations_, solver_choice(model.solver));
  }
  double output(const std::string& name) {
    const auto& names = equations_->structure().output_names;
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return simulation->output(static_cast<int>(found - names.begin()));
  }
  std::unique_ptr<Simulation> simulation;

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

// Of what holds in all of them.
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

}  // namespace mbs::test
