#include "engine/analysis/difference_columns.hpp"

#include <algorithm>
#include <cmath>

#include "engine/analysis/other_parameters.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/equations/position_projection.hpp"

namespace mbs {

DifferenceColumns::DifferenceColumns(const Equations& equations, const Context& context,
                                     const State& start, std::span<const KnownParameter> parameters)
    : equations_(equations),
      of_parameters_(parameters),
      n_(equations.sizes()),
      states_(n_.p + n_.v + n_.r),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver("auto")) {
  equations_.position(context, start, want_M | want_G, *ws_);
  solver_->factor(ws_->saddle());
}

bool DifferenceColumns::project(const Context& context, State& x) {
  set_filters_to_motion(equations_, context, x, *ws_);
  const Vector scale = coordinate_scale(equations_, context, x);
  const PositionResult found =
      project_position(equations_, context, x, *ws_, scale, {}, Conditions::none);
  if (!found.found) return false;
  x.p = found.x.p;
  x.s = found.x.s;
  equations_.position(context, x, want_M | want_G, *ws_);
  if (n_.lambda == 0) return true;
  if (!solver_->factor(ws_->saddle())) return false;
  equations_.velocity(context, x, *ws_);
  Vector dv = Vector::Zero(n_.v), multipliers = -ws_->G_v;
  solver_->solve(dv, multipliers);
  x.v += dv;
  return x.v.allFinite();
}

bool DifferenceColumns::evaluate(const Context& context, State x, Values& values) {
  set_filters_to_motion(equations_, context, x, *ws_);
  const bool auxiliary = n_.s + n_.w == 0 || equations_.solve_auxiliary(context, x, *ws_);
  if (!auxiliary || !solve_accelerations(equations_, context, x, *ws_, *solver_)) return false;
  equations_.position(context, x, want_M | want_G | want_g, *ws_);
  equations_.velocity(context, x, *ws_);
  equations_.force(context, x, want_f | want_b, *ws_);
  values.g.resize(n_.g + n_.n);
  values.g << ws_->g, ws_->n;
  values.G_v = ws_->G_v;
  values.rows.resize(states_ + n_.y + n_.phi);
  values.rows << ws_->p_dot, x.a, ws_->b, Vector::Zero(n_.y + n_.phi);
  ws_->y.setZero();
  equations_.outputs(context, x, *ws_);
  values.rows.segment(states_, n_.y) = ws_->y;
  equations_.switching(context, x, *ws_);
  for (int i = 0; i < n_.phi; ++i)
    values.rows[states_ + n_.y + i] = std::isfinite(ws_->phi[i]) ? ws_->phi[i] : 0.0;
  response_.resize(n_.v + n_.lambda);
  response_ << x.a, x.lambda;
  return values.rows.allFinite();
}

bool DifferenceColumns::go_to(const InfluencePoint& point) {
  point_ = point;
  if (!is_possible(equations_, point_.parameters)) return false;
  return evaluate({point_.inputs, point_.parameters}, point_.x, here_);
}

bool DifferenceColumns::responds_as(const Vector& response) const {
  const auto close = [&](Eigen::Index first, Eigen::Index count) {
    const auto a = response_.segment(first, count), b = response.segment(first, count);
    return (a - b).norm() <= 1e-4 * a.norm();
  };
  return close(0, n_.v) && close(n_.v, n_.lambda);
}

bool DifferenceColumns::find(int j, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows) {
  direct.setZero();
  follows.setZero();
  InfluencePoint there = point_;
  const auto perturb = [](double& x) { x += 1e-3 * (1.0 + std::abs(x)); };
  const int k = j - states_ - n_.u - 1;  // of the parameters
  bool at_events = false;
  if (j < n_.p) {
    perturb(there.x.p[j]);
  } else if (j < n_.p + n_.v) {
    perturb(there.x.v[j - n_.p]);
  } else if (j < states_) {
    perturb(there.x.r[j - n_.p - n_.v]);
  } else if (j < states_ + n_.u) {
    there.inputs.value[j - states_] += 0.1 * (1.0 + std::abs(there.inputs.value[j - states_]));
    at_events = true;
  } else if (k < 0) {
    there.x.t += there.later;
    there.inputs.t0 += there.later;  // they stay what they are
  } else {
    const KnownParameter& known = of_parameters_[static_cast<std::size_t>(k)];
    const double other = point_.others[static_cast<std::size_t>(k)];
    there.parameters.values[known.index] = other;
    if (!std::isfinite(other) || !is_possible(equations_, there.parameters)) return false;
    at_events = known.tunable;
  }
  const Context context{there.inputs, there.parameters},
      given_here{point_.inputs, point_.parameters};
  Values values;
  const Vector response = response_;
  bool possible = evaluate(context, there.x, values);
  if (possible) note(values, here_, direct);
  State closed = point_.x;
  Values before;
  if (possible && at_events && project(given_here, closed) &&
      evaluate(given_here, closed, before)) {
    there.x = closed;
    if (project(context, there.x) && evaluate(context, there.x, values))
      note(values, before, follows);
  }
  response_ = response;
  return possible;
}

void DifferenceColumns::note(const Values& there, const Values& here, Eigen::Ref<Vector> column) {
  const auto change = [](const Vector& a, const Vector& of) {
    Vector difference = a - of;
    drop_digits(difference, of);
    return difference;
  };
  const auto largest = [](const Vector& e) {
    return e.size() == 0 ? 0.0 : e.lpNorm<Eigen::Infinity>();
  };
  column.head(here.rows.size()) = change(there.rows, here.rows);
  column[here.rows.size()] = largest(change(there.g, here.g));
  column[here.rows.size() + 1] = largest(change(there.G_v, here.G_v));
}

}  // namespace mbs
