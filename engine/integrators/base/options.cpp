#include "engine/integrators/base/options.hpp"

#include <cmath>
#include <stdexcept>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& bound) {
  throw std::invalid_argument(option + " is " + value + ", but must " + bound);
}

void check_relative(const std::string& option, double value) {
  if (!(value >= 1e-15 && value < 1.0)) {
    refuse(option, short_number(value), "be at least 1e-15 and less than 1");
  }
}

void check_absolute(const std::string& option, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    refuse(option, short_number(value), "be greater than 0 and finite");
  }
}

void check_not_negative(const std::string& option, double value) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    refuse(option, short_number(value), "be 0 (chosen by the method) or greater, and finite");
  }
}

void check_count(const std::string& option, Eigen::Index count, const Sizes& n) {
  const int components = n.p + n.v + n.r;
  if (count != 0 && count != components) {
    refuse("the number of values of " + option, std::to_string(count),
           "be " + std::to_string(components) + ": one for each of " + std::to_string(n.p) +
               " positions, " + std::to_string(n.v) + " velocities and " + std::to_string(n.r) +
               " states, in this order");
  }
}

}  // namespace

void IntegratorOptions::check(const Sizes& sizes) const {
  check_relative("rtol", rtol);
  check_absolute("atol", atol);
  check_count("rtol", rtol_each.size(), sizes);
  check_count("atol", atol_each.size(), sizes);
  for (int i = 0; i < rtol_each.size(); ++i) {
    check_relative("rtol[" + std::to_string(i + 1) + "]", rtol_each[i]);
  }
  for (int i = 0; i < atol_each.size(); ++i) {
    check_absolute("atol[" + std::to_string(i + 1) + "]", atol_each[i]);
  }
  check_not_negative("initial_step", initial_step);
  check_not_negative("max_step", max_step);
  check_not_negative("min_step", min_step);
  if (max_step > 0.0 && min_step > max_step) {
    refuse("min_step", short_number(min_step), "not exceed max_step = " + short_number(max_step));
  }
  if (max_order < 0) refuse("max_order", std::to_string(max_order), "be 0 (chosen) or greater");
  if (dense_order < 0) {
    refuse("dense_order", std::to_string(dense_order), "be 0 (not limited) or greater");
  }
  if (scheme != "auto" && scheme != "standard" && scheme != "modified") {
    refuse("scheme", "'" + scheme + "'", "be auto, standard or modified");
  }
  if (max_steps < 0) refuse("max_steps", std::to_string(max_steps), "be 0 (no limit) or greater");
}

int IntegratorOptions::order_within(int least, int most, std::string_view integrator) const {
  if (max_order == 0) return most;
  if (max_order < least || max_order > most) {
    throw std::invalid_argument("max_order is " + std::to_string(max_order) +
                                ", but must be 0 (chosen) or lie in " + std::to_string(least) +
                                " ... " + std::to_string(most) + " for the integrator " +
                                std::string(integrator));
  }
  return max_order;
}

}  // namespace mbs
