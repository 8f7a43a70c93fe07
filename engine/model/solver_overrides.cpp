#include "engine/model/solver_overrides.hpp"

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

}  // namespace mbs
