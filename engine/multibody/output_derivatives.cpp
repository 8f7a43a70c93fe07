// The Jacobian of the outputs, exact: what is measured over Dual, seeded with one body at a time,
// forces and their potentials by the lines that they are written in.

#include <algorithm>

#include "engine/multibody/measures.hpp"
#include "engine/multibody/output_evaluator.hpp"

namespace mbs {

namespace {

// q'' = row of G times v', and what remains of the second derivative.
template <class Space>
void coordinate_acceleration_gradient(const Evaluation<Space>& here, int coordinate,
                                      const OutputRow& to) {
  using D = BodyDual<Space>;
  const CoordinateData& c = here.mechanism.coordinates[static_cast<std::size_t>(coordinate)];
  const int a = here.body_of(c.a), b = here.body_of(c.b);
  for (const int seeded : {a, b}) {
    if (seeded == ground || (seeded == b && a == b)) continue;
    on_seeded_sides(here, c.a, c.b, seeded, [&](const auto& side_a, const auto& side_b) {
      const Row<Space, D> row = coordinate_row(here, c, side_a, side_b);
      D qdd = row.second;
      for_row(here.mechanism, row, a, b, [&](int i, const D& x) { qdd += x * here.x.a[i]; });
      here.columns(seeded, qdd.d.data(), to);
    });
  }
  on_sides<double>(here, c.a, c.b, ground, [&](const auto& side_a, const auto& side_b) {
    const Row<Space, double> row = coordinate_row<Parts::no_second>(here, c, side_a, side_b);
    for_row(here.mechanism, row, a, b, [&](int i, double x) { to(here.layout.cols + i, x); });
  });
}

template <class Space>
void kinetic_gradient(const Evaluation<Space>& here, std::size_t i, const OutputRow& to) {
  const BodyData& data = here.mechanism.bodies[i];
  const BodyState<Space, double>& body = here.bodies[1 + i];
  for (int k = 0; k < Space::dim; ++k) {
    to(here.layout.col_v + data.v + k, here[data.mass] * body.v[k]);
  }
  if (!data.rotates) return;
  const auto L = inertia_times(here.derived() + data.inertia, body.omega);
  for (int k = 0; k < Space::rot; ++k) to(here.layout.col_v + data.v + Space::dim + k, L[k]);
}

template <class Space>
void kinetic_gradient(const Evaluation<Space>& here, const OutputRow& to) {
  for (std::size_t i = 0; i < here.mechanism.bodies.size(); ++i) kinetic_gradient(here, i, to);
}

template <class Space>
void potential_gradient(const Evaluation<Space>& here, const OutputRow& to) {
  for (const BodyData& body : here.mechanism.bodies) {
    for (int k = 0; k < Space::dim; ++k) {
      to(here.layout.col_p + body.p + k, -here[body.mass] * here[here.mechanism.gravity + k]);
    }
  }
  for (const auto& forces : here.mechanism.forces) forces->potential_gradient(here, to);
}

template <class Space>
void output_gradient(const Evaluation<Space>& here, const OutputData& data, OutputRow to) {
  const Measure& what = data.measure;
  switch (what.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::orientation:
    case Quantity::angular_velocity:
    case Quantity::reaction: {
      Gradient<Space> gradient;
      measure_gradient(here, data, gradient);
      here.columns(gradient, 1.0, to);
      return;
    }
    case Quantity::coordinate:
    case Quantity::coordinate_rate: {
      const auto& of =
          what.quantity == Quantity::coordinate ? here.signals.grad_q : here.signals.grad_qd;
      here.columns(of[static_cast<std::size_t>(data.coordinate)], data.sign, to);
      return;
    }
    case Quantity::acceleration:
    case Quantity::angular_acceleration:
      to.factor = data.sign;
      acceleration_gradient(here, what, to);
      return;
    case Quantity::coordinate_acceleration:
      to.factor = data.sign;
      coordinate_acceleration_gradient(here, data.coordinate, to);
      return;
    case Quantity::force_value:
      to.factor = data.sign;
      here.mechanism.forces[static_cast<std::size_t>(data.force_type)]->value_gradient(
          here, data.force, data.shown, to);
      return;
    case Quantity::kinetic_energy:
      if (data.body < 0)
        kinetic_gradient(here, to);
      else
        kinetic_gradient(here, static_cast<std::size_t>(data.body), to);
      return;
    case Quantity::energy:
      kinetic_gradient(here, to);
      potential_gradient(here, to);
      return;
    case Quantity::potential_energy:
      potential_gradient(here, to);
      return;
    case Quantity::expression:
      to.factor = data.sign;
      here.law_columns(data.law, {}, to);
      return;
    case Quantity::residual:
    case Quantity::velocity_residual:
    case Quantity::statistic:
    case Quantity::event_count:
    case Quantity::event_time:
      return;
  }
}

}  // namespace

template <class Space>
void OutputEvaluator<Space>::prepare_outputs(const Context& context, const State& x,
                                             Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  const Evaluation<Space> here = elements_.linearised(context, x, ws);
  for (const int c : mechanism_.evaluated_in_outputs)
    coordinate_values(here, c, ws.signals.q[c], ws.signals.qd[c]);
  for (const int c : mechanism_.differentiated_in_outputs)
    coordinate_gradients(here, c, ws.signals.grad_q[c], ws.signals.grad_qd[c]);
  ws.output_columns.entries.clear();
  for (std::size_t i = 0; i < mechanism_.outputs.size(); ++i) {
    output_gradient(here, mechanism_.outputs[i],
                    {ws.output_columns.entries, static_cast<int>(i), 1.0});
  }
  ws.output_columns.sort(here.layout.cols + elements_.sizes().v);
}

template class OutputEvaluator<Planar>;
template class OutputEvaluator<Spatial>;

}  // namespace mbs
