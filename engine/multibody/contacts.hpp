#pragma once

// Contacts and dry friction of a mechanism (Structure::contacts): their rows and what sliding
// friction does. n is the normal, t_k a tangent, d the direction of sliding, N = -lambda of the
// normal row.
//
//   plane   gap = n.(r_b - r_a) - R,  n an axis of a
//           sliding  t.(v_b - v_a) - R omega_ba.(n x t)
//   balls   gap = |r_b - r_a| - R_a - R_b,  n along r_b - r_a
//           sliding  t.(v_b - v_a) - (R_a omega_a + R_b omega_b).(n x t)
//           in space t is turned from a fixed pole with n by the shortest way
//   stop    gap = s (q - bound)
//   friction        sliding  q' - speed
//
//   sticking   the sliding velocities are rows of G
//   sliding    f gets -mu N t.d, or -limit t.d
//   redundant  the same with a fixed d, |d| <= 1, along one tangent or both

#include <algorithm>
#include <cmath>

#include "engine/contact/low_speed_direction.hpp"
#include "engine/contact/modes.hpp"
#include "engine/multibody/evaluation.hpp"
#include "engine/multibody/fill.hpp"
#include "engine/multibody/forces.hpp"

namespace mbs {

// k: -1 the normal row, then the tangents.
inline bool row_acts(const ContactData& c, int k, ContactMode mode) {
  return k < 0 ? c.normal >= 0 && normal_acts(mode) : k < c.tangents && tangent_acts(mode, k);
}
inline bool friction_is_force(const ContactData& c, ContactMode mode) {
  return c.tangents > 0 && friction_is_force(mode);
}

template <class Space>
ContactMode mode_of(const Evaluation<Space>& at, const ContactData& c) {
  return contact_mode(at.x, c.mode);
}

template <class Space, class T>
Row<Space, T> sum(const Row<Space, T>& x, const NumberFor<T>& factor, const Row<Space, T>& y) {
  Row<Space, T> row = combine(NumberFor<T>(1.0), x, factor, y);
  row.value = x.value;
  row.second = x.second + factor * y.second;
  return row;
}

// The angular velocity of b against a about an axis of a; its `second` too, it belongs to no angle.
template <class Space, class T>
Row<Space, T> relative_spin(const Side<Space, T>& a, const Side<Space, T>& b, int axis) {
  Row<Space, T> row = spin(a, b, axis);
  if constexpr (Space::dim == 3) {
    const auto fixed = axis_of(a.frame.R, axis);
    row.second = dot(a.first(fixed), turn(b.body.R, b.body.omega));
  }
  return row;
}

// The line between two centres: its length and what its direction changes by.
template <class Space, class T>
struct Centres {
  T length;
  Vec<T, Space::dim> u, velocity, acceleration;

  Centres(const Side<Space, T>& a, const Side<Space, T>& b)
      : velocity(b.velocity() - a.velocity()), acceleration(b.acceleration() - a.acceleration()) {
    using std::sqrt;
    const Vec<T, Space::dim> d = b.point() - a.point();
    length = sqrt(dot(d, d));
    u = (1.0 / length) * d;
  }
  Row<Space, T> along(const Side<Space, T>& a, const Side<Space, T>& b,
                      const Vec<T, Space::dim>& direction) const {
    Row<Space, T> row;
    row.linear_b = direction;
    row.linear_a = -direction;
    row.angular_b = moment(b.frame.s, turn_back(b.body.R, direction));
    row.angular_a = -moment(a.frame.s, turn_back(a.body.R, direction));
    row.second = dot(direction, acceleration);
    return row;
  }
};

// Sliding of two balls in space. e is perpendicular to the pole p, u the line between the centres:
//
//   t = e - (u + p) (e.u)/(1 + p.u),     n x t_1 = t_2,  n x t_2 = -t_1
//
// Only where u is opposite to p there is none; p is the axis next to u at the start.
template <class T>
Row<Spatial, T> ball_tangent(const auto& at, const ContactData& c, int k, const Side<Spatial, T>& a,
                             const Side<Spatial, T>& b) {
  const Centres<Spatial, T> line(a, b);
  const Vec<T, 3>& u = line.u;
  const int code = at.pole(c.pole), axis = code % 3;
  const double sign = code < 3 ? 1.0 : -1.0;
  const Vec<T, 3> u1 = (1.0 / line.length) * (line.velocity - dot(u, line.velocity) * u);
  std::array<Vec<T, 3>, 2> t, t1;
  for (int i = 0; i < 2; ++i) {
    const int along = (axis + 1 + i) % 3;
    const double factor = i == 1 ? sign : 1.0;
    const T e_u = factor * u[along], e_u1 = factor * u1[along];
    const T D = 1.0 + sign * u[axis], D1 = sign * u1[axis];
    Vec<T, 3> sum = u;
    sum[axis] += T(sign);
    t[i] = (-1.0 * (e_u / D)) * sum;
    t[i][along] += T(factor);
    t1[i] = (-1.0 * (e_u / D)) * u1 + ((e_u * D1 / D - e_u1) / D) * sum;
  }
  const T turned = T(k == 0 ? 1.0 : -1.0);
  const Vec<T, 3> about = turned * t[1 - k], about1 = turned * t1[1 - k];
  const auto R_a = at.optional(c.radius_a), R_b = at.optional(c.radius_b);
  Row<Spatial, T> row = line.along(a, b, t[k]);
  row.angular_a = row.angular_a - R_a * turn_back(a.body.R, about);
  row.angular_b = row.angular_b - R_b * turn_back(b.body.R, about);
  const Vec<T, 3> turning = R_a * turn(a.body.R, a.body.omega) + R_b * turn(b.body.R, b.body.omega);
  row.second += dot(t1[k], line.velocity) - dot(turning, about1);
  return row;
}

template <class Space, class T>
Row<Space, T> normal_row(const auto& at, const ContactData& c, const Side<Space, T>& a,
                         const Side<Space, T>& b) {
  Row<Space, T> row;
  switch (c.kind) {
    case ContactData::Kind::plane:
      row = across(a, b, c.axis);
      row.value -= at.optional(c.radius_b);
      break;
    case ContactData::Kind::balls: {
      const Centres<Space, T> line(a, b);
      row = line.along(a, b, line.u);
      const T along = dot(line.u, line.velocity);
      row.second += (dot(line.velocity, line.velocity) - along * along) / line.length;
      row.value = line.length - at.optional(c.radius_a) - at.optional(c.radius_b);
      break;
    }
    case ContactData::Kind::stop: {
      const Row<Space, T> q = coordinate_row(at, at.mechanism.coordinates[c.coordinate], a, b);
      row = combine(c.side * c.sign, q, 0.0, q);
      row.value = c.side * (c.sign * q.value - at[c.bound]);
      row.second = c.side * c.sign * q.second;
      break;
    }
    case ContactData::Kind::friction:
      break;
  }
  return row;
}

template <class Space, class T>
Row<Space, T> tangent_row(const auto& at, const ContactData& c, int k, const Side<Space, T>& a,
                          const Side<Space, T>& b) {
  if (c.kind == ContactData::Kind::friction) {
    const Row<Space, T> q = coordinate_row(at, at.mechanism.coordinates[c.coordinate], a, b);
    Row<Space, T> row = combine(c.sign, q, 0.0, q);
    row.second = c.sign * q.second;
    return row;
  }
  if (c.kind == ContactData::Kind::balls) {
    Row<Space, T> row;
    if constexpr (Space::dim == 2) {
      const Centres<Space, T> line(a, b);
      const Vec<T, 2> t{{-line.u[1], line.u[0]}};
      row = line.along(a, b, t);
      const T turning = dot(t, line.velocity) / line.length;  // of the line
      row.second -= turning * dot(line.u, line.velocity);
      row.angular_b[0] -= at.optional(c.radius_b);
      row.angular_a[0] -= at.optional(c.radius_a);
    } else {
      row = ball_tangent(at, c, k, a, b);
    }
    return row;
  }
  // n x t is + the axis after t, or - the one before, in cyclic order of n, t_0, t_1.
  const int tangent = (c.axis + 1 + k) % Space::dim;
  const Row<Space, T> shift = across(a, b, tangent);
  const auto radius = at.optional(c.radius_b);
  if (is_zero(radius)) return shift;
  int about = 0;
  double sign = 0.0;
  if constexpr (Space::dim == 2) {
    sign = c.axis == 0 ? 1.0 : -1.0;
  } else {
    about = k == 0 ? (c.axis + 2) % 3 : (c.axis + 1) % 3;
    sign = k == 0 ? 1.0 : -1.0;
  }
  return sum(shift, -radius * sign, relative_spin(a, b, about));
}

template <class Space, class T>
Row<Space, T> contact_row(const auto& at, const ContactData& c, int k, const Side<Space, T>& a,
                          const Side<Space, T>& b) {
  return k < 0 ? normal_row(at, c, a, b) : tangent_row(at, c, k, a, b);
}

// D and gI of their rows.
template <class Space>
void set_contact_rows(const Evaluation<Space>& at, Vector& D, Vector& gI) {
  for (const ContactData& c : at.mechanism.contacts) {
    const ContactMode mode = mode_of(at, c);
    if (c.normal >= 0) D[c.normal] = normal_acts(mode) ? 0.0 : 1.0;
    for (int k = 0; k < c.tangents; ++k) {
      D[c.tangent + k] = row_acts(c, k, mode) ? 0.0 : 1.0;
      gI[c.tangent + k] = row_acts(c, k, mode) ? -at.optional(c.speed) : 0.0;
    }
  }
}

// visit(row, number in G, body a, body b, whether g has it) for all rows, in the same order in
// every mode: patterns are filled by it. Those that do not act are zero.
template <class Space, class Visit>
void for_contact_rows(const Evaluation<Space>& at, const Visit& visit) {
  for (const ContactData& c : at.mechanism.contacts) {
    const ContactMode mode = mode_of(at, c);
    const int a = at.body_of(c.a), b = at.body_of(c.b);
    const int tangents = std::min(c.tangents, Space::dim - 1);
    on_sides<double>(at, c.a, c.b, ground, [&](const auto& side_a, const auto& side_b) {
      for (int k = c.normal >= 0 ? -1 : 0; k < tangents; ++k) {
        Row<Space, double> row;
        if (row_acts(c, k, mode)) row = contact_row(at, c, k, side_a, side_b);
        visit(row, k < 0 ? c.normal : c.tangent + k, a, b, k < 0);
      }
    });
  }
}

// The unit vector d along which a contact slides: the direction of its velocity, corrected at low
// speed (low_speed_direction.hpp). Redundant friction keeps z, with its length.
template <class Space, class T>
std::array<T, 2> sliding_direction(const Evaluation<Space>& at, const ContactData& c,
                                   const std::array<Row<Space, T>, 2>& rows,
                                   const Side<Space, T>& a, const Side<Space, T>& b) {
  std::array<T, 2> d{T(at.x.z[c.direction]), T(0.0)};
  if (c.tangents == 1) return d;
  d[1] = T(at.x.z[c.direction + 1]);
  if (friction_is_redundant(mode_of(at, c))) return d;
  const std::array<T, 2> v{rate(rows[0], a.body, b.body), rate(rows[1], a.body, b.body)};
  return low_speed_direction(v, {at.x.z[c.direction], at.x.z[c.direction + 1]},
                             low_speed(at.x.z, c.low_speed, at.x.t));
}

// Sliding friction. The output `force` is the normal force; of friction alone, what it exerts along
// the coordinate.
template <class Space>
class ContactForces final : public Forces<Space> {
  using D = BodyDual<Space>;

 public:
  std::vector<int> contacts;  // in Mechanism::contacts

  void add(const Evaluation<Space>& at, double* f, double*) const override {
    if (f == nullptr) return;
    for_sliding<double>(at, ground, [&](const ContactData& c, const auto& push, double) {
      const double strength = sliding_force(at, c);
      push([&](int row, double x) { f[row] -= strength * x; });
    });
  }

  void add_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    for (const int side : {0, 1}) {
      for_sliding<D>(at, side, [&](const ContactData& c, const auto& push, int seeded) {
        const double strength = sliding_force(at, c);
        push([&](int row, const D& x) {
          at.columns(seeded, x.d.data(), [&](int column, double d) {
            fill.add(at.layout.dynamics + row, column, -strength * d);
          });
        });
      });
    }
  }

  void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    for_sliding<double>(at, ground, [&](const ContactData& c, const auto& push, double) {
      push([&](int row, double x) {
        if (c.normal >= 0) {
          fill.add(at.layout.dynamics + row, at.layout.col_lambda + c.normal, ratio(at, c) * x);
        } else {
          at.law_columns(c.limit, {}, [&](int column, double d) {
            fill.add(at.layout.dynamics + row, column, -ratio(at, c) * d * x);
          });
        }
      });
    });
  }

  double value(const Evaluation<Space>& at, int index, int) const override {
    const ContactData& c = at.mechanism.contacts[static_cast<std::size_t>(contacts[index])];
    const ContactMode mode = mode_of(at, c);
    if (c.normal >= 0) return normal_acts(mode) ? -at.x.lambda[c.normal] : 0.0;
    if (mode == ContactMode::stick) return -at.x.lambda[c.tangent];
    return friction_is_force(c, mode) ? -force(at, c) * at.x.z[c.direction] : 0.0;
  }
  void value_gradient(const Evaluation<Space>& at, int index, int,
                      const OutputRow& to) const override {
    const ContactData& c = at.mechanism.contacts[static_cast<std::size_t>(contacts[index])];
    const ContactMode mode = mode_of(at, c);
    if (c.normal >= 0) {
      if (normal_acts(mode)) to(at.layout.col_lambda + c.normal, -1.0);
    } else if (mode == ContactMode::stick) {
      to(at.layout.col_lambda + c.tangent, -1.0);
    } else if (friction_is_force(c, mode)) {
      at.law_columns(c.limit, {}, [&](int column, double d) {
        to(column, -ratio(at, c) * d * at.x.z[c.direction]);
      });
    }
  }

  // mu N, or the limit of friction alone; 0 where friction is no force.
  static double sliding_force(const Evaluation<Space>& at, const ContactData& c) {
    return friction_is_force(c, mode_of(at, c)) ? force(at, c) : 0.0;
  }
  static double force(const Evaluation<Space>& at, const ContactData& c) {
    return ratio(at, c) * (c.normal >= 0 ? -at.x.lambda[c.normal] : at.law(c.limit));
  }
  // Friction by the normal force, or by the limit of friction alone: the static one where friction
  // is redundant.
  static double ratio(const Evaluation<Space>& at, const ContactData& c) {
    const bool redundant = friction_is_redundant(mode_of(at, c));
    if (c.normal >= 0) return at.optional(redundant ? c.mu_static : c.mu);
    return redundant ? at.optional(c.static_ratio, 1.0) : 1.0;
  }

 private:
  // For all that can slide, in every mode (patterns are filled by it): use(contact, push, seeded
  // body); push(f) calls f(row of f, generalised unit force of sliding).
  template <class T, class Use>
  void for_sliding(const Evaluation<Space>& at, int side, const Use& use) const {
    for (const int index : contacts) {
      const ContactData& c = at.mechanism.contacts[static_cast<std::size_t>(index)];
      if (c.tangents == 0) continue;
      const int a = at.body_of(c.a), b = at.body_of(c.b);
      int seeded = ground;
      if constexpr (!std::is_same_v<T, double>) {
        seeded = side == 0 ? a : b;
        if (seeded == ground || (side == 1 && a == b)) continue;
      }
      on_sides<T>(at, c.a, c.b, seeded, [&](const auto& side_a, const auto& side_b) {
        std::array<Row<Space, T>, 2> rows;
        std::array<T, 2> d{};
        if (friction_is_force(c, mode_of(at, c))) {
          for (int k = 0; k < c.tangents; ++k) rows[k] = tangent_row(at, c, k, side_a, side_b);
          d = sliding_direction(at, c, rows, side_a, side_b);
        }
        const auto push = [&](const auto& add) {
          for (int k = 0; k < c.tangents; ++k) {
            for_row(at.mechanism, rows[k], a, b, [&](int row, const T& x) { add(row, x * d[k]); });
          }
        };
        use(c, push,
            static_cast<std::conditional_t<std::is_same_v<T, double>, double, int>>(seeded));
      });
    }
  }
};

}  // namespace mbs
