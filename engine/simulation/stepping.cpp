// The way to a communication point: what has been set comes into force, the integrator makes steps
// of its own, points within them are interpolated.

#include "engine/simulation/core.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mbs {

// Inputs that were set without need of a restart come into force. To a point within the step before
// nobody comes back, so that one at which nobody has looked is not computed any more.
void Simulation::make_step(double t_stop) {
  Core& c = *core_;
  const double begin = c.step_end();
  if (c.x.t == begin) landed();
  const double reach = predict_inputs(t_stop);
  const State* from = &c.integrator->state();
  if (!c.timed.empty()) {
    c.landing = *from;
    c.landing.t = begin;
    from = &c.landing;
  }
  const double next = equations_->next_time(c.context(), *from).t,
               last = std::nextafter(next, never);
  const double stop = std::isfinite(next) && last > begin ? last : next;
  c.integrator->step(std::min(stop, reach));
  for (const std::string& notice : c.integrator->warnings()) {
    c.notices.push_back({c.integrator->state().t, notice});
  }
  c.finder->examine(*c.integrator);
  c.timed.clear();
  if (c.integrator->state().t == stop) {
    c.landing = c.integrator->state();
    c.timed_at = c.landing.t = next;
    equations_->switching(c.context(), c.landing, *c.ws);
    const auto& functions = equations_->structure().switching;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const bool now = functions[i].of_time && c.ws->phi[static_cast<Eigen::Index>(i)] == 0.0;
      if (now) c.timed.push_back(static_cast<int>(i));
    }
  }
  c.gather_found();
}

const State& Simulation::landed() const {
  Core& c = *core_;
  if (c.landed) return c.x;
  const double t = c.x.t;
  const double at = law_time();
  if (c.exchange.on) {
    const Core::LawsAt left(c.x, at);
    solve_exchange();
    c.landed = true;
    return c.x;
  }
  c.integrator->interpolate(std::min(t, c.integrator->state().t), true, c.landing);
  c.landing.t = t;
  if (!c.landing.p.allFinite() || !c.landing.v.allFinite() || !c.landing.r.allFinite())
    throw SolverFailure(t, c.integrator->statistics().last_step, "the solution is no longer finite",
                        "look for a force that grows without bound");
  if (at != t) {
    const Core::LawsAt left(c.landing, at);
    if (!solve_accelerations(*equations_, c.context(), c.landing, *c.ws, *c.solver))
      throw SolverFailure(t, 0.0, "the accelerations are not determined before an event of time",
                          "look at the laws that change there");
  }
  std::swap(c.x, c.landing);
  c.landed = true;
  return c.x;
}

// As far as the solution and its events are known; time() stays where it was when that is past t,
// which is so when the interpolation failed, or goes to the beginning of the step.
void Simulation::land_before_failure(double t) {
  Core& c = *core_;
  const double end = c.integrator->state().t, known = std::min(end, c.finder->examined());
  if (!(known > c.x.t && known < t)) return;
  const double before = c.x.t;
  const bool was_landed = c.landed;
  if (known == end) {
    c.x = c.integrator->state();
    c.x.t = c.step_end();
    c.landed = true;
    return;
  }
  try {
    c.land(known);
    landed();
  } catch (const SolverFailure&) {
    c.x.t = std::max(before, c.integrator->step_begin());
    c.landed = was_landed && c.x.t == before;
  }
}

Simulation::Advance Simulation::advance(double t, Events events) {
  Core& c = *core_;
  if (coast(t, c.x.t, 0.0)) return Advance::reached;
  if (!c.initialised) throw std::logic_error("advance() needs a successful initialise() first");
  if (c.ended_by >= 0) throw std::logic_error(ended());
  if (!(t > c.x.t) || !std::isfinite(t))
    throw std::invalid_argument("advance() needs a time after the present one");
  c.shown = 0;
  c.events.clear();
  c.uneventful = never;
  c.leave_open = false;
  react_to_all();
  c.leave_open = events == Events::left_open;
  apply_changes();
  std::swap(c.events, c.jumped);
  if (c.ended_by >= 0) return Advance::terminated;
  if (event_due()) return Advance::event;

  Integrator& integrator = *c.integrator;
  double counted = c.x.t;  // events up to here are
  try {
    for (;;) {
      const double reached = std::min(c.step_end(), t),
                   known = std::min(reached, integrator.state().t);
      if (count_events(counted, reached, t, events)) {
        c.land(c.events.back().t);
        if (c.ended_by >= 0) return Advance::terminated;
        if (events == Events::stop || !c.open.empty())
          return c.x.t == t && !event_due() ? Advance::reached : Advance::event;
        react_to_all();
        c.events.insert(c.events.end(), c.jumped.begin(), c.jumped.end());
        c.jumped.clear();
        if (c.ended_by >= 0) return Advance::terminated;
        if (c.x.t >= t) return Advance::reached;
        counted = c.x.t;
        continue;
      }
      if (c.finder->examined() < known) {  // what was in the way counts now
        counted = std::max(counted, c.finder->examined());
        if (!c.events.empty()) counted = std::max(counted, c.events.back().t);
        c.finder->extend(integrator, known);
        c.gather_found();
        continue;
      }
      if (reached >= t) break;
      if (progress_ && counted < reached && !progress_(reached)) {
        c.x = integrator.state();
        c.x.t = reached;
        c.landed = true;
        return Advance::stopped;
      }
      counted = reached;
      make_step(t);
    }
    c.land(t);
    if (c.found.empty() && !event_due()) {
      c.integrated = integrator.state().t;
      c.uneventful = std::min(c.integrated, c.finder->examined());
    }
  } catch (const SolverFailure&) {
    land_before_failure(t);
    throw;
  }
  return Advance::reached;
}

double Simulation::step_ahead(double t_stop) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("step_ahead() needs a successful initialise() first");
  c.uneventful = never;
  c.leave_open = false;
  apply_changes();
  if (c.ended_by >= 0) {
    c.events.clear();
    std::swap(c.events, c.jumped);
    return c.x.t;
  }
  if (c.step_end() <= c.x.t) make_step(t_stop);
  for (const Root& root : c.found) {
    const auto function = static_cast<std::size_t>(root.function);
    const bool ends = equations_->structure().switching[function].terminate || acts(root);
    if (root.t > c.x.t && ends) return root.t;
  }
  // What cannot be examined is told by advance().
  const double examined = c.finder->examined();
  const bool less = examined > c.x.t && examined < c.integrator->state().t;
  return less ? examined : c.step_end();
}

void Simulation::dense_output(double t, State& x) {
  core_->integrator->interpolate(std::min(t, core_->integrator->state().t), false, x);
  x.t = t;
}

}  // namespace mbs
