#include "tools/export/placement.hpp"

#include <cmath>
#include <stdexcept>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"

namespace mbs {
namespace {

Output measured(const Model& model, int frame, Quantity quantity, int component) {
  Output output;
  output.name = "placement#" + std::to_string(model.outputs.size());
  output.what.quantity = quantity;
  output.what.frame = frame;
  output.what.component = component;
  return output;
}

}  // namespace

// The model measures itself: positions and orientations of its frames are further outputs, after
// those that events may refer to.
std::optional<Start> start_of(const Model& model) {
  Model measuring = model;
  const std::size_t first = model.outputs.size();
  const int dimensions = model.planar ? 2 : 3, entries = model.planar ? 1 : 9;
  const std::size_t frames = model.frames.size() <= most_frames ? model.frames.size() : 0;
  for (int frame = 0; frame < static_cast<int>(frames); ++frame) {
    for (int k = 0; k < dimensions; ++k)
      measuring.outputs.push_back(measured(measuring, frame, Quantity::position, k));
    for (int k = 0; k < entries; ++k)
      measuring.outputs.push_back(
          measured(measuring, frame, Quantity::orientation, model.planar ? 2 : k));
  }
  try {
    Diagnostics diagnostics;
    const auto equations = assemble(measuring, diagnostics);
    if (!equations || !diagnostics.ok()) return std::nullopt;
    CoSimulationDriver simulation(equations, solver_choice(measuring));
    if (!simulation.initialise(model.solver.start_time).ok) return std::nullopt;
    Start start;
    start.solver = simulation.step().integrator().describe();
    auto next = static_cast<int>(first);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      Placement& placement = start.frames.emplace_back();
      for (int k = 0; k < dimensions; ++k) placement.r[k] = simulation.output(next++);
      if (model.planar) {
        const double angle = simulation.output(next++);
        placement.R.topLeftCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle),
            std::cos(angle);
      } else {
        for (int k = 0; k < 9; ++k) placement.R(k / 3, k % 3) = simulation.output(next++);
      }
      if (!placement.r.allFinite() || !placement.R.allFinite()) return std::nullopt;
    }
    return start;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace mbs
