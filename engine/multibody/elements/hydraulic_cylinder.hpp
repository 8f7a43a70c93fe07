#pragma once

// <hydraulic_cylinder>: a cylinder between two frames' origins, fed by a four-way servo valve. With
// the stroke x = |r_b - r_a| - length, pressures p_a (it pushes the frames apart) and p_b, and the
// opening y of the valve, -1 ... 1:
//
//   F = A_a p_a - A_b p_b - damping x'                          pushes apart
//   V_a = V_0 + A_a x,      p_a' = beta/V_a (q_a - q_l - A_a x')
//   V_b = V_0 + A_b (stroke - x),      p_b' = beta/V_b (q_b + q_l + A_b x')
//   q_l = leakage (p_a - p_b)
//   y >= 0:  q_a = K y root(p_s - p_a),    q_b = -K y root(p_b - p_t)
//   y <  0:  q_a = K y root(p_a - p_t),    q_b = -K y root(p_s - p_b)
//   y = the command, or its state:  y' = (command - y)/valve_lag
//
// K = valve_flow/sqrt(valve_drop). root(d) = d/(d^2 + delta^2)^(1/4) is the square root with its
// sign for |d| >> delta (turbulent flow) and linear for |d| << delta (laminar); delta = `laminar`.
// Volumes do not fall below V_0: what stops the piston at its ends is not part of the cylinder.

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

template <class T>
T root(const T& d, const auto& delta) {
  using std::sqrt;
  return d / sqrt(sqrt(d * d + delta * delta));
}

struct HydraulicCylinder {
  static constexpr int frame_count = 2, law_count = 1;
  std::array<int, 2> frame;
  std::array<int, 1> law;  // command
  int area_a = absent, area_b = absent, length = absent, stroke = absent, dead_volume = absent;
  int bulk_modulus = absent, supply = absent, tank = absent, valve_flow = absent;
  int valve_drop = absent, valve_lag = absent, leakage = absent, laminar = absent;
  int damping = absent;
  OwnStates states;  // p_a, p_b, and y with a lag

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    using std::sqrt;
    const Line<Space, T> line(motion[0], motion[1]);
    const auto A_a = at[area_a], A_b = at[area_b], V_0 = at[dead_volume];
    const auto p_s = at[supply], p_t = at[tank], delta = at[laminar];
    const auto K = at[valve_flow] / sqrt(at[valve_drop]);
    const T x = line.length - at[length], p_a = laws.state(0), p_b = laws.state(1);

    const T command = clamped(laws(0), 1.0);
    T y = command;
    if (laws.has_state(2)) {
      y = clamped(laws.state(2), 1.0);
      laws.rate(2) = (1.0 / at[valve_lag]) * (command - laws.state(2));
    }
    const T q_a = K * y * root(by_sign(y, T(p_s - p_a), T(p_a - p_t)), delta);
    const T q_b = -K * y * root(by_sign(y, T(p_b - p_t), T(p_s - p_b)), delta);
    const T q_l = at.optional(leakage) * (p_a - p_b);
    const T V_a = V_0 + A_a * not_negative(x), V_b = V_0 + A_b * not_negative(T(at[stroke] - x));
    const auto beta = at[bulk_modulus];
    laws.rate(0) = beta / V_a * (q_a - q_l - A_a * line.rate);
    laws.rate(1) = beta / V_b * (q_b + q_l + A_b * line.rate);

    const T force = A_a * p_a - A_b * p_b - at.optional(damping) * line.rate;
    line.pull(-force, wrench[0], wrench[1]);
    laws.show(1, x);
    laws.show(2, line.rate);
    laws.show(3, q_a);
    laws.show(4, q_b);
    laws.show(5, y);
    return force;
  }
};

template <class Space>
using hydraulic_cylinder_forces = FrameForces<Space, HydraulicCylinder>;

}  // namespace mbs
