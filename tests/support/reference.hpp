#pragma once

// Reference solutions: text files with one value a line, `p i value`, `v i value`, `a i value`,
// `l i value`, i from 1; lines that begin with # are remarks; those with `t=` and `initial lambda:`
// are read, too.

#include <string>

#include "engine/base/types.hpp"

namespace mbs::test {

struct Reference {
  double t = 0.0;
  Vector p, v, a, lambda;
  Vector initial_lambda;  // at the start of the problem; perhaps its first entries only
};

// Throws std::runtime_error when the file is not there or not of this form.
Reference read_reference(const std::string& path);

}  // namespace mbs::test
