// Values of outputs, and energies.

#include <algorithm>
#include <cmath>

#include "engine/multibody/measures.hpp"
#include "engine/multibody/output_evaluator.hpp"

namespace mbs {

namespace {

template <class Space>
double kinetic(const Evaluation<Space>& here, std::size_t i) {
  const BodyData& data = here.mechanism.bodies[i];
  const BodyState<Space, double>& body = here.bodies[1 + i];
  double twice = here[data.mass] * dot(body.v, body.v);
  if (data.rotates)
    twice += dot(body.omega, inertia_times(here.derived() + data.inertia, body.omega));
  return 0.5 * twice;
}

template <class Space>
double kinetic(const Evaluation<Space>& here) {
  double sum = 0.0;
  for (std::size_t i = 0; i < here.mechanism.bodies.size(); ++i) sum += kinetic(here, i);
  return sum;
}

template <class Space>
double potential(const Evaluation<Space>& here) {
  const Mechanism<Space>& m = here.mechanism;
  double sum = 0.0;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    for (int k = 0; k < Space::dim; ++k)
      sum -= here[m.bodies[i].mass] * here[m.gravity + k] * here.bodies[1 + i].r[k];
  }
  for (const auto& forces : m.forces) sum += forces->potential(here);
  return sum;
}

// q'' = row of G times v', and what remains of the second derivative.
template <class Space>
double coordinate_acceleration(const Evaluation<Space>& here, int coordinate) {
  const CoordinateData& c = here.mechanism.coordinates[coordinate];
  double qdd = 0.0;
  on_sides<double>(here, c.a, c.b, ground, [&](const auto& a, const auto& b) {
    const Row<Space, double> row = coordinate_row(here, c, a, b);
    qdd = row.second;
    for_row(here.mechanism, row, here.body_of(c.a), here.body_of(c.b),
            [&](int i, double x) { qdd += x * here.x.a[i]; });
  });
  return qdd;
}

// The largest residual of the constraints by their typical sizes.
double largest_residual(Quantity quantity, const Vector& scale, const Workspace& ws) {
  const Vector& rows = quantity == Quantity::residual ? ws.g : ws.G_v;
  double largest = 0.0;
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    largest = std::max(largest, std::abs(rows[i]) / scale[i]);
  for (Eigen::Index i = 0; quantity == Quantity::residual && i < ws.n.size(); ++i)
    largest = std::max(largest, std::abs(ws.n[i]));
  return largest;
}

}  // namespace

template <class Space>
Equations::Energy OutputEvaluator<Space>::energy(const Context& context, const State& x,
                                                 const Own& ws) const {
  const Evaluation<Space> here = elements_.at(context, x, ws);
  return {kinetic(here), potential(here)};
}

template <class Space>
double OutputEvaluator<Space>::output(const Evaluation<Space>& here, const OutputData& data,
                                      const Own& ws) const {
  const Measure& what = data.measure;
  switch (what.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::orientation:
    case Quantity::angular_velocity:
    case Quantity::coordinate:
    case Quantity::coordinate_rate:
    case Quantity::reaction:
      return measure_value(here, data);
    case Quantity::acceleration:
    case Quantity::angular_acceleration:
      return data.sign * acceleration_value(here, what);
    case Quantity::coordinate_acceleration:
      return data.sign * coordinate_acceleration(here, data.coordinate);
    case Quantity::force_value:
      return data.sign * mechanism_.forces[data.force_type]->value(here, data.force, data.shown);
    case Quantity::kinetic_energy:
      return data.body < 0 ? kinetic(here) : kinetic(here, static_cast<std::size_t>(data.body));
    case Quantity::potential_energy:
      return potential(here);
    case Quantity::energy:
      return kinetic(here) + potential(here);
    case Quantity::residual:
    case Quantity::velocity_residual:
      return largest_residual(what.quantity, elements_.structure().g_scale, ws);
    case Quantity::expression:
      return data.sign * here.law(data.law);
    case Quantity::statistic:
    case Quantity::event_count:
    case Quantity::event_time:
      break;  // filled by HybridSystem
  }
  return 0.0;
}

template <class Space>
void OutputEvaluator<Space>::outputs(const Context& context, const State& x, Own& ws) const {
  elements_.rows(context, x, want_G | want_g, ws);
  set_velocity_rows(x, ws);
  const Evaluation<Space> here = elements_.at(context, x, ws);
  elements_.evaluate_signals(here, mechanism_.evaluated_in_outputs, ws);
  for (std::size_t i = 0; i < mechanism_.outputs.size(); ++i) {
    const OutputData& data = mechanism_.outputs[i];
    if (!data.filled_by_simulation()) ws.y[i] = output(here, data, ws);
  }
}

// Everything that events may use.
template <class Space>
Evaluation<Space> OutputEvaluator<Space>::event_signals(const Context& context, const State& x,
                                                        Own& ws) const {
  if (!mechanism_.observed.empty()) {  // outputs may show residuals
    elements_.rows(context, x, want_G | want_g, ws);
    set_velocity_rows(x, ws);
  }
  const Evaluation<Space> here = elements_.at(context, x, ws);
  elements_.evaluate_signals(here, mechanism_.evaluated_in_outputs, ws);
  for (const int c : mechanism_.accelerations) ws.signals.qdd[c] = coordinate_acceleration(here, c);
  for (const int i : mechanism_.observed)
    ws.signals.outputs[i] = output(here, mechanism_.outputs[i], ws);
  return here;
}

template class OutputEvaluator<Planar>;
template class OutputEvaluator<Spatial>;

}  // namespace mbs
