#include "tests/bench/peers/known.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mbs::test {

KnownRuns::KnownRuns(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error(path + " cannot be read");
  for (int number = 2; std::getline(file, line); ++number) {
    std::istringstream row(line);
    std::vector<std::string> keywords;
    for (std::string keyword; std::getline(row, keyword, ',');) keywords.push_back(keyword);
    try {
      const auto count = [&](std::size_t i) { return std::stol(keywords.at(i)); };
      runs_[{keywords.at(0), keywords.at(1)}].push_back(
          {std::stod(keywords.at(2)), count(3), count(4), count(5), std::stod(keywords.at(7))});
    } catch (const std::logic_error&) {
      throw std::runtime_error(path + ":" + std::to_string(number) +
                               ": not a row of runs: " + line);
    }
  }
}

const std::vector<KnownRun>& KnownRuns::of(const std::string& problem,
                                           const std::string& solver) const {
  static const std::vector<KnownRun> none;
  const auto found = runs_.find({problem, solver});
  return found == runs_.end() ? none : found->second;
}

}  // namespace mbs::test
