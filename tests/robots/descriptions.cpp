#include "tests/robots/descriptions.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {

namespace fs = std::filesystem;

namespace {

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

const Robot known[] = {{"panda.urdf", false},
                       {"ur5_robot.urdf", false},
                       {"ur10_robot.urdf", false},
                       {"kuka_iiwa/model.urdf", false},
                       {"kinova.urdf", false},
                       {"wam.urdf", false},
                       {"baxter.urdf", false},
                       {"tiago.urdf", false},
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

}  // namespace

const std::vector<fs::path>& robots() {
  static const std::vector<fs::path> found = find_robots();
  return found;
}

std::vector<std::pair<Robot, fs::path>> chosen_robots() {
  std::vector<std::pair<Robot, fs::path>> chosen;
  if (std::getenv("MBS_ROBOTS_ALL")) {
    for (const fs::path& path : robots()) {
      for (const bool free : {false, true}) chosen.push_back({{path.filename(), free}, path});
    }
    return chosen;
  }
  for (const Robot& robot : known) {
    const auto found = std::find_if(robots().begin(), robots().end(), [&](const fs::path& path) {
      return path.string().ends_with("/" + robot.file);
    });
    if (found != robots().end()) chosen.push_back({robot, *found});
  }
  return chosen;
}

// Among 480, fixed and free, 52 are not read, and some 45 free bases hold shapes alone.
int least_done(int count) {
  if (!std::getenv("MBS_ROBOTS_ALL")) return count;
  return count >= 400 ? 79 * count / 100 : 0;
}

Workshop::Workshop() : folder_(fs::path(own_folder()) / "mbs_robots") {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

Workshop::~Workshop() {
  fs::remove_all(folder_);
}

fs::path Workshop::model(const fs::path& robot, bool free, const std::string& sets,
                         const std::string& lines, bool bounded) const {
  std::ofstream(folder_ / "robot.urdf", std::ios::binary) << content(robot);
  std::ofstream(folder_ / "robot.mbs.xml")
      << "<mbs name='Robot' version='1'><gravity g='0, 0, -9.81 m/s^2'/>\n"
      << "<import name='r' file='robot.urdf' base='" << (free ? "free" : "fixed")
      << (bounded ? "'>" : "' limits='none' friction='none'>") << sets << "</import>\n"
      << lines << "</mbs>\n";
  return folder_ / "robot.mbs.xml";
}

bool has_inertia(const fs::path& file) {
  Diagnostics diagnostics;
  const Model model = read_model(file, diagnostics);
  const std::shared_ptr<const Equations> equations = assemble(model, diagnostics);
  if (!equations) return true;  // reported where it is used
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  return report.ok || report.text().find("without inertia") == std::string::npos;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace mbs::test
