#include "engine/multibody/absolute.hpp"

#include "engine/multibody/drives.hpp"
#include "engine/multibody/start_memory.hpp"
#include "engine/multibody/start_poses.hpp"

namespace mbs {

template <class Space>
AbsoluteEquations<Space>::AbsoluteEquations(const Model& model,
                                            std::unique_ptr<const Mechanism<Space>> mechanism)
    : elements_(model, std::move(mechanism), true),
      shown_(elements_),
      filters_(elements_),
      time_functions_(elements_.mechanism().laws) {
  sizes_ = elements_.sizes();
  structure_ = elements_.structure();
}

template <class Space>
Inputs AbsoluteEquations<Space>::default_inputs(const Parameters& parameters) const {
  Inputs inputs(sizes_.u);
  for (int i = 0; i < sizes_.u; ++i) {
    inputs.value[i] = parameters.derived[mechanism().input_start[i]];
  }
  return inputs;
}

template <class Space>
std::string AbsoluteEquations<Space>::derive(Parameters& parameters) const {
  if (std::string wrong = mechanism().derive(parameters).message; !wrong.empty()) return wrong;
  if (!structure_.saddle.M_may_be_singular && mechanism().massless(parameters)) {
    return "a mass or a moment of inertia is zero that was not when the model was set up";
  }
  return {};
}

template <class Space>
ElementWorkspace<Space>& AbsoluteEquations<Space>::with_bodies(const State& x,
                                                               Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  place_bodies(mechanism(), x.p, ws.bodies);
  move_bodies(mechanism(), x.v, ws.bodies);
  return ws;
}

template <class Space>
void AbsoluteEquations<Space>::position(const Context& context, const State& x, unsigned want,
                                        Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  place_bodies(mechanism(), x.p, ws.bodies);
  elements_.rows(context, x, want, ws);
  if (want & want_g) set_norms(structure_, x, ws);
  if ((want & want_M) == 0) return;
  double* value = ws.M.valuePtr();
  for (const BodyData& body : mechanism().bodies)
    value = fill_mass<Space>(body, context.parameters.derived.data(), value);
}

template <class Space>
void AbsoluteEquations<Space>::apply_Z(const Context&, const State& x, const Vector& v,
                                       Vector& z) const {
  z.resize(sizes_.p);
  body_rates(mechanism(), x.p, v, z);
}

template <class Space>
void AbsoluteEquations<Space>::velocity(const Context&, const State& x,
                                        Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  move_bodies(mechanism(), x.v, ws.bodies);
  body_rates(mechanism(), x.p, x.v, ws.p_dot);
  set_velocity_rows(x, ws);
}

template <class Space>
void AbsoluteEquations<Space>::force(const Context& context, const State& x, unsigned want,
                                     Workspace& ws) const {
  elements_.force(context, x, want, static_cast<Own&>(ws));
}

template <class Space>
void AbsoluteEquations<Space>::gamma(const Context& context, const State& x,
                                     Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  move_bodies(mechanism(), x.v, ws.bodies);
  elements_.gamma(context, x, ws);
}

template <class Space>
void AbsoluteEquations<Space>::friction(const Context& context, const State& x,
                                        Workspace& ws) const {
  elements_.friction(context, x, with_bodies(x, ws));
}

template <class Space>
void AbsoluteEquations<Space>::jacobian(const Context& context, const State& x,
                                        Workspace& ws) const {
  elements_.jacobian(context, x, with_bodies(x, ws));
}

template <class Space>
bool AbsoluteEquations<Space>::solve_auxiliary(const Context& context, State& x,
                                               Workspace& ws) const {
  return sizes_.w + sizes_.s == 0 || elements_.solve_auxiliary(context, x, with_bodies(x, ws));
}

template <class Space>
void AbsoluteEquations<Space>::conditions(const Context& context, const State& x,
                                          Workspace& ws) const {
  elements_.conditions(context, x, with_bodies(x, ws));
}

template <class Space>
void AbsoluteEquations<Space>::outputs(const Context& context, const State& x,
                                       Workspace& ws) const {
  set_norms(structure_, x, ws);
  shown_.outputs(context, x, with_bodies(x, ws));
}

template <class Space>
Equations::Energy AbsoluteEquations<Space>::energy(const Context& context, const State& x,
                                                   Workspace& ws) const {
  return shown_.energy(context, x, with_bodies(x, ws));
}

template <class Space>
void AbsoluteEquations<Space>::switching(const Context& context, const State& x,
                                         Workspace& ws) const {
  set_norms(structure_, x, ws);
  shown_.switching(context, x, with_bodies(x, ws));
}

template <class Space>
bool AbsoluteEquations<Space>::act(const Context& context, int function, State& x,
                                   Workspace& ws) const {
  set_norms(structure_, x, ws);
  return shown_.act(context, function, x, with_bodies(x, ws));
}

template <class Space>
bool AbsoluteEquations<Space>::freeze_conditions(const Context& context, State& x,
                                                 Workspace& ws) const {
  set_norms(structure_, x, ws);
  return shown_.freeze_conditions(context, x, with_bodies(x, ws));
}

template <class Space>
Equations::TimeEvent AbsoluteEquations<Space>::next_time(const Context& context,
                                                         const State& x) const {
  return shown_.next_time(context, x.t);
}

template <class Space>
void AbsoluteEquations<Space>::contact_laws(const Context& context, const State& x, Workspace& ws,
                                            std::span<ContactLaw> laws) const {
  if (!laws.empty()) shown_.contact_laws(context, x, with_bodies(x, ws), laws);
}

template <class Space>
std::vector<std::string> AbsoluteEquations<Space>::choose_assembly_branch(
    [[maybe_unused]] const Context& context, [[maybe_unused]] State& x) const {
  if constexpr (Space::dim == 2) {
    return {};
  } else {
    return mbs::choose_assembly_branch(mechanism(), context.parameters.derived.data(), x);
  }
}

template <class Space>
void AbsoluteEquations<Space>::initialize_memory(const Context& context, State& x,
                                                 Workspace& ws) const {
  mbs::initialize_memory(elements_.at(context, x, with_bodies(x, ws)), x);
}

template <class Space>
void AbsoluteEquations<Space>::Filters::set_filters_to_motion(const Context& context, State& x,
                                                              Workspace& workspace) const {
  auto& ws = static_cast<Own&>(workspace);
  place_bodies(elements.mechanism(), x.p, ws.bodies);
  move_bodies(elements.mechanism(), x.v, ws.bodies);
  mbs::set_filters_to_motion(elements.at(context, x, ws), x);
}

template <class Space>
State AbsoluteEquations<Space>::initial(const Context& context, double t0) const {
  const Mechanism<Space>& m = mechanism();
  const double* derived = context.parameters.derived.data();
  State x(sizes_);
  x.t = t0;
  start_following(m, context, t0, x.z);
  place_at_start(m, context, x);
  for (std::size_t i = 0; i < m.der.size(); ++i) x.r[i] = derived[m.state_start[i]];
  for (std::size_t i = 0; i < m.residuals.size(); ++i) x.w[i] = derived[m.algebraic_start[i]];
  for (std::size_t i = 0; i < m.discrete_start.size(); ++i) {
    const int start = m.discrete_start[i];
    x.z[m.discrete + static_cast<int>(i)] =
        start == absent ? std::numeric_limits<double>::quiet_NaN() : derived[start];
  }
  for (const GuideData& g : m.guides) {
    for (int i = 0; i < Space::dim - 1; ++i) {
      x.s[g.s + i] = derived[g.start[static_cast<std::size_t>(i)]];
    }
  }
  initialize_memory(context, x, *make_workspace());
  return x;
}

template class AbsoluteEquations<Planar>;
template class AbsoluteEquations<Spatial>;

}  // namespace mbs
