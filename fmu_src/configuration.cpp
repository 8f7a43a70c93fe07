#include "fmu_src/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/text.hpp"
#include "fmu_src/exchange_arrays.hpp"

namespace mbs {

namespace {

std::vector<const Variable*> resizable_parameters(const PackedModel& packed) {
  std::vector<const Variable*> list;
  for (const Variable& v : packed.variables.variables)
    if (v.resizable) list.push_back(&v);
  return list;
}

using Arrays = std::span<const ArrayVariable>;

// The arrays before the counters of events, which exist only where their sizes are parameters, too.
Arrays arrays_of_the_model(const VariableTable& table) {
  const auto ends = [&](const ArrayVariable& array) {
    const Source source = table.variables[array.elements.front()].source;
    return source == Source::event_count || source == Source::contact_count ||
           source == Source::contact_mode || is_exchange_array(array);
  };
  return {table.arrays.begin(), std::ranges::find_if(table.arrays, ends)};
}

Arrays arrays_of_exchange(const VariableTable& table) {
  return {std::ranges::find_if(table.arrays, is_exchange_array), table.arrays.end()};
}

// modelDescription.xml says for each dimension of an array that it is fixed or a parameter.
void check_arrays(const PackedModel& original, const PackedModel& resized,
                  Arrays (*part)(const VariableTable&)) {
  std::vector<std::pair<double, double>> sizes;
  for (const Variable* v : resizable_parameters(original)) sizes.emplace_back(*v->start, 0.0);
  std::size_t n = 0;
  for (const Variable* v : resizable_parameters(resized)) sizes[n++].second = *v->start;
  const Arrays before = part(original.variables), after = part(resized.variables);
  if (!std::ranges::equal(before, after, {}, &ArrayVariable::name, &ArrayVariable::name))
    throw std::runtime_error("its variables have other names");
  for (std::size_t k = 0; k < before.size(); ++k) {
    const ArrayVariable &a = before[k], &b = after[k];
    bool as_described = a.sizes.size() == b.sizes.size();
    for (std::size_t d = 0; as_described && d < a.sizes.size(); ++d)
      as_described = a.sizes[d] == b.sizes[d] ||
                     std::ranges::find(sizes, std::pair<double, double>(a.sizes[d], b.sizes[d])) !=
                         sizes.end();
    if (!as_described)
      throw std::runtime_error("the array '" + a.name + "' would have " +
                               std::to_string(b.elements.size()) + " elements");
  }
}

void check_sizes(const PackedModel& packed, const std::vector<double>& sizes) {
  constexpr double most = 9007199254740992.0;  // 2^53: the model's own limits are far below
  std::size_t k = 0;
  for (const Variable* v : resizable_parameters(packed)) {
    const double size = sizes[k++];
    if (!(size >= 1.0 && size <= std::min(v->maximum, most)) || size != std::floor(size))
      throw std::runtime_error("the size " + number_text(size) + " of '" + v->name +
                               "' is out of range");
  }
}

bool settable(const Variable& v) {
  return v.causality == Causality::parameter || v.causality == Causality::input;
}

// Values that differ from their start values go over to the variables with the same names.
void copy_settings(const SimulatedModel& from, const SimulatedModel& to) {
  std::map<std::string_view, const Variable*> targets;
  for (const Variable& v : to.packed->variables.variables)
    if (settable(v)) targets[v.name] = &v;
  for (const Variable& v : from.packed->variables.variables) {
    if (!settable(v)) continue;
    const bool input = v.source == Source::input;
    const double value = from.with_driver([&](auto& driver) {
      return input ? driver.input(v.index) : driver.system().parameters().value(v.index);
    });
    if (value == v.start) continue;
    const auto target = targets.find(v.name);
    if (target == targets.end() || target->second->source != v.source) continue;
    to.with_driver([&](auto& driver) {
      if (input)
        driver.set_input(target->second->index, value);
      else
        driver.system().parameters().set(target->second->index, value);
    });
  }
}

}  // namespace

// The place among the resizable parameters.
std::size_t Configuration::find(std::uint32_t reference) const {
  const VariableTable& table = core_.variables();
  const ArrayVariable* array = core_.packed().resize ? table.find_array(reference) : nullptr;
  if (array == nullptr)
    throw Refusal("there is no structural parameter with the value reference " +
                  std::to_string(reference));
  const Variable& v = table.variables[array->elements.front()];
  if (!v.resizable) throw Refusal("'" + v.name + "' has another type: it is no UInt64");
  const auto list = resizable_parameters(core_.packed());
  return static_cast<std::size_t>(std::ranges::find(list, &v) - list.begin());
}

std::vector<double> Configuration::present() const {
  std::vector<double> sizes;
  for (const Variable* v : resizable_parameters(core_.packed())) sizes.push_back(*v->start);
  return sizes;
}

void Configuration::enter() {
  if (!core_.packed().resize) throw Refusal("this FMU has no structural parameters");
  if (!core_.machine.is_in(instantiated))
    throw Refusal(
        "sizes are fixed once the initialization has begun: no structural parameter is "
        "tunable");
  requested_ = present();
  core_.machine.enter(configuration_mode);
}

bool Configuration::exit() {
  if (!core_.machine.is_in(configuration_mode))
    throw Refusal(core_.packed().resize ? "this is no configuration mode"
                                        : "this FMU has no structural parameters");
  const bool resize = requested_ != present();
  if (resize) {
    SimulatedModel model = resized(requested_);
    copy_settings(core_.model(), model);
    core_.replace_model(std::move(model));
  }
  core_.machine.enter(instantiated);
  return resize;
}

void Configuration::reset() {
  core_.replace_model(simulate(original_, core_.options));
}

void Configuration::get(std::span<const std::uint32_t> references,
                        std::span<std::uint64_t> values) const {
  expect_count(values.size(), references.size());
  for (const std::uint32_t reference : references) find(reference);
  const auto sizes = core_.machine.is_in(configuration_mode) ? requested_ : present();
  for (std::size_t i = 0; i < references.size(); ++i)
    values[i] = static_cast<std::uint64_t>(sizes[find(references[i])]);
}

void Configuration::set(std::span<const std::uint32_t> references,
                        std::span<const std::uint64_t> values) {
  expect_count(values.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = *resizable_parameters(core_.packed())[find(references[i])];
    if (!core_.machine.is_in(configuration_mode))
      throw Refusal("'" + v.name + "' is a structural parameter: it is set in configuration mode");
    const auto value = static_cast<double>(values[i]);
    const double least = std::max(1.0, v.minimum);
    if (value < least || value > v.maximum)
      throw Refusal("the value " + number_text(value) + " for '" + v.name + "' is not between " +
                        number_text(least) + " and " + number_text(v.maximum),
                    Status::discard);
  }
  for (std::size_t i = 0; i < references.size(); ++i)
    requested_[find(references[i])] = static_cast<double>(values[i]);
}

SimulatedModel Configuration::resized(const std::vector<double>& sizes) const {
  std::vector<Override> overrides;
  std::string what;
  for (const Variable* v : resizable_parameters(core_.packed())) {
    overrides.push_back({v->name, number_text(sizes[overrides.size()])});
    what += (what.empty() ? "" : ", ") + v->name + " = " + overrides.back().value;
  }
  try {
    check_sizes(core_.packed(), sizes);
    std::shared_ptr<const PackedModel> packed = core_.packed().resize(overrides);
    check_arrays(*original_, *packed, arrays_of_the_model);
    if (exchange_arrays_) {
      const VariableTable& after = packed->variables;
      if (!after.exchange_arrays) throw std::runtime_error(after.no_exchange_arrays);
      check_arrays(*original_, *packed, arrays_of_exchange);
    }
    return simulate(std::move(packed), core_.options);
  } catch (const std::exception& error) {
    throw Refusal("there is no model with " + what + ": " + error.what());
  }
}

Configuration::Stored Configuration::stored() const {
  return {present(), core_.machine.is_in(configuration_mode) ? requested_ : present()};
}

std::optional<SimulatedModel> Configuration::stored_model(const Stored& stored) const {
  std::optional<SimulatedModel> model;
  if (stored.present != present()) model = resized(stored.present);
  if (stored.requested != stored.present)
    check_sizes(model ? *model->packed : core_.packed(), stored.requested);
  return model;
}

}  // namespace mbs
