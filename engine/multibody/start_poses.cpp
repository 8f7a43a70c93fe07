#include "engine/multibody/start_poses.hpp"

#include <numbers>

#include "engine/multibody/drives.hpp"

namespace mbs {

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
struct CoordinateStart {
  double q, qd;
};
template <class Space>
std::vector<CoordinateStart> start_values(const Mechanism<Space>& m, const Context& context,
                                          const State& x) {
  const auto optional = [&](int slot) {
    return slot == absent ? 0.0 : context.parameters.derived[slot];
  };
  std::vector<CoordinateStart> values;
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
                       const std::vector<CoordinateStart>& values) {
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

template <class Space>
class StartPoses {
 public:
  StartPoses(const Mechanism<Space>& mechanism, const Context& context, const State& x)
      : m_(mechanism),
        derived_(context.parameters.derived.data()),
        values_(start_values(mechanism, context, x)),
        joints_at_(mechanism.bodies.size() + 1),
        poses_(mechanism.bodies.size() + 1),
        placed_(mechanism.bodies.size() + 1, 0) {
    for (const bool exact : {true, false}) {
      for (std::size_t j = 0; j < m_.joints.size(); ++j) {
        if (m_.joints[j].exact != exact) continue;
        for (const int side : {m_.joints[j].a, m_.joints[j].b})
          joints_at_[1 + m_.frames[side].body].push_back(static_cast<int>(j));
      }
    }
  }

  void store(State& x) {
    walk_from(0);
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
      if (!placed_[1 + i]) {  // no joint leads to ground: its origin is at ground's
        poses_[1 + i].r = -m_.frame(derived_, m_.bodies[i].origin).s;
        walk_from(static_cast<int>(1 + i));
      }
      store_pose(poses_[1 + i], m_.bodies[i], x);
    }
  }

 private:
  Pose<Space> frame_pose(int frame) const {
    const FrameConstants<Space> f = m_.frame(derived_, frame);
    return {f.s, {}, f.R, {}};
  }

  // The next body by a joint j at `from`; false: it is placed.
  bool place(int from, int j) {
    const JointData& joint = m_.joints[j];
    const bool forward = 1 + m_.frames[joint.a].body == from;
    const int near = forward ? joint.a : joint.b, far = forward ? joint.b : joint.a;
    const int to = 1 + m_.frames[far].body;
    if (placed_[to]) return false;
    placed_[to] = 1;
    Pose<Space> relative = start_pose(m_, joint, derived_, values_);
    if (!forward) relative = inverse(relative);
    poses_[to] =
        after(after(after(poses_[from], frame_pose(near)), relative), inverse(frame_pose(far)));
    if (!m_.bodies[to - 1].rotates) {  // its axes are those of ground
      poses_[to].A = no_rotation<Space, double>();
      poses_[to].omega = {};
    }
    queue_.push_back(to);
    return true;
  }

  bool start_values_place(int j) const { return m_.joints[j].kind || m_.joints[j].rows == 0; }

  bool place_by_another(std::size_t& first) {
    for (; first < queue_.size(); ++first) {
      for (const int j : joints_at_[queue_[first]])
        if (!start_values_place(j) && place(queue_[first], j)) return true;
    }
    return false;
  }

  void walk_from(int start) {
    queue_.assign(1, start);
    placed_[start] = 1;
    std::size_t next = 0, next_of_others = 0;
    do {
      for (; next < queue_.size(); ++next) {
        for (const int j : joints_at_[queue_[next]])
          if (start_values_place(j)) place(queue_[next], j);
      }
    } while (place_by_another(next_of_others));
  }

  const Mechanism<Space>& m_;
  const double* derived_;
  const std::vector<CoordinateStart> values_;
  std::vector<std::vector<int>> joints_at_;  // each body, exact ones first; ground is the first
  std::vector<Pose<Space>> poses_;
  std::vector<char> placed_;
  std::vector<int> queue_;
};

}  // namespace

template <class Space>
void place_at_start(const Mechanism<Space>& m, const Context& context, State& x) {
  StartPoses<Space>(m, context, x).store(x);
}

template void place_at_start(const Mechanism<Planar>&, const Context&, State&);
template void place_at_start(const Mechanism<Spatial>&, const Context&, State&);

}  // namespace mbs
