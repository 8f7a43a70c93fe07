#include "engine/model/solver_overrides.hpp"

#include <algorithm>

#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

SolverOverride solver_override(std::string_view name) {
  name.remove_prefix(solver_prefix.size());
  const std::size_t dot = name.find('.');
  const bool of_method = dot != std::string_view::npos;
  SolverOverride found;
  found.tag = find_tag(of_method ? name.substr(0, dot) : "solver");
  if (of_method && found.tag && !is_method_tag(*found.tag)) found.tag = nullptr;
  if (!found.tag) return found;
  const int k = find_attribute(*found.tag, of_method ? name.substr(dot + 1) : name);
  if (k >= 0) found.attribute = &found.tag->attributes[k];
  return found;
}

std::string override_name(const TagSchema& tag, std::string_view attribute) {
  std::string name(solver_prefix);
  if (is_method_tag(tag)) {
    name += std::string(tag.name) + '.';
  } else if (tag.name != "solver") {
    return {};
  }
  return name + std::string(attribute);
}

// Those of tags that the file does not have are bound on their own.
void Elaborator::check_solver_overrides() {
  for (const Override& o : overrides_) {
    if (!o.name.starts_with(solver_prefix)) continue;
    const SolverOverride set = solver_override(o.name);
    if (set.attribute) {
      const bool there = std::any_of(items_.begin(), items_.end(),
                                     [&](const Item& item) { return item.tag == set.tag; });
      if (!there) items_.push_back({{}, set.tag});
      continue;
    }
    std::vector<std::string> names;
    for (const TagSchema& tag : schema()) {
      if (tag.name != "solver" && !(set.tag == &tag && is_method_tag(tag))) continue;
      for (const AttributeSchema& a : tag.attributes) names.push_back(override_name(tag, a.name));
    }
    const std::vector<std::string_view> offers(names.begin(), names.end());
    error({"command line", 0, 0}, "unknown-keyword", "the solver has no setting '" + o.name + "'",
          did_you_mean(o.name, offers));
  }
}

}  // namespace mbs
