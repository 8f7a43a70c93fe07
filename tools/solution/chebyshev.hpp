// Polynomials of vectors in Chebyshev's form,
//
//   x(t) = sum_j c_j T_j(theta),   theta = (2 t - a - b) / (b - a)
//
// whose last coefficients show the error of a lower degree.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/types.hpp"

namespace mbs {

struct Chebyshev {
  double begin = 0.0, end = 0.0;
  Matrix c;  // column j: coefficients of T_j

  // Clenshaw's recurrence for row i.
  double operator()(int i, double t) const {
    const double theta = std::clamp((2.0 * t - begin - end) / (end - begin), -1.0, 1.0);
    double b1 = 0.0, b2 = 0.0;
    for (Eigen::Index j = c.cols() - 1; j > 0; --j) {
      const double b = c(i, j) + 2.0 * theta * b1 - b2;
      b2 = b1;
      b1 = b;
    }
    return c(i, 0) + theta * b1 - b2;
  }
};

constexpr int most_degree = 80;

// The polynomial that equals value(t, x) on [begin, end]. Its degree is found from the last three
// coefficients, which are rounding errors: one alone vanishes for every even or odd function.
// A function that is no polynomial gets one of the highest degree.
template <class Value>
Chebyshev fit_chebyshev(double begin, double end, Eigen::Index size, Value&& value) {
  constexpr double noise = 1e-15;
  Chebyshev fit{begin, end, {}};
  for (int n = 20;; n *= 2) {
    Matrix f(size, n + 1);
    for (int k = 0; k <= n; ++k) {
      const double theta = std::cos(std::numbers::pi * k / n);
      const double t = k == 0   ? end
                       : k == n ? begin
                                : 0.5 * (begin + end) + 0.5 * (end - begin) * theta;
      value(t, f.col(k));
    }
    fit.c.setZero(size, n + 1);
    for (int j = 0; j <= n; ++j) {
      for (int k = 0; k <= n; ++k) {
        const double half = k == 0 || k == n ? 0.5 : 1.0;
        fit.c.col(j) += f.col(k) * (half * std::cos(std::numbers::pi * (j * k % (2 * n)) / n));
      }
      fit.c.col(j) *= (j == 0 || j == n ? 1.0 : 2.0) / n;
    }
    int degree = n;
    const Vector small = noise * n * f.rowwise().lpNorm<Eigen::Infinity>();
    while (degree > 0 && (fit.c.col(degree).array().abs() <= small.array()).all()) --degree;
    if (degree <= n - 3 || n == most_degree) {
      fit.c.conservativeResize(Eigen::NoChange, degree + 1);
      return fit;
    }
  }
}

}  // namespace mbs
