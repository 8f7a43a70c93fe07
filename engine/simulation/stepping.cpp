// The way to a communication point: what has been set comes into force, the integrator makes steps
// of its own, points within them are interpolated.

#include "engine/simulation/core.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mbs {

// Takes over what has been set. When it differs from what is in force the integrator has to start
// anew from x.
void Simulation::apply_changes() {
  Core& c = *core_;
  while (!c.fired.empty() && c.ended_by < 0) react();
  const double t = c.x.t;
  const int count = equations_->sizes().u;
  const auto slope = [&](int i) {
    return c.inputs.first[i] + (t - c.inputs.t0) * c.inputs.second[i];
  };

  bool changed = false;
  for (int i = 0; i < count && !changed; ++i)
    changed = c.touched[i] &&
              (c.pending.value[i] != c.inputs.at(i, t) || c.pending.first[i] != slope(i) ||
               c.pending.second[i] != c.inputs.second[i]);
  if (changed) {
    for (int i = 0; i < count; ++i)
      if (!c.touched[i]) {
        c.pending.value[i] = c.inputs.at(i, t);
        c.pending.first[i] = slope(i);
        c.pending.second[i] = c.inputs.second[i];
      }
    c.pending.t0 = t;
    c.inputs = c.pending;
    c.restart_needed = true;
  }
  std::fill(c.touched.begin(), c.touched.end(), 0);

  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  if (c.requested.values != c.parameters.values) {
    if (!c.parameter_error.empty())
      throw SolverFailure(t, 0.0, c.parameter_error, "set parameters that are possible");
    c.parameters = c.requested;
    c.restart_needed = true;
  }

  c.run_ahead = !c.restart_needed;
  double hint = 0.0;
  if (c.restart_needed) {
    if (c.started) hint = c.integrator->state().t - c.integrator->step_begin();
    c.landing = c.x;
    // A tunable length moves the constraints; exact targets of the initial values play no part.
    if (!c.projection->positions(c.landing, *c.ws, *c.solver).ok ||
        !c.projection->velocities(c.landing, *c.ws, *c.solver).ok ||
        !solve_accelerations(*equations_, c.given(), c.landing, *c.ws, *c.solver))
      throw SolverFailure(t, hint,
                          "after a change of inputs or parameters there is no state that satisfies "
                          "the constraints and the equations of motion",
                          "change them in smaller steps, or back");
    std::swap(c.x, c.landing);
    settle_contacts({});
    begin_anew(hint);
  } else if (!c.started) {
    begin_anew(hint);
  }
  // A jump of an input may have carried functions over zero whose events act.
  while (!c.fired.empty() && c.ended_by < 0) react();
}

void Simulation::make_step(double t_stop) {
  Core& c = *core_;
  const Equations::TimeEvent next = equations_->next_time(c.given(), c.integrator->state());
  c.integrator->step(
      std::min(next.t, c.run_ahead ? std::numeric_limits<double>::infinity() : t_stop));
  c.finder->examine(*c.integrator);
  c.timed = c.integrator->state().t == next.t ? next.function : -1;
  c.gather_found();
}

// In the integrator's last step.
void Simulation::land(double t) {
  Core& c = *core_;
  c.integrator->interpolate(t, true, c.landing);
  c.landing.t = t;
  if (!c.landing.p.allFinite() || !c.landing.v.allFinite() || !c.landing.r.allFinite())
    throw SolverFailure(t, c.integrator->statistics().last_step, "the solution is no longer finite",
                        "look for a force that grows without bound");
  std::swap(c.x, c.landing);
}

// As far as the solution and its events are known; time() stays where it was when that is past t,
// which is so when the interpolation failed.
void Simulation::land_before_failure(double t) {
  Core& c = *core_;
  const double end = c.integrator->state().t, known = std::min(end, c.finder->examined());
  if (!(known > c.x.t && known < t)) return;
  if (known == end) {
    c.x = c.integrator->state();
    return;
  }
  try {
    land(known);
  } catch (const SolverFailure&) {
  }
}

Simulation::Advance Simulation::advance(double t, bool stop_at_events) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("advance() needs a successful initialise() first");
  if (c.ended_by >= 0) throw std::logic_error(ended());
  if (!(t > c.x.t) || !std::isfinite(t))
    throw std::invalid_argument("advance() needs a time after the present one");
  c.outputs_valid = false;
  c.events.clear();
  c.notices.clear();
  apply_changes();
  std::swap(c.events, c.jumped);
  if (c.ended_by >= 0) return Advance::terminated;

  Integrator& integrator = *c.integrator;
  double counted = c.x.t;  // events up to here are
  try {
    for (;;) {
      const double reached = std::min(integrator.state().t, t);
      if (count_events(counted, reached, stop_at_events)) {
        land(c.events.back().t);
        if (c.ended_by >= 0) return Advance::terminated;
        if (stop_at_events)
          return c.x.t == t && c.fired.empty() ? Advance::reached : Advance::event;
        while (!c.fired.empty() && c.ended_by < 0) react();
        c.events.insert(c.events.end(), c.jumped.begin(), c.jumped.end());
        c.jumped.clear();
        if (c.ended_by >= 0) return Advance::terminated;
        if (c.x.t >= t) return Advance::reached;
        counted = c.x.t;
        continue;
      }
      if (c.finder->examined() < reached) {  // what was in the way counts now
        counted = std::max(counted, c.finder->examined());
        if (!c.events.empty()) counted = std::max(counted, c.events.back().t);
        c.finder->extend(integrator, reached);
        c.gather_found();
        continue;
      }
      if (integrator.state().t >= t) break;
      if (progress_ && counted < reached && !progress_(reached)) {
        c.x = integrator.state();
        return Advance::stopped;
      }
      counted = reached;
      make_step(t);
    }
    land(t);
  } catch (const SolverFailure&) {
    land_before_failure(t);
    throw;
  }
  return Advance::reached;
}

double Simulation::step_ahead(double t_stop) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("step_ahead() needs a successful initialise() first");
  apply_changes();
  if (c.ended_by >= 0) {
    c.events.clear();
    std::swap(c.events, c.jumped);
    return c.x.t;
  }
  if (c.integrator->state().t <= c.x.t) make_step(t_stop);
  for (const Root& root : c.found) {
    const auto function = static_cast<std::size_t>(root.function);
    const bool ends = equations_->structure().switching[function].terminate || acts(root);
    if (root.t > c.x.t && ends) return root.t;
  }
  // What cannot be examined is told by advance().
  const double end = c.integrator->state().t, examined = c.finder->examined();
  return examined > c.x.t ? std::min(end, examined) : end;
}

void Simulation::dense_output(double t, State& x) {
  core_->integrator->interpolate(t, false, x);
}

}  // namespace mbs
