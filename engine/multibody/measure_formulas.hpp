#pragma once

// The formulas of measures.hpp over any scalar T. `seeded`: the body with derivatives.

#include "engine/multibody/measures.hpp"

namespace mbs {

template <class T>
T orientation_of(const PlaneRotation<T>& frame, const PlaneRotation<T>& axes, int) {
  return frame.angle - axes.angle;
}

template <class T>
T orientation_of(const Mat<T, 3>& frame, const Mat<T, 3>& axes, int component) {
  using std::atan2, std::sqrt;
  const auto entry = [&](int i, int j) { return dot(axes.column(i), frame.column(j)); };
  if (component < 9) return entry(component / 3, component % 3);
  if (component == 9) return atan2(-entry(1, 2), entry(2, 2));
  if (component == 11) return atan2(-entry(0, 1), entry(0, 0));
  const T x = entry(0, 0), y = entry(0, 1);
  return atan2(entry(0, 2), sqrt(x * x + y * y));
}

// lambda(k) is the multiplier of row k of the joint.
template <class T, class At, class Multiplier>
T reaction_of(const At& at, const MeasureData& data, int seeded, const Multiplier& lambda) {
  using Space = typename At::Geometry;
  const JointData& joint = at.mechanism.joints[data.joint];
  Wrench<Space, T> w;  // on the centre of mass, torque in body axes
  for_constraints(at.mechanism, joint, [&](const auto& c) {
    constexpr int n = std::decay_t<decltype(c)>::rows;
    const auto add = [&]<class A, class B>(const Side<Space, A>& a, const Side<Space, B>& b) {
      std::array<Row<Space, Product<A, B>>, n> rows;
      c.evaluate(at, a, b, rows.data());
      for (int k = 0; k < n; ++k) {
        const Row<Space, T> row = row_over<T>(rows[static_cast<std::size_t>(k)]);
        const auto factor = -lambda(c.row + k - joint.first_row);
        w.force += factor * row.linear_b;
        w.torque += factor * row.angular_b;
      }
    };
    if constexpr (has_derivatives<T>) {
      if (seeded != ground && (seeded == at.body_of(c.a) || seeded == at.body_of(c.b))) {
        on_seeded_sides(at, c.a, c.b, seeded, add);
        return;
      }
    }
    on_sides<NumberFor<T>>(at, c.a, c.b, ground, add);
  });
  const BodyState<Space, T> b = at.template body<T>(at.body_of(joint.b), seeded);
  const Vec<T, Space::dim> arm = turn(b.R, at.frame(joint.b).s);
  const Vec<T, Space::rot> torque = turn(b.R, w.torque) - moment(arm, w.force);
  const auto axes = at.template motion<T>(data.measure.axes, seeded).A;
  const int component = data.measure.component;
  T value{0.0};
  if (component < 3) {
    value = component_of(turn_back(axes, w.force), component);
  } else if (component == 6) {
    value = component_of(w.force, 6);
  } else {
    value = angular_component(turn_back(axes, torque), component == 7 ? 6 : component - 3);
  }
  return data.sign * value;
}

template <class T, class At>
T measured(const At& at, const MeasureData& data, int seeded) {
  using Space = typename At::Geometry;
  const Measure& m = data.measure;
  if (data.joint >= 0) {
    const int row = at.mechanism.joints[data.joint].first_row;
    return reaction_of<T>(at, data, seeded, [&](int k) { return at.multiplier(row + k); });
  }
  if (data.coordinate >= 0) {
    const CoordinateData& c = at.mechanism.coordinates[data.coordinate];
    T value{0.0};
    on_sides<T>(at, c.a, c.b, seeded, [&](const auto& a, const auto& b) {
      const Row<Space, T> row = coordinate_row<Parts::no_second>(at, c, a, b);
      value = m.quantity == Quantity::coordinate ? row.value : rate(row, a.body, b.body);
    });
    return data.sign * value;
  }
  const FrameMotion<Space, T> frame = at.template motion<T>(m.frame, seeded);
  const FrameMotion<Space, T> reference = at.template motion<T>(m.reference, seeded);
  const FrameMotion<Space, T> axes = at.template motion<T>(m.axes, seeded);
  const auto seen = [&](const auto& x) { return turn_back(axes.A, x); };
  const Vec<T, Space::dim> d = frame.r - reference.r;
  T value{0.0};
  switch (m.quantity) {
    case Quantity::position:
      value = component_of(seen(d), m.component);
      break;
    case Quantity::velocity:
      value = component_of(seen(frame.v - reference.v - cross(reference.omega, d)), m.component);
      break;
    case Quantity::orientation:
      value = orientation_of(frame.A, axes.A, m.component);
      break;
    case Quantity::angular_velocity:
      value = angular_component(seen(frame.omega - reference.omega), m.component);
      break;
    default:
      break;  // the reader refuses it as a measure
  }
  return data.sign * value;
}

// `moved`: the body whose p and v, `accelerated`: the body whose v' are the variables.
template <class T, class At>
T acceleration_of(const At& at, const Measure& m, int moved, int accelerated) {
  using Space = typename At::Geometry;
  struct Acceleration {
    Vec<T, Space::dim> linear;
    Vec<T, Space::rot> angular;
  };
  const auto acceleration = [&](int frame) {
    const int index = at.body_of(frame);
    Acceleration result;
    if (index == ground) return result;
    const BodyData& data = at.mechanism.bodies[index];
    const auto number = [&](int i) {
      if constexpr (has_derivatives<T>) {
        if (index == accelerated) return T::variable(at.x.a[data.v + i], Space::np + i);
      }
      return T(at.x.a[data.v + i]);
    };
    const BodyState<Space, T> body = at.template body<T>(index, moved);
    for (int i = 0; i < Space::dim; ++i) result.linear[i] = number(i);
    if (!data.rotates) return result;
    const auto s = at.frame(frame).s;
    Vec<T, Space::rot> alpha;
    for (int i = 0; i < Space::rot; ++i) alpha[i] = number(Space::dim + i);
    result.linear += turn(body.R, cross(alpha, s) + cross(body.omega, cross(body.omega, s)));
    result.angular = turn(body.R, alpha);
    return result;
  };
  const FrameMotion<Space, T> frame = at.template motion<T>(m.frame, moved);
  const FrameMotion<Space, T> reference = at.template motion<T>(m.reference, moved);
  const FrameMotion<Space, T> axes = at.template motion<T>(m.axes, moved);
  const Acceleration a = acceleration(m.frame), b = acceleration(m.reference);
  const auto& w = reference.omega;
  if (m.quantity == Quantity::angular_acceleration) {
    const auto relative = a.angular - b.angular - cross(w, frame.omega - w);
    return angular_component(turn_back(axes.A, relative), m.component);
  }
  const auto d = frame.r - reference.r, u = frame.v - reference.v - cross(w, d);
  const auto relative =
      a.linear - b.linear - cross(b.angular, d) - cross(w, cross(w, d)) - 2.0 * cross(w, u);
  return component_of(turn_back(axes.A, relative), m.component);
}

}  // namespace mbs
