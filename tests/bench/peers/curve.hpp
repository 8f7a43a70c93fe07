#pragma once

// Cost over error of one solver, from runs at many tolerances, and the cost at a given error in two
// ways. A single run may be lucky: its error is that of one end point. So there are
//
//   smooth      a parabola through (log error, log cost) of all runs by least squares, with its
//               relative standard error
//   cheapest    between neighbours in the order of tolerances, whose errors lie on both sides of
//               the level, linear in the logarithms; the least of those

#include <optional>
#include <vector>

namespace mbs::test {

struct CurvePoint {
  double error, cost;
};

// Points in the order of tolerances. Errors above 0.1 are left out: the run has lost its way.
using Curve = std::vector<CurvePoint>;

struct Cost {
  double value, relative_error = 0.0;  // 0: not known
};

// Nothing where the runs do not reach the error from both sides.
std::optional<Cost> smooth_cost(const Curve& curve, double error);
std::optional<Cost> cheapest_cost(const Curve& curve, double error);

// a / b.
std::optional<Cost> ratio(const std::optional<Cost>& a, const std::optional<Cost>& b);

}  // namespace mbs::test
