#pragma once

// Bodies counted by their own coordinates p and v, as in absolute coordinates and in the first part
// of mixed ones.

#include "engine/multibody/mechanism.hpp"

namespace mbs {

template <class Space>
int size_p(const BodyData& body) {
  return body.rotates ? Space::np : Space::dim;
}
template <class Space>
int size_v(const BodyData& body) {
  return body.rotates ? Space::nv : Space::dim;
}

// J omega, from Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
template <class N, class T>
Vec<T, 3> inertia_times(const N* J, const Vec<T, 3>& x) {
  return {{J[0] * x[0] + J[3] * x[1] + J[4] * x[2], J[3] * x[0] + J[1] * x[1] + J[5] * x[2],
           J[4] * x[0] + J[5] * x[1] + J[2] * x[2]}};
}
template <class N, class T>
Vec<T, 1> inertia_times(const N* J, const Vec<T, 1>& x) {
  return {{J[0] * x[0]}};
}

// The entries of M of one body, diag(m, ..., J), in the order of the pattern; past the last.
template <class Space>
double* fill_mass(const BodyData& body, const double* derived, double* value) {
  for (int i = 0; i < Space::dim; ++i) *value++ = derived[body.mass];
  if (!body.rotates) return value;
  const double* J = derived + body.inertia;
  if constexpr (Space::dim == 2) {
    *value++ = J[0];
  } else {
    for (const int k : {0, 3, 4, 3, 1, 5, 4, 5, 2}) *value++ = J[k];
  }
  return value;
}

// The bodies' positions and rotations from p, their velocities from v; ground is the first.
template <class Space>
void place_bodies(const Mechanism<Space>& m, const Vector& p,
                  std::vector<BodyState<Space, double>>& bodies) {
  static constexpr std::array<double, Space::nv> at_rest{};
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    BodyState<Space, double>& body = bodies[1 + i];
    const auto v = body.v;
    const auto omega = body.omega;
    body = body_state<Space>(p.data() + data.p, at_rest.data(), data.rotates);
    body.v = v;
    body.omega = omega;
  }
}
template <class Space>
void move_bodies(const Mechanism<Space>& m, const Vector& v,
                 std::vector<BodyState<Space, double>>& bodies) {
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    BodyState<Space, double>& body = bodies[1 + i];
    for (int k = 0; k < Space::dim; ++k) body.v[k] = v[data.v + k];
    for (int k = 0; data.rotates && k < Space::rot; ++k) body.omega[k] = v[data.v + Space::dim + k];
  }
}

// p' of all bodies from p and v.
template <class Space>
void body_rates(const Mechanism<Space>& m, const Vector& p, const Vector& v, Vector& p_dot) {
  for (const BodyData& body : m.bodies) {
    const int plain = body.rotates && Space::dim == 2 ? 3 : Space::dim;
    for (int i = 0; i < plain; ++i) p_dot[body.p + i] = v[body.v + i];
    if constexpr (Space::dim == 3) {
      if (body.rotates) euler_rates(&p[body.p + 3], &v[body.v + 3], &p_dot[body.p + 3]);
    }
  }
}

// n(p) of all Euler parameters, and G v + gI.
inline void set_norms(const Structure& known, const State& x, Workspace& ws) {
  for (std::size_t k = 0; k < known.euler_parameters.size(); ++k) {
    const auto e = x.p.segment<4>(known.euler_parameters[k]);
    ws.n[static_cast<Eigen::Index>(k)] = 0.5 * (e.squaredNorm() - 1.0);
  }
}
inline void set_velocity_rows(const State& x, Workspace& ws) {
  for (Eigen::Index row = 0; row < ws.G_v.size(); ++row) {
    double sum = ws.gI[row];
    for (RowSparse::InnerIterator entry(ws.G, row); entry; ++entry)
      sum += entry.value() * x.v[entry.col()];
    ws.G_v[row] = sum;
  }
}

}  // namespace mbs
