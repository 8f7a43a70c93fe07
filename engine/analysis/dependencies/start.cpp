// The start: rows, start values of coordinates, conditions.

#include <numeric>

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/multibody/bodies.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {
namespace {

// A partition of the numbers 0 ... n - 1 into groups.
class Groups {
 public:
  explicit Groups(int n) : next_(n) { std::iota(next_.begin(), next_.end(), 0); }
  int of(int k) {
    while (next_[k] != k) k = next_[k] = next_[next_[k]];
    return k;
  }
  void unite(int a, int b) { next_[of(a)] = of(b); }

 private:
  std::vector<int> next_;
};

}  // namespace

template <class Space>
void StructureTracer<Space>::add_start_conditions(const std::vector<Condition>& conditions,
                                                  bool of_rate) {
  StructureTrace& t = *trace_;
  for (const Condition& c : conditions) {
    Traced value;
    if (c.law != absent) {
      value = law(c.law);
    } else if (c.coordinate >= 0) {
      const Coordinate& q = coordinate_[c.coordinate];
      value = of_rate ? q.qd : q.q;
    } else {
      on_sides<Traced>(*this, c.a, c.b, ground, [&](const auto& a, const auto& b) {
        value = of_rate ? rate(spin(a, b, c.axis), a.body, b.body)
                        : perpendicular(a, b, c.axis, (c.axis + 1) % Space::dim).value;
      });
    }
    const int node = node_of(value - optional(c.target));
    (of_rate ? t.velocity_conditions : t.position_conditions).push_back(node);
    if (c.law != absent) (of_rate ? t.closing_velocities : t.closing_positions).push_back(node);
  }
}

// Rows of contacts need not be met at the start.
template <class Space>
void StructureTracer<Space>::add_row_conditions() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = *trace_;
  std::vector<char> meets(m.rows, 1);
  for (const ContactData& c : m.contacts) {
    if (c.normal >= 0) meets[c.normal] = 0;
    for (int i = 0; i < c.tangents; ++i) meets[c.tangent + i] = 0;
  }
  for (std::size_t k = 0; k < meets.size(); ++k) {
    if (meets[k] == 0) continue;
    t.position_conditions.push_back(t.position[k]);
    t.velocity_conditions.push_back(t.velocity[k]);
  }
  const auto closes = [&](int row) {
    t.closing_positions.push_back(t.position[row]);
    t.closing_velocities.push_back(t.velocity[row]);
  };
  for (const CouplingData& c : m.couplings) closes(c.row);
  for (const GuideData& g : m.guides) closes(g.row);
  for (const RollingData& r : m.rolling) for_rows_of(r, [&](int, int row) { closes(row); });
}

// Start values of coordinates that are not driven, and of turns in space.
template <class Space>
void StructureTracer<Space>::add_joint_conditions() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = *trace_;
  std::vector<char> driven(m.coordinates.size(), 0);
  for (const DriveData& d : m.drives) driven[d.coordinate] = 1;
  for (std::size_t k = 0; k < m.coordinates.size(); ++k) {
    if (driven[k] != 0) continue;
    const CoordinateData& c = m.coordinates[k];
    t.position_conditions.push_back(
        node_of(coordinate_[k].q - optional(c.q) + dependent(optional(c.sign))));
    t.velocity_conditions.push_back(node_of(coordinate_[k].qd - optional(c.qd)));
  }
  for (const JointData& joint : m.joints) {
    if (joint.rotation == absent && joint.omega == absent) continue;
    on_sides<Traced>(*this, joint.a, joint.b, ground, [&](const auto& a, const auto& b) {
      Traced turned, turning;
      for (int i = 0; i < 3 && Space::dim == 3; ++i) {
        const int j = (i + 1) % Space::dim;
        turned += perpendicular(a, b, i, j).value +
                  optional(joint.rotation == absent ? absent : joint.rotation + i);
        turning += rate(spin(a, b, i), a.body, b.body) +
                   optional(joint.omega == absent ? absent : joint.omega + i);
      }
      t.position_conditions.push_back(node_of(turned));
      t.velocity_conditions.push_back(node_of(turning));
    });
  }
}

// States, and values that are set at the start.
template <class Space>
void StructureTracer<Space>::add_start_values() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = *trace_;
  for (std::size_t k = 0; k < t.r_dot.size(); ++k) {
    const std::size_t i =
        k < m.der.size() || coordinates_.tree == nullptr ? k : coordinates_.r_of[k];
    const Traced start = i < m.der.size()
                             ? optional(m.state_start[i])
                             : dependent(coordinate_[m.counted[i - m.der.size()]].q,
                                         optional(m.coordinates[m.counted[i - m.der.size()]].q));
    t.r_start.push_back(node_of(start));
  }
  t.z_start.resize(x.z.size());
  for (std::size_t k = 0; k < t.z_start.size(); ++k) {
    Traced start;
    if (k < m.start_values.size()) {
      const auto a = this->template motion<Traced>(m.start_values[k].a, ground);
      const auto b = this->template motion<Traced>(m.start_values[k].b, ground);
      const auto d = b.r - a.r;
      if (m.start_values[k].kind == StartValue::Kind::distance) start = dependent(dot(d, d));
    } else if (static_cast<int>(k) >= m.discrete) {
      start = optional(m.discrete_start[k - m.discrete]);
    }
    t.z_start[k] = node_of(start);
  }
  for (std::size_t k = 0; k < m.contacts.size(); ++k)
    for (int i = m.contacts[k].direction; i >= 0 && i < m.discrete; ++i)
      if (i < m.contacts[k].direction + 5)
        trace_->graph.depend(t.z_start[i], t.contacts[k].law, false);
}

// An assembly is a set of bodies that joints join; ground joins nobody, but closes loops. A body
// that no joint places begins with its origin at that of ground.
template <class Space>
void StructureTracer<Space>::add_assemblies() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = *trace_;
  const int n = static_cast<int>(m.bodies.size());
  Groups joined(n), tied(n + 1), placed(n + 1);  // with ground, the last
  std::vector<char> loop(n, 0), constrained(n, 0);
  for (const JointData& joint : m.joints) {
    if (joint.couples) continue;
    const int a = body_of(joint.a), b = body_of(joint.b);
    const int at_a = a == ground ? n : a, at_b = b == ground ? n : b;
    placed.unite(at_a, at_b);
    if (joint.rows == 0 || at_a == at_b) continue;
    for (const int body : {a, b})
      if (body != ground) constrained[body] = 1;
    if (tied.of(at_a) == tied.of(at_b)) loop[std::min(at_a, at_b)] = 1;
    tied.unite(at_a, at_b);
    if (a != ground && b != ground) joined.unite(a, b);
  }
  std::vector<int> number(n, -1);
  for (int i = 0; i < n; ++i) {
    int& assembly = number[joined.of(i)];
    if (assembly < 0) {
      assembly = static_cast<int>(t.assemblies.size());
      t.assemblies.push_back({{}, {}, false, t.graph.add_nodes(1)});
    }
    StructureTrace::Assembly& to = t.assemblies[assembly];
    to.closed = to.closed || loop[i] != 0;
    const BodyData& body = m.bodies[i];
    if (placed.of(i) != placed.of(n))
      for (const Traced& origin : this->template motion<Traced>(body.origin, ground).r.x)
        t.position_conditions.push_back(node_of(origin));
    emit(to.masses, dependent(slots_[body.mass]));
    for (int k = 0; body.rotates && k < Space::inertia_numbers; ++k)
      emit(to.masses, dependent(slots_[body.inertia + k]));
    const std::size_t first_v = to.v.size();
    add_coordinates_of(i, to);
    if (constrained[i] == 0) continue;
    // One factorization solves for all accelerations of bodies that constraints join: they depend
    // on each other, by rounding at least.
    if (to.accelerations < 0) to.accelerations = t.graph.add_nodes(1);
    for (std::size_t k = first_v; k < to.v.size(); ++k) {
      t.graph.depend(t.a[to.v[k]], to.accelerations, false);
      t.graph.depend(to.accelerations, t.a[to.v[k]], false);
    }
  }
}

template <class Space>
void StructureTracer<Space>::add_coordinates_of(int body, StructureTrace::Assembly& to) const {
  const auto add = [&](int p, int np, int v, int nv) {
    for (int k = 0; k < np; ++k) to.p.push_back(p + k);
    for (int k = 0; k < nv; ++k) to.v.push_back(v + k);
  };
  const BodyData& data = mechanism.bodies[body];
  if (has_bodies()) add(data.p, size_p<Space>(data), data.v, size_v<Space>(data));
  if (coordinates_.tree == nullptr) return;
  const int k = coordinates_.tree->node_of[body];
  const TreeNode& node = coordinates_.tree->nodes[k];
  if (counts(node)) add(places_in_tree_[k][0], node.np, places_in_tree_[k][1], node.nv);
}

template class StructureTracer<Planar>;
template class StructureTracer<Spatial>;

}  // namespace mbs
