// Completes a start position that has been found: joints that were closed half a turn off are
// turned round, and z gets the values of the start that it keeps.
//
// The rows `perpendicular` of a joint vanish too where two of its axes are antiparallel. With the
// frames' axes A_a and A_b (inertial) the far side is then turned about the joint by
//
//   P = A_a A_b^T              all axes are to be parallel (weld, prismatic, an exact rotation)
//   P = 2 u_0 u_0^T - I        axis 2 alone (revolute), u_0 axis 0 of A_a
//
// which keeps the joint's rows at zero; P is a half turn in both. The far side is what hangs on b
// by joints without coming to a, or on a without coming to b; in a loop it is the body alone, and
// the loop is closed again afterwards.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/text.hpp"
#include "engine/multibody/drives.hpp"
#include "engine/multibody/measures.hpp"
#include "engine/multibody/start_memory.hpp"

namespace mbs {

namespace {

template <class Space>
std::vector<char> bodies_beyond(const Mechanism<Space>& m, int joint, int from, int not_to) {
  std::vector<char> reached(m.bodies.size() + 1, 0);  // ground first
  reached[1 + from] = 1;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
      if (static_cast<int>(j) == joint || m.joints[j].rows == 0) continue;
      char& a = reached[1 + m.frames[m.joints[j].a].body];
      char& b = reached[1 + m.frames[m.joints[j].b].body];
      if (a == b) continue;
      a = b = 1;
      more = true;
    }
  }
  if (!reached[1 + not_to] && !reached[0]) return reached;
  return {};
}

// Turns bodies by P about a point; velocities stay what they are in inertial axes.
void turn_bodies(const Mechanism<Spatial>& m, const std::vector<char>& which,
                 const Mat<double, 3>& P, const Vec<double, 3>& centre, State& x) {
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (!which[1 + i]) continue;
    const BodyData& data = m.bodies[i];
    Vec<double, 3> r, omega;
    for (int k = 0; k < 3; ++k) r[k] = x.p[data.p + k] - centre[k];
    r = P * r;
    for (int k = 0; k < 3; ++k) x.p[data.p + k] = centre[k] + r[k];
    if (!data.rotates) continue;
    const Mat<double, 3> R = rotation_of(&x.p[data.p + 3]);
    const Mat<double, 3> turned = P * R;
    for (int k = 0; k < 3; ++k) omega[k] = x.v[data.v + 3 + k];
    omega = transposed_times(turned, R * omega);
    for (int k = 0; k < 3; ++k) x.v[data.v + 3 + k] = omega[k];
    euler_parameters(turned, &x.p[data.p + 3]);
  }
}

}  // namespace

std::vector<std::string> choose_assembly_branch(const Mechanism<Spatial>& m, const double* derived,
                                                State& x) {
  const auto body = [&](int index) {
    static constexpr std::array<double, Spatial::nv> at_rest{};
    if (index == ground) return BodyState<Spatial, double>{};
    const BodyData& data = m.bodies[index];
    return body_state<Spatial>(x.p.data() + data.p, at_rest.data(), data.rotates);
  };
  std::vector<std::string> names;
  for (std::size_t k = 0, next = 0; k < m.alignments.size(); k = next) {
    // All alignments of one joint stand together.
    const Alignment& first = m.alignments[k];
    const int body_a = m.frames[first.a].body, body_b = m.frames[first.b].body;
    const auto a = frame_motion(body(body_a), m.frame(derived, first.a));
    const auto b = frame_motion(body(body_b), m.frame(derived, first.b));
    bool wrong = false;
    for (next = k; next < m.alignments.size() && m.alignments[next].a == first.a &&
                   m.alignments[next].b == first.b;
         ++next) {
      const int axis = m.alignments[next].axis;
      wrong = wrong || !(dot(a.A.column(axis), b.A.column(axis)) > 0.0);
    }
    if (!wrong) continue;
    names.push_back(m.joints[first.joint].name);
    Mat<double, 3> P = a.A * inverse(b.A);
    if (next - k == 1) {
      const Vec<double, 3> u = a.A.column((first.axis + 1) % 3);
      for (int i = 0; i < 9; ++i) P(i / 3, i % 3) = 2.0 * u[i / 3] * u[i % 3] - (i % 4 == 0);
    }
    std::vector<char> beyond_b, beyond_a;
    if (body_b != ground) beyond_b = bodies_beyond(m, first.joint, body_b, body_a);
    if (beyond_b.empty() && body_a != ground) {
      beyond_a = bodies_beyond(m, first.joint, body_a, body_b);
    }
    if (beyond_b.empty() && beyond_a.empty()) {
      auto& alone = body_b != ground ? beyond_b : beyond_a;
      alone.assign(m.bodies.size() + 1, 0);
      alone[1 + (body_b != ground ? body_b : body_a)] = 1;
    }
    if (!beyond_b.empty()) {
      turn_bodies(m, beyond_b, P, b.r, x);
    } else {
      turn_bodies(m, beyond_a, inverse(P), a.r, x);
    }
  }
  return names;
}

template <class Space>
void initialize_memory(const Evaluation<Space>& here, State& x) {
  const Mechanism<Space>& m = here.mechanism;
  const Context& context = here.context;
  start_following(m, context, x.t, x.z);
  for (std::size_t k = 0; k < m.start_values.size(); ++k) {
    const StartValue& what = m.start_values[k];
    const auto a = here.template motion<double>(what.a, ground);
    const auto b = here.template motion<double>(what.b, ground);
    if (what.kind == StartValue::Kind::distance) {
      const auto d = b.r - a.r;
      x.z[k] = std::sqrt(dot(d, d));
    } else if (what.kind == StartValue::Kind::pole) {
      const auto d = b.r - a.r;
      int axis = 0;
      for (int i = 1; i < Space::dim; ++i) {
        if (std::abs(d[i]) > std::abs(d[axis])) axis = i;
      }
      x.z[k] = d[axis] < 0.0 ? axis + 3 : axis;
    } else if constexpr (Space::dim == 2) {
      const double angle = here.optional(what.angle) * here.optional(what.sign, 1.0);
      x.z[k] = std::round((b.A.angle - a.A.angle - angle) / (2.0 * std::numbers::pi));
    }
  }
  for (std::size_t k = 0; k < m.counted.size(); ++k) {
    double& counter = x.r[m.der.size() + k];
    double q, qd;
    counter = here.optional(m.coordinates[m.counted[k]].q);
    coordinate_values(here, m.counted[k], q, qd);
    counter = q;
  }
  for (const DriveData& d : m.drives) {
    const CoordinateData& c = m.coordinates[static_cast<std::size_t>(d.coordinate)];
    const double to = d.sign * prescribed(m, context, x.t, x.z, d).value;
    double q, qd;
    coordinate_values(here, d.coordinate, q, qd);
    const double turns = std::round((q - to) / (2.0 * std::numbers::pi));
    if (c.kind == CoordinateData::Kind::plane_angle)
      x.z[c.turns] += turns * here.optional(c.sign, 1.0);
    if (c.counter >= 0) x.r[c.counter] -= 2.0 * std::numbers::pi * turns;
  }
}

template <class Space>
std::string change_filters(const Mechanism<Space>& m, const Vector& g_scale, const Context& before,
                           const Context& after, double t, Vector& z) {
  std::string wrong;
  for (const DriveData& d : m.drives) {
    if (d.input < 0) continue;
    const Expression::Jet so_far = prescribed(m, before, t, z, d);
    z.segment<3>(d.state) << t, so_far.value, so_far.first;
    const double step = prescribed(m, after, t, z, d).value - so_far.value;
    if (!(std::abs(step) > 1e-6 * g_scale[d.row]) || !wrong.empty()) continue;
    wrong = "drive '" + d.name + "' would have to move by " + number_text(step) +
            " at once: the input that it follows has stepped, and its lag is 0";
  }
  return wrong;
}

template <class Space>
std::vector<InputFilterStates::Following> following_drives(const Mechanism<Space>& m) {
  std::vector<InputFilterStates::Following> result;
  for (const DriveData& d : m.drives)
    if (d.input >= 0) result.push_back({d.name, d.row, d.lag});
  return result;
}

template <class Space>
void set_filters_to_motion(const Evaluation<Space>& here, State& x) {
  for (const DriveData& d : here.mechanism.drives) {
    if (d.input < 0 || here[d.lag] == 0.0) continue;
    double q, qd;
    coordinate_values(here, d.coordinate, q, qd);
    x.z.segment<3>(d.state) << x.t, d.sign * q, d.sign * qd;
  }
}

template void initialize_memory(const Evaluation<Planar>&, State&);
template void initialize_memory(const Evaluation<Spatial>&, State&);
template std::string change_filters(const Mechanism<Planar>&, const Vector&, const Context&,
                                    const Context&, double, Vector&);
template std::string change_filters(const Mechanism<Spatial>&, const Vector&, const Context&,
                                    const Context&, double, Vector&);
template std::vector<InputFilterStates::Following> following_drives(const Mechanism<Planar>&);
template std::vector<InputFilterStates::Following> following_drives(const Mechanism<Spatial>&);
template void set_filters_to_motion(const Evaluation<Planar>&, State&);
template void set_filters_to_motion(const Evaluation<Spatial>&, State&);

}  // namespace mbs
