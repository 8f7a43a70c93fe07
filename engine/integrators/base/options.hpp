#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/tolerances.hpp"
#include "engine/equations/equations.hpp"
#include "engine/integrators/base/option_reader.hpp"

namespace mbs {

// The options of all integrators; those of a single method are read by that method.
struct IntegratorOptions : Tolerances {
  double initial_step = 0.0;  // 0: chosen
  double max_step = 0.0;      // 0: no limit
  double min_step = 0.0;      // 0: about the spacing of floating-point numbers at t
  int max_order = 0;          // 0: the method's own
  long max_steps = 0;         // between two start(): 0: no limit
  std::string linear = "auto";
  std::vector<MethodOption> method_options;
  std::string scheme = "auto";  // extrapolation: standard (2.1), modified (2.2), auto
  bool monitor = false;         // measure the time that the linear solver takes
  bool dense = true;            // false: no interpolation within steps, cheaper with midpoint
  int dense_order = 0;          // limits the order of the dense output; 0: the step's own order

  // Both throw std::invalid_argument with the value and the bound.
  void check(const Sizes& sizes) const;
  // max_order within the limits of an integrator; `most` when it is 0.
  int order_within(int least, int most, std::string_view integrator) const;
};

}  // namespace mbs
