#include "engine/multibody/measures.hpp"

#include <algorithm>

#include "engine/multibody/dependencies/tracer.hpp"

namespace mbs {

namespace {

template <class T>
T orientation(const PlaneRotation<T>& frame, const PlaneRotation<T>& axes, int) {
  return frame.angle - axes.angle;
}

template <class T>
T orientation(const Mat<T, 3>& frame, const Mat<T, 3>& axes, int component) {
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
T reaction(const At& at, const MeasureData& data, int seeded, const Multiplier& lambda) {
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
    if constexpr (!std::is_same_v<T, double> && !std::is_same_v<T, Traced>) {
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
T evaluate(const At& at, const MeasureData& data, int seeded) {
  using Space = typename At::Geometry;
  const Measure& m = data.measure;
  if (data.joint >= 0) {
    const int row = at.mechanism.joints[data.joint].first_row;
    return reaction<T>(at, data, seeded, [&](int k) { return at.multiplier(row + k); });
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
      value = orientation(frame.A, axes.A, m.component);
      break;
    case Quantity::angular_velocity:
      value = angular_component(seen(frame.omega - reference.omega), m.component);
      break;
    default:
      break;  // the reader refuses it as a measure
  }
  return data.sign * value;
}

// Fills a gradient with the derivatives of function(seeded body) over the bodies of frames.
template <class Space, std::size_t n, class Function>
void differentiate(const Evaluation<Space>& at, const std::array<int, n>& frames,
                   Gradient<Space>& gradient, const Function& function) {
  std::size_t used = 0;
  for (const int frame : frames) {
    const int body = at.body_of(frame);
    const auto end = gradient.bodies.begin() + used;
    if (body == ground || std::find(gradient.bodies.begin(), end, body) != end) continue;
    gradient.bodies[used] = body;
    gradient.d[used++] = function(body).d;
  }
  std::fill(gradient.bodies.begin() + used, gradient.bodies.end(), ground);
}

}  // namespace

template <class Space>
double measure_value(const Evaluation<Space>& at, const MeasureData& data) {
  return evaluate<double>(at, data, ground);
}

template <class Space>
void measure_gradient(const Evaluation<Space>& at, const MeasureData& data,
                      Gradient<Space>& gradient) {
  using D = BodyDual<Space>;
  const auto function = [&](int body) { return evaluate<D>(at, data, body); };
  if (data.joint >= 0) {
    const JointData& joint = at.mechanism.joints[data.joint];
    differentiate(at, std::array{joint.a, joint.b, data.measure.axes}, gradient, function);
    gradient.row = joint.first_row;
    gradient.rows = joint.rows;
    const D over_lambda = reaction<D>(
        at, data, ground, [&](int k) { return D::variable(at.x.lambda[joint.first_row + k], k); });
    std::copy_n(over_lambda.d.begin(), joint.rows, gradient.lambda.begin());
  } else if (data.coordinate >= 0) {
    const CoordinateData& c = at.mechanism.coordinates[data.coordinate];
    differentiate(at, std::array{c.a, c.b}, gradient, function);
  } else {
    const Measure& m = data.measure;
    differentiate(at, std::array{m.frame, m.reference, m.axes}, gradient, function);
  }
}

template <class Space>
void coordinate_values(const Evaluation<Space>& at, int coordinate, double& q, double& qd) {
  const CoordinateData& c = at.mechanism.coordinates[coordinate];
  on_sides<double>(at, c.a, c.b, ground, [&](const auto& a, const auto& b) {
    const Row<Space, double> row = coordinate_row<Parts::no_second>(at, c, a, b);
    q = row.value;
    qd = rate(row, a.body, b.body);
  });
}

template <class Space>
void coordinate_gradients(const Evaluation<Space>& at, int coordinate, Gradient<Space>& q,
                          Gradient<Space>& qd) {
  using D = BodyDual<Space>;
  const CoordinateData& c = at.mechanism.coordinates[coordinate];
  std::size_t used = 0;
  differentiate(at, std::array{c.a, c.b}, q, [&](int body) {
    D value;
    on_seeded_sides(at, c.a, c.b, body, [&](const auto& a, const auto& b) {
      const Row<Space, D> row = coordinate_row<Parts::no_second>(at, c, a, b);
      value = row.value;
      qd.d[used++] = rate(row, a.body, b.body).d;
    });
    return value;
  });
  qd.bodies = q.bodies;
}

namespace {

// `moved`: the body whose p and v, `accelerated`: the body whose v' are the variables.
template <class T, class At>
T acceleration(const At& at, const Measure& m, int moved, int accelerated) {
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
      if constexpr (!std::is_same_v<T, double> && !std::is_same_v<T, Traced>) {
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

}  // namespace

template <class Space>
double acceleration_value(const Evaluation<Space>& at, const Measure& m) {
  return acceleration<double>(at, m, ground, ground);
}

template <class Space>
void acceleration_gradient(const Evaluation<Space>& at, const Measure& m, const OutputRow& to) {
  using D = BodyDual<Space>;
  const std::array<int, 3> bodies{at.body_of(m.frame), at.body_of(m.reference), at.body_of(m.axes)};
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const int body = bodies[k];
    const auto before = bodies.begin() + static_cast<std::ptrdiff_t>(k);
    if (body == ground || std::find(bodies.begin(), before, body) != before) continue;
    at.columns(body, acceleration<D>(at, m, body, ground).d.data(), to);
    const D x = acceleration<D>(at, m, ground, body);
    const BodyData& data = at.mechanism.bodies[static_cast<std::size_t>(body)];
    for (int i = 0; i < (data.rotates ? Space::nv : Space::dim); ++i) {
      to(at.layout.cols + data.v + i, x.d[static_cast<std::size_t>(Space::np + i)]);
    }
  }
}

template <class Space>
Traced traced_measure(const Tracer<Space>& at, const MeasureData& data) {
  return evaluate<Traced>(at, data, ground);
}
template <class Space>
Traced traced_acceleration(const Tracer<Space>& at, const Measure& measure) {
  return acceleration<Traced>(at, measure, ground, ground);
}

template Traced traced_measure(const Tracer<Planar>&, const MeasureData&);
template Traced traced_measure(const Tracer<Spatial>&, const MeasureData&);
template Traced traced_acceleration(const Tracer<Planar>&, const Measure&);
template Traced traced_acceleration(const Tracer<Spatial>&, const Measure&);
template double measure_value(const Evaluation<Planar>&, const MeasureData&);
template double measure_value(const Evaluation<Spatial>&, const MeasureData&);
template void measure_gradient(const Evaluation<Planar>&, const MeasureData&, Gradient<Planar>&);
template void measure_gradient(const Evaluation<Spatial>&, const MeasureData&, Gradient<Spatial>&);
template void coordinate_values(const Evaluation<Planar>&, int, double&, double&);
template void coordinate_values(const Evaluation<Spatial>&, int, double&, double&);
template void coordinate_gradients(const Evaluation<Planar>&, int, Gradient<Planar>&,
                                   Gradient<Planar>&);
template void coordinate_gradients(const Evaluation<Spatial>&, int, Gradient<Spatial>&,
                                   Gradient<Spatial>&);
template double acceleration_value(const Evaluation<Planar>&, const Measure&);
template double acceleration_value(const Evaluation<Spatial>&, const Measure&);
template void acceleration_gradient(const Evaluation<Planar>&, const Measure&, const OutputRow&);
template void acceleration_gradient(const Evaluation<Spatial>&, const Measure&, const OutputRow&);

}  // namespace mbs
