// Settings of the solver from the command line: "solver.method" -> "midpoint". Words, and numbers
// in SI; each is checked against the schema as in the file.

#include <charconv>

#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/words.hpp"

namespace mbs {
namespace {

constexpr std::pair<std::string_view, std::string SolverSettings::*> words[] = {
    {"method", &SolverSettings::method},
    {"coordinates", &SolverSettings::coordinates},
    {"linear", &SolverSettings::linear},
    {"scheme", &SolverSettings::scheme}};
constexpr std::pair<std::string_view, double SolverSettings::*> numbers[] = {
    {"rtol", &SolverSettings::rtol}, {"atol", &SolverSettings::atol}};

}  // namespace

void Elaborator::apply_solver_overrides() {
  const TagSchema& tag = *find_tag("solver");
  for (const Override& o : overrides_) {
    if (!o.name.starts_with(solver_prefix)) continue;
    const std::string_view name = std::string_view(o.name).substr(solver_prefix.size());
    const auto refuse = [&](std::string text, std::string hint) {
      error({"command line", 0, 0}, "unknown-word", std::move(text), std::move(hint));
    };
    const auto with_name = [name](const auto& entry) { return entry.first == name; };
    const auto word = std::find_if(std::begin(words), std::end(words), with_name);
    const auto number = std::find_if(std::begin(numbers), std::end(numbers), with_name);
    if (word != std::end(words)) {
      const auto choices = split(tag.attributes[find_attribute(tag, name)].choices, '|');
      if (std::find(choices.begin(), choices.end(), o.value) == choices.end()) {
        refuse("'" + o.name + "' cannot be '" + o.value + "'", did_you_mean(o.value, choices));
      }
      model_.solver.*(word->second) = o.value;
    } else if (number != std::end(numbers)) {
      double value = 0.0;
      const char* end = o.value.data() + o.value.size();
      const auto [last, fault] = std::from_chars(o.value.data(), end, value);
      if (fault != std::errc() || last != end || !(value > 0.0)) {
        refuse("'" + o.name + "' must be a positive number, this is '" + o.value + "'", {});
      }
      model_.solver.*(number->second) = value;
    } else {
      refuse("the command line cannot set '" + o.name + "'",
             "it can set solver.method, .coordinates, .linear, .scheme, .rtol, .atol");
    }
  }
}

}  // namespace mbs
