#pragma once

// Measurable quantities, value and gradient: of frames and coordinates by positions and velocities,
// of joints by their multipliers.
//
// Position is that of the frame's origin in the axes of the reference; velocity and acceleration
// are its derivatives as seen from there (in inertial axes, d = r - r_ref):
//
//   u = v - v_ref - omega_ref x d
//   u' = a - a_ref - alpha_ref x d - omega_ref x (omega_ref x d) - 2 omega_ref x u
//
// then shown in the axes of a third frame. Orientation is the rotation from the frame to the axes.
// The reaction of a joint is the load -G^T lambda of its rows on side b, as a force and a torque
// about the origin of frame b; s is that frame from the centre of mass, lin and ang are the parts
// of a row of G that act on body b:
//
//   F = -sum lambda_k lin_k,     T = R_b (-sum lambda_k ang_k) - (R_b s) x F

#include <algorithm>

#include "engine/multibody/evaluation.hpp"

namespace mbs {

// over(constraint) for each of the constraints of a joint.
template <class Space, class Function>
void for_constraints(const Mechanism<Space>& m, const JointData& joint, const Function& over) {
  std::size_t type = 0;
  const auto list = [&](const auto& constraints) {
    const auto [begin, end] = joint.constraints[type++];
    std::for_each(constraints.begin() + begin, constraints.begin() + end, over);
  };
  std::apply([&](const auto&... lists) { (list(lists), ...); }, m.constraints);
}

template <class Space>
double measure_value(const Evaluation<Space>& at, const MeasureData& data);
template <class Space>
void measure_gradient(const Evaluation<Space>& at, const MeasureData& data,
                      Gradient<Space>& gradient);

// q and q' of a coordinate.
template <class Space>
void coordinate_values(const Evaluation<Space>& at, int coordinate, double& q, double& qd);
template <class Space>
void coordinate_gradients(const Evaluation<Space>& at, int coordinate, Gradient<Space>& q,
                          Gradient<Space>& qd);

// The vector quantities of outputs alone: acceleration and angular acceleration of a frame
// against a reference, from v' in the state. Component as in Measure.
template <class Space>
double acceleration_value(const Evaluation<Space>& at, const Measure& measure);
// Columns of v' come after those of the layout.
template <class Space>
void acceleration_gradient(const Evaluation<Space>& at, const Measure& measure,
                           const OutputRow& to);

// Component 0 ... of a vector, or its norm (6).
template <class T, int N>
T component_of(const Vec<T, N>& x, int component) {
  using std::sqrt;
  if (component == 6) {
    const T square = dot(x, x);
    return is_positive(square) ? sqrt(square) : T(0.0);
  }
  return component < N ? x[component] : T(0.0);
}

// An angular quantity: in the plane its one component is about the normal, component 2.
template <class T>
T angular_component(const Vec<T, 1>& x, int component) {
  return component == 2 ? x[0] : component == 6 ? component_of(x, 6) : T(0.0);
}
template <class T>
T angular_component(const Vec<T, 3>& x, int component) {
  return component_of(x, component);
}

}  // namespace mbs
