// The stack machine over power series to the third order, a = sum a_k tau^k:
//
//   (a b)_k = sum a_i b_(k-i)                  a = q b:   q_k = (a_k - sum_(i>0) b_i q_(k-i))/b_0
//   y = exp a:    k y_k = sum i a_i y_(k-i)    y = log a: y_k = (a_k - sum i/k y_i a_(k-i))/a_0
//   y = a^n:      y_k = sum (n i - (k - i)) a_i y_(k-i)/(k a_0)
//   sin, cos:     k s_k = sum i a_i c_(k-i),   k c_k = -sum i a_i s_(k-i)
//
// and functions with an elementary derivative by integration, y' = a'/(1 + a^2) for atan.

#include "engine/model/series.hpp"

#include <cmath>
#include <limits>

namespace mbs {

namespace {

using Op = Instruction::Op;
constexpr int order = 3;

struct Series {
  std::array<double, order + 1> c{};
  double& operator[](int k) { return c[k]; }
  double operator[](int k) const { return c[k]; }
};

Series constant(double x) {
  Series y;
  y[0] = x;
  return y;
}
Series operator+(Series a, const Series& b) {
  for (int k = 0; k <= order; ++k) a[k] += b[k];
  return a;
}
Series scaled(double s, Series a) {
  for (double& x : a.c) x *= s;
  return a;
}
Series operator-(const Series& a, const Series& b) {
  return a + scaled(-1.0, b);
}
Series operator*(const Series& a, const Series& b) {
  Series y;
  for (int k = 0; k <= order; ++k) {
    for (int i = 0; i <= k; ++i) y[k] += a[i] * b[k - i];
  }
  return y;
}
Series operator/(const Series& a, const Series& b) {
  Series q;
  for (int k = 0; k <= order; ++k) {
    double sum = a[k];
    for (int i = 1; i <= k; ++i) sum -= b[i] * q[k - i];
    q[k] = sum / b[0];
  }
  return q;
}

Series exponential(const Series& a) {
  Series y = constant(std::exp(a[0]));
  for (int k = 1; k <= order; ++k) {
    for (int i = 1; i <= k; ++i) y[k] += i * a[i] * y[k - i] / k;
  }
  return y;
}

Series logarithm(const Series& a) {
  Series y = constant(std::log(a[0]));
  for (int k = 1; k <= order; ++k) {
    double sum = a[k];
    for (int i = 1; i < k; ++i) sum -= i * y[i] * a[k - i] / k;
    y[k] = sum / a[0];
  }
  return y;
}

Series to_power(const Series& a, double n) {
  constexpr double most_products = 8.0;
  if (n >= 0.0 && n <= most_products && n == std::floor(n)) {  // a_0 may be 0
    Series y = constant(1.0);
    for (int k = 0; k < static_cast<int>(n); ++k) y = y * a;
    return y;
  }
  Series y = constant(std::pow(a[0], n));
  for (int k = 1; k <= order; ++k) {
    for (int i = 1; i <= k; ++i) y[k] += (n * i - (k - i)) * a[i] * y[k - i] / (k * a[0]);
  }
  return y;
}

// sin and cos; sign = 1: sinh and cosh.
struct Pair {
  Series s, c;
};
Pair circular(const Series& a, double sign) {
  Pair y{constant(sign < 0.0 ? std::sin(a[0]) : std::sinh(a[0])),
         constant(sign < 0.0 ? std::cos(a[0]) : std::cosh(a[0]))};
  for (int k = 1; k <= order; ++k) {
    for (int i = 1; i <= k; ++i) {
      y.s[k] += i * a[i] * y.c[k - i] / k;
      y.c[k] += sign * i * a[i] * y.s[k - i] / k;
    }
  }
  return y;
}

// The series with the value y_0 whose derivative is that of a times `slope`.
Series integrated(double value, const Series& a, const Series& slope) {
  Series y = constant(value);
  for (int k = 1; k <= order; ++k) {
    for (int i = 1; i <= k; ++i) y[k] += i * a[i] * slope[k - i] / k;
  }
  return y;
}

Series on_curve(const Curve& curve, const Series& a) {
  const Curve::Jet f = curve.at(a[0]);
  Series d = a;
  d[0] = 0.0;
  return constant(f.value) + scaled(f.first, d) + scaled(f.second / 2.0, d * d) +
         scaled(f.third / 6.0, d * d * d);
}

Series elementary(Op op, const Series& a, const Series& b) {
  const Series one = constant(1.0);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return scaled(-1.0, a);
    case Op::power:
      return b[1] == 0.0 && b[2] == 0.0 && b[3] == 0.0 ? to_power(a, b[0])
                                                       : exponential(b * logarithm(a));
    case Op::sin:
      return circular(a, -1.0).s;
    case Op::cos:
      return circular(a, -1.0).c;
    case Op::tan: {
      const Pair y = circular(a, -1.0);
      return y.s / y.c;
    }
    case Op::sinh:
      return circular(a, 1.0).s;
    case Op::cosh:
      return circular(a, 1.0).c;
    case Op::tanh: {
      const Pair y = circular(a, 1.0);
      return y.s / y.c;
    }
    case Op::exp:
      return exponential(a);
    case Op::log:
      return logarithm(a);
    case Op::log10:
      return scaled(1.0 / std::log(10.0), logarithm(a));
    case Op::sqrt:
      return to_power(a, 0.5);
    case Op::asin:
      return integrated(std::asin(a[0]), a, to_power(one - a * a, -0.5));
    case Op::acos:
      return integrated(std::acos(a[0]), a, scaled(-1.0, to_power(one - a * a, -0.5)));
    case Op::atan:
      return integrated(std::atan(a[0]), a, one / (one + a * a));
    case Op::atan2: {
      const Series r2 = a * a + b * b;
      return integrated(std::atan2(a[0], b[0]), a, b / r2) - integrated(0.0, b, a / r2);
    }
    case Op::hypot:
      return to_power(a * a + b * b, 0.5);
    case Op::abs:
      return a[0] < 0.0 ? scaled(-1.0, a) : a;
    case Op::min:
      return b[0] < a[0] ? b : a;
    case Op::max:
      return a[0] < b[0] ? b : a;
    case Op::mod:
      return a - scaled(std::floor(a[0] / b[0]), b);
    case Op::first_number:
      return std::isnan(a[0]) ? b : a;
    case Op::no_event:
      return a;
    default: {  // comparisons, logic, sign, floor, ceil
      const double operands[3] = {a[0], b[0], 0.0};
      return constant(apply(op, operands));
    }
  }
}

}  // namespace

std::array<double, 4> series_along(const Expression& f, std::span<const double> x,
                                   std::span<const double> x1) {
  if (f.is_constant()) return {f.constant(), 0.0, 0.0, 0.0};
  std::array<Series, Expression::max_stack> stack;
  std::size_t top = 0;
  for (const Instruction& i : f.program()) {
    const auto argument = static_cast<std::size_t>(i.argument);
    if (i.op == Op::constant) {
      stack[top++] = constant(i.number);
    } else if (i.op == Op::load) {
      stack[top] = constant(x[argument]);
      stack[top++][1] = x1[argument];
    } else if (i.op == Op::curve) {
      stack[top - 1] = on_curve(*f.curves()[argument], stack[top - 1]);
    } else {
      const auto count = static_cast<std::size_t>(operand_count(i.op));
      top -= count;
      const Series a = stack[top], b = count > 1 ? stack[top + 1] : Series{};
      stack[top] = i.op == Op::choose ? (a[0] != 0.0 ? b : stack[top + 2]) : elementary(i.op, a, b);
      ++top;
    }
  }
  const Series& y = stack[0];
  return {y[0], y[1], 2.0 * y[2], 6.0 * y[3]};
}

}  // namespace mbs
