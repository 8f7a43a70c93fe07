// Robots of others: every description found is read; of the well-known ones each is simulated,
// without drift of its constraints and with the energy that its dampers leave, and exported.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "engine/model/reader.hpp"
#include "engine/model/schema.hpp"
#include "engine/model/words.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/own_folder.hpp"
#include "tools/export/build_fmu.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  if (const char* named = std::getenv("MBS_ROBOTS")) {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');) result.push_back(folder);
    return result;
  }
  result = {"/usr/share/doc/dart", "/usr/share/doc/simbody", "/usr/share/morse", "/usr/share/ros"};
  const char* ask =
      "python3 -c \"import site, sys\nfor p in site.getsitepackages() + "
      "[site.getusersitepackages()]:"
      " print(p)\" 2> /dev/null";
  if (std::FILE* pipe = popen(ask, "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, pipe)) {
      result.push_back(std::string(line).substr(0, std::string(line).find('\n')));
    }
    pclose(pipe);
  }
  return result;
}

// Debian compresses what it ships as documentation.
std::string content(const fs::path& path) {
  if (path.extension() != ".gz") {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string text;
  if (std::FILE* pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r")) {
    char part[4096];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
    pclose(pipe);
  }
  return text;
}

// Each description once, though several packages may have it.
std::vector<fs::path> find_robots() {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(
             folder, fs::directory_options::skip_permission_denied, error)) {
      const bool many = entry.path().string().find("/random_urdfs/") != std::string::npos;
      const std::string name = entry.path().filename().string();
      if ((name.ends_with(".urdf") || name.ends_with(".urdf.gz")) && !many)
        found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  std::set<std::string> seen;
  std::erase_if(found, [&](const fs::path& path) { return !seen.insert(content(path)).second; });
  return found;
}

const std::vector<fs::path>& robots() {
  static const std::vector<fs::path> found = find_robots();
  return found;
}

// Files that say wrong things, or nothing about rigid bodies. All others must be read.
bool has_known_error(const std::string& text) {
  for (const char* known :
       {"[urdf-tree]", "[inertia]", "[xml]", "[not-text]", "[duplicate-name]", "[unknown-name]",
        "[missing-tag]", "[missing-attribute]", "[duplicate-tag]", "[urdf-number]",
        "[unknown-word]", "[range]", "[unknown-tag]"}) {
    if (text.find(known) != std::string::npos) return true;
  }
  return false;
}

// A folder with the description and a model that uses it.
class Workshop {
 public:
  Workshop() : folder_(fs::path(test::own_folder()) / "mbs_robots") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Workshop() { fs::remove_all(folder_); }
  fs::path model(const fs::path& robot, bool free, const std::string& sets,
                 const std::string& lines, bool bounded = true) const {
    std::ofstream(folder_ / "robot.urdf", std::ios::binary) << content(robot);
    std::ofstream(folder_ / "robot.mbs.xml")
        << "<mbs name='Robot' version='1'><gravity g='0, 0, -9.81 m/s^2'/>\n"
        << "<import name='r' file='robot.urdf' base='" << (free ? "free" : "fixed")
        << (bounded ? "'>" : "' limits='none' friction='none'>") << sets << "</import>\n"
        << lines << "</mbs>\n";
    return folder_ / "robot.mbs.xml";
  }

 private:
  fs::path folder_;
};

TEST(Robots, EveryOneIsRead) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  int read = 0;
  for (const fs::path& robot : robots()) {
    for (const bool free : {false, true}) {
      Diagnostics diagnostics;
      const Model model = read_model(workshop.model(robot, free, "", ""), diagnostics);
      if (diagnostics.ok()) {
        const auto equations = assemble(model, diagnostics);
        EXPECT_TRUE(equations) << robot << "\n" << diagnostics.text();
        read += free;
        continue;
      }
      const std::string text = diagnostics.text();
      EXPECT_TRUE(has_known_error(text)) << robot << "\n" << text;
      if (free) continue;
      std::printf("%s\n", robot.c_str());
      for (const Diagnostic& d : diagnostics.list()) {
        if (d.severity == Severity::error)
          std::printf("  line %d: %s [%s]\n", d.place.line, d.message.c_str(), d.code.c_str());
      }
    }
  }
  std::printf("%d of %zu descriptions read\n", read, robots().size());
  EXPECT_GE(read, std::min(5, static_cast<int>(robots().size()) / 2));  // the rest: known errors
}

struct Known {
  std::string file;  // the end of its path
  bool free;
  bool slow = false;  // takes a minute: with MBS_ROBOTS_ALL alone
};
const Known known[] = {{"panda.urdf", false},
                       {"ur5_robot.urdf", false},
                       {"ur10_robot.urdf", false},
                       {"kuka_iiwa/model.urdf", false},
                       {"kinova.urdf", false},
                       {"wam.urdf", false},
                       {"baxter.urdf", false},
                       {"tiago.urdf", false, true},
                       {"allegro_left_hand.urdf", false},
                       {"cartpole.urdf", false},
                       {"pendulum5.urdf", false},
                       {"anymal.urdf", true},
                       {"hyq_no_sensors.urdf", true},
                       {"solo12.urdf", true},
                       {"talos_reduced.urdf", true},
                       {"drchubo.urdf", true},
                       {"r2d2.urdf", true},
                       {"minitaur.urdf", true},
                       {"pr2.urdf", true}};

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

// The power that the joints' dampers take away.
std::string losses(const Model& model) {
  std::string sum = "0 W";
  for (const Element& e : model.elements) {
    if (e.tag->name != "revolute" && e.tag->name != "prismatic") continue;
    const double damping = evaluate(e["damping"].numbers[0], {});
    const char* unit = e.tag->name == "revolute" ? " N.m.s/rad" : " N.s/m";
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", damping);
    if (damping > 0) sum += " + " + std::string(number) + unit + "*" + e.name + ".qd^2";
  }
  return sum;
}

struct Motion {
  std::vector<double> joints;  // the angles at the end
  bool done = false;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr long patience = 3000;  // steps; then the robot is taken for stiff

// The model of a robot in motion; its outputs are energy, kinetic energy, what dampers took,
// residuals, and all joint angles.
fs::path moving_model(const Known& robot, const fs::path& path, const std::string& coordinates,
                      const std::string& method, const Workshop& workshop) {
  Diagnostics diagnostics;
  const Model bare = read_model(workshop.model(path, robot.free, "", "", false), diagnostics);
  if (!diagnostics.ok()) return {};  // told by the test above
  std::string angles;
  for (const Coordinate& c : bare.coordinates) {
    if (c.dimension == parse_unit("rad")->dimension)
      angles += "<output name='o" + std::to_string(angles.size()) + "' value='" + c.name + "'/>\n";
  }
  return workshop.model(
      path, robot.free, starts(bare),
      "<state name='lost' start='0 J' der='" + losses(bare) +
          "'/><output name='energy' quantity='energy'/><output name='kinetic' "
          "quantity='kinetic_energy'/><output name='lost_energy' value='lost'/><output name='g' "
          "quantity='residual'/><output name='gv' quantity='velocity_residual'/>\n" +
          angles + "<solver method='" + method +
          "' rtol='1e-8' atol='1e-10' stop_time='1 s' coordinates='" + coordinates + "'/>",
      false);
}

Motion simulate(const Known& robot, const std::string& coordinates, const std::string& method,
                const fs::path& file) {
  Motion motion;
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok() && equations) << diagnostics.text();
  if (!equations) return motion;
  const Sizes& n = equations->sizes();
  Simulation simulation(equations, solver_choice(model.solver));
  const auto begin = std::chrono::steady_clock::now();
  double drift = 0, residual = 0, kinetic = 0;
  try {
    const InitialReport report = simulation.initialise(0.0);
    EXPECT_TRUE(report.ok) << report.text();
    if (!report.ok) return motion;
    simulation.set_progress([&](double) { return simulation.statistics().steps < patience; });
    const double total = simulation.output(0);
    for (int k = 1; k <= 20 && simulation.time() == 0.05 * (k - 1); ++k) {
      simulation.advance(0.05 * k);
      kinetic = std::max(kinetic, simulation.output(1));
      drift = std::max(drift, std::fabs(simulation.output(0) + simulation.output(2) - total));
      residual = std::max({residual, simulation.output(3), simulation.output(4)});
    }
    for (std::size_t i = 5; i < model.outputs.size(); ++i) {
      motion.joints.push_back(simulation.output(static_cast<int>(i)));
    }
    motion.done = simulation.time() == 1.0;
  } catch (const std::exception& failure) {
    std::printf("%-24s %-8s %-6s %s\n", robot.file.c_str(), coordinates.c_str(), method.c_str(),
                failure.what());
    return motion;
  }
  std::printf(
      "%-24s %-8s %-5s %3zu bodies %3d dof %6ld steps %6.2f s  residual %.1e  energy %.1e "
      "of %.3g J%s\n",
      robot.file.c_str(), coordinates.c_str(), method.c_str(), model.bodies.size(), n.v - n.lambda,
      static_cast<long>(simulation.statistics().steps), seconds_since(begin), residual, drift,
      kinetic, motion.done ? "" : "  not finished");
  std::fflush(stdout);
  EXPECT_LT(residual, 1e-8);
  EXPECT_LT(drift, 1e-6 * kinetic + 1e-10);
  return motion;
}

// Some descriptions show shapes alone: what is free there has nothing that could move it.
bool has_inertia(const fs::path& file) {
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  Simulation simulation(assemble(model, diagnostics), solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  return report.ok || report.text().find("without inertia") == std::string::npos;
}

void export_fmu(const fs::path& file) {
  BuildRequest request;
  request.model = file;
  request.version = import::FmiVersion::fmi3;
  request.output = file.parent_path() / "robot.fmu";
  Diagnostics built;
  EXPECT_TRUE(build_fmu(request, built)) << built.text();
}

// Whether the schema has the word already.
bool offers(const char* attribute, const char* word) {
  const TagSchema& solver = *find_tag("solver");
  const AttributeSchema& a =
      solver.attributes[static_cast<std::size_t>(find_attribute(solver, attribute))];
  return contains(a.choices, '|', word);
}

// What runs: the known ones that are there, or all (takes many minutes).
template <class Use>
int count_robots(const Use& use) {
  int done = 0;
  if (std::getenv("MBS_ROBOTS_ALL")) {
    for (const fs::path& path : robots()) {
      for (const bool free : {false, true}) done += use(Known{path.filename(), free}, path);
    }
    return done;
  }
  for (const Known& robot : known) {
    const auto found = std::find_if(robots().begin(), robots().end(), [&](const fs::path& path) {
      return path.string().ends_with("/" + robot.file);
    });
    if (found == robots().end()) continue;
    if (robot.slow)
      std::printf("%-24s left out: slow, see MBS_ROBOTS_ALL\n", robot.file.c_str());
    else
      done += use(robot, *found);
  }
  return done;
}

// In absolute and in joint coordinates, both to the same end; those that need too many steps by an
// implicit method.
bool simulate_and_export(const Known& robot, const fs::path& path, const Workshop& workshop) {
  SCOPED_TRACE(path.string());
  std::vector<Motion> motions;
  for (const char* coordinates : {"absolute", "joint"}) {
    if (!offers("coordinates", coordinates)) continue;
    Motion motion;
    for (const char* method : {"auto", "radau", "bdf"}) {
      if (motion.done || !offers("method", method)) continue;
      const fs::path file = moving_model(robot, path, coordinates, method, workshop);
      if (file.empty() || (robot.free && !has_inertia(file))) return false;
      motion = simulate(robot, coordinates, method, file);
      if (motion.done && motions.empty()) export_fmu(file);
    }
    EXPECT_TRUE(motion.done);
    motions.push_back(std::move(motion));
  }
  if (motions.size() < 2 || !motions[0].done || !motions[1].done) return motions[0].done;
  for (std::size_t i = 0; i < motions[0].joints.size(); ++i) {
    const double angle = motions[0].joints[i];
    EXPECT_NEAR(angle, motions[1].joints[i], 1e-4 * (1 + std::fabs(angle)));
  }
  return true;
}

TEST(Robots, SimulateAndExport) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  const int done = count_robots([&](const Known& robot, const fs::path& path) {
    return simulate_and_export(robot, path, workshop);
  });
  std::printf("%d robots simulated and exported\n", done);
  if (done == 0) GTEST_SKIP() << "none of the known robots is among the descriptions";
}

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

// With its stops and its dry friction a robot that falls stays within its limits, and its energy
// does not grow. False: it did not come to the end.
bool falls_within(const Known& robot, const Bounds& known_bounds, const fs::path& file,
                  const char* method) {
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  const std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  if (!equations) return false;
  Simulation simulation(equations, solver_choice(model.solver));
  double beyond = 0.0, grown = 0.0, kinetic = 0.0;
  const auto begin = std::chrono::steady_clock::now();
  try {
    const InitialReport report = simulation.initialise(0.0);
    EXPECT_TRUE(report.ok) << report.text();
    if (!report.ok) return false;
    simulation.set_progress([&](double) { return simulation.statistics().steps < patience; });
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
    std::printf("%-24s limits, %s: %s\n", robot.file.c_str(), method, failure.what());
    return false;
  }
  std::printf(
      "%-24s %3zu stops %2d frictions %-5s to %.2f s, %6ld steps %6.2f s, beyond %.1e, energy "
      "grown %.1e of %.3g J\n",
      robot.file.c_str(), known_bounds.bounds.size(), known_bounds.frictions, method,
      simulation.time(), static_cast<long>(simulation.statistics().steps), seconds_since(begin),
      beyond, grown, kinetic);
  std::fflush(stdout);
  EXPECT_LT(beyond, 1e-6);
  EXPECT_LT(grown, 1e-5 * kinetic + 1e-9);
  return simulation.time() == 0.5;
}

bool stays_within_limits(const Known& robot, const fs::path& path, const Workshop& workshop) {
  SCOPED_TRACE(path.string());
  Diagnostics diagnostics;
  const Model bare = read_model(workshop.model(path, robot.free, "", ""), diagnostics);
  if (!diagnostics.ok()) return false;  // told by the test above
  const Bounds bounds = bounds_of(bare);
  bool done = false;
  for (const char* method : {"auto", "radau"}) {
    if (done) break;
    const std::string lines =
        bounds.outputs + "<solver rtol='1e-7' atol='1e-9' method='" + method + "'/>";
    const fs::path file = workshop.model(path, robot.free, "", lines);
    if (robot.free && !has_inertia(file)) return false;
    done = falls_within(robot, bounds, file, method);
  }
  EXPECT_TRUE(done);
  return done;
}

TEST(Robots, StayWithinTheirLimits) {
  if (robots().empty()) GTEST_SKIP() << "no robot descriptions; see tests/robots/CMakeLists.txt";
  const Workshop workshop;
  const int done = count_robots([&](const Known& robot, const fs::path& path) {
    return stays_within_limits(robot, path, workshop);
  });
  std::printf("%d robots stayed within their limits\n", done);
  if (done == 0) GTEST_SKIP() << "none of the known robots is among the descriptions";
}

}  // namespace
}  // namespace mbs
