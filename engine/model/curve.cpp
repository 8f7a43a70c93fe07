// Slopes d_i at the points, then the cubics of Hermite on the intervals. With h_i = x_(i+1) - x_i
// and D_i = (y_(i+1) - y_i)/h_i:
//
//   spline    h_i d_(i-1) + 2 (h_(i-1) + h_i) d_i + h_(i-1) d_(i+1) = 3 (h_i D_(i-1) + h_(i-1) D_i)
//             (y'' from both sides is the same), at an end of no curvature 2 d_0 + d_1 = 3 D_0
//   monotone  0 where D_(i-1) and D_i have different signs, otherwise their harmonic mean with the
//             weights w_1 = 2 h_i + h_(i-1) and w_2 = h_i + 2 h_(i-1); at an end the slope of the
//             parabola through three points, limited
//
//   c1 = d_i,   c2 = (3 D_i - 2 d_i - d_(i+1))/h_i,   c3 = (d_i + d_(i+1) - 2 D_i)/h_i^2
//
// (F. N. Fritsch, J. Butland, A method for constructing local monotone piecewise cubic
// interpolants, SIAM J. Sci. Stat. Comput. 5, 1984.)

#include "engine/model/curve.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

namespace {

using Numbers = std::vector<double>;

// Lengths h_i and slopes D_i of the intervals.
struct Intervals {
  Numbers h, D;
  std::size_t count() const { return h.size(); }
};

double harmonic(double h0, double h1, double D0, double D1) {
  if (!(D0 * D1 > 0.0)) return 0.0;
  const double w1 = 2.0 * h1 + h0, w2 = h1 + 2.0 * h0;
  return (w1 + w2) / (w1 / D0 + w2 / D1);
}

double end_slope(double h0, double h1, double D0, double D1) {
  const double d = ((2.0 * h0 + h1) * D0 - h0 * D1) / (h0 + h1);
  if (!(d * D0 > 0.0)) return 0.0;
  return D0 * D1 <= 0.0 && std::abs(d) > 3.0 * std::abs(D0) ? 3.0 * D0 : d;
}

Numbers monotone_slopes(const Intervals& k, Curve::Ends ends) {
  const std::size_t n = k.count();
  Numbers d(n + 1, 0.0);
  for (std::size_t i = 1; i < n; ++i) d[i] = harmonic(k.h[i - 1], k.h[i], k.D[i - 1], k.D[i]);
  if (ends == Curve::Ends::periodic) {
    d[0] = d[n] = harmonic(k.h[n - 1], k.h[0], k.D[n - 1], k.D[0]);
  } else if (ends == Curve::Ends::linear) {
    if (n == 1) return Numbers(2, k.D[0]);
    d[0] = end_slope(k.h[0], k.h[1], k.D[0], k.D[1]);
    d[n] = end_slope(k.h[n - 1], k.h[n - 2], k.D[n - 1], k.D[n - 2]);
  }
  return d;
}

// Solves rows of low, middle, high; diagonally dominant. high is overwritten, b becomes x.
void solve_tridiagonal(const Numbers& low, Numbers middle, const Numbers& high, Numbers& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = low[i] / middle[i - 1];
    middle[i] -= factor * high[i - 1];
    b[i] -= factor * b[i - 1];
  }
  b[n - 1] /= middle[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) b[i] = (b[i] - high[i] * b[i + 1]) / middle[i];
}

Numbers spline_slopes(const Intervals& k, Curve::Ends ends) {
  const std::size_t n = k.count();
  Numbers low(n + 1), middle(n + 1), high(n + 1), d(n + 1);
  const auto smooth = [&](std::size_t i, std::size_t before) {
    low[i] = k.h[i % n];
    middle[i] = 2.0 * (k.h[before] + k.h[i % n]);
    high[i] = k.h[before];
    d[i] = 3.0 * (k.h[i % n] * k.D[before] + k.h[before] * k.D[i % n]);
  };
  for (std::size_t i = 1; i < n; ++i) smooth(i, i - 1);
  if (ends != Curve::Ends::periodic) {
    const bool level = ends == Curve::Ends::constant;
    middle[0] = middle[n] = level ? 1.0 : 2.0;
    high[0] = low[n] = level ? 0.0 : 1.0;
    d[0] = level ? 0.0 : 3.0 * k.D[0];
    d[n] = level ? 0.0 : 3.0 * k.D[n - 1];
    solve_tridiagonal(low, middle, high, d);
    return d;
  }
  // Unknowns d_0 ... d_(n-1) in a circle: d_0 = q is taken out, d = x + q z.
  if (n == 1) return Numbers(2, 0.0);
  smooth(0, n - 1);
  Numbers x(d.begin() + 1, d.begin() + static_cast<std::ptrdiff_t>(n)), z(n - 1, 0.0);
  const auto inner = [n](const Numbers& row) {
    return Numbers(row.begin() + 1, row.begin() + static_cast<std::ptrdiff_t>(n));
  };
  z.front() -= low[1];
  z.back() -= high[n - 1];
  solve_tridiagonal(inner(low), inner(middle), inner(high), x);
  solve_tridiagonal(inner(low), inner(middle), inner(high), z);
  const double q = (d[0] - low[0] * x.back() - high[0] * x.front()) /
                   (middle[0] + low[0] * z.back() + high[0] * z.front());
  d[0] = d[n] = q;
  for (std::size_t i = 1; i < n; ++i) d[i] = x[i - 1] + q * z[i - 1];
  return d;
}

}  // namespace

Curve::Curve(std::vector<double> x, const std::vector<double>& y, Interpolation interpolation,
             Ends ends)
    : x_(std::move(x)), ends_(ends), smooth_(interpolation == Interpolation::spline) {
  const std::size_t n = x_.size() - 1;
  Intervals k{Numbers(n), Numbers(n)};
  for (std::size_t i = 0; i < n; ++i) {
    k.h[i] = x_[i + 1] - x_[i];
    k.D[i] = (y[i + 1] - y[i]) / k.h[i];
  }
  Numbers d;
  if (interpolation == Interpolation::monotone) d = monotone_slopes(k, ends);
  if (interpolation == Interpolation::spline) d = spline_slopes(k, ends);
  c_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (d.empty()) {
      c_[i] = {y[i], k.D[i], 0.0, 0.0};
    } else {
      c_[i] = {y[i], d[i], (3.0 * k.D[i] - 2.0 * d[i] - d[i + 1]) / k.h[i],
               (d[i] + d[i + 1] - 2.0 * k.D[i]) / (k.h[i] * k.h[i])};
    }
  }
}

Curve::Jet Curve::at(double x) const {
  const double first = x_.front(), last = x_.back();
  if (ends_ == Ends::periodic && (x < first || x >= last)) {
    const double period = last - first;
    x -= period * std::floor((x - first) / period);
  }
  const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(after - x_.begin()) - 1;
  const auto& c = c_[i];
  const auto cubic = [&](double s) {
    return Jet{c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2.0 * c[2] + 3.0 * s * c[3]),
               2.0 * c[2] + 6.0 * s * c[3], 6.0 * c[3]};
  };
  const bool before = x < first;
  if (ends_ == Ends::periodic || !(before || x > last)) return cubic(x - x_[i]);
  const double end = before ? first : last;
  const Jet at_end = cubic(end - x_[i]);
  if (ends_ == Ends::constant) return {at_end.value, 0.0, 0.0, 0.0};
  return {at_end.value + at_end.first * (x - end), at_end.first, 0.0, 0.0};
}

std::array<double, 2> Curve::range() const {
  const double last = ends_ == Ends::periodic ? c_[0][0] : at(x_.back()).value;
  std::array<double, 2> range{last, last};
  for (const auto& c : c_) range = {std::min(range[0], c[0]), std::max(range[1], c[0])};
  return range;
}

}  // namespace mbs
