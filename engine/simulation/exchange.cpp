// Model exchange: an importer integrates x = (p, v, r) and asks for
//
//   x' = (Z v, a, b)   with a, lambda from the equations of motion at any p, v (index 1)
//   z  = phi           event indicators
//
// Constraints are invariants of this differential equation, and an integrator drifts away from
// them. completed_step() tells when that is more than the tolerance, or when a switching function
// has left its side; take_effect() then projects and lets events act, so that states jump only
// where the standards allow it.
//
// A coordinate that follows an input through lags, T^2 q'' + 2 T q' + q = u, is a part of that
// differential equation: q and q' are what the lags remember (input_filter_states.hpp). Without
// lags it would need u' and u'', which nobody gives.
//
// Sides are those of RootFinder: the sign a function last had outside of its dead band. A function
// without a side after events (a contact that has just bounced) is quiet until it has one. What the
// importer is told of it is shifted, by little more than rounding, so that it is not zero when
// event mode is left, and positive when it guards a mode: the next change of its sign is then seen
// whatever the importer's steps, and counts.
//
// Between two evaluations of the same point last digits may differ: what was negative when the
// importer looked counts in event mode though it is zero, or on the other side, by rounding. What
// was beyond that at a look at the same time has jumped: there comparisons are exact, and what
// jumps onto zero or from zero is as in RootFinder.

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/core.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mbs {
namespace {

double largest(const Vector& x, const Vector& scale) {
  double result = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    result = std::max(result, std::abs(x[i]) / (i < scale.size() ? scale[i] : 1.0));
  return result;
}

}  // namespace

void Simulation::begin_exchange() {
  Core& c = *core_;
  if (!c.initialised || c.started)
    throw std::logic_error("begin_exchange() comes right after a successful initialise()");
  refuse_without_lag();
  const auto n = static_cast<std::size_t>(equations_->sizes().phi);
  c.exchange = Exchange{};
  c.exchange.on = true;
  c.exchange.before.setZero(exchange_size());
  c.path.setZero(exchange_size());
  c.exchange.side.assign(n, 0);
  c.exchange.largest = c.exchange.seen = Vector::Zero(equations_->sizes().phi);
  c.exchange.shift = Vector::Constant(equations_->sizes().phi, -never);  // nothing has happened yet
  c.settings.assign(c.settings.size(), {});
  watch(true);
  for (int i = 0; i < equations_->sizes().phi; ++i) {
    int& side = c.exchange.side[static_cast<std::size_t>(i)];
    if (side == 0 && !guards(i)) side = c.finder->side_in_band(i, c.exchange.seen[i]);
  }
  shift_quiet();
  c.fired.clear();
  c.open.clear();
  schedule();
}

void Simulation::refuse_without_lag() const {
  const Core& c = *core_;
  const std::string why = why_no_exchange(*equations_, c.parameters);
  if (!why.empty())
    throw SolverFailure(c.x.t, 0.0, why, "give the drive a lag, or use co-simulation");
}

int Simulation::exchange_size() const {
  const Sizes& n = equations_->sizes();
  return n.p + n.v + n.r;
}

void Simulation::set_exchange_time(double t) {
  Core& c = *core_;
  if (t == c.x.t) return;
  c.land(t);
}

// The same once more changes nothing: what is known of the point is kept.
void Simulation::set_exchange_states(std::span<const double> values) {
  Core& c = *core_;
  const double* from = values.data();
  bool same = true;
  for (const Vector* part : {&c.x.p, &c.x.v, &c.x.r}) {
    const auto bytes = static_cast<std::size_t>(part->size()) * sizeof(double);
    same = same && (bytes == 0 || std::memcmp(part->data(), from, bytes) == 0);
    from += part->size();
  }
  if (same) return;
  from = values.data();
  for (Vector* part : {&c.x.p, &c.x.v, &c.x.r}) {
    std::copy_n(from, part->size(), part->data());
    from += part->size();
  }
  c.land(c.x.t);
}

void Simulation::exchange_states(std::span<double> values) const {
  double* to = values.data();
  for (const Vector* part : {&core_->x.p, &core_->x.v, &core_->x.r})
    to = std::copy_n(part->data(), part->size(), to);
}

void Simulation::exchange_nominals(std::span<double> values) const {
  const Structure& known = equations_->structure();
  const Sizes& n = equations_->sizes();
  double* to = values.data();
  for (const auto& [scale, count] : {std::pair(&known.p_scale, n.p), {&known.v_scale, n.v}})
    for (int i = 0; i < count; ++i) *to++ = nominal_of(*scale, i);
  std::fill_n(to, n.r, 1.0);
}

// a and lambda at x; the name of landed() for states that others have made.
void Simulation::solve_exchange() const {
  Core& c = *core_;
  set_filters_to_motion(*equations_, c.context(), c.x, *c.ws);
  if (!solve_accelerations(*equations_, c.context(), c.x, *c.ws, *c.solver))
    throw SolverFailure(c.x.t, 0.0, "the accelerations are not determined at the states given",
                        "integrate with smaller steps");
}

const Vector& Simulation::rates() {
  Core& c = *core_;
  landed();
  if ((c.shown & Core::rates) == 0) {
    const Core::LawsAt left(c.x, law_time());
    equations_->position(c.context(), c.x, want_G, *c.ws);
    equations_->velocity(c.context(), c.x, *c.ws);
    equations_->force(c.context(), c.x, want_b, *c.ws);
    c.dx << c.ws->p_dot, c.x.a, c.ws->b;
    c.shown |= Core::rates;
  }
  return c.dx;
}

// Functions of time alone are no indicators: time events are told beforehand.
void Simulation::hide_times(Vector& phi) const {
  for (int i = 0; i < phi.size(); ++i)
    if (equations_->structure().switching[static_cast<std::size_t>(i)].of_time) phi[i] = 1.0;
}

const Vector& Simulation::indicators() {
  Core& c = *core_;
  landed();
  if ((c.shown & Core::indicators) == 0) {
    const Core::LawsAt left(c.x, law_time());
    equations_->switching(c.context(), c.x, *c.ws);
    c.phi = c.ws->phi;
    if (c.exchange.on) c.phi += c.exchange.shift;
    hide_times(c.phi);
    c.shown |= Core::indicators;
  }
  return c.phi;
}

bool Simulation::guards(int function) const {
  return equations_->structure().switching[static_cast<std::size_t>(function)].guards_mode;
}

// Which functions have left their sides: true when one of those counts that have; `keep`: sides
// follow, and what counts is left open for react().
bool Simulation::watch(bool keep) {
  Core& c = *core_;
  Exchange& own = c.exchange;
  equations_->switching(c.context(), landed(), *c.ws);
  const auto& functions = equations_->structure().switching;
  const bool again = c.x.t == std::exchange(own.seen_at, c.x.t);
  bool any = false;
  for (int i = 0; i < c.ws->phi.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double phi = c.ws->phi[i];
    if (functions[k].of_time) continue;
    if (!std::isfinite(phi))
      throw SolverFailure(
          c.x.t, 0.0, "the function of event '" + functions[k].name + "' is not a finite number",
          "Look for a division by zero or a root of a negative number in it");
    own.largest[i] = std::max(own.largest[i], std::abs(phi));
    const double band = c.finder->band(i, own.largest[i]);
    const double digits = c.finder->digits(i, own.largest[i]), rounding = keep ? digits : 0.0;
    const double seen = std::exchange(own.seen[i], phi);
    int& side = own.side[k];
    const int from = std::abs(side) == 1 ? side : c.finder->false_side(i);
    int fresh = (phi > band) - (phi < -band);
    bool counts = false;
    if (guards(i)) {
      fresh = phi > c.finder->slack(i, c.x, own.largest[i]);
      counts = side == 0 ? phi + own.shift[i] <= 0.0 : phi <= rounding;
    } else if (side == RootFinder::untrue) {
      counts = again && from * fresh < 0;
    } else if (side == RootFinder::onto) {
      counts = from * phi < -digits;
      if (from * phi > digits) side = from;
    } else if (side != 0) {
      const bool jumped = again && side * seen > digits;
      const bool stays = phi == 0.0 && side == c.finder->side_of_zero(i);
      if (jumped && stays) {
        side = side == c.finder->false_side(i) ? RootFinder::onto : 0;
      } else if (side * phi <= (jumped ? 0.0 : rounding)) {
        counts = from < 0 ? functions[k].rising : functions[k].falling;
        if (!counts && keep) side = c.finder->side_in_band(i, phi);
      }
    }
    any = any || counts;
    if (counts && !keep) {
      own.seen[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    if (counts) {
      side = guards(i) ? 0 : fresh;
      const Root root{c.x.t, i, guards(i) ? -1 : -from, 0};
      c.open.push_back(root);
      c.jumped.push_back(root);
      if (acts(root)) c.fired.push_back(i);
    } else if (fresh != 0) {
      side = fresh;
      own.shift[i] = 0.0;
    }
    if (!keep || guards(i)) continue;
    const double away = std::max(band, c.finder->last_digits(own.largest[i]));
    own.shift[i] = std::abs(side) == 1        ? 0.0
                   : side == RootFinder::onto ? from * away
                                              : std::copysign(away, phi);
  }
  return any;
}

// Guards without a side from here on.
void Simulation::shift_quiet() {
  Core& c = *core_;
  Exchange& own = c.exchange;
  equations_->switching(c.context(), landed(), *c.ws);
  for (int i = 0; i < c.ws->phi.size(); ++i) {
    if (!guards(i)) continue;
    const bool quiet = own.side[static_cast<std::size_t>(i)] == 0;
    const double slack = c.finder->slack(i, c.x, own.largest[i]);
    own.shift[i] = quiet ? slack - std::min(0.0, c.ws->phi[i]) : 0.0;
  }
}

// A gap that has not risen beyond its slack is seen to fall where it is that far below zero.
void Simulation::tell_unseen_flights() {
  Core& c = *core_;
  const auto& contacts = equations_->structure().contacts;
  Vector gaps(static_cast<Eigen::Index>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i)
    gaps[static_cast<Eigen::Index>(i)] =
        contacts[i].normal < 0 ? 0.0 : c.finder->last_digits(c.exchange.largest[contacts[i].phi]);
  c.contacts->set_gap_thresholds(std::move(gaps));
}

void Simulation::schedule() {
  Core& c = *core_;
  const Equations::TimeEvent next = equations_->next_time(c.context(), landed());
  c.exchange.next_time = next.t;
  c.exchange.next_function = next.function;
}

bool Simulation::drifted() {
  Core& c = *core_;
  const Structure& known = equations_->structure();
  landed();
  equations_->position(c.context(), c.x, want_G | want_g, *c.ws);
  equations_->velocity(c.context(), c.x, *c.ws);
  return std::max({largest(c.ws->g, known.g_scale), largest(c.ws->n, {}),
                   largest(c.ws->G_v, known.g_scale)}) > c.accuracy;
}

bool Simulation::completed_step() {
  const bool due = core_->x.t >= core_->exchange.next_time;
  return watch(false) || due || drifted();
}

// What is due at this time: drift is taken back, then events happen until none is left.
void Simulation::exchange_events() {
  Core& c = *core_;
  Exchange& own = c.exchange;
  const auto states = [&c](Vector& all) { all << c.x.p, c.x.v, c.x.r; };
  states(own.before);
  own.states_changed = false;
  bool project = drifted();
  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  if (c.requested.values != c.parameters.values) {
    if (!c.parameter_error.empty())
      throw SolverFailure(c.x.t, 0.0, c.parameter_error, "set parameters that are possible");
    c.parameters = c.requested;
    refuse_without_lag();
    project = true;
  }
  if (project) {
    if (!c.projection->positions(c.x, *c.ws, *c.solver).ok ||
        !c.projection->velocities(c.x, *c.ws, *c.solver).ok)
      throw SolverFailure(c.x.t, 0.0, "there is no state near that satisfies the constraints",
                          "integrate with smaller steps");
    c.land(c.x.t);
  }
  if (own.next_function >= 0 &&
      c.x.t >= own.next_time - spacings * std::max(1.0, std::abs(own.next_time))) {
    const Root root{own.next_time, own.next_function, 1, 0};
    c.land(std::max(c.x.t, own.next_time));  // the same time but for rounding
    own.next_function = -1;
    c.open.push_back(root);
    c.jumped.push_back(root);
    if (acts(root)) c.fired.push_back(root.function);
    watch(true);
    react();
    shift_quiet();
  }
  while (c.ended_by < 0 && watch(true)) {
    react();
    shift_quiet();
  }
  states(c.path);
  own.states_changed = c.path != own.before;
  schedule();
}

}  // namespace mbs
