#pragma once

// The first step size after Hairer et al. (1993), section II.4: a trial step of a hundredth of the
// size of y over that of y', the second derivative by the slope at its end, and from both
//
//   h = (aim / max(|y'|, |y''|))^exponent,   at most 100 trial steps

#include <algorithm>
#include <cmath>
#include <optional>

namespace mbs {

inline double trial_step(double size, double slope, double longest) {
  const double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  return std::min(h, 0.5 * longest);
}

// Evaluates curvature(h) = |y''|, an optional that is empty where the point at t + h cannot be
// evaluated; h is then ten times shorter, at most ten times.
template <class Curvature>
std::optional<double> find_curvature(double t, double& h, Curvature&& curvature) {
  for (int tries = 0; tries < 10 && t + h > t; ++tries, h *= 0.1) {
    if (const std::optional<double> found = curvature(h)) return found;
  }
  return {};
}

// |y| and |y'| at the start, the longest step allowed, and the target of the formula above.
struct FirstStep {
  double size, slope, longest, aim, exponent;
};
template <class Curvature>
double first_step(const FirstStep& known, double t, Curvature&& curvature) {
  double h = trial_step(known.size, known.slope, known.longest);
  const std::optional<double> second = find_curvature(t, h, curvature);
  if (!second) return h;
  const double largest = std::max(known.slope, *second);
  const double optimal =
      largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(known.aim / largest, known.exponent);
  return std::min({100.0 * h, optimal, known.longest});
}

}  // namespace mbs
