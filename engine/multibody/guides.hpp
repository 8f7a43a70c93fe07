#pragma once

// A point of b that stays on a curve (in the plane) or a surface (in space) fixed to a, or at a
// distance from it: the place s on it is a contact variable, found as the one next to the point.
// With the curve S(s) in a's axes, A those axes, e = r_b - r_a - A S, t_i = A S_,i, n the unit
// normal (t turned by 90 degrees; t_1 x t_2):
//
//   0 = c_i = t_i.e                        contact points
//   0 = g = n.e - distance                 holonomic
//   G: n.w, w the velocity of b's point against a's matter there
//   s' = K^-1 (t_i.w),  K_ij = t_i.t_j - A S_,ij.e = -c_s
//   gamma = u'.w + n.w' at v' = 0,  u' = omega_a x n + n_,i s_i'
//
// On c = 0 this G is (g_p - g_s c_s^-1 c_p) Z, because n_,i.n = 0 and n.t_i = 0; off it what is
// missing is proportional to c. S takes three derivatives in the Jacobian of gamma
// (engine/model/series.hpp). A point beyond the centre of curvature (K singular) has no place next
// to it.

#include <cmath>
#include <limits>

#include "engine/model/series.hpp"
#include "engine/multibody/evaluation.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

namespace guides {

template <class Space>
constexpr int places = Space::dim - 1;  // contact variables of one

// S and its derivatives at a place, in a's axes: first, second, third by the numbers of places.
template <class Space>
struct Shape {
  using V = Vec<double, Space::dim>;
  V at, first[2], second[2][2], third[2][2][2];
};

template <class Space>
std::array<double, 4> component(const Evaluation<Space>& at, int law, const double* s,
                                std::array<double, 2> along) {
  const Law& l = at.mechanism.laws[static_cast<std::size_t>(law)];
  const std::size_t n = l.arguments.size();
  std::array<double, Expression::max_arguments> x{}, x1{};
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& argument = l.arguments[k];
    const bool place = argument.kind == SymbolKind::local;
    x[k] = place ? s[argument.index] : at.context.parameters.values[argument.index];
    x1[k] = place ? along[static_cast<std::size_t>(argument.index)] : 0.0;
  }
  return series_along(l.expression, std::span(x).first(n), std::span(x1).first(n));
}

// Mixed derivatives from those along e_1, e_2, e_1 + e_2, e_1 - e_2.
template <class Space>
Shape<Space> shape(const Evaluation<Space>& at, const GuideData& guide) {
  Shape<Space> S;
  const double* s = at.x.s.data() + guide.s;
  for (int d = 0; d < Space::dim; ++d) {
    const int law = guide.law[static_cast<std::size_t>(d)];
    const auto one = component(at, law, s, {1.0, 0.0});
    S.at[d] = one[0];
    S.first[0][d] = one[1];
    S.second[0][0][d] = one[2];
    S.third[0][0][0][d] = one[3];
    if constexpr (Space::dim == 3) {
      const auto two = component(at, law, s, {0.0, 1.0}), sum = component(at, law, s, {1.0, 1.0}),
                 difference = component(at, law, s, {1.0, -1.0});
      S.first[1][d] = two[1];
      S.second[1][1][d] = two[2];
      S.second[0][1][d] = S.second[1][0][d] = (sum[2] - difference[2]) / 4.0;
      S.third[1][1][1][d] = two[3];
      const double f112 = (sum[3] - difference[3] - 2.0 * two[3]) / 6.0,
                   f122 = (sum[3] + difference[3] - 2.0 * one[3]) / 6.0;
      for (auto* x : {&S.third[0][0][1], &S.third[0][1][0], &S.third[1][0][0]}) (*x)[d] = f112;
      for (auto* x : {&S.third[0][1][1], &S.third[1][0][1], &S.third[1][1][0]}) (*x)[d] = f122;
    }
  }
  return S;
}

}  // namespace guides

template <class Space, class T>
struct GuideRow {
  Row<Space, T> row;
  std::array<T, 2> c;
  std::array<std::array<T, 2>, 2> K;
};

// by_place: the places themselves are the variables, in the first lanes of T.
template <class Space, class T>
GuideRow<Space, T> guide_row(const Evaluation<Space>& at, const GuideData& guide,
                             const guides::Shape<Space>& S, const Side<Space, T>& a,
                             const Side<Space, T>& b, bool by_place) {
  constexpr int n_s = guides::places<Space>;
  using V = Vec<T, Space::dim>;
  // A vector of the shape with its derivatives by the places, in inertial axes.
  const auto vector = [&](const auto& value, const auto* derivative) {
    V x;
    for (int d = 0; d < Space::dim; ++d) {
      x[d] = T(value[d]);
      if constexpr (!std::is_same_v<T, double>) {
        for (int i = 0; by_place && i < n_s; ++i) x[d].d[i] = derivative[i][d];
      }
    }
    return V(turn(a.body.R, turn(a.frame.R, x)));
  };
  const V d = b.point() - a.point(), e = d - vector(S.at, S.first);
  V t[2], second[2][2];
  for (int i = 0; i < n_s; ++i) {
    t[i] = vector(S.first[i], S.second[i]);
    for (int j = 0; j < n_s; ++j) second[i][j] = vector(S.second[i][j], S.third[i][j]);
  }
  // The normal, not yet of length 1, and its derivatives by the places.
  V N, N_by[2];
  if constexpr (Space::dim == 2) {
    const auto turned = [](const V& x) { return V{{-x[1], x[0]}}; };
    N = turned(t[0]);
    N_by[0] = turned(second[0][0]);
  } else {
    N = cross(t[0], t[1]);
    for (int j = 0; j < 2; ++j) N_by[j] = cross(second[0][j], t[1]) + cross(t[0], second[1][j]);
  }
  using std::sqrt;
  const T scale = 1.0 / sqrt(dot(N, N));
  const Vec<T, Space::rot> wa = rolling::angular_velocity(a);
  const V w = b.velocity() - a.velocity() - cross(wa, d);

  GuideRow<Space, T> out;
  std::array<T, 2> slide;
  for (int i = 0; i < n_s; ++i) {
    out.c[i] = dot(t[i], e);
    slide[i] = dot(t[i], w);
    for (int j = 0; j < n_s; ++j) out.K[i][j] = dot(t[i], t[j]) - dot(second[i][j], e);
  }
  std::array<T, 2> rate;
  if constexpr (n_s == 1) {
    rate[0] = slide[0] / out.K[0][0];
  } else {
    const T det = out.K[0][0] * out.K[1][1] - out.K[0][1] * out.K[1][0];
    rate[0] = (out.K[1][1] * slide[0] - out.K[0][1] * slide[1]) / det;
    rate[1] = (out.K[0][0] * slide[1] - out.K[1][0] * slide[0]) / det;
  }
  rolling::Moving<Space, T> n{scale * N, {}};
  n.first = cross(wa, n.x);
  for (int j = 0; j < n_s; ++j) {
    n.first += (scale * rate[j]) * (N_by[j] - dot(n.x, N_by[j]) * n.x);
  }
  out.row = rolling::row_along<Space, T>(a, b, n, {});
  out.row.value = dot(n.x, e) - at.optional(guide.distance);
  return out;
}

// visit(guide, shape, side a, side b) for all of them.
template <class Space, class Visit>
void for_guides(const Evaluation<Space>& at, const Visit& visit) {
  for (const GuideData& guide : at.mechanism.guides) {
    const guides::Shape<Space> S = guides::shape(at, guide);
    on_sides<double>(at, guide.a, guide.b, ground,
                     [&](const auto& a, const auto& b) { visit(guide, S, a, b); });
  }
}

// visit(row, number in G, body a, body b)
template <class Space, class Visit>
void for_guide_rows(const Evaluation<Space>& at, const Visit& visit) {
  for_guides(at, [&](const GuideData& guide, const auto& S, const auto& a, const auto& b) {
    visit(guide_row(at, guide, S, a, b, false).row, guide.row, at.body_of(guide.a),
          at.body_of(guide.b));
  });
}

template <class Space>
void set_contact_points(const Evaluation<Space>& at, Vector& c) {
  for_guides(at, [&](const GuideData& guide, const auto& S, const auto& a, const auto& b) {
    const auto found = guide_row(at, guide, S, a, b, false);
    for (int i = 0; i < guides::places<Space>; ++i) c[guide.s + i] = found.c[i];
  });
}

// Newton's method for the places, c_s = -K, each guide by itself; false when it does not converge.
// `at` evaluates the state that s belongs to.
template <class Space>
bool solve_contact_points(const Evaluation<Space>& at, Vector& s) {
  constexpr int n_s = guides::places<Space>, most = 50;
  for (const GuideData& guide : at.mechanism.guides) {
    bool converged = false;
    on_sides<double>(at, guide.a, guide.b, ground, [&](const auto& a, const auto& b) {
      double before = std::numeric_limits<double>::infinity();
      for (int k = 0; k < most && !converged; ++k) {
        const auto found = guide_row(at, guide, guides::shape(at, guide), a, b, false);
        const auto& K = found.K;
        double step[2];
        if constexpr (n_s == 1) {
          step[0] = found.c[0] / K[0][0];
        } else {
          const double det = K[0][0] * K[1][1] - K[0][1] * K[1][0];
          step[0] = (K[1][1] * found.c[0] - K[0][1] * found.c[1]) / det;
          step[1] = (K[0][0] * found.c[1] - K[1][0] * found.c[0]) / det;
        }
        double largest = 0.0;
        for (int i = 0; i < n_s; ++i) {
          largest = std::max(largest, std::abs(step[i]) / (1.0 + std::abs(s[guide.s + i])));
        }
        if (!std::isfinite(largest)) return;
        // To rounding: where steps do not become smaller any more.
        converged = largest == 0.0 || (largest < 1e-12 && largest >= 0.5 * before);
        before = largest;
        for (int i = 0; i < n_s && !converged; ++i) s[guide.s + i] += step[i];
      }
      converged = converged || before < 1e-12;
    });
    if (!converged) return false;
  }
  return true;
}

}  // namespace mbs
