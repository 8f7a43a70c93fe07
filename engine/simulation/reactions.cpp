// Events: they are counted once their time is reached, some of them act, and integration begins
// anew.

#include "engine/simulation/core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

constexpr int most_reactions = 200;  // at one time

}  // namespace

// The integrator starts at x, with nothing found ahead. Functions that have jumped over zero have
// events there.
void Simulation::begin_anew(double hint) {
  Core& c = *core_;
  if (c.exchange.on) {  // guards are now of other modes
    for (std::size_t i = 0; i < c.exchange.side.size(); ++i)
      if (equations_->structure().switching[i].guards_mode) c.exchange.side[i] = 0;
    return;
  }
  c.found.clear();
  c.timed.clear();
  if (c.started) {
    for (const Root& root : c.finder->restart(c.x)) {
      if (c.leave_open)
        c.open.push_back(root);
      else
        note(root);
      c.jumped.push_back(root);
      if (acts(root)) c.fired.push_back(root.function);
    }
  }
  c.integrator->start(c.x, hint);
  if (!c.started) c.finder->start(c.integrator->state());
  c.started = true;
  c.restart_needed = false;
}

void Simulation::settle_contacts(std::span<const int> fired) {
  Core& c = *core_;
  if (c.exchange.on) tell_unseen_flights();
  const ContactReport& report = c.contacts->resolve_events(fired, c.x);
  if (!report.error.empty()) {
    throw SolverFailure(c.x.t, 0.0, report.error,
                        "look at the contacts and friction coefficients there");
  }
  for (const std::string& notice : report.log) c.notices.push_back({c.x.t, notice});
}

bool Simulation::acts(const Root& root) const {
  const auto& function = equations_->structure().switching[static_cast<std::size_t>(root.function)];
  return function.acts || function.guards_mode;
}

bool Simulation::of_time(int function) const {
  return equations_->structure().switching[static_cast<std::size_t>(function)].of_time;
}

// Where laws at x.t are taken: just before an event of time that is still to happen.
double Simulation::law_time() const {
  const Core& c = *core_;
  if (c.exchange.on) {
    const double next = c.exchange.next_time, past = c.x.t - next;
    const bool due = c.exchange.next_function >= 0 && past >= 0.0 &&
                     past <= spacings * std::max(1.0, std::abs(next));
    return due ? std::nextafter(next, never) : c.x.t;
  }
  bool due = false;
  for (const int function : c.fired) due = due || of_time(function);
  for (const Root& root : c.open) due = due || of_time(root.function);
  return due ? std::nextafter(c.x.t, never) : c.x.t;
}

// At an event of time: a and b change there by more than the tolerance. What they are after it is
// then in x, in either case.
bool Simulation::laws_jump() {
  Core& c = *core_;
  const Sizes& n = equations_->sizes();
  const auto rates_at_x = [&](Vector& rates) {
    const bool solved = solve_accelerations(*equations_, c.context(), c.x, *c.ws, *c.solver);
    equations_->force(c.context(), c.x, want_b, *c.ws);
    rates << c.x.a, c.ws->b;
    return solved && rates.allFinite();
  };
  bool known = false;
  {
    const Core::LawsAt before(c.x, std::nextafter(c.x.t, never));
    known = rates_at_x(c.left);
  }
  Vector& right = c.right;
  if (!rates_at_x(right))
    throw SolverFailure(c.x.t, 0.0, "the accelerations are not determined after an event of time",
                        "look at the laws that change there");
  if (!known) return true;
  const auto jumps = [&](int begin, int count) {
    const auto a = c.left.segment(begin, count), b = right.segment(begin, count);
    double size = 0.0, change = 0.0;
    for (int i = 0; i < count; ++i) {
      size = std::max({size, std::abs(a[i]), std::abs(b[i])});
      change = std::max(change, std::abs(b[i] - a[i]));
    }
    return change > c.accuracy * size + c.atol;
  };
  return jumps(0, n.v) || jumps(n.v, n.r);
}

bool Simulation::event_due() const {
  return !core_->fired.empty() || !core_->open.empty();
}

bool Simulation::event_due(int function) const {
  const Core& c = *core_;
  const auto is_due = [function](const Root& root) { return root.function == function; };
  return std::find(c.fired.begin(), c.fired.end(), function) != c.fired.end() ||
         std::any_of(c.open.begin(), c.open.end(), is_due);
}

void Simulation::react_to_all() {
  while (event_due() && core_->ended_by < 0) react();
}

void Simulation::take_effect() {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("take_effect() needs a successful initialise() first");
  c.shown = 0;
  c.events.clear();
  c.jumped.clear();
  c.uneventful = never;
  c.leave_open = false;
  if (c.exchange.on)
    exchange_events();
  else
    apply_changes();
  std::swap(c.events, c.jumped);
}

bool Simulation::states_changed() const {
  return core_->exchange.states_changed;
}

double Simulation::next_time_event() const {
  return equations_->next_time(core_->context(), landed()).t;
}

void Simulation::react() {
  Core& c = *core_;
  c.shown = 0;
  for (const Root& root : c.open) note(root);
  c.open.clear();
  if (c.fired.empty() || c.ended_by >= 0) return;
  landed();
  const auto acts_itself = [&](int function) { return acts({c.x.t, function, 1, 0}); };
  std::vector<int>& fired = c.reacting;
  fired.clear();
  std::swap(fired, c.fired);
  std::sort(fired.begin(), fired.end());  // that of the file, not of the last digits of their times
  const bool acting = std::any_of(fired.begin(), fired.end(), acts_itself);
  const bool timed =
      !c.exchange.on && std::any_of(fired.begin(), fired.end(), [&](int i) { return of_time(i); });
  if (!c.exchange.on) c.finder->leave(c.x);
  bool changed = timed && !acting && laws_jump();
  if (!acting && !changed) return;
  const double t = c.x.t;
  const auto& functions = equations_->structure().switching;
  const double same = 1e-12 * std::max(std::abs(t), c.integrator->statistics().last_step);
  c.reactions_here = t - c.reacted_at <= same ? c.reactions_here + 1 : 1;
  const double since = c.reactions > 0 ? t - c.reacted_at : std::numeric_limits<double>::infinity();
  ++c.reactions;
  c.reacted_at = t;
  if (c.reactions_here > most_reactions) {
    throw SolverFailure(t, 0.0,
                        "events follow each other without time passing, the last is '" +
                            functions[static_cast<std::size_t>(fired.front())].name + "'",
                        "what an event sets must not lead to the same event at once");
  }
  for (const int function : fired) {
    if (functions[static_cast<std::size_t>(function)].acts) {
      changed = equations_->act(c.context(), function, c.x, *c.ws) || changed;
    }
  }
  if (timed && !changed) changed = laws_jump();
  if (c.contacts->any()) {
    settle_contacts(fired);
  } else if (changed && (!c.projection->positions(c.x, *c.ws, *c.solver).ok ||
                         !c.projection->velocities(c.x, *c.ws, *c.solver).ok ||
                         !solve_accelerations(*equations_, c.context(), c.x, *c.ws, *c.solver))) {
    throw SolverFailure(t, 0.0,
                        "after event '" + functions[static_cast<std::size_t>(fired.front())].name +
                            "' there is no state that satisfies the constraints",
                        "look at what the event sets");
  }
  if (!changed && !(c.contacts->any() && c.contacts->report().changed)) {
    if (!c.contacts->any() || c.exchange.on) return;
    c.finder->watch_again(fired, *c.integrator, c.x);
    c.gather_found();
    return;
  }
  // Bounces follow each other faster and faster: steps have to shrink with them, or rounding in
  // long ones hides the flights.
  const double step = c.integrator->state().t - c.integrator->step_begin();
  const double hint = c.reactions_here > 1 ? step : std::min(step, 2.0 * since);
  begin_anew(std::min(hint, c.contacts->report().longest_step));
}

void Simulation::note(const Root& root) {
  Core& c = *core_;
  c.event_count[root.function] += 1.0;
  c.event_time[root.function] = root.t;
  const auto& functions = equations_->structure().switching;
  if (c.ended_by < 0 && functions[static_cast<std::size_t>(root.function)].terminate)
    c.ended_by = root.function;
}

// Counts events after `from`, up to `to` or to the first ones at which advance() has to stop: true
// then, and events().back() is the last of them. Events that act nearly at once act together.
bool Simulation::count_events(double from, double to, double end, Events events) {
  Core& c = *core_;
  const double at_once = 1e-10 * (c.integrator->state().t - c.integrator->step_begin());
  bool stop = false, open = false;
  for (const Root& root : c.found) {
    if (root.t <= from || root.t > to) continue;
    if (stop && root.t > c.events.back().t + (c.fired.empty() ? 0.0 : at_once)) break;
    if (!stop)
      open = events == Events::left_open || (events == Events::left_open_at_end && root.t == end);
    if (open)
      c.open.push_back(root);
    else
      note(root);
    c.events.push_back(root);
    if (acts(root) || of_time(root.function)) c.fired.push_back(root.function);
    stop = stop || open || events == Events::stop || c.ended_by >= 0 || !c.fired.empty();
  }
  return stop;
}

std::span<const Root> Simulation::events() const {
  return core_->events;
}

std::vector<Simulation::Notice> Simulation::take_notices() {
  return std::exchange(core_->notices, {});
}

double Simulation::event_count(int function) const {
  return core_->event_count[function];
}

double Simulation::event_time(int function) const {
  return core_->event_time[function];
}

std::string Simulation::ended() const {
  const Core& c = *core_;
  if (c.ended_by < 0) return {};
  const auto by = static_cast<std::size_t>(c.ended_by);
  return "event '" + equations_->structure().switching[by].name +
         "' at t = " + short_number(c.event_time[c.ended_by]) + " ended the simulation";
}

}  // namespace mbs
