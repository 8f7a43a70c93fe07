#pragma once

// Differences of fourth order,
//
//   f'(x) = sum_k weights[k] f(x + places[k] h) / 12 h
//
// on both sides of x, or on one of them.

#include <array>
#include <cmath>
#include <cstddef>

namespace mbs {

struct FourthOrder {
  std::array<int, 5> places;
  std::array<double, 5> weights;  // zero: f is not needed there
};
inline constexpr FourthOrder central{{1, -1, 2, -2, 0}, {8.0, -8.0, -1.0, 1.0, 0.0}};
inline constexpr FourthOrder forward{{0, 1, 2, 3, 4}, {-25.0, 48.0, -36.0, 16.0, -3.0}};
inline constexpr FourthOrder backward{{0, -1, -2, -3, -4}, {25.0, -48.0, 36.0, -16.0, 3.0}};
inline constexpr std::array<const FourthOrder*, 3> any_side{&central, &forward, &backward};

// h of time, in s.
inline constexpr double time_difference = 1e-4;
// h that x + h - x is to the last digit.
inline double exact_difference(double x, double h) {
  return (x + h) - x;
}
// h of a parameter or an input.
inline double difference_of(double value) {
  return exact_difference(value, value != 0.0 ? 1e-3 * std::abs(value) : 1e-4);
}

}  // namespace mbs
