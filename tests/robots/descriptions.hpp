#pragma once

// Robot descriptions of others that are on this machine, and models made of them.

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mbs::test {

// Each description once, though several packages may have it; in the folders of MBS_ROBOTS, or
// where packages put them. None: the tests are skipped.
const std::vector<std::filesystem::path>& robots();

struct Robot {
  std::string file;  // the end of its path
  bool free;         // its base
  std::string title() const { return file + (free ? " free" : " fixed"); }
};

// A folder with the description and a model that uses it.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  std::filesystem::path model(const std::filesystem::path& robot, bool free,
                              const std::string& sets, const std::string& lines,
                              bool bounded = true) const;

 private:
  std::filesystem::path folder_;
};

enum class Outcome {
  done,
  failed,
  not_read,  // AreRead reports why
  massless,  // named: something that is free has no inertia; some show shapes alone
};

// Whether this model, which can be read, has a start, and what its inertia allows.
bool has_inertia(const std::filesystem::path& file);

// The number of steps after which the robot is taken for stiff, and done by an implicit method.
inline long patience(const std::string& method) {
  return method == "auto" ? 1000 : 3000;
}

struct Counts {
  int done = 0, failed = 0, not_read = 0, massless = 0;
  int all() const { return done + failed + not_read + massless; }
};

// The well-known ones that are there; with MBS_ROBOTS_ALL all, each fixed and free (many minutes).
std::vector<std::pair<Robot, std::filesystem::path>> chosen_robots();

// How many must be in order: each of the well-known ones; of all, where about all are there, what
// is in order.
int least_done(int count);

template <class Use>
Counts count_robots(const char* what, const Use& use) {
  Counts counts;
  for (const auto& [robot, path] : chosen_robots()) {
    const Outcome outcome = use(robot, path);
    counts.done += outcome == Outcome::done;
    counts.failed += outcome == Outcome::failed;
    counts.not_read += outcome == Outcome::not_read;
    counts.massless += outcome == Outcome::massless;
    if (outcome == Outcome::massless)
      std::printf("%-24s has something that moves without inertia\n", robot.title().c_str());
  }
  std::printf("%d of %d robots %s; %d are not read, %d have something without inertia\n",
              counts.done, counts.all(), what, counts.not_read, counts.massless);
  return counts;
}

double now();  // in seconds

}  // namespace mbs::test
