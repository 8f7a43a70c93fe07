// Outputs, energies, conditions on initial values.

#include <algorithm>
#include <cmath>

#include "engine/multibody/absolute.hpp"
#include "engine/multibody/measures.hpp"

namespace mbs {

template <class Space>
double AbsoluteEquations<Space>::kinetic(const Evaluation<Space>& here, std::size_t i) const {
  const BodyData& data = mechanism_->bodies[i];
  const BodyState<Space, double>& body = here.bodies[1 + i];
  double twice = here[data.mass] * dot(body.v, body.v);
  if (data.rotates) {
    twice += dot(body.omega, inertia_times(here.derived() + data.inertia, body.omega));
  }
  return 0.5 * twice;
}

template <class Space>
double AbsoluteEquations<Space>::kinetic(const Evaluation<Space>& here) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) sum += kinetic(here, i);
  return sum;
}

template <class Space>
double AbsoluteEquations<Space>::potential(const Evaluation<Space>& here) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
    for (int k = 0; k < Space::dim; ++k) {
      sum -= here[mechanism_->bodies[i].mass] * here[mechanism_->gravity + k] *
             here.bodies[1 + i].r[k];
    }
  }
  for (const auto& forces : mechanism_->forces) sum += forces->potential(here);
  return sum;
}

template <class Space>
Equations::Energy AbsoluteEquations<Space>::energy(const Context& context, const State& x,
                                                   Workspace& workspace) const {
  Own& ws = own(workspace);
  place_bodies(x, ws);
  move_bodies(x, ws);
  const Evaluation<Space> here = at(context, x, ws);
  return {kinetic(here), potential(here)};
}

// q'' = row of G times v', and what remains of the second derivative.
template <class Space>
double AbsoluteEquations<Space>::acceleration(const Evaluation<Space>& here, int coordinate) const {
  const CoordinateData& c = mechanism_->coordinates[coordinate];
  double qdd = 0.0;
  on_sides<double>(here, c.a, c.b, ground, [&](const auto& a, const auto& b) {
    const Row<Space, double> row = coordinate_row(here, c, a, b);
    qdd = row.second;
    for_row(*mechanism_, row, here.body_of(c.a), here.body_of(c.b),
            [&](int i, double x) { qdd += x * here.x.a[i]; });
  });
  return qdd;
}

template <class Space>
double AbsoluteEquations<Space>::output(const Evaluation<Space>& here, const OutputData& data,
                                        Own& ws) const {
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
      return data.sign * acceleration(here, data.coordinate);
    case Quantity::force_value:
      return data.sign * mechanism_->forces[data.force_type]->value(here, data.force, data.shown);
    case Quantity::kinetic_energy:
      return data.body < 0 ? kinetic(here) : kinetic(here, static_cast<std::size_t>(data.body));
    case Quantity::potential_energy:
      return potential(here);
    case Quantity::energy:
      return kinetic(here) + potential(here);
    case Quantity::residual: {
      double largest = 0.0;
      for (int i = 0; i < sizes_.g; ++i) {
        largest = std::max(largest, std::abs(ws.g[i]) / structure_.g_scale[i]);
      }
      for (const double n : ws.n) largest = std::max(largest, std::abs(n));
      return largest;
    }
    case Quantity::velocity_residual: {
      double largest = 0.0;
      for (int i = 0; i < sizes_.lambda; ++i) {
        largest = std::max(largest, std::abs(ws.G_v[i]) / structure_.g_scale[i]);
      }
      return largest;
    }
    case Quantity::expression:
      return data.sign * here.law(data.law);
    case Quantity::statistic:
    case Quantity::event_count:
    case Quantity::event_time:
      break;  // filled by Simulation
  }
  return 0.0;
}

template <class Space>
void AbsoluteEquations<Space>::outputs(const Context& context, const State& x,
                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  position(context, x, want_G | want_g, ws);
  velocity(context, x, ws);
  const Evaluation<Space> here = at(context, x, ws);
  evaluate_signals(here, mechanism_->evaluated_in_outputs, ws);
  for (std::size_t i = 0; i < mechanism_->outputs.size(); ++i) {
    const OutputData& data = mechanism_->outputs[i];
    if (!data.filled_by_simulation()) ws.y[i] = output(here, data, ws);
  }
}

namespace {

// use(column, derivative) for the velocity coordinates: with respect to v, or to p times Z.
template <class Space, class Use>
void velocity_columns(const Evaluation<Space>& here, const Gradient<Space>& gradient, bool of_rate,
                      const Use& use) {
  for (std::size_t k = 0; k < gradient.bodies.size(); ++k) {
    if (gradient.bodies[k] == ground) continue;
    const BodyData& body = here.mechanism.bodies[gradient.bodies[k]];
    const double* d = gradient.d[k].data() + (of_rate ? Space::np : 0);
    const int plain = of_rate || Space::dim == 2 ? size_v<Space>(body) : Space::dim;
    for (int i = 0; i < plain; ++i) use(body.v + i, d[i]);
    if (plain == size_v<Space>(body)) continue;
    if constexpr (Space::dim == 3) {  // e' = Q(e) omega
      for (int j = 0; j < 3; ++j) {
        std::array<double, 3> omega{};
        std::array<double, 4> rates;
        omega[static_cast<std::size_t>(j)] = 1.0;
        euler_rates(&here.x.p[body.p + 3], omega.data(), rates.data());
        double sum = 0.0;
        for (int i = 0; i < 4; ++i) sum += d[3 + i] * rates[static_cast<std::size_t>(i)];
        use(body.v + 3 + j, sum);
      }
    }
  }
}

}  // namespace

// The value of the condition's law, and its row.
template <class Space>
double AbsoluteEquations<Space>::fill_law_condition(const Evaluation<Space>& here,
                                                    const Condition& c, int row, bool of_rate,
                                                    Own& ws, Fill& fill) const {
  const Law& law = mechanism_->laws[c.law];
  Signals<Space>& signals = ws.signals;
  for (const Law::Argument& x : law.arguments) {
    const auto i = static_cast<std::size_t>(x.index);
    if (x.kind == SymbolKind::measure) {
      signals.measures[x.index] = measure_value(here, mechanism_->measures[i]);
      measure_gradient(here, mechanism_->measures[i], signals.grad_measures[i]);
    } else if (x.kind == SymbolKind::coordinate || x.kind == SymbolKind::coordinate_rate) {
      coordinate_values(here, x.index, signals.q[x.index], signals.qd[x.index]);
      coordinate_gradients(here, x.index, signals.grad_q[i], signals.grad_qd[i]);
    }
  }
  std::array<double, Expression::max_arguments> partial{};
  const double value = here.law_gradient(c.law, {}, partial.data());
  for (std::size_t k = 0; k < law.arguments.size(); ++k) {
    const Law::Argument& x = law.arguments[k];
    const auto i = static_cast<std::size_t>(x.index);
    const Gradient<Space>* gradient = x.kind == SymbolKind::measure      ? &signals.grad_measures[i]
                                      : x.kind == SymbolKind::coordinate ? &signals.grad_q[i]
                                      : x.kind == SymbolKind::coordinate_rate ? &signals.grad_qd[i]
                                                                              : nullptr;
    if (gradient == nullptr) continue;
    const double factor = x.kind == SymbolKind::measure ? partial[k] : partial[k] * x.sign;
    fill.prune(false);  // any function
    velocity_columns(here, *gradient, of_rate,
                     [&](int column, double d) { fill.add(row, column, factor * d); });
    fill.prune(true);
  }
  return value;
}

template <class Space>
void AbsoluteEquations<Space>::fill_conditions(const Evaluation<Space>& here, Own& ws,
                                               Fill& position, Fill& velocity) const {
  const auto evaluate = [&](const std::vector<Condition>& conditions, bool of_rate, Vector& value,
                            Fill& fill) {
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      const Condition& c = conditions[k];
      if (c.law != absent) {
        value[k] = fill_law_condition(here, c, static_cast<int>(k), of_rate, ws, fill) -
                   here.optional(c.target);
        continue;
      }
      on_sides<double>(here, c.a, c.b, ground, [&](const auto& a, const auto& b) {
        Row<Space, double> row;
        if (c.coordinate >= 0) {
          row = coordinate_row(here, mechanism_->coordinates[c.coordinate], a, b);
        } else if (of_rate) {
          row = spin(a, b, c.axis);
        } else {
          row = dot1(a, b, c.axis, (c.axis + 1) % Space::dim);
        }
        value[k] = (of_rate ? rate(row, a.body, b.body) : row.value) - here.optional(c.target);
        for_row(*mechanism_, row, here.body_of(c.a), here.body_of(c.b),
                [&](int column, double x) { fill.add(static_cast<int>(k), column, x); });
      });
    }
  };
  evaluate(mechanism_->position_conditions, false, ws.condition_p, position);
  evaluate(mechanism_->velocity_conditions, true, ws.condition_v, velocity);
}

template <class Space>
void AbsoluteEquations<Space>::conditions(const Context& context, const State& x,
                                          Workspace& workspace) const {
  Own& ws = own(workspace);
  place_bodies(x, ws);
  move_bodies(x, ws);
  ws.condition_p_rows.coeffs().setZero();
  ws.condition_v_rows.coeffs().setZero();
  Fill position(condition_p_places_, ws.condition_p_rows.valuePtr());
  Fill velocity(condition_v_places_, ws.condition_v_rows.valuePtr());
  fill_conditions(at(context, x, ws), ws, position, velocity);
}

template class AbsoluteEquations<Planar>;
template class AbsoluteEquations<Spatial>;

}  // namespace mbs
