#include "tests/support/reference.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace mbs::test {

Reference read_reference(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no reference file " + path);
  Reference reference;
  std::map<char, std::vector<double>> values;
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view initial = "# initial lambda:";
    if (line.starts_with(initial)) {
      std::istringstream keywords(line.substr(initial.size()));
      for (std::string digits; keywords >> digits;) values['0'].push_back(std::stod(digits));
    } else if (line.starts_with('#')) {
      const std::size_t at = line.find(" t=");
      if (at != std::string::npos) reference.t = std::stod(line.substr(at + 3));
    } else {
      std::istringstream keywords(line);
      char kind = 0;
      std::size_t i = 0;
      std::string digits;  // more than a double has: not read by >> directly
      if (!(keywords >> kind >> i >> digits) || i != values[kind].size() + 1) {
        throw std::runtime_error(path + ": unexpected line '" + line + "'");
      }
      values[kind].push_back(std::stod(digits));
    }
  }
  const auto vector = [&](char kind) -> Vector {
    const std::vector<double>& x = values[kind];
    return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  reference.p = vector('p');
  reference.v = vector('v');
  reference.a = vector('a');
  reference.lambda = vector('l');
  reference.initial_lambda = vector('0');
  return reference;
}

}  // namespace mbs::test
