#include "tools/mbsfmu/loaded_model.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "tools/mbsfmu/command_line.hpp"

namespace mbs {
namespace {

double input_value(const Input& input, const std::string& text) {
  const std::string what = "--set " + input.name + "=" + text + ": ";
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) throw std::runtime_error(what + "a number is needed");
  std::string unit_text(end, text.data() + text.size());
  unit_text.erase(0, unit_text.find_first_not_of(' '));
  if (unit_text.empty()) return number;
  const auto unit = parse_unit(unit_text);
  if (!unit) throw std::runtime_error(what + "'" + unit_text + "' is no unit");
  if (!same_up_to_angle(unit->dimension, input.unit.dimension))
    throw std::runtime_error(what + "the input is in " + si_unit_name(input.unit.dimension));
  return unit->factor * number + unit->offset;
}

}  // namespace

CoSimulationDriver LoadedModel::simulation(const SolverChoice& solver) const {
  CoSimulationDriver simulation(equations, solver);
  for (const auto& [index, value] : inputs) simulation.set_input(index, value);
  return simulation;
}

std::unique_ptr<LoadedModel> load_model(const std::string& path,
                                        const std::vector<std::string>& assignments,
                                        Diagnostics& diagnostics) {
  // The inputs have to be known before the other names can be taken for parameters.
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : assignments) pairs.push_back(split_assignment(text));
  auto loaded = std::make_unique<LoadedModel>();
  loaded->model = read_model(path, diagnostics);
  if (!diagnostics.ok()) return nullptr;

  std::vector<Override> overrides;
  for (const auto& [name, value] : pairs) {
    const auto& inputs = loaded->model.inputs;
    const auto input = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const Input& item) { return item.name == name; });
    if (input == inputs.end())
      overrides.push_back({name, value});
    else
      loaded->inputs.emplace_back(static_cast<int>(input - inputs.begin()),
                                  input_value(*input, value));
  }
  if (!overrides.empty()) {
    diagnostics = {};
    loaded->model = read_model(path, diagnostics, overrides);
    if (!diagnostics.ok()) return nullptr;
  }
  loaded->equations = assemble(loaded->model, diagnostics, &loaded->coordinates);
  return loaded->equations ? std::move(loaded) : nullptr;
}

}  // namespace mbs
