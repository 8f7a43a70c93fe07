// What has been set comes into force.
//
// Inputs are polynomials u(t) of second order. The integrator has run ahead to t_end on those in
// force; new ones, set at t, differ from them by at most du between t and t_end. As long as
// err = du / tol <= 1 with tol = rtol max|u so far|, what has been computed stands, and the new
// polynomials come into force with the next step: the integrator keeps its history. Above, it
// starts anew at t.
//
// An input that is set again and again with its second derivative shows its third, c = du''/dt. A
// step that may be H long then takes the cubic less its Chebyshev polynomial on [0, H],
//
//   q(s) = u + u' s + u'' s^2/2 + c/6 (3/2 H s^2 - 9/16 H^2 s + H^3/32),
//   |cubic - q| <= |c| H^3/192
//
// which errs by a 32nd of what the Taylor polynomial does at H, and on the average by nothing:
// velocities at the step's end do not feel it, positions by a tenth of it times H^2. It may err by
// 0.9 tol, which gives the longest H; and du is that of the cubics.
//
// What they err grows with the fourth power of the length (without c: with the third), so that err,
// found at a length l, tells how far steps may reach on predictions: 0.95 l / err^(1/4), at least
// to the next communication point. After a jump that is all: an input that has just jumped tends to
// jump again. Inputs that nobody sets are relied on without limit.
//
// A drive moves constraints; its changes are jumps unless they are rounding.

#include "engine/equations/input_memory.hpp"
#include "engine/simulation/core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-13;

// A polynomial of `inputs` seen from t.
struct Expansion {
  double value, first, second;
};
Expansion expand(const Inputs& inputs, int i, double t) {
  return {inputs.at(i, t), inputs.first[i] + (t - inputs.t0) * inputs.second[i], inputs.second[i]};
}

// s later, with c s^3/6.
double later(const Expansion& u, double c, double s) {
  return u.value + s * (u.first + s * (0.5 * u.second + s * c / 6.0));
}

bool differ(double a, double b) {
  return std::abs(a - b) > rounding * std::max(std::abs(a), std::abs(b));
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
void Simulation::check_change(const Given& before, const Given& after) {
  Core& c = *core_;
  const auto* memory = dynamic_cast<const InputMemory*>(equations_.get());
  if (memory == nullptr) return;
  const std::string wrong = memory->change(before, after, c.x.t, c.x.z);
  if (wrong.empty()) return;
  throw SolverFailure(c.x.t, 0.0, wrong, "give the drive a lag, or change the input smoothly");
}

// Puts together the inputs as they are now set; true when those in force have to go at once.
bool Simulation::inputs_changed() {
  Core& c = *core_;
  const bool set = std::find(c.touched.begin(), c.touched.end(), 1) != c.touched.end();
  const bool cubic = (c.basis_third.array() != 0.0).any();
  if (!set && !cubic) {
    c.horizon = infinity;
    std::fill(c.third.begin(), c.third.end(), Core::Third{});
    return false;
  }
  const double t = c.x.t;
  const double ahead = c.started ? std::max(0.0, c.integrator->state().t - t) : 0.0;
  const double length = t - c.basis.t0;
  double err = 0.0, missed = 0.0;
  bool exact = true;
  for (int i = 0; i < equations_->sizes().u; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Expansion wanted =
        c.touched[k] ? Expansion{c.pending.value[i], c.pending.first[i], c.pending.second[i]}
                     : expand(c.latest, i, t);
    const Expansion now = expand(c.inputs, i, t);
    c.pending.value[i] = wanted.value;
    c.pending.first[i] = wanted.first;
    c.pending.second[i] = wanted.second;
    c.input_size[i] = std::max(c.input_size[i], std::abs(wanted.value));
    const double tol = c.accuracy * c.input_size[i];
    see_third(i, wanted.second);
    const Expansion basis = expand(c.basis, i, c.basis.t0);
    const auto off = [&](double s) {
      return std::abs(later(wanted, c.third[k].value, s) -
                      later(basis, c.basis_third[i], length + s));
    };
    double du = 0.0;
    constexpr int places = 4;
    for (int j = 0; j <= (ahead > 0.0 ? places : 0); ++j)
      du = std::max(du, off(j * ahead / places));
    if (du > 0.0) err = std::max(err, du / tol);
    const double off_now = off(0.0);
    exact = exact && off_now <= rounding * c.input_size[i];
    if (off_now > rounding * c.input_size[i]) missed = std::max(missed, off_now / tol);
    if (c.moves[k] && (differ(wanted.value, now.value) || differ(wanted.first, now.first) ||
                       differ(wanted.second, now.second)))
      err = infinity;
    c.touched[k] = 0;
  }
  c.pending.t0 = t;
  std::swap(c.latest, c.pending);
  const auto reach = [cubic](double e) {
    return 0.95 * std::pow(1.0 / e, cubic ? 0.25 : 1.0 / 3.0);
  };
  if (err <= 1.0) {
    if (missed > 0.0)
      c.horizon = std::max(c.horizon, length * reach(missed));
    else if (exact && !cubic)
      c.horizon = infinity;
    return false;
  }
  c.horizon = std::isfinite(err) ? (length + ahead) * reach(err) : 0.0;
  std::fill(c.third.begin(), c.third.end(), Core::Third{});
  c.basis_third.setZero();
  leave();
  check_change({c.inputs, c.parameters}, {c.latest, c.parameters});
  c.inputs = c.basis = c.latest;
  return true;
}

// The third derivative of an input that is set at the present time, as its second ones show it. One
// estimate is none: it takes two that are alike.
void Simulation::see_third(int i, double second) {
  Core& c = *core_;
  Core::Third& third = c.third[static_cast<std::size_t>(i)];
  const double since = c.x.t - c.latest.t0;
  if (c.touched[static_cast<std::size_t>(i)] == 0) third = {};
  if (c.touched[static_cast<std::size_t>(i)] == 0 || since <= 0.0) return;
  const double seen = (second - c.latest.second[i]) / since;
  third.value = std::abs(seen - third.seen) <= 0.5 * std::abs(seen) ? seen : 0.0;
  third.seen = seen;
}

// Those of the next step, which begins at the integrator's state; how far it may go.
double Simulation::predict_inputs(double t_stop) {
  Core& c = *core_;
  const double begin = c.integrator->state().t;
  double longest = infinity;
  for (int i = 0; i < equations_->sizes().u; ++i) {
    const auto k = static_cast<std::size_t>(i);
    c.basis_third[i] = c.moves[k] ? 0.0 : c.third[k].value;
    if (c.basis_third[i] == 0.0) continue;
    const double tol = c.accuracy * c.input_size[i];
    longest = std::min(longest, std::cbrt(0.9 * 192.0 * tol / std::abs(c.basis_third[i])));
  }
  c.inputs = c.basis = c.latest;
  const double reach = std::min(c.latest.t0 + c.horizon, begin + longest);
  if (!(reach > t_stop)) {
    c.basis_third.setZero();
    return t_stop;
  }
  if (!std::isfinite(reach)) return reach;
  // The end is no place to land on: an integrator that wants a little less is not to halve its step
  // for it. With twice the length before it, and wishes between a half and a whole, it takes what
  // it wants, and half of it when it wants more.
  const double H = reach - begin, on = begin - c.latest.t0;
  const double stop = c.integrator->statistics().last_step < 0.99 * H ? begin + 2.02 * H : reach;
  if (!std::isfinite(longest)) return stop;
  c.inputs.t0 = begin;
  for (int i = 0; i < equations_->sizes().u; ++i) {
    const double third = c.basis_third[i];
    const Expansion u = expand(c.latest, i, begin);
    c.inputs.value[i] = later(u, 0.0, 0.0) + third * (on * on * on / 6.0 + H * H * H / 192.0);
    c.inputs.first[i] = u.first + third * (on * on / 2.0 - 9.0 / 96.0 * H * H);
    c.inputs.second[i] = u.second + third * (on + 0.5 * H);
  }
  return stop;
}

// When what is set differs from what is in force the integrator has to start anew from x.
void Simulation::apply_changes() {
  Core& c = *core_;
  react_to_all();
  const bool derive = std::exchange(c.derive_pending, false);
  if (derive) c.parameter_error = equations_->derive(c.requested);
  const bool parameters_differ = c.requested.values != c.parameters.values;
  if (inputs_changed()) c.restart_needed = true;
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
      !solve_accelerations(*equations_, c.given(), c.landing, *c.ws, *c.solver))
    throw SolverFailure(c.x.t, hint,
                        "after a change of inputs or parameters there is no state that satisfies "
                        "the constraints and the equations of motion",
                        "change them in smaller steps, or back");
  std::swap(c.x, c.landing);
  settle_contacts({});
  begin_anew(hint);
}

}  // namespace mbs
