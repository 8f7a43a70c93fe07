#pragma once

// Prescribed motion of a joint's coordinate, a rheonomic row of G:
//
//   0 = q - x(t),   gI = -x',   gamma = q'' at v' = 0 less x''
//
// x is an expression of time and parameters, with both derivatives exact (Expression::along), or it
// follows an input u by two lags in series,
//
//   T^2 x'' + 2 T x' + x = u
//
// Inputs are polynomials of time, so that x is known in closed form and no state is needed: with
// what x and x' were at a time t_0 (in z; InputFilterStates::change renews them before the input
// changes)
//
//   x = x_p + (A + B tau) exp(-tau/T),        x_p = u - 2 T u' + 3 T^2 u'',   tau = t - t_0
//   A = x_0 - x_p(t_0),   B = x_0' - x_p'(t_0) + A/T
//
// T = 0: x = u. An angle in space is compared with x but for whole turns, which are those of x.
// lambda of the row is minus the force along the coordinate.

#include <cmath>
#include <numbers>

#include "engine/multibody/evaluation.hpp"

namespace mbs {

namespace drives {

using Jet = Expression::Jet;

inline Jet of_input(const Inputs& u, int i, double t) {
  const Inputs::Jet jet = u.jet(i, t);
  return {jet.value, jet.first, jet.second};
}
inline Jet particular(const Inputs& u, int i, double t, double T) {
  const Jet at = of_input(u, i, t);
  return {at.value - 2.0 * T * at.first + 3.0 * T * T * at.second, at.first - 2.0 * T * at.second,
          at.second};
}

// (A + B tau) exp(-tau/T)
inline Jet decay(double A, double B, double tau, double T) {
  const double e = std::exp(-tau / T), y = (A + B * tau) * e;
  return {y, B * e - y / T, (y / T - 2.0 * B * e) / T};
}

template <class Space>
Jet law_along_time(const Mechanism<Space>& m, const Context& context, double t, int index) {
  const Law& law = m.laws[static_cast<std::size_t>(index)];
  const std::size_t n = law.arguments.size();
  std::array<double, Expression::max_arguments> x{}, first{}, second{};
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& argument = law.arguments[k];
    const bool time = argument.kind == SymbolKind::time;
    x[k] = time ? t : context.parameters.values[argument.index];
    first[k] = time ? 1.0 : 0.0;
  }
  return law.expression.along(std::span(x).first(n), std::span(first).first(n),
                              std::span(second).first(n));
}

}  // namespace drives

// x, x' and x'' of a drive.
template <class Space>
Expression::Jet prescribed(const Mechanism<Space>& m, const Context& context, double t,
                           const Vector& z, const DriveData& d) {
  if (d.input < 0) return drives::law_along_time(m, context, t, d.law);
  const double T = context.parameters.derived[d.lag];
  if (T == 0.0) return drives::of_input(context.inputs, d.input, t);
  const double t0 = z[d.state];
  const auto before = drives::particular(context.inputs, d.input, t0, T),
             now = drives::particular(context.inputs, d.input, t, T);
  const double A = z[d.state + 1] - before.value, B = z[d.state + 2] - before.first + A / T;
  const auto rest = drives::decay(A, B, t - t0, T);
  return {now.value + rest.value, now.first + rest.first, now.second + rest.second};
}

// Their derivatives with respect to the value of the input.
template <class Space>
Expression::Jet prescribed_by_input(const Evaluation<Space>& at, const DriveData& d) {
  const double T = at[d.lag];
  if (T == 0.0) return {1.0, 0.0, 0.0};
  const auto rest = drives::decay(-1.0, -1.0 / T, at.x.t - at.x.z[d.state], T);
  return {1.0 + rest.value, rest.first, rest.second};
}

// Starts the filters as if the coordinates had rested where the inputs are.
template <class Space>
void start_following(const Mechanism<Space>& m, const Context& context, double t, Vector& z) {
  for (const DriveData& d : m.drives) {
    if (d.input < 0) continue;
    const auto u = drives::of_input(context.inputs, d.input, t);
    z.segment<3>(d.state) << t, u.value, 0.0;
  }
}

// The row, over T; its value is right while the coordinate is less than half a turn off.
template <class Space, class T>
Row<Space, T> drive_row(const Evaluation<Space>& at, const DriveData& d, const Side<Space, T>& a,
                        const Side<Space, T>& b) {
  const CoordinateData& c = at.mechanism.coordinates[static_cast<std::size_t>(d.coordinate)];
  const Expression::Jet x = prescribed(at.mechanism, at.context, at.x.t, at.x.z, d);
  const Row<Space, T> q = coordinate_row(at, c, a, b);
  Row<Space, T> row = combine(d.sign, q, 0.0, q);
  row.value = d.sign * q.value - x.value;
  row.second = d.sign * q.second - x.second;
  if (c.kind != CoordinateData::Kind::translation) {
    constexpr double turn = 2.0 * std::numbers::pi;
    row.value -= turn * std::round(value_of(row.value) / turn);
  }
  return row;
}

// visit(row, number in G, body a, body b)
template <class Space, class Visit>
void for_drive_rows(const Evaluation<Space>& at, const Visit& visit) {
  for (const DriveData& d : at.mechanism.drives) {
    const CoordinateData& c = at.mechanism.coordinates[static_cast<std::size_t>(d.coordinate)];
    on_sides<double>(at, c.a, c.b, ground, [&](const auto& a, const auto& b) {
      visit(drive_row(at, d, a, b), d.row, at.body_of(c.a), at.body_of(c.b));
    });
  }
}

// Sets gI = -x' in the rows of drives.
template <class Space>
void set_drive_rates(const Evaluation<Space>& at, Vector& gI) {
  for (const DriveData& d : at.mechanism.drives) {
    gI[d.row] = -prescribed(at.mechanism, at.context, at.x.t, at.x.z, d).first;
  }
}

}  // namespace mbs
