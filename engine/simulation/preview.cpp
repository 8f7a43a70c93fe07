// What has been set, before it is in force: importers of FMI iterate in event mode over loops
// between FMUs, by setting inputs and looking at what follows at once,
//
//   a, lambda, w, y, x'  =  functions of (t, p, v, r, z, modes; u, parameters)
//
// with p, v, r, z and modes as they are (f_event of FMI 3.0, 2.3.5, before
// fmi3UpdateDiscreteStates). Where positions follow inputs or parameters themselves (drives,
// tunable lengths) they are projected onto what holds then.

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/core.hpp"

#include <utility>

namespace mbs {

bool Simulation::has_pending() const {
  const Core& c = *core_;
  return c.any_touched || c.requested.values != c.parameters.values;
}

const Simulation::Preview& Simulation::preview() {
  Core& c = *core_;
  const State& now = landed();
  if (!c.preview) c.preview = std::make_unique<Preview>(Preview{now, {}, {}, {}});
  Preview& shown = *c.preview;
  if ((c.shown & Core::pendings) != 0) return shown;
  make_beside();
  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  if (!c.parameter_error.empty())
    throw SolverFailure(now.t, 0.0, c.parameter_error, "set parameters that are possible");

  const bool parameters_differ = c.requested.values != c.parameters.values;
  bool moves = parameters_differ;
  Inputs& wanted = c.pending_inputs;
  wanted = c.latest;
  wanted.t0 = now.t;
  wanted.further = Vector::Zero(c.inputs.further.size());
  for (int i = 0; i < equations_->sizes().u; ++i) {
    const Setting& setting = c.settings[static_cast<std::size_t>(i)];
    const Inputs::Jet u = setting.touched ? setting.to : c.unset(i, now.t);
    wanted.value[i] = u.value;
    wanted.first[i] = u.first;
    wanted.second[i] = u.second;
    moves = moves || (setting.touched && c.moves[static_cast<std::size_t>(i)] != 0);
  }

  State& x = shown.x;
  x = now;
  if (const InputFilterStates* filters = equations_->capabilities().input_filter_states)
    filters->change(c.context(), {c.pending_inputs, c.requested}, x.t, x.z);
  // The projection looks at what is in force.
  const Core::PendingInForce in_force(c);
  const Core::LawsAt left(x, law_time());
  Workspace& ws = *c.beside;
  if ((moves && (!c.projection->positions(x, ws, *c.beside_solver).ok ||
                 !c.projection->velocities(x, ws, *c.beside_solver).ok)) ||
      !solve_accelerations(*equations_, c.context(), x, ws, *c.beside_solver))
    throw SolverFailure(x.t, 0.0, "nothing is consistent with the inputs and parameters set",
                        "change them in smaller steps, or back");
  equations_->outputs(c.context(), x, ws);
  shown.y = ws.y;
  count_into(shown.y);
  equations_->position(c.context(), x, want_G, ws);
  equations_->velocity(c.context(), x, ws);
  equations_->force(c.context(), x, want_b, ws);
  shown.dx.resize(x.p.size() + x.v.size() + x.r.size());
  shown.dx << ws.p_dot, x.a, ws.b;
  equations_->switching(c.context(), x, ws);
  shown.phi = ws.phi;
  hide_times(shown.phi);
  c.shown |= Core::pendings;
  return shown;
}

}  // namespace mbs
