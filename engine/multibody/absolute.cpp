// The stages, and where bodies are at first: joints are walked from ground breadth-first, those
// with exact targets before the others, each placing a body by its start values from the side that
// is placed already. Joints whose start values do not place a body (<rod>, <parallel>, <in_line>,
// <in_plane>) place one that no other joint reaches. Loops are closed by initial.hpp.

#include "engine/multibody/absolute.hpp"

#include <numbers>

#include "engine/multibody/drives.hpp"
#include "engine/multibody/start_memory.hpp"

namespace mbs {

template <class Space>
AbsoluteEquations<Space>::AbsoluteEquations(const Model& model,
                                            std::unique_ptr<const Mechanism<Space>> mechanism)
    : elements_(model, std::move(mechanism), true),
      shown_(elements_),
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
void AbsoluteEquations<Space>::prepare_outputs(const Context& context, const State& x,
                                               Workspace& ws) const {
  shown_.prepare_outputs(context, x, static_cast<Own&>(ws));
}

template <class Space>
void AbsoluteEquations<Space>::output_change(const Variation& change, Eigen::Ref<Vector> dy,
                                             Workspace& ws) const {
  static_cast<Own&>(ws).output_columns.apply(change, dy);
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
std::string AbsoluteEquations<Space>::change(const Context& before, const Context& after, double t,
                                             Vector& z) const {
  return change_filters(mechanism(), structure_.g_scale, before, after, t, z);
}

template <class Space>
std::vector<InputFilterStates::Following> AbsoluteEquations<Space>::following() const {
  return following_drives(mechanism());
}

template <class Space>
void AbsoluteEquations<Space>::set_filters_to_motion(const Context& context, State& x,
                                                     Workspace& ws) const {
  mbs::set_filters_to_motion(elements_.at(context, x, with_bodies(x, ws)), x);
}

namespace {

// Position, rotation and velocities of a frame; omega in inertial axes.
template <class Space>
struct Pose {
  Vec<double, Space::dim> r, v;
  typename Space::template Rotation<double> A = no_rotation<Space, double>();
  Vec<double, Space::rot> omega;
};

// A frame seen from another, b after a; and back.
template <class Space>
Pose<Space> after(const Pose<Space>& a, const Pose<Space>& b) {
  const Vec<double, Space::dim> d = turn(a.A, b.r);
  return {a.r + d, a.v + cross(a.omega, d) + turn(a.A, b.v), compose(a.A, b.A),
          a.omega + turn(a.A, b.omega)};
}
template <class Space>
Pose<Space> inverse(const Pose<Space>& a) {
  const auto back = inverse(a.A);
  return {-turn(back, a.r), turn(back, cross(a.omega, a.r) - a.v), back, -turn(back, a.omega)};
}

// q and q' of every coordinate at the start: the start values of its joint, or as it is driven.
struct StartValue {
  double q, qd;
};
template <class Space>
std::vector<StartValue> start_values(const Mechanism<Space>& m, const Context& context,
                                     const State& x) {
  const auto optional = [&](int slot) {
    return slot == absent ? 0.0 : context.parameters.derived[slot];
  };
  std::vector<StartValue> values;
  for (const CoordinateData& c : m.coordinates) values.push_back({optional(c.q), optional(c.qd)});
  for (const DriveData& d : m.drives) {
    const Expression::Jet to = prescribed(m, context, x.t, x.z, d);
    values[static_cast<std::size_t>(d.coordinate)] = {d.sign * to.value, d.sign * to.first};
  }
  return values;
}

// b against a at a joint's start values.
template <class Space>
Pose<Space> start_pose(const Mechanism<Space>& m, const JointData& joint, const double* derived,
                       const std::vector<StartValue>& values) {
  Pose<Space> pose;
  for (const int index : joint.coordinates) {
    const CoordinateData& c = m.coordinates[index];
    const auto [q, qd] = values[static_cast<std::size_t>(index)];
    const double sign = c.sign == absent ? 1.0 : derived[c.sign];
    if (c.kind == CoordinateData::Kind::translation) {  // along axes of a, before all turns
      pose.r[c.axis] = q;
      pose.v[c.axis] = qd;
      continue;
    }
    if constexpr (Space::dim == 2) {
      pose.A = plane_rotation(sign * q);
      pose.omega[0] = sign * qd;
    } else {
      const Mat<double, 3> turned = pose.A * rotation_about(c.axis, sign * q);
      Vec<double, 3> axis;  // as turned by those before
      for (int i = 0; i < 3; ++i) axis[i] = turned(i, c.axis);
      pose.A = turned;
      pose.omega += sign * qd * axis;
    }
  }
  if constexpr (Space::dim == 3) {
    if (joint.pitch != absent) {
      const auto [q, qd] = values[static_cast<std::size_t>(joint.coordinates.front())];
      const double advance = derived[joint.pitch] / (2.0 * std::numbers::pi);
      pose.r[2] = advance * q;
      pose.v[2] = advance * qd;
    }
    if (joint.rotation != absent) pose.A = cardan_rotation(derived + joint.rotation);
    for (int i = 0; joint.omega != absent && i < 3; ++i) pose.omega[i] = derived[joint.omega + i];
  }
  return pose;
}

template <class Space>
void store_pose(const Pose<Space>& pose, const BodyData& body, State& x) {
  for (int i = 0; i < Space::dim; ++i) {
    x.p[body.p + i] = pose.r[i];
    x.v[body.v + i] = pose.v[i];
  }
  if (!body.rotates) return;
  const Vec<double, Space::rot> omega = turn_back(pose.A, pose.omega);
  for (int i = 0; i < Space::rot; ++i) x.v[body.v + Space::dim + i] = omega[i];
  if constexpr (Space::dim == 2) {
    x.p[body.p + 2] = pose.A.angle;
  } else {
    euler_parameters(pose.A, &x.p[body.p + 3]);
  }
}

}  // namespace

template <class Space>
State AbsoluteEquations<Space>::initial(const Context& context, double t0) const {
  const Mechanism<Space>& m = mechanism();
  const double* derived = context.parameters.derived.data();
  State x(sizes_);
  x.t = t0;
  start_following(m, context, t0, x.z);
  const std::vector<StartValue> values = start_values(m, context, x);

  // Joints at each body, exact ones first.
  std::vector<std::vector<int>> joints_at(m.bodies.size() + 1);
  for (const bool exact : {true, false}) {
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
      if (m.joints[j].exact != exact) continue;
      for (const int side : {m.joints[j].a, m.joints[j].b}) {
        joints_at[1 + m.frames[side].body].push_back(static_cast<int>(j));
      }
    }
  }
  std::vector<Pose<Space>> poses(m.bodies.size() + 1);  // ground first
  std::vector<char> placed(m.bodies.size() + 1, 0);
  const auto frame_pose = [&](int frame) {
    const FrameConstants<Space> f = m.frame(derived, frame);
    return Pose<Space>{f.s, {}, f.R, {}};
  };
  std::vector<int> queue;
  // The next body by a joint j at `from`; false: it is placed.
  const auto place = [&](int from, int j) {
    const JointData& joint = m.joints[j];
    const bool forward = 1 + m.frames[joint.a].body == from;
    const int near = forward ? joint.a : joint.b, far = forward ? joint.b : joint.a;
    const int to = 1 + m.frames[far].body;
    if (placed[to]) return false;
    placed[to] = 1;
    Pose<Space> relative = start_pose(m, joint, derived, values);
    if (!forward) relative = inverse(relative);
    poses[to] =
        after(after(after(poses[from], frame_pose(near)), relative), inverse(frame_pose(far)));
    if (!m.bodies[to - 1].rotates) {  // its axes are those of ground
      poses[to].A = no_rotation<Space, double>();
      poses[to].omega = {};
    }
    queue.push_back(to);
    return true;
  };
  const auto places_body = [&](int j) {
    return m.joints[j].motion != JointMotion::other || m.joints[j].rows == 0;
  };
  const auto place_by_another = [&](std::size_t& first) {
    for (; first < queue.size(); ++first) {
      for (const int j : joints_at[queue[first]])
        if (!places_body(j) && place(queue[first], j)) return true;
    }
    return false;
  };
  const auto walk_from = [&](int start) {
    queue.assign(1, start);
    placed[start] = 1;
    std::size_t next = 0, next_of_others = 0;
    do {
      for (; next < queue.size(); ++next) {
        for (const int j : joints_at[queue[next]])
          if (places_body(j)) place(queue[next], j);
      }
    } while (place_by_another(next_of_others));
  };
  walk_from(0);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (!placed[1 + i]) {  // not held by ground: its origin is at ground's
      poses[1 + i].r = -m.frame(derived, m.bodies[i].origin).s;
      walk_from(static_cast<int>(1 + i));
    }
    store_pose(poses[1 + i], m.bodies[i], x);
  }

  for (std::size_t i = 0; i < m.der.size(); ++i) x.r[i] = derived[m.state_start[i]];
  for (std::size_t i = 0; i < m.residuals.size(); ++i) x.w[i] = derived[m.algebraic_start[i]];
  for (std::size_t i = 0; i < m.discrete_start.size(); ++i) {
    x.z[m.discrete + static_cast<int>(i)] = derived[m.discrete_start[i]];
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
