// Conditions on initial values: their residuals and rows.

#include "engine/multibody/element_evaluator.hpp"

namespace mbs {

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

// The value of the condition's law, and its row.
template <class Space>
double fill_law_condition(const Evaluation<Space>& here, const Condition& c, int row, bool of_rate,
                          Signals<Space>& signals, Fill& fill) {
  const Mechanism<Space>& m = here.mechanism;
  const Law& law = m.laws[c.law];
  for (const Law::Argument& x : law.arguments) {
    const auto i = static_cast<std::size_t>(x.index);
    if (x.kind == SymbolKind::measure) {
      signals.measures[x.index] = measure_value(here, m.measures[i]);
      measure_gradient(here, m.measures[i], signals.grad_measures[i]);
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

}  // namespace

template <class Space>
void ElementEvaluator<Space>::fill_conditions(const Evaluation<Space>& here, Own& ws,
                                              Fill& position, Fill& velocity) const {
  const auto evaluate = [&](const std::vector<Condition>& conditions, bool of_rate, Vector& value,
                            Fill& fill) {
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      const Condition& c = conditions[k];
      if (c.law != absent) {
        value[k] = fill_law_condition(here, c, static_cast<int>(k), of_rate, ws.signals, fill) -
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
          row = perpendicular(a, b, c.axis, (c.axis + 1) % Space::dim);
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
void ElementEvaluator<Space>::conditions(const Context& context, const State& x, Own& ws) const {
  ws.condition_p_rows.coeffs().setZero();
  ws.condition_v_rows.coeffs().setZero();
  Fill position(condition_p_places_, ws.condition_p_rows.valuePtr());
  Fill velocity(condition_v_places_, ws.condition_v_rows.valuePtr());
  fill_conditions(at(context, x, ws), ws, position, velocity);
}

template class ElementEvaluator<Planar>;
template class ElementEvaluator<Spatial>;

}  // namespace mbs
