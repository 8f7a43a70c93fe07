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
    std::vector<std::string> words;
    for (std::string word; std::getline(row, word, ',');) words.push_back(word);
    try {
      const auto count = [&](std::size_t i) { return std::stol(words.at(i)); };
      runs_[{words.at(0), words.at(1)}].push_back(
          {std::stod(words.at(2)), count(3), count(4), count(5), std::stod(words.at(7))});
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
