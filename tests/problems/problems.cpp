#include "tests/problems/problems.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double published_g = 13.7503716373294544;                 // period 2 to 5e-11
constexpr double period2_g = 13.750371636040745654980191559621114;  // 4 K(1/sqrt 2)^2

std::string reference_path(const std::string& name) {
  return std::string(MBS_REFERENCE_FOLDER) + "/" + name + ".txt";
}

// The part of the name that follows `prefix`, as a number.
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

std::optional<int> count_after(const std::string& prefix, const std::string& name) {
  const auto value = number_after(prefix, name);
  if (!value || *value < 1.0 || *value > 1e6 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<int>(*value);
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
  if (name == "truckC") return {make_truck(true, false), 8.0};
  if (name == "truckCp") return {make_truck(true, true), 8.0};
  if (name == "truckU") return {make_truck(false, false), 8.0};
  if (const auto N = count_after("insul", name)) return {make_insulator_chain(*N), 0.1};
  if (const auto N = count_after("exchA", name)) return {make_excited_chain(*N, 0.05), 200.0};
  if (const auto N = count_after("exchB", name)) {
    return {make_excited_chain(*N, 0.1 * std::numbers::pi), 200.0};
  }
  if (const auto N = count_after("chain", name)) return {make_rod_chain(*N), *N == 2 ? 5.0 : 1.0};
  if (const auto N = count_after("fourbar", name)) return {make_four_bars(*N), 10.0};
  if (name == "slider_crank") return {make_slider_crank(), 100.0};
  if (name == "knife_edge") return {make_knife_edge(), 5.0};
  if (name == "rolling_disc") return {make_rolling_disc(), 5.0};
  return {};
}

// IFToMM's A01 and A02 at t = 10 from the printed angle: one point or all rods of the parallelogram
// on circles. Accelerations by theta'' = -c cos(theta).
Reference pendulum_reference() {
  const double th = 4.43370830681470690926e+00, omega = 4.34316069286468305329e+00, g = 9.81;
  const Eigen::Vector2d along(std::cos(th), std::sin(th)), across(-along[1], along[0]);
  Reference at{10.0, along, omega * across, {}, Vector(1), Vector::Zero(1)};
  at.a = -g * along[0] * across - omega * omega * along;
  at.lambda[0] = 0.5 * (omega * omega - g * along[1]);
  return at;
}

Reference four_bar_reference(int N, double th, double omega) {
  const Eigen::Vector2d along(std::cos(th), std::sin(th)), across(-along[1], along[0]);
  const double alpha = -9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N) * along[0];
  const Eigen::Vector2d v = omega * across, a = alpha * across - omega * omega * along;
  Reference at{10.0, Vector(6 * N + 3), Vector(6 * N + 3), Vector(6 * N + 3), {}, {}};
  for (int i = 0; i <= N; ++i) {
    at.p.segment<3>(3 * i) << i + 0.5 * along[0], 0.5 * along[1], th;
    at.v.segment<3>(3 * i) << 0.5 * v, omega;
    at.a.segment<3>(3 * i) << 0.5 * a, alpha;
  }
  for (int i = 0; i < N; ++i) {
    const int coupler = 3 * (N + 1 + i);
    at.p.segment<3>(coupler) << i + 0.5 + along[0], along[1], 0.0;
    at.v.segment<3>(coupler) << v, 0.0;
    at.a.segment<3>(coupler) << a, 0.0;
  }
  return at;
}

std::optional<Reference> make_reference(const std::string& name) {
  if (name == "A01") return pendulum_reference();
  if (name == "knife_edge") return knife_edge_at(5.0);
  if (name == "rolling_disc") return rolling_disc_at(5.0);
  if (name == "fourbar2") {
    return four_bar_reference(2, -3.01798008601912051979e+01, -1.50664218084182946989e+00);
  }
  if (name == "fourbar40") {
    return four_bar_reference(40, -3.00266374171908411006e+01, -1.16762210875170682781e+00);
  }
  static const std::vector<std::string> files = {
      "pendulum", "andrews",   "drum",   "insul16", "insul32", "insul64",
      "insul256", "insul1024", "truckC", "truckCp", "truckU",  "exchA8",
      "exchB8",   "exchB16",   "chain2", "chain10", "chain30"};
  if (std::ranges::find(files, name) == files.end()) return std::nullopt;
  return read_reference(reference_path(name));
}

}  // namespace

std::vector<std::string> problem_names() {
  return {
      "pendulum", "pendulum-period2", "pendulum-2.8", "pendulum-2.9", "A01",       "andrews",
      "drum",     "drum1.5",          "insul16",      "insul32",      "insul64",   "insul256",
      "truckC",   "truckCp",          "truckU",       "exchA8",       "exchB8",    "exchB16",
      "chain2",   "chain10",          "chain30",      "fourbar2",     "fourbar40", "slider_crank"};
}

std::vector<std::string> nonholonomic_names() {
  return {"knife_edge", "rolling_disc"};
}

Problem make_problem(const std::string& name) {
  Made made = make_equations(name);
  if (!made.equations) {
    std::string known;
    for (const std::string& one : problem_names()) known += " " + one;
    for (const std::string& one : nonholonomic_names()) known += " " + one;
    throw std::invalid_argument("'" + name + "' is no problem: known are" + known);
  }
  Problem problem;
  problem.name = name;
  problem.t_end = made.t_end;
  const Parameters parameters = made.equations->default_parameters();
  const Inputs inputs = made.equations->default_inputs(parameters);
  problem.initial = made.equations->initial({inputs, parameters}, problem.t0);
  problem.equations = std::move(made.equations);
  problem.reference = make_reference(name);
  return problem;
}

}  // namespace mbs::test
