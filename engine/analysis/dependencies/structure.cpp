// States of elements and laws, outputs, switching functions, and what the start has to meet.

#include <numeric>

#include "engine/analysis/dependencies/structure.hpp"
#include "engine/analysis/dependencies/traced_bodies.hpp"
#include "engine/multibody/bodies.hpp"
#include "engine/multibody/measure_formulas.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

// A residual that says nothing of its own unknown is solved with all others.
template <class Space>
void StructureTracer<Space>::add_laws() {
  for (std::size_t k = 0; k < mechanism.der.size(); ++k) {
    open_scope();
    if (mechanism.der[k] != absent) emit(trace_.r_dot[k], law(mechanism.der[k]));
  }
  for (std::size_t k = mechanism.der.size(); k < trace_.r_dot.size(); ++k) {
    open_scope();
    const int counter = coordinates_.tree == nullptr ? static_cast<int>(k) : coordinates_.r_of[k];
    const int c = mechanism.counted[static_cast<std::size_t>(counter) - mechanism.der.size()];
    emit(trace_.r_dot[k], load(coordinate_[static_cast<std::size_t>(c)].qd));
  }
  for (std::size_t k = 0; k < mechanism.residuals.size(); ++k) {
    open_scope();
    const int index = mechanism.residuals[k];
    const int residual = node_of(law(index));
    const auto contains = [&](std::size_t w) {
      return std::ranges::any_of(
          mechanism.laws[static_cast<std::size_t>(index)].arguments, [&](const Law::Argument& a) {
            return a.kind == SymbolKind::algebraic && static_cast<std::size_t>(a.index) == w;
          });
    };
    for (std::size_t w = 0; w < auxiliary_.size(); ++w)
      if (w == k || contains(w) || !contains(k)) graph().depend(auxiliary_[w], residual, false);
  }
  for (std::size_t k = 0; k < mechanism.measures.size(); ++k) {
    open_scope();
    const MeasureData& data = mechanism.measures[k];
    const Quantity quantity = data.measure.quantity;
    const bool of_coordinate = data.coordinate >= 0;
    emit(measures_[k], !of_coordinate                     ? measured<Traced>(*this, data, ground)
                       : quantity == Quantity::coordinate ? load(coordinate_[data.coordinate].q)
                                                          : load(coordinate_[data.coordinate].qd));
  }
}

template <class Space>
Traced StructureTracer<Space>::energy(const OutputData& data) {
  std::vector<int> parts;
  const Quantity quantity = data.measure.quantity;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    if (data.body >= 0 && data.body != static_cast<int>(i)) continue;
    open_scope();
    const BodyData& body_data = mechanism.bodies[i];
    const auto state = this->template body<Traced>(static_cast<int>(i), ground);
    const Traced mass = (*this)[body_data.mass];
    Traced one;
    if (quantity != Quantity::potential_energy) {
      one = mass * dot(state.v, state.v);
      if (body_data.rotates) {
        std::array<Traced, Space::inertia_numbers> J;
        for (int k = 0; k < Space::inertia_numbers; ++k) J[k] = (*this)[body_data.inertia + k];
        one += dot(state.omega, inertia_times(J.data(), state.omega));
      }
    }
    for (int k = 0; quantity != Quantity::kinetic_energy && k < Space::dim; ++k)
      one += mass * (*this)[mechanism.gravity + k] * state.r[k];
    parts.push_back(node_of(one));
  }
  open_scope();
  if (quantity != Quantity::kinetic_energy)
    parts.insert(parts.end(), potential_.begin(), potential_.end());
  const int all = graph().add_nodes(1);
  for (const int part : parts) graph().depend(all, part, true);
  return variable(all);
}

template <class Space>
Traced StructureTracer<Space>::output(const OutputData& data) {
  const Measure& what = data.measure;
  switch (what.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::orientation:
    case Quantity::angular_velocity:
      return measured<Traced>(*this, data, ground);
    case Quantity::reaction: {
      // One solution gives all components: rounding of the others is in those that are zero, too.
      OutputData force = data, moment = data;
      force.measure.component = 6;
      moment.measure.component = 7;
      return dependent(measured<Traced>(*this, data, ground),
                       measured<Traced>(*this, force, ground),
                       measured<Traced>(*this, moment, ground));
    }
    case Quantity::coordinate:
      return load(coordinate_[static_cast<std::size_t>(data.coordinate)].q);
    case Quantity::coordinate_rate:
      return load(coordinate_[static_cast<std::size_t>(data.coordinate)].qd);
    case Quantity::coordinate_acceleration:
      return load(coordinate_[static_cast<std::size_t>(data.coordinate)].qdd);
    case Quantity::acceleration:
    case Quantity::angular_acceleration:
      return acceleration_of<Traced>(*this, what, ground, ground);
    case Quantity::kinetic_energy:
    case Quantity::potential_energy:
    case Quantity::energy:
      return energy(data);
    case Quantity::residual:
    case Quantity::velocity_residual: {
      const int all = graph().add_nodes(1);
      const bool of_positions = what.quantity == Quantity::residual;
      for (const int row : of_positions ? trace_.position : trace_.velocity)
        graph().depend(all, row, false);
      for (int k = 0; of_positions && k < static_cast<int>(trace_.p_dot.size()); ++k)
        if (is_euler_parameter(k)) graph().depend(all, trace_.p + k, false);
      return variable(all);
    }
    case Quantity::expression:
      return law(data.law);
    default:  // forces are shown by the elements, counters by the simulation
      return {};
  }
}

template <class Space>
bool StructureTracer<Space>::is_euler_parameter(int p) const {
  if constexpr (Space::dim == 2) return false;
  const auto among = [p](int first) { return p >= first && p < first + 4; };
  if (coordinates_.tree == nullptr || coordinates_.mixed)
    for (const BodyData& body : mechanism.bodies)
      if (body.rotates && among(body.p + 3)) return true;
  for (std::size_t k = 0; k < places_in_tree_.size(); ++k) {
    const TreeNode& node = coordinates_.tree->nodes[k];
    const bool counted = !coordinates_.mixed || node.joint >= 0;
    if (counted && node.np > node.nv && among(places_in_tree_[k][0] + node.np - 4)) return true;
  }
  return false;
}

template <class Space>
void StructureTracer<Space>::add_outputs() {
  for (std::size_t k = 0; k < mechanism.outputs.size(); ++k) {
    open_scope();
    emit(trace_.outputs[k], output(mechanism.outputs[k]));
  }
}

template <class Space>
void StructureTracer<Space>::add_indicators() {
  for (const EventData& event : mechanism.events) {
    open_scope();
    trace_.indicators.push_back(node_of(event.of_time() ? Traced() : law(event.condition)));
  }
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    open_scope();
    const ContactData& c = mechanism.contacts[k];
    if (c.normal >= 0)
      trace_.indicators.push_back(
          node_of(dependent(variable(trace_.position[c.normal]), multiplier(c.normal))));
    if (c.tangents == 0) continue;
    Traced left = variable(trace_.mode + static_cast<int>(k));
    if (c.low_speed >= 0) left = dependent(left, variable(trace_.time));
    for (int i = 0; i < c.tangents; ++i)
      left = dependent(left, multiplier(c.tangent + i), variable(trace_.velocity[c.tangent + i]));
    if (c.normal >= 0) left = dependent(left, multiplier(c.normal), optional(c.mu_static));
    if (c.limit != absent) left = dependent(left, law(c.limit), optional(c.static_ratio));
    trace_.indicators.push_back(node_of(left));
  }
}

// The start: rows, start values of coordinates, conditions.

template <class Space>
void StructureTracer<Space>::add_start_conditions(const std::vector<Condition>& conditions,
                                                  bool of_rate) {
  StructureTrace& t = trace_;
  for (const Condition& c : conditions) {
    open_scope();
    Traced value;
    if (c.law != absent) {
      value = law(c.law);
    } else if (c.coordinate >= 0) {
      const Coordinate& q = coordinate_[static_cast<std::size_t>(c.coordinate)];
      value = load(of_rate ? q.qd : q.q);
    } else {
      on_sides<Traced>(*this, c.a, c.b, ground, [&](const auto& a, const auto& b) {
        value = of_rate ? rate(spin(a, b, c.axis), a.body, b.body)
                        : dot1(a, b, c.axis, (c.axis + 1) % Space::dim).value;
      });
    }
    const int node = node_of(value - optional(c.target));
    (of_rate ? t.velocity_conditions : t.position_conditions).push_back(node);
    if (c.law != absent) (of_rate ? t.closing_velocities : t.closing_positions).push_back(node);
  }
}

template <class Space>
void StructureTracer<Space>::add_start() {
  add_row_conditions();
  add_joint_conditions();
  add_start_conditions(mechanism.position_conditions, false);
  add_start_conditions(mechanism.velocity_conditions, true);
  add_remembered();
  add_assemblies();
}

// Rows of contacts need not be met at the start.
template <class Space>
void StructureTracer<Space>::add_row_conditions() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = trace_;
  std::vector<char> meets(static_cast<std::size_t>(m.rows), 1);
  for (const ContactData& c : m.contacts) {
    if (c.normal >= 0) meets[static_cast<std::size_t>(c.normal)] = 0;
    for (int i = 0; i < c.tangents; ++i) meets[static_cast<std::size_t>(c.tangent + i)] = 0;
  }
  for (std::size_t k = 0; k < meets.size(); ++k) {
    if (meets[k] == 0) continue;
    t.position_conditions.push_back(t.position[k]);
    t.velocity_conditions.push_back(t.velocity[k]);
  }
  const auto closes = [&](int row) {
    t.closing_positions.push_back(t.position[static_cast<std::size_t>(row)]);
    t.closing_velocities.push_back(t.velocity[static_cast<std::size_t>(row)]);
  };
  for (const CouplingData& c : m.couplings) closes(c.row);
  for (const GuideData& g : m.guides) closes(g.row);
  for (const RollingData& r : m.rolling) for_rows_of(r, [&](int, int row) { closes(row); });
}

// Start values of coordinates that are not driven, and of turns in space.
template <class Space>
void StructureTracer<Space>::add_joint_conditions() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = trace_;
  std::vector<char> driven(m.coordinates.size(), 0);
  for (const DriveData& d : m.drives) driven[static_cast<std::size_t>(d.coordinate)] = 1;
  for (std::size_t k = 0; k < m.coordinates.size(); ++k) {
    if (driven[k] != 0) continue;
    open_scope();
    const CoordinateData& c = m.coordinates[k];
    t.position_conditions.push_back(
        node_of(load(coordinate_[k].q) - optional(c.q) + dependent(optional(c.sign))));
    t.velocity_conditions.push_back(node_of(load(coordinate_[k].qd) - optional(c.qd)));
  }
  for (const JointData& joint : m.joints) {
    if (joint.rotation == absent && joint.omega == absent) continue;
    open_scope();
    on_sides<Traced>(*this, joint.a, joint.b, ground, [&](const auto& a, const auto& b) {
      Traced turned, turning;
      for (int i = 0; i < 3 && Space::dim == 3; ++i) {
        const int j = (i + 1) % Space::dim;
        turned += dot1(a, b, i, j).value +
                  optional(joint.rotation == absent ? absent : joint.rotation + i);
        turning += rate(spin(a, b, i), a.body, b.body) +
                   optional(joint.omega == absent ? absent : joint.omega + i);
      }
      t.position_conditions.push_back(node_of(turned));
      t.velocity_conditions.push_back(node_of(turning));
    });
  }
}

// States, and what is remembered of the start.
template <class Space>
void StructureTracer<Space>::add_remembered() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = trace_;
  for (std::size_t k = 0; k < t.r_dot.size(); ++k) {
    open_scope();
    const std::size_t i = k < m.der.size() || coordinates_.tree == nullptr
                              ? k
                              : static_cast<std::size_t>(coordinates_.r_of[k]);
    const Traced start = i < m.der.size()
                             ? optional(m.state_start[i])
                             : dependent(load(coordinate_[m.counted[i - m.der.size()]].q),
                                         optional(m.coordinates[m.counted[i - m.der.size()]].q));
    t.r_start.push_back(node_of(start));
  }
  t.z_start.resize(x.z.entries.size());
  for (std::size_t k = 0; k < t.z_start.size(); ++k) {
    open_scope();
    Traced start;
    if (k < m.remembered.size()) {
      const auto a = this->template motion<Traced>(m.remembered[k].a, ground);
      const auto b = this->template motion<Traced>(m.remembered[k].b, ground);
      const auto d = b.r - a.r;
      if (m.remembered[k].kind == Remembered::Kind::distance) start = dependent(dot(d, d));
    } else if (static_cast<int>(k) >= m.discrete) {
      start = optional(m.discrete_start[k - static_cast<std::size_t>(m.discrete)]);
    }
    t.z_start[k] = node_of(start);
  }
  for (std::size_t k = 0; k < m.contacts.size(); ++k)
    for (int i = m.contacts[k].direction; i >= 0 && i < m.discrete; ++i)
      if (i < m.contacts[k].direction + 5) graph().depend(t.z_start[i], t.contacts[k].law, false);
}

// Joined by joints; ground joins nobody, but closes loops. What no joint places begins with its
// origin at that of ground.
template <class Space>
void StructureTracer<Space>::add_assemblies() {
  const Mechanism<Space>& m = mechanism;
  const std::size_t n = m.bodies.size();
  std::vector<std::size_t> joined(n), tied(n + 1);  // with ground, the last
  std::iota(joined.begin(), joined.end(), 0);
  std::iota(tied.begin(), tied.end(), 0);
  const auto root = [](std::vector<std::size_t>& of, std::size_t k) {
    while (of[k] != k) k = of[k] = of[of[k]];
    return k;
  };
  std::vector<char> loop(n, 0), constrained(n, 0);
  std::vector<std::size_t> placed = tied;
  for (const JointData& joint : m.joints) {
    if (joint.couples) continue;
    const int a = body_of(joint.a), b = body_of(joint.b);
    const auto place = [&](int body) {
      return body == ground ? n : static_cast<std::size_t>(body);
    };
    placed[root(placed, place(a))] = root(placed, place(b));
    if (joint.rows == 0) continue;
    for (const int body : {a, b})
      if (body != ground) constrained[static_cast<std::size_t>(body)] = 1;
    const std::size_t at_a = root(tied, place(a)), at_b = root(tied, place(b));
    if (at_a == at_b && (a != ground || b != ground)) loop[place(a == ground ? b : a)] = 1;
    tied[at_a] = at_b;
    if (a != ground && b != ground) joined[root(joined, place(a))] = root(joined, place(b));
  }
  std::vector<int> number(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    int& assembly = number[root(joined, i)];
    if (assembly < 0) {
      assembly = static_cast<int>(trace_.assemblies.size());
      trace_.assemblies.push_back({{}, {}, false, false, graph().add_nodes(1)});
    }
    StructureTrace::Assembly& to = trace_.assemblies[static_cast<std::size_t>(assembly)];
    to.closed = to.closed || loop[i] != 0;
    to.constrained = to.constrained || constrained[i] != 0;
    const BodyData& body = m.bodies[i];
    open_scope();
    if (root(placed, i) != root(placed, n))
      for (const Traced& origin : this->template motion<Traced>(body.origin, ground).r.x)
        trace_.position_conditions.push_back(node_of(origin));
    Traced mass = dependent((*this)[body.mass]);
    for (int k = 0; body.rotates && k < Space::inertia_numbers; ++k)
      mass = dependent(mass, (*this)[body.inertia + k]);
    emit(to.masses, mass);
    add_coordinates_of(i, to);
  }
  // One factorization solves for all accelerations of bodies that constraints join: they depend on
  // each other, by rounding at least.
  for (const StructureTrace::Assembly& assembly : trace_.assemblies) {
    if (!assembly.constrained) continue;
    for (std::size_t k = 0; k < assembly.v.size(); ++k) {
      const auto a = [&](std::size_t i) {
        return trace_.a[static_cast<std::size_t>(assembly.v[i % assembly.v.size()])];
      };
      graph().depend(a(k), a(k + 1), false);
    }
  }
}

template <class Space>
void StructureTracer<Space>::add_coordinates_of(std::size_t body,
                                                StructureTrace::Assembly& to) const {
  const BodyData& data = mechanism.bodies[body];
  const auto add = [&](int p, int np, int v, int nv) {
    for (int k = 0; k < np; ++k) to.p.push_back(p + k);
    for (int k = 0; k < nv; ++k) to.v.push_back(v + k);
  };
  if (coordinates_.tree == nullptr || coordinates_.mixed)
    add(data.p, data.rotates ? Space::np : Space::dim, data.v,
        data.rotates ? Space::nv : Space::dim);
  if (coordinates_.tree == nullptr) return;
  const auto k = static_cast<std::size_t>(coordinates_.tree->node_of[body]);
  const TreeNode& node = coordinates_.tree->nodes[k];
  if (!coordinates_.mixed || node.joint >= 0)
    add(places_in_tree_[k][0], node.np, places_in_tree_[k][1], node.nv);
}

template <class Space>
StructureTrace StructureTracer<Space>::run() {
  this->add_rows();
  add_laws();
  add_outputs();
  add_indicators();
  add_start();
  return std::move(trace_);
}

template class StructureTracer<Planar>;
template class StructureTracer<Spatial>;

}  // namespace mbs
