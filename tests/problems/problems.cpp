#include "tests/problems/problems.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double published_g = 13.7503716373294544;                 // period 2 to 5e-11
constexpr double period2_g = 13.750371636040745654980191559621114;  // 4 K(1/sqrt 2)^2

std::string reference_path(const std::string& name) {
  return std::string(MBS_REFERENCE_FOLDER) + "/" + name + ".txt";
}

// What follows `prefix` in the name, as a number.
std::optional<double> number_after(const std::string& prefix, const std::string& name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string digits = name.substr(prefix.size());
  std::size_t used = 0;
  try {
    const double value = std::stod(digits, &used);
    if (used == digits.size() && value >= 0.0) return value;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

struct Made {
  std::unique_ptr<Equations> equations;
  double t_end = 0.0;
};

Made make_equations(const std::string& name) {
  const Eigen::Vector2d right(1.0, 0.0), left(-1.0, 0.0), below(0.0, -1.0), rest(0.0, 0.0);
  if (name == "andrews") return {make_andrews(), 0.03};
  if (name == "pendulum") return {make_pendulum(published_g, right, rest), 10.0};
  if (name == "pendulum-period2") return {make_pendulum(period2_g, right, rest), 10.0};
  if (name == "A01") return {make_pendulum(9.81, left, rest), 10.0};
  if (const auto speed = number_after("pendulum-", name)) {
    return {make_pendulum(13.75, below, {*speed, 0.0}), 5.0};
  }
  if (name == "drum") return {make_drum(0.25), 4.0};
  if (const auto mu = number_after("drum", name)) return {make_drum(*mu), 4.0};
  return {};
}

}  // namespace

std::vector<std::string> problem_names() {
  return {"pendulum", "pendulum-period2", "pendulum-2.8", "pendulum-2.9", "A01", "andrews", "drum"};
}

Problem make_problem(const std::string& name) {
  Made made = make_equations(name);
  if (!made.equations) {
    std::string known;
    for (const std::string& one : problem_names()) known += " " + one;
    throw std::invalid_argument("'" + name + "' is no problem: known are" + known);
  }
  Problem problem;
  problem.name = name;
  problem.t_end = made.t_end;
  const Parameters parameters = made.equations->default_parameters();
  const Inputs inputs = made.equations->default_inputs(parameters);
  problem.initial = made.equations->initial({inputs, parameters}, problem.t0);
  problem.equations = std::move(made.equations);
  static const std::vector<std::string> with_reference = {
      "pendulum", "andrews", "drum",   "insul16", "insul32", "insul64", "insul256", "truckC",
      "truckCp",  "truckU",  "exchA8", "exchB8",  "exchB16", "chain2",  "chain10",  "chain30"};
  if (std::ranges::find(with_reference, name) != with_reference.end()) {
    problem.reference = read_reference(reference_path(name));
  }
  return problem;
}

}  // namespace mbs::test
