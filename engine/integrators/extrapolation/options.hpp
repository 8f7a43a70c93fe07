#pragma once

#include "engine/integrators/base/options.hpp"

namespace mbs::extrapolation {

enum class Method { euler, midpoint };
enum class Scheme { standard, modified, chosen };  // (2.1), (2.2) of Lubich et al. (1992)

struct Options {
  Method method;
  int max_rows;  // of the tableau
  Scheme scheme;
  bool dense;
  int most_differences;  // that the dense output takes
};

// options.max_order: euler: rows of the tableau, 3 ... 13 (0: 13); midpoint: twice the rows,
// 6 ... 18 (0: 18).
Options read_options(const IntegratorOptions& options, Method method);

}  // namespace mbs::extrapolation
