#pragma once

// A planar model from its lines, ready to run at tolerances of 1e-10.

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/model_exchange_driver.hpp"

namespace mbs::test {

template <class Driver = CoSimulationDriver>
Driver simulated(const std::string& inside, const std::string& coordinates = "auto",
                 const std::string& solver = "rtol=\"1e-10\" atol=\"1e-10\"", bool planar = true) {
  Diagnostics diagnostics;
  const Model model =
      read_model_text(std::string(R"(<?xml version="1.0"?><mbs name="Test" version="1")") +
                          (planar ? R"( planar="xy">)" : ">") + inside + "<solver coordinates=\"" +
                          coordinates + "\" " + solver + "/></mbs>",
                      "test.mbs.xml", diagnostics);
  auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  Driver simulation(equations, solver_choice(model));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.message;
  return simulation;
}

}  // namespace mbs::test
