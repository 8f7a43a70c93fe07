// Rows, forces and auxiliary unknowns.

#include "engine/multibody/element_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "engine/multibody/further_rows.hpp"
#include "engine/multibody/measures.hpp"

namespace mbs {

template <class Space>
ElementWorkspace<Space>::ElementWorkspace(const Sizes& sizes, const Structure& structure,
                                          const Mechanism<Space>& m)
    : Workspace(sizes, structure),
      bodies(m.bodies.size() + 1),
      d_w(Matrix::Zero(sizes.w, sizes.w)),
      w_step(Vector::Zero(sizes.w)),
      w_trial(Vector::Zero(sizes.w)),
      d_w_factors(sizes.w) {
  signals.q = signals.qd = Vector::Zero(m.coordinates.size());
  signals.measures = Vector::Zero(m.measures.size());
  signals.qdd = Vector::Zero(m.coordinates.size());
  signals.outputs = Vector::Zero(m.outputs.size());
  signals.grad_q.resize(m.coordinates.size());
  signals.grad_qd.resize(m.coordinates.size());
  signals.grad_measures.resize(m.measures.size());
}

template <class Space>
void ElementEvaluator<Space>::fill_G(const Evaluation<Space>& here, Fill& fill) const {
  const auto add = [&](const Row<Space, double>& row, int number, int a, int b) {
    for_row(*mechanism_, row, a, b, [&](int column, double x) { fill.add(number, column, x); });
  };
  for_constraint_rows(here, add);
  fill.prune(false);  // factors are any functions of parameters
  for_further_rows(
      here, [&](const auto& row, int number, int a, int b, bool) { add(row, number, a, b); });
}

template <class Space>
void ElementEvaluator<Space>::rows(const Context& context, const State& x, unsigned want,
                                   Own& ws) const {
  const Evaluation<Space> here = at(context, x, ws);
  if (want & want_G) {
    ws.G.coeffs().setZero();
    ws.D.setZero();
    Fill fill(G_places_, ws.G.valuePtr());
    fill_G(here, fill);
    set_contact_rows(here, ws.D, ws.gI);
    set_drive_rates(here, ws.gI);
  }
  set_constraint_values(here, want, ws);
}

template <class Space>
void ElementEvaluator<Space>::evaluate_signals(const Evaluation<Space>& here,
                                               const std::vector<int>& coordinates, Own& ws) const {
  for (const int c : coordinates) {
    coordinate_values(here, c, ws.signals.q[c], ws.signals.qd[c]);
  }
  for (std::size_t k = 0; k < mechanism_->measures.size(); ++k) {
    ws.signals.measures[k] = measure_value(here, mechanism_->measures[k]);
  }
}

template <class Space>
void ElementEvaluator<Space>::evaluate_gradients(const Evaluation<Space>& here, Own& ws) const {
  for (const int c : mechanism_->differentiated) {
    coordinate_gradients(here, c, ws.signals.grad_q[c], ws.signals.grad_qd[c]);
  }
  for (std::size_t k = 0; k < mechanism_->measures.size(); ++k) {
    measure_gradient(here, mechanism_->measures[k], ws.signals.grad_measures[k]);
  }
}

template <class Space>
void ElementEvaluator<Space>::force(const Context& context, const State& x, unsigned want,
                                    Own& ws) const {
  const Mechanism<Space>& m = *mechanism_;
  const Evaluation<Space> here = at(context, x, ws);
  evaluate_signals(here, m.evaluated, ws);
  if (want & want_f) {
    ws.f.setZero();
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      const BodyData& data = m.bodies[i];
      for (int k = 0; k < Space::dim; ++k) ws.f[data.v + k] = here[data.mass] * here[m.gravity + k];
      if (Space::dim == 2 || !data.rotates) continue;
      const auto& omega = ws.bodies[1 + i].omega;
      const auto gyroscopic = cross(omega, inertia_times(here.derived() + data.inertia, omega));
      for (int k = 0; k < Space::rot; ++k) ws.f[data.v + Space::dim + k] = -gyroscopic[k];
    }
  }
  if (want & want_b) {
    for (std::size_t i = 0; i < m.der.size(); ++i) {
      if (m.der[i] != absent) ws.b[i] = here.law(m.der[i]);
    }
    for (std::size_t k = 0; k < m.counted.size(); ++k) {
      double q;
      coordinate_values(here, m.counted[k], q, ws.b[m.der.size() + k]);
    }
  }
  if (want & (want_f | want_b)) {
    double* f = want & want_f ? ws.f.data() : nullptr;
    double* b = want & want_b ? ws.b.data() : nullptr;
    for (const auto& forces : m.forces) forces->add(here, f, b);
  }
  if (want & want_d) {
    for (std::size_t i = 0; i < m.residuals.size(); ++i) ws.d[i] = here.law(m.residuals[i]);
  }
}

template <class Space>
void ElementEvaluator<Space>::gamma(const Context& context, const State& x, Own& ws) const {
  const auto add = [&](const Row<Space, double>& row, int number, int, int) {
    ws.gamma[number] += row.second;
  };
  ws.gamma.setZero();
  for_constraint_rows(at(context, x, ws), add);
  for_further_rows(at(context, x, ws), [&](const auto& row, int number, int a, int b, bool) {
    add(row, number, a, b);
  });
}

// The places of guides; then Newton for 0 = d(w) with d_w from the laws' gradients; a step that
// makes d larger is halved.
template <class Space>
bool ElementEvaluator<Space>::solve_auxiliary(const Context& context, State& x, Own& ws) const {
  if (sizes_.w + sizes_.s == 0) return true;
  const Mechanism<Space>& m = *mechanism_;
  const Evaluation<Space> here = at(context, x, ws);
  if (!solve_contact_points(here, x.s)) return false;
  if (sizes_.w == 0) return true;
  evaluate_signals(here, m.evaluated, ws);
  const auto residual = [&] {
    for (int i = 0; i < sizes_.w; ++i) ws.d[i] = here.law(m.residuals[i]);
    return ws.d.template lpNorm<Eigen::Infinity>();
  };
  constexpr int max_iterations = 50, max_halvings = 10;
  double size = residual();
  for (int iteration = 0; iteration < max_iterations && std::isfinite(size); ++iteration) {
    if (size == 0.0) return true;
    ws.d_w.setZero();
    std::array<double, Expression::max_arguments> partial;
    for (int i = 0; i < sizes_.w; ++i) {
      here.law_gradient(m.residuals[i], {}, partial.data());
      const std::vector<Law::Argument>& arguments = m.laws[m.residuals[i]].arguments;
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k].kind == SymbolKind::algebraic) ws.d_w(i, arguments[k].index) += partial[k];
      }
    }
    ws.d_w_factors.compute(ws.d_w);
    ws.w_step = ws.d_w_factors.solve(ws.d);
    if (!ws.w_step.allFinite()) return false;
    ws.w_trial = x.w;
    const double before = size;
    double part = 1.0;
    for (int halving = 0;; ++halving) {
      x.w = ws.w_trial - part * ws.w_step;
      size = residual();
      if (size < before || halving == max_halvings) break;
      part *= 0.5;
    }
    const double step = ws.w_step.template lpNorm<Eigen::Infinity>();
    const double scale = 1.0 + x.w.template lpNorm<Eigen::Infinity>();
    if (step <= 1e-9 * scale) return std::isfinite(size);  // quadratic: w is better than that
  }
  return false;
}

template struct ElementWorkspace<Planar>;
template struct ElementWorkspace<Spatial>;
template class ElementEvaluator<Planar>;
template class ElementEvaluator<Spatial>;

}  // namespace mbs
