#pragma once

// A function given by points: what <curve> is, for expressions. Immutable; evaluation allocates
// nothing.
//
// On x_i <= x < x_(i+1), with s = x - x_i:  y = c0 + s (c1 + s (c2 + s c3)).
//
//   linear    straight lines
//   monotone  cubics with the slopes of Fritsch and Butland: y rises and falls only where the
//             points do; y' is continuous
//   spline    cubics with continuous y''
//
// Beyond the points the curve goes on as `ends` says, and inside it is shaped to fit there:
//
//   linear    with the slope at the end      spline: y'' = 0 at both ends
//   constant  with the value at the end      spline, monotone: y' = 0 at both ends
//   periodic  again from the first point     spline: y' and y'' are those of the other end

#include <array>
#include <vector>

namespace mbs {

class Curve {
 public:
  enum class Interpolation : unsigned char { linear, monotone, spline };
  enum class Ends : unsigned char { linear, constant, periodic };
  struct Jet {
    double value, first, second, third;
  };

  // At least two points, x rising; for periodic ends the last y is the first one.
  Curve(std::vector<double> x, const std::vector<double>& y, Interpolation, Ends);

  Jet at(double x) const;                  // a NaN at a NaN
  std::array<double, 2> range() const;     // the lowest and the highest of the points' y
  bool smooth() const { return smooth_; }  // y'' is continuous between the ends

 private:
  std::vector<double> x_;
  std::vector<std::array<double, 4>> c_;  // one for each interval
  Ends ends_;
  bool smooth_;
};

}  // namespace mbs
