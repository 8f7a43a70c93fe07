#include "engine/multibody/measures.hpp"

#include <algorithm>

#include "engine/multibody/measure_formulas.hpp"

namespace mbs {

namespace {

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
  return measured<double>(at, data, ground);
}

template <class Space>
void measure_gradient(const Evaluation<Space>& at, const MeasureData& data,
                      Gradient<Space>& gradient) {
  using D = BodyDual<Space>;
  const auto function = [&](int body) { return measured<D>(at, data, body); };
  if (data.joint >= 0) {
    const JointData& joint = at.mechanism.joints[data.joint];
    differentiate(at, std::array{joint.a, joint.b, data.measure.axes}, gradient, function);
    gradient.row = joint.first_row;
    gradient.rows = joint.rows;
    const D over_lambda = reaction_of<D>(
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

template <class Space>
double acceleration_value(const Evaluation<Space>& at, const Measure& m) {
  return acceleration_of<double>(at, m, ground, ground);
}

template <class Space>
void acceleration_gradient(const Evaluation<Space>& at, const Measure& m, const OutputRow& to) {
  using D = BodyDual<Space>;
  const std::array<int, 3> bodies{at.body_of(m.frame), at.body_of(m.reference), at.body_of(m.axes)};
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const int body = bodies[k];
    const auto before = bodies.begin() + static_cast<std::ptrdiff_t>(k);
    if (body == ground || std::find(bodies.begin(), before, body) != before) continue;
    at.columns(body, acceleration_of<D>(at, m, body, ground).d.data(), to);
    const D x = acceleration_of<D>(at, m, ground, body);
    const BodyData& data = at.mechanism.bodies[static_cast<std::size_t>(body)];
    for (int i = 0; i < (data.rotates ? Space::nv : Space::dim); ++i) {
      to(at.layout.cols + data.v + i, x.d[static_cast<std::size_t>(Space::np + i)]);
    }
  }
}

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
