#pragma once

// Settings of the solver from outside the file: "solver.method" -> "midpoint" stands for the
// attribute of <solver>, "solver.radau.form" -> "index1" for that of the method's own tag. They are
// read and checked like attributes of the file.

#include <string>
#include <string_view>

#include "engine/model/schema.hpp"

namespace mbs {

inline constexpr std::string_view solver_prefix = "solver.";

struct SolverOverride {
  const TagSchema* tag = nullptr;  // null: there is none such
  const AttributeSchema* attribute = nullptr;
};

// `name` starts with solver_prefix.
SolverOverride solver_override(std::string_view name);
// The name under which an attribute is set from outside; empty when it cannot be.
std::string override_name(const TagSchema& tag, std::string_view attribute);

}  // namespace mbs
