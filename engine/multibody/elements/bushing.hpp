#pragma once

// <bushing>: elastic between two frames in all directions, in the axes of a. With E = A_a^T A_b:
//
//   u = A_a^T (r_b - r_a),     on b:  F = -(k_i u_i + c_i u_i')
//   on b:  T = -(torques of the potential  V = sum_i g_i (1 - E_ii)) - C_i w_i
//        = sum_i g_i (E e_i) x e_i - C_i w_i,     w = A_a^T (omega_b - omega_a)
//   g_1 = (K_2 + K_3 - K_1)/2, and so on in a circle
//
// For small turns theta this is T = -K_i theta_i; for any turn it is smooth and conservative, which
// torques -K_i theta_i in Cardan angles are not: about one axis alone T = -K sin(theta). In the
// plane T = -K theta. F acts at the origin of b, its opposite on the body of a at the same point.

#include "engine/multibody/forces.hpp"

namespace mbs {

template <class Space>
struct Bushing {
  static constexpr int frame_count = 2, law_count = 0;
  std::array<int, 2> frame;
  std::array<int, 0> law;
  int stiffness = absent, damping = absent;                        // the first of Space::dim
  int rotational_stiffness = absent, rotational_damping = absent;  // the first of Space::rot
  int turns = 0;                                                   // in the plane: which of z

  // g_1 ... of the rotational stiffnesses.
  template <class N>
  static Vec<N, 3> weights(const Vec<N, 3>& K) {
    const N half = 0.5 * (K[0] + K[1] + K[2]);
    return {{half - K[0], half - K[1], half - K[2]}};
  }
  template <int n>
  static auto numbers(const auto& at, int first) {
    Vec<std::decay_t<decltype(at[first])>, n> x;
    for (int i = 0; first != absent && i < n; ++i) x[i] = at[first + i];
    return x;
  }
  auto turning(const auto& at) const { return numbers<Space::rot>(at, rotational_stiffness); }

  template <class T>
  T angle(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion) const {
    using std::atan2, std::sqrt;
    if constexpr (Space::dim == 2) {
      return motion[1].A.angle - motion[0].A.angle - 2.0 * std::numbers::pi * at.x.z[turns];
    } else {
      Vec<T, 3> axial;  // of E: sin(angle) about the axis
      T trace{0.0};
      for (int i = 0; i < 3; ++i) {
        Vec<double, 3> e;
        e[i] = 1.0;
        const Vec<T, 3> moved = turn_back(motion[0].A, motion[1].A.column(i));
        axial += -0.5 * cross(moved, e);
        trace += moved[i];
      }
      return atan2(sqrt(dot(axial, axial)), 0.5 * (trace - 1.0));
    }
  }

  // The elastic torque on b in the axes of a.
  template <class T>
  Vec<T, Space::rot> torque(const auto& at,
                            const std::array<FrameMotion<Space, T>, 2>& motion) const {
    Vec<T, Space::rot> torque;
    if constexpr (Space::dim == 2) {
      torque[0] = -turning(at)[0] * angle(at, motion);
    } else {
      const auto g = weights(turning(at));
      for (int i = 0; i < 3; ++i) {
        Vec<double, 3> e;
        e[i] = 1.0;
        const Vec<T, 3> moved = turn_back(motion[0].A, motion[1].A.column(i));
        torque += g[i] * cross(moved, e);
      }
    }
    return torque;
  }

  template <class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    const FrameMotion<Space, T>&a = motion[0], &b = motion[1];
    const Vec<T, Space::dim> d = b.r - a.r, u = turn_back(a.A, d),
                             u1 = turn_back(a.A, b.v - a.v - cross(a.omega, d));
    const Vec<T, Space::rot> w = turn_back(a.A, b.omega - a.omega);
    const auto k = numbers<Space::dim>(at, stiffness), c = numbers<Space::dim>(at, damping);
    const auto C = numbers<Space::rot>(at, rotational_damping);
    Vec<T, Space::dim> F;
    Vec<T, Space::rot> M = torque(at, motion);
    for (int i = 0; i < Space::dim; ++i) F[i] = -(k[i] * u[i]) - c[i] * u1[i];
    for (int i = 0; i < Space::rot; ++i) M[i] -= C[i] * w[i];
    wrench[1].force = turn(a.A, F);
    wrench[1].torque = turn(a.A, M);
    wrench[0].force = -wrench[1].force;
    wrench[0].torque = -wrench[1].torque - moment(d, wrench[1].force);
    if (!laws.showing()) return T(0.0);
    using std::sqrt;
    laws.show(1, sqrt(dot(M, M)));
    laws.show(2, sqrt(dot(u, u)));
    laws.show(3, angle(at, motion));
    for (int i = 0; i < Space::dim; ++i) laws.show(4 + i, F[i]);
    for (int i = 0; i < Space::rot; ++i) laws.show(4 + Space::dim + i, M[i]);
    return sqrt(dot(F, F));
  }

  template <class T>
  T potential(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion) const {
    const auto u = turn_back(motion[0].A, motion[1].r - motion[0].r);
    const auto k = numbers<Space::dim>(at, stiffness);
    T sum{0.0};
    for (int i = 0; i < Space::dim; ++i) sum += 0.5 * k[i] * u[i] * u[i];
    if constexpr (Space::dim == 2) {
      const T turned = angle(at, motion);
      sum += 0.5 * turning(at)[0] * turned * turned;
    } else {
      const auto g = weights(turning(at));
      for (int i = 0; i < 3; ++i) {
        sum += g[i] * (1.0 - dot(motion[0].A.column(i), motion[1].A.column(i)));
      }
    }
    return sum;
  }
};

template <class Space>
using bushing_forces = FrameForces<Space, Bushing<Space>>;

}  // namespace mbs
