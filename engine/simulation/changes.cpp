// What has been set comes into force.
//
// Inputs are polynomials u(t) of second order, and what follows from several of them is foreseen
// (input_history.hpp). The integrator has run ahead to t_end on those in force; new ones, set at t,
// differ from them by at most du between t and t_end. As long as err = du / tol <= 1 with tol =
// rtol max|u so far|, what has been computed stands, and the new ones come into force with the next
// step: the integrator keeps its history. Above, it starts anew at t, and nothing of what was
// before is relied on.
//
// A step may go as far as the prediction is good for. Where nothing is known of that, what a
// polynomial errs grows with the third power of the length, so that err, found at a length l, tells
// how far steps may reach: 0.95 l / err^(1/3), at least to the next communication point. After a
// jump that is all: an input that has just jumped tends to jump again. Inputs that nobody sets are
// relied on without limit.
//
// A drive moves constraints; its changes are jumps unless they are rounding.

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-13;

bool differ(double a, double b) {
  return std::abs(a - b) > rounding * std::max(std::abs(a), std::abs(b));
}

double cube(double a) {
  return a * a * a;
}

[[gnu::always_inline]] inline bool stays(const Inputs& u, Eigen::Index i) {
  return u.first[i] == 0.0 && u.second[i] == 0.0;
}

[[gnu::always_inline]] inline bool rests(const Inputs& u, const Inputs& in_force, Eigen::Index i) {
  return stays(u, i) && stays(in_force, i) && u.value[i] == in_force.value[i];
}

}  // namespace

std::vector<char> inputs_that_move(const Equations& equations) {
  const Sizes& n = equations.sizes();
  const JacobianLayout at(n);
  const ColumnSparse& pattern = equations.structure().jacobian;
  std::vector<char> moves(static_cast<std::size_t>(n.u), 0);
  for (int i = 0; i < n.u; ++i) {
    char& one = moves[static_cast<std::size_t>(i)];
    if (pattern.cols() != at.cols) {  // not known
      one = n.lambda > 0;
      continue;
    }
    for (ColumnSparse::InnerIterator entry(pattern, at.col_u + i); entry; ++entry)
      if ((entry.row() >= at.velocity && entry.row() < at.norm) || entry.row() >= at.acceleration)
        one = 1;
  }
  return moves;
}

// Where it stands belongs to what was in force until now.
void Simulation::leave() {
  Core& c = *core_;
  landed();
  if (c.started) c.finder->leave(c.x);
}

// What the equations remember of the inputs goes up to here.
void Simulation::check_change(const Context& before, const Context& after) {
  Core& c = *core_;
  const InputFilterStates* filters = equations_->capabilities().input_filter_states;
  if (filters == nullptr) return;
  const std::string wrong = filters->change(before, after, c.x.t, c.x.z);
  if (wrong.empty()) return;
  throw SolverFailure(c.x.t, 0.0, wrong, "give the drive a lag, or change the input smoothly");
}

// What inputs_changed() does where all inputs are set to nearly what was foreseen of them and the
// horizon does not grow. False: nothing has been done. All that small communication steps of smooth
// inputs cost is here.
[[gnu::always_inline]] inline bool Simulation::go_on_as_foreseen() {
  Core& c = *core_;
  if (!c.any_touched || !c.predicted) return false;
  const double t = c.x.t, length = t - c.inputs.t0, ahead = c.integrated - t;
  const auto n = static_cast<std::size_t>(c.latest.value.size());
  bool exact = true;
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const Setting& setting = c.settings[k];
    const ForeseenInput& foreseen = c.foreseen[k];  // none that moves positions
    if (!setting.touched) {
      if (foreseen || !rests(c.latest, c.inputs, i)) return false;
      continue;
    }
    const double value = setting.to.value;
    if (!foreseen || value == c.latest.value[i]) return false;
    const double size = std::max(c.input_size[i], std::abs(value)), tol = c.accuracy * size;
    const Inputs::Jet now = foreseen.at(length);
    const double off = std::abs(value - now.value), first = std::abs(setting.to.first - now.first),
                 second = std::abs(setting.to.second - now.second);
    if (!(off + ahead * (first + 0.5 * ahead * second) <= tol)) return false;
    if (off <= rounding * size) continue;
    exact = false;
    if (cube(0.95 * length) * tol > off * cube(c.horizon)) return false;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    Setting& setting = c.settings[k];
    if (!setting.touched) continue;
    setting.touched = false;
    c.latest.value[i] = setting.to.value;
    c.latest.first[i] = setting.to.first;
    c.latest.second[i] = setting.to.second;
    c.input_size[i] = std::max(c.input_size[i], std::abs(setting.to.value));
  }
  c.latest.t0 = t;
  c.any_touched = c.slopes_end = false;
  if (exact) c.horizon = infinity;
  return true;
}

// Puts together the inputs as they are now set; true when those in force have to go at once.
bool Simulation::inputs_changed() {
  Core& c = *core_;
  if (!c.any_touched && !c.predicted) {
    c.horizon = infinity;
    return false;
  }
  c.any_touched = false;
  const double t = c.x.t;
  const double ahead = c.started ? std::max(0.0, c.integrator->state().t - t) : 0.0;
  const double length = t - c.inputs.t0;
  double err = 0.0, missed = 0.0;
  const int n = static_cast<int>(c.latest.value.size());
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Setting& setting = c.settings[k];
    const ForeseenInput& foreseen = c.foreseen[k];
    const bool touched = std::exchange(setting.touched, false);
    if (!touched && !foreseen && rests(c.latest, c.inputs, i)) {
      c.input_size[i] = std::max(c.input_size[i], std::abs(c.latest.value[i]));
      continue;
    }
    const Inputs::Jet wanted = touched ? setting.to : c.unset(i, t);
    const Inputs::Jet now = foreseen ? foreseen.at(length) : jet_as_set(c.inputs, i, t);
    if (touched && c.latest.value[i] == wanted.value && stays(c.latest, i))
      setting.varies = wanted.first != 0.0 || wanted.second != 0.0;
    c.latest.value[i] = wanted.value;
    c.latest.first[i] = wanted.first;
    c.latest.second[i] = wanted.second;
    const double size = std::max(c.input_size[i], std::abs(wanted.value)), tol = c.accuracy * size;
    c.input_size[i] = size;
    const double value = wanted.value - now.value, first = wanted.first - now.first,
                 second = wanted.second - now.second, off = std::abs(value);
    if (off + ahead * (std::abs(first) + 0.5 * ahead * std::abs(second)) > tol) {  // may be
      double du = off;
      constexpr int places = 4;
      for (int j = 1; j <= (ahead > 0.0 ? places : 0); ++j) {
        const double s = j * ahead / places;
        du = std::max(du, std::abs(value + s * (first + 0.5 * s * second)));
      }
      err = std::max(err, du / tol);
    }
    if (off > rounding * size) missed = std::max(missed, off / tol);
    if (c.moves[k] && (differ(wanted.value, now.value) || differ(wanted.first, now.first) ||
                       differ(wanted.second, now.second)))
      err = infinity;
  }
  c.latest.t0 = t;
  c.slopes_end = false;
  const auto reach = [](double e) { return 0.95 / std::cbrt(e); };
  if (err <= 1.0) {
    if (missed == 0.0)
      c.horizon = infinity;
    else if (cube(0.95 * length) > missed * cube(c.horizon))
      c.horizon = length * reach(missed);
    return false;
  }
  c.horizon = std::isfinite(err) ? (length + ahead) * reach(err) : 0.0;
  return true;
}

bool Simulation::coast_on_inputs(double t) {
  Core& c = *core_;
  if (!go_on_as_foreseen() && inputs_changed()) {
    c.inputs_differ = true;
    c.uneventful = never;
    return false;
  }
  c.events.clear();
  c.land(t);
  return true;
}

// Those of the next step, which begins at the integrator's state; how far it may go.
double Simulation::predict_inputs(double t_stop) {
  Core& c = *core_;
  c.history.record(c.latest);
  c.put_in_force(c.latest);
  double longest = c.horizon;
  const int n = equations_->sizes().u;
  for (int i = 0; i < n; ++i) {
    if (c.moves[static_cast<std::size_t>(i)]) continue;
    const double tol = c.accuracy * c.input_size[i];
    const InputHistory::Prediction prediction = c.history.predict(i, c.input_size[i], tol);
    longest = std::min(longest, prediction.reach);
    for (int k = 3; k <= Inputs::highest_power; ++k)
      c.inputs.further[i + (k - 3) * n] = prediction.powers[static_cast<std::size_t>(k)];
    c.predicted = c.predicted || prediction.points > 1;
  }
  if (c.predicted) c.find_foreseen();
  const double reach = c.latest.t0 + longest;
  if (!(reach > t_stop)) {
    c.put_in_force(c.latest);
    return t_stop;
  }
  if (!std::isfinite(reach)) return reach;
  // The end is no place to land on: an integrator that wants a little less is not to halve its step
  // for it. With twice the length before it, and wishes between a half and a whole, it takes what
  // it wants, and half of it when it wants more.
  const double begin = c.integrator->state().t, H = reach - begin;
  return c.integrator->statistics().last_step < 0.99 * H ? begin + 2.02 * H : reach;
}

// When what is set differs from what is in force the integrator has to start anew from x.
void Simulation::apply_changes() {
  Core& c = *core_;
  react_to_all();
  const bool derive = std::exchange(c.derive_pending, false);
  if (derive) c.parameter_error = equations_->derive(c.requested);
  const bool parameters_differ = c.requested.values != c.parameters.values;
  if (std::exchange(c.inputs_differ, false) || inputs_changed()) {
    c.history.forget();
    leave();
    check_change({c.inputs, c.parameters}, {c.latest, c.parameters});
    c.put_in_force(c.latest);
    c.restart_needed = true;
  }
  if (parameters_differ) {
    if (!c.parameter_error.empty())
      throw SolverFailure(c.x.t, 0.0, c.parameter_error, "set parameters that are possible");
    if (!c.restart_needed) leave();
    check_change({c.inputs, c.parameters}, {c.inputs, c.requested});
    c.parameters = c.requested;
    c.restart_needed = true;
    c.horizon = 0.0;
  }
  if (c.restart_needed)
    restart();
  else if (!c.started)
    begin_anew(0.0);
  // A jump of an input may have carried functions over zero whose events act.
  if (!c.leave_open) react_to_all();
}

void Simulation::restart() {
  Core& c = *core_;
  double hint = 0.0;
  if (c.started) hint = c.integrator->state().t - c.integrator->step_begin();
  c.landing = c.x;
  // A tunable length moves the constraints; exact targets of the initial values play no part.
  if (!c.projection->positions(c.landing, *c.ws, *c.solver).ok ||
      !c.projection->velocities(c.landing, *c.ws, *c.solver).ok ||
      !solve_accelerations(*equations_, c.context(), c.landing, *c.ws, *c.solver))
    throw SolverFailure(c.x.t, hint,
                        "after a change of inputs or parameters there is no state that satisfies "
                        "the constraints and the equations of motion",
                        "change them in smaller steps, or back");
  std::swap(c.x, c.landing);
  settle_contacts({});
  begin_anew(hint);
}

}  // namespace mbs
