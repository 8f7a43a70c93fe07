#include "tools/export/size_effects.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/analysis/other_parameters.hpp"
#include "engine/simulation/model_exchange_driver.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {
namespace {

constexpr int points = 3;

// Between -1 and 1, for a name and a point (FNV-1a).
double number(const std::string& name, int point) {
  std::uint64_t hash = 1469598103934665603u + static_cast<std::uint64_t>(point);
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<double>(hash >> 11) / 4503599627370496.0 - 1.0;
}

// What is set, with all that has a name away from its default at points after the first.
bool start(ModelExchangeDriver& simulation, const VariableTable& table, const Model& model,
           int point) {
  const Equations& equations = simulation.system().equations();
  Parameters parameters = equations.default_parameters();
  std::vector<double> by(static_cast<std::size_t>(parameters.values.size()));
  for (std::size_t k = 0; k < by.size(); ++k)
    by[k] = 0.03 * point * number(model.parameters[k].name, point);
  if (point > 0) move_parameters(equations, by, parameters);
  for (const Variable& v : table.variables) {
    if (v.source == Source::parameter && v.causality == Causality::parameter)
      simulation.system().parameters().set(v.index, parameters.values[v.index]);
    if (v.source == Source::input)
      simulation.set_input(
          v.index, *v.start + 0.3 * point * (1.0 + std::abs(*v.start)) * number(v.name, point));
  }
  return simulation.initialise(model.solver.start_time + 0.2 * point).ok;
}

std::map<std::string, double> values(ModelExchangeDriver& simulation, const VariableTable& table,
                                     bool states) {
  std::map<std::string, double> by_name;
  const Vector& rates = simulation.rates();
  for (const Variable& v : table.variables) {
    if (v.source == Source::output) by_name[v.name] = simulation.output(v.index);
    if (v.source == Source::indicator) by_name[v.name] = simulation.indicators()[v.index];
  }
  std::vector<double> x(static_cast<std::size_t>(rates.size()));
  if (states) simulation.get_states(x);
  for (std::size_t k = 0; k < table.derivatives.size(); ++k) {
    by_name[table.find(table.derivatives[k])->name] = rates[static_cast<Eigen::Index>(k)];
    if (states) by_name[table.find(table.states[k])->name] = x[k];
  }
  return by_name;
}

void move_states(ModelExchangeDriver& simulation, const VariableTable& table, int point) {
  const auto n = static_cast<std::size_t>(state_count(simulation.system().equations().sizes()));
  std::vector<double> x(n), nominals(n);
  simulation.get_states(x);
  get_nominals(simulation.system().equations(), nominals);
  for (std::size_t k = 0; k < n; ++k) {
    const std::string& name = table.find(table.states[k])->name;
    // Wherever it starts, which may be elsewhere for each size.
    x[k] = number(name, point) * nominals[k];
  }
  simulation.set_states(x);
}

bool alike(const std::vector<std::map<std::string, double>>& mine,
           const std::vector<std::map<std::string, double>>& others,
           const std::vector<std::string>& names) {
  constexpr double rounding = 1e-10, least = 1e-13;
  bool any = false;
  for (std::size_t point = 0; point < mine.size(); ++point)
    for (const std::string& name : names) {
      const auto a = mine[point].find(name), b = others[point].find(name);
      if (a == mine[point].end() || b == others[point].end()) continue;
      const double difference = std::abs(a->second - b->second);
      const double scale = std::max(std::abs(a->second), std::abs(b->second));
      if (!(difference <= std::max(least, rounding * scale))) return false;
      any = true;
    }
  return any;
}

}  // namespace

ValuesOfSize::ValuesOfSize(const VariableTable& table, const Resized& resized)
    : running_(points), starting_(points) {
  for (int point = 0; point < points; ++point) try {
      ModelExchangeDriver simulation(resized.equations, solver_choice(resized.model));
      if (!start(simulation, table, resized.model, point)) continue;
      simulation.begin();
      const auto k = static_cast<std::size_t>(point);
      starting_[k] = values(simulation, table, true);
      move_states(simulation, table, point);
      running_[k] = values(simulation, table, false);
    } catch (const std::runtime_error&) {  // no accelerations: it tells nothing
    }
}

bool ValuesOfSize::running_alike(const ValuesOfSize& other,
                                 const std::vector<std::string>& names) const {
  return alike(running_, other.running_, names);
}

bool ValuesOfSize::starts_alike(const ValuesOfSize& other,
                                const std::vector<std::string>& names) const {
  return alike(starting_, other.starting_, names);
}

}  // namespace mbs
