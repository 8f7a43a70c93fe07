// Robots of others in motion, without limits: in absolute and in joint coordinates to the same end,
// without drift of their constraints, with the energy that their dampers leave; and exported.
//
// Falling arms are sensitive to their start. Where both ends differ, and where the energy is off by
// more than is asked, it is done again with a hundredth of the tolerance: then the energy has to
// hold, and both have to agree for as long as two tolerances do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/model/reader.hpp"
#include "engine/model/schema.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/robots/descriptions.hpp"
#include "tools/export/build_fmu.hpp"

namespace mbs::test {
namespace {

namespace fs = std::filesystem;

// All joints start somewhere and in motion.
std::string starts(const Model& model) {
  std::string sets;
  int k = 0;
  for (const Parameter& p : model.parameters) {
    const std::string name = p.name.substr(2);
    const bool rate = name.ends_with("_qd0");
    const double value = rate ? 0.3 - 0.1 * (k % 7) : 0.05 * (k % 5);
    k += rate;
    sets += "<set " + name + "='" + std::to_string(value) + "'/>";
  }
  return sets;
}

// States for what the joints' dampers take away, so many to each, and their sum as an output.
std::string losses(const Model& model) {
  constexpr int most = 50;
  std::vector<std::string> powers;
  int count = 0;
  for (const Element& e : model.elements) {
    if (e.tag->name != "revolute" && e.tag->name != "prismatic") continue;
    const double damping = evaluate(e["damping"].numbers[0], {});
    if (!(damping > 0)) continue;
    const char* unit = e.tag->name == "revolute" ? " N.m.s/rad" : " N.s/m";
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", damping);
    if (count++ % most == 0) powers.push_back("0 W");
    powers.back() += " + " + std::string(number) + unit + "*" + e.name + ".qd^2";
  }
  std::string lines, sum = "0 J";
  for (std::size_t k = 0; k < powers.size(); ++k) {
    const std::string name = "lost" + std::to_string(k);
    lines += "<state name='" + name + "' start='0 J' der='" + powers[k] + "'/>";
    sum += " + " + name;
  }
  return lines + "<output name='lost_energy' value='" + sum + "'/>";
}

// Its outputs: what dampers took, energy, kinetic energy, residuals, all joint angles.
fs::path moving_model(const Robot& robot, const fs::path& path, const std::string& coordinates,
                      const std::string& method, double rtol, const Workshop& workshop) {
  Diagnostics diagnostics;
  const Model bare = read_model(workshop.model(path, robot.free, "", "", false), diagnostics);
  if (!diagnostics.ok()) return {};  // reported by AreRead
  std::string angles;
  for (const Coordinate& c : bare.coordinates) {
    if (c.dimension == parse_unit("rad")->dimension)
      angles += "<output name='o" + std::to_string(angles.size()) + "' value='" + c.name + "'/>\n";
  }
  char tolerances[60];
  std::snprintf(tolerances, sizeof tolerances, "' rtol='%g' atol='%g", rtol, 0.01 * rtol);
  return workshop.model(path, robot.free, starts(bare),
                        losses(bare) +
                            "<output name='energy' quantity='energy'/><output name='kinetic' "
                            "quantity='kinetic_energy'/><output name='g' quantity='residual'/>"
                            "<output name='gv' quantity='velocity_residual'/>\n" +
                            angles + "<solver method='" + method + tolerances +
                            "' stop_time='1 s' coordinates='" + coordinates + "'/>",
                        false);
}

constexpr int points = 20;  // of one second

struct Motion {
  std::vector<std::vector<double>> angles;  // at each point
  double residual = 0, drift = 0, kinetic = 0;
  bool done = false;
  bool keeps_energy() const { return drift < 1e-6 * kinetic + 1e-10; }
};

Motion simulate(const std::string& title, const std::string& method, const fs::path& file) {
  Motion motion;
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  const std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok() && equations) << diagnostics.text();
  if (!equations) return motion;
  const Sizes& n = equations->sizes();
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  const double begin = now();
  try {
    const InitialReport report = simulation.initialise(0.0);
    EXPECT_TRUE(report.ok) << report.text();
    if (!report.ok) return motion;
    simulation.set_progress(
        [&](double) { return simulation.statistics().steps < patience(method); });
    const double total = simulation.output(1);
    for (int k = 1; k <= points && simulation.time() == (k - 1.0) / points; ++k) {
      simulation.advance(static_cast<double>(k) / points);
      motion.kinetic = std::max(motion.kinetic, simulation.output(2));
      const double energy = simulation.output(1) + simulation.output(0);
      motion.drift = std::max(motion.drift, std::fabs(energy - total));
      motion.residual = std::max({motion.residual, simulation.output(3), simulation.output(4)});
      motion.angles.emplace_back();
      for (std::size_t i = 5; i < model.outputs.size(); ++i) {
        motion.angles.back().push_back(simulation.output(static_cast<int>(i)));
      }
    }
    motion.done = simulation.time() == 1.0;
  } catch (const std::exception& failure) {
    std::printf("%s %s\n", title.c_str(), failure.what());
    return motion;
  }
  std::printf("%s %3zu bodies %3d dof %6ld steps %6.2f s  residual %.1e  energy %.1e of %.3g J%s\n",
              title.c_str(), model.bodies.size(), n.v - n.lambda,
              static_cast<long>(simulation.statistics().steps), now() - begin, motion.residual,
              motion.drift, motion.kinetic, motion.done ? "" : "  not finished");
  std::fflush(stdout);
  EXPECT_LT(motion.residual, 1e-8);
  return motion;
}

// The first point at which they differ by more than this part.
int parting(const Motion& a, const Motion& b, double part) {
  for (int k = 0; k < points; ++k) {
    const auto& x = a.angles[static_cast<std::size_t>(k)];
    const auto& y = b.angles[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i] - y[i]) > part * (1 + std::fabs(x[i]))) return k;
    }
  }
  return points;
}

std::string when(int point) {
  if (point == points) return "nowhere";
  char text[30];
  std::snprintf(text, sizeof text, "at %.2f s", (point + 1.0) / points);
  return text;
}

void export_fmu(const fs::path& file) {
  BuildRequest request;
  request.model = file;
  request.version = import::FmiVersion::fmi3;
  request.output = file.parent_path() / "robot.fmu";
  Diagnostics built;
  EXPECT_TRUE(build_fmu(request, built)) << built.text();
}

// If al5d_robot.urdf hangs on nothing, its base (line 15: a point, as all of its links are) turns
// about the axis of j1, on which it lies but for the digits of pi in line 83: 2e-22 kg.m^2.
bool base_is_a_point_on_its_axis(const Robot& robot) {
  return robot.file == "al5d_robot.urdf" && robot.free;
}

class Mover {
 public:
  Mover(const Robot& robot, const fs::path& path, const Workshop& workshop)
      : robot_(robot), path_(path), workshop_(workshop) {}

  Outcome run() {
    const fs::path first = file("absolute", "auto", 1e-8);
    if (first.empty()) return Outcome::not_read;
    if (base_is_a_point_on_its_axis(robot_) || !has_inertia(first)) return Outcome::massless;
    export_fmu(first);
    const Motion absolute = move("absolute", 1e-8), joint = move("joint", 1e-8);
    if (!absolute.done || !joint.done) return Outcome::failed;
    const bool agree = parting(absolute, joint, 1e-4) == points;
    if (agree && absolute.keeps_energy() && joint.keeps_energy()) return Outcome::done;
    const Motion finer_absolute = move("absolute", 1e-10), finer_joint = move("joint", 1e-10);
    if (!finer_absolute.done || !finer_joint.done) return Outcome::failed;
    const int certain = std::min(parting(absolute, finer_absolute, 1e-5),
                                 parting(joint, finer_joint, 1e-5)),
              same = parting(finer_absolute, finer_joint, 1e-4);
    std::printf("%-24s tolerances part %s, coordinates %s\n", robot_.title().c_str(),
                when(certain).c_str(), when(same).c_str());
    EXPECT_TRUE(finer_absolute.keeps_energy()) << finer_absolute.drift;
    EXPECT_TRUE(finer_joint.keeps_energy()) << finer_joint.drift;
    EXPECT_GE(same, certain);
    EXPECT_GE(same, points / 10);
    const bool kept = finer_absolute.keeps_energy() && finer_joint.keeps_energy();
    return kept && same >= certain && same >= points / 10 ? Outcome::done : Outcome::failed;
  }

 private:
  fs::path file(const std::string& coordinates, const std::string& method, double rtol) const {
    return moving_model(robot_, path_, coordinates, method, rtol, workshop_);
  }

  // By an implicit method where it needs too many steps, or has done so before.
  Motion move(const std::string& coordinates, double rtol) {
    Motion motion;
    for (; method_ < 3; ++method_) {
      const char* methods[] = {"auto", "radau", "bdf"};
      char title[100];
      std::snprintf(title, sizeof title, "%-24s %-8s %-5s %.0e", robot_.title().c_str(),
                    coordinates.c_str(), methods[method_], rtol);
      motion = simulate(title, methods[method_], file(coordinates, methods[method_], rtol));
      if (motion.done) return motion;
    }
    ADD_FAILURE() << "not to its end in " << coordinates << " coordinates";
    return motion;
  }

  const Robot& robot_;
  const fs::path& path_;
  const Workshop& workshop_;
  int method_ = 0;
};

TEST(Robots, SimulateAndAreExported) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  const Counts counts =
      count_robots("simulated and exported", [&](const Robot& robot, const fs::path& path) {
        SCOPED_TRACE(path.string());
        return Mover(robot, path, workshop).run();
      });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GE(counts.done, least_done(counts.all()));
  if (counts.all() == 0) GTEST_SKIP() << "none of the known robots is among the descriptions";
}

}  // namespace
}  // namespace mbs::test
