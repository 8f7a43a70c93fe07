// Resizable structural parameters: in configuration mode other sizes are chosen, and at its end the
// model is read again with them. What had been set before stays, as far as it is still there.

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/text.hpp"
#include "fmu_src/exchange_arrays.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {

namespace {

template <class Visit>
void for_resizable(const PackedModel& packed, Visit&& visit) {
  for (const Variable& v : packed.variables.variables)
    if (v.resizable) visit(v);
}

using Arrays = std::span<const ArrayVariable>;

// Those before counters of events, which are only there where their sizes are parameters, too.
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

// The description says of each size of an array that it is fixed or a parameter.
void check_arrays(const PackedModel& made, const PackedModel& now,
                  Arrays (*part)(const VariableTable&)) {
  std::vector<std::pair<double, double>> sizes;
  for_resizable(made, [&](const Variable& v) { sizes.emplace_back(*v.start, 0.0); });
  std::size_t n = 0;
  for_resizable(now, [&](const Variable& v) { sizes[n++].second = *v.start; });
  const Arrays before = part(made.variables), after = part(now.variables);
  if (!std::ranges::equal(before, after, {}, &ArrayVariable::name, &ArrayVariable::name))
    throw std::runtime_error("its variables have other names");
  for (std::size_t k = 0; k < before.size(); ++k) {
    const ArrayVariable &a = before[k], &b = after[k];
    bool promised = a.sizes.size() == b.sizes.size();
    for (std::size_t d = 0; promised && d < a.sizes.size(); ++d)
      promised = a.sizes[d] == b.sizes[d] ||
                 std::ranges::find(sizes, std::pair<double, double>(a.sizes[d], b.sizes[d])) !=
                     sizes.end();
    if (!promised)
      throw std::runtime_error("the array '" + a.name + "' would have " +
                               std::to_string(b.elements.size()) + " elements");
  }
}

constexpr double most_size = 9007199254740992.0;  // 2^53: the model's own limits are far below

bool settable(const Variable& v) {
  return v.causality == Causality::parameter || v.causality == Causality::input;
}

}  // namespace

const Variable& Instance::size_parameter(std::uint32_t reference) const {
  const VariableTable& table = packed_->variables;
  const ArrayVariable* array = packed_->resize ? table.find_array(reference) : nullptr;
  if (array == nullptr)
    throw Refusal("there is no structural parameter with the value reference " +
                  std::to_string(reference));
  const Variable& v = table.variables[array->elements.front()];
  if (!v.resizable) throw Refusal("'" + v.name + "' has another type: it is no UInt64");
  return v;
}

std::vector<double> Instance::sizes() const {
  std::vector<double> sizes;
  for_resizable(*packed_, [&](const Variable& v) { sizes.push_back(*v.start); });
  return sizes;
}

void Instance::enter_configuration() {
  if (!packed_->resize) throw Refusal("this FMU has no structural parameters");
  if (phase_ != instantiated)
    throw Refusal(
        "sizes are fixed once the initialisation has begun: no structural parameter is "
        "tunable");
  wanted_sizes_ = sizes();
  phase_ = configuration;
}

void Instance::get_sizes(std::span<const std::uint32_t> references,
                         std::span<std::uint64_t> values) const {
  expect_count(values.size(), static_cast<int>(references.size()));
  for (const std::uint32_t reference : references) size_parameter(reference);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& wanted = size_parameter(references[i]);
    std::size_t k = 0;
    for_resizable(*packed_, [&](const Variable& v) {
      if (&v == &wanted)
        values[i] =
            static_cast<std::uint64_t>(phase_ == configuration ? wanted_sizes_[k] : *v.start);
      ++k;
    });
  }
}

void Instance::set_sizes(std::span<const std::uint32_t> references,
                         std::span<const std::uint64_t> values) {
  expect_count(values.size(), static_cast<int>(references.size()));
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = size_parameter(references[i]);
    if (phase_ != configuration)
      throw Refusal("'" + v.name + "' is a structural parameter: it is set in configuration mode");
    const auto value = static_cast<double>(values[i]);
    const double least = std::max(1.0, v.minimum);
    if (value < least || value > v.maximum)
      throw Refusal("the value " + number_text(value) + " for '" + v.name + "' is not between " +
                        number_text(least) + " and " + number_text(v.maximum),
                    Status::discard);
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& wanted = size_parameter(references[i]);
    std::size_t k = 0;
    for_resizable(*packed_, [&](const Variable& v) {
      if (&v == &wanted) wanted_sizes_[k] = static_cast<double>(values[i]);
      ++k;
    });
  }
}

void Instance::check_sizes(const std::vector<double>& sizes) const {
  std::size_t k = 0;
  for_resizable(*packed_, [&](const Variable& v) {
    const double size = sizes[k++];
    if (!(size >= 1.0 && size <= std::min(v.maximum, most_size)) || size != std::floor(size))
      throw std::runtime_error("the size " + number_text(size) + " of '" + v.name +
                               "' is out of range");
  });
}

Instance::Sized Instance::with_sizes(const std::vector<double>& sizes) const {
  Sized sized;
  std::vector<Override> overrides;
  std::string what;
  for_resizable(*packed_, [&](const Variable& v) {
    overrides.push_back({v.name, number_text(sizes[overrides.size()])});
    what += (what.empty() ? "" : ", ") + v.name + " = " + overrides.back().value;
  });
  try {
    check_sizes(sizes);
    sized.packed = packed_->resize(overrides);
    check_arrays(*original_, *sized.packed, arrays_of_the_model);
    if (exchange_arrays_) {
      const VariableTable& after = sized.packed->variables;
      if (!after.exchange_arrays) throw std::runtime_error(after.no_exchange_arrays);
      check_arrays(*original_, *sized.packed, arrays_of_exchange);
    }
    sized.simulation =
        std::make_unique<Simulation>(sized.packed->equations, solver_choice(sized.packed->model));
  } catch (const std::exception& error) {
    throw Refusal("there is no model with " + what + ": " + error.what());
  }
  if (intermediate_update_) sized.simulation->set_progress([](double) { return false; });
  return sized;
}

void Instance::take(Sized sized) {
  packed_ = std::move(sized.packed);
  unknowns_.clear();
  trial_.reset();
  simulation_ = std::move(sized.simulation);
  sampled_ = SampledInputs(packed_->equations->sizes().u);
}

void Instance::exit_configuration() {
  if (phase_ != configuration)
    throw Refusal(packed_->resize ? "this is no configuration mode"
                                  : "this FMU has no structural parameters");
  if (wanted_sizes_ != sizes()) {
    Sized sized = with_sizes(wanted_sizes_);
    std::map<std::string_view, const Variable*> others;
    for (const Variable& other : sized.packed->variables.variables)
      if (settable(other)) others[other.name] = &other;
    for (const Variable& v : packed_->variables.variables) {
      if (!settable(v)) continue;
      const double value = value_of(v);
      if (value == v.start) continue;
      const auto found = others.find(v.name);
      if (found == others.end() || found->second->source != v.source) continue;
      if (v.source == Source::input)
        sized.simulation->set_input(found->second->index, value);
      else
        sized.simulation->set_parameter(found->second->index, value);
    }
    take(std::move(sized));
  }
  phase_ = instantiated;
}

}  // namespace mbs
