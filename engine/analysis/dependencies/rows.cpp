// The rows of the equations of motion: inertia, constraints, contacts.

#include <algorithm>

#include "engine/analysis/dependencies/tracer.hpp"
#include "engine/multibody/bodies.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/measures.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

template <class Space>
auto StructureTracer<Space>::accelerations(int body, bool all) const -> Block {
  Block a;
  if (body == ground) return a;
  const BodyData& data = mechanism.bodies[body];
  const auto one = [&](int i) { return all ? variable(forces_[data.v + i]) : x.a[data.v + i]; };
  for (int i = 0; i < Space::dim; ++i) a.linear[i] = one(i);
  for (int i = 0; data.rotates && i < Space::rot; ++i) a.angular[i] = one(Space::dim + i);
  return a;
}

// A force in inertial axes and a torque in body axes, times a factor.
template <class Space>
void StructureTracer<Space>::push(int body, const Block& load, const Traced& factor) {
  if (body == ground) return;
  const BodyData& data = mechanism.bodies[body];
  for (int i = 0; i < Space::dim; ++i) emit(forces_[data.v + i], factor * load.linear[i]);
  for (int i = 0; data.rotates && i < Space::rot; ++i)
    emit(forces_[data.v + Space::dim + i], factor * load.angular[i]);
}

template <class Space>
void StructureTracer<Space>::push_row(const Row<Space, Traced>& row, int a, int b,
                                      const Traced& factor) {
  push(a, {row.linear_a, row.angular_a}, factor);
  push(b, {row.linear_b, row.angular_b}, factor);
}

// A coordinate of the tree is one of the knowns; others, and all in mixed coordinates, are computed
// from the bodies. The accelerations that make up that of a coordinate are solved for with it.
template <class Space>
void StructureTracer<Space>::add_coordinates() {
  coordinate_.resize(mechanism.coordinates.size());
  for (std::size_t k = 0; k < places_in_tree_.size(); ++k) {
    const TreeNode& node = coordinates_.tree->nodes[k];
    for (int i = 0; i < node.np && node.joint >= 0 && i < 3; ++i) {
      if (node.coordinates[i] < 0) continue;
      Coordinate& c = coordinate_[node.coordinates[i]];
      c.v = places_in_tree_[k][1] + i;
      c.q = variable(trace_->p + places_in_tree_[k][0] + i);
      c.qd = variable(trace_->v + c.v);
      c.qdd = variable(trace_->a[c.v]);
    }
  }
  for (std::size_t k = 0; k < coordinate_.size(); ++k) {
    Coordinate& c = coordinate_[k];
    const CoordinateData& data = mechanism.coordinates[k];
    const int on_a = body_of(data.a), on_b = body_of(data.b);
    on_sides<Traced>(*this, data.a, data.b, ground, [&](const auto& a, const auto& b) {
      c.row = coordinate_row(*this, data, a, b);
      if (c.v < 0 || coordinates_.mixed) {
        c.q = c.row.value;
        c.qd = rate(c.row, a.body, b.body);
      }
      const Block of_a = accelerations(on_a), of_b = accelerations(on_b);
      const Traced qdd = c.row.second + dot(c.row.linear_a, of_a.linear) +
                         dot(c.row.angular_a, of_a.angular) + dot(c.row.linear_b, of_b.linear) +
                         dot(c.row.angular_b, of_b.angular);
      if (c.v < 0) {
        c.qdd = qdd;
      } else {
        emit(trace_->a[c.v], qdd);
        push_row(c.row, on_a, on_b, c.qdd);
      }
    });
  }
}

// Rates of the coordinates of a joint of the tree; those of serial ones are added with the others.
template <class Space>
void StructureTracer<Space>::add_joint_rates(std::size_t k) {
  const TreeNode& node = coordinates_.tree->nodes[k];
  const auto [p, v] = places_in_tree_[k];
  const int turning = node.np > node.nv ? 4 : 0, plain = node.np - turning;
  for (int i = 0; i < plain; ++i) emit(trace_->p_dot[p + i], variable(trace_->v + v + i));
  if (turning > 0) {
    std::array<Traced, 4> e, rates;
    std::array<Traced, 3> omega;
    for (int i = 0; i < 4; ++i) e[i] = variable(trace_->p + p + plain + i);
    for (int i = 0; i < 3; ++i) omega[i] = variable(trace_->v + v + plain + i);
    euler_rates(e.data(), omega.data(), rates.data());
    for (int i = 0; i < 4; ++i) emit(trace_->p_dot[p + plain + i], rates[i]);
  }
  const bool free = node.kind == JointKind::free || node.kind == JointKind::free_point;
  if (!free && node.kind != JointKind::spherical) return;
  // A free body has the coordinates of absolute ones; a spherical joint turns with both sides.
  Traced relative;
  for (const int index :
       {node.body, node.parent < 0 ? ground : coordinates_.tree->nodes[node.parent].body}) {
    const BodyState<Space, Traced>& state = bodies_[1 + index];
    const Block a = accelerations(index);
    for (int i = 0; i < Space::rot; ++i)
      relative = dependent(relative, state.omega[i], a.angular[i]);
    for (int i = 0; i < Space::dim; ++i)
      for (const Traced& number : axis_of(state.R, i).x) relative = dependent(relative, number);
  }
  const int first = mechanism.bodies[node.body].v + (free ? 0 : Space::dim);
  for (int i = 0; i < node.nv; ++i) {
    emit(trace_->a[v + i], free ? variable(forces_[first + i]) : relative);
    trace_->graph.depend(forces_[first + i], trace_->a[v + i], free);
  }
}

// M a - f of gravity and of what bodies do by turning.
template <class Space>
void StructureTracer<Space>::add_inertia() {
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    const BodyData& data = mechanism.bodies[b];
    const Block a = accelerations(static_cast<int>(b));
    Block load;
    for (int i = 0; i < Space::dim; ++i)
      load.linear[i] = slots_[data.mass] * (a.linear[i] - slots_[mechanism.gravity + i]);
    if (data.rotates) {
      const Traced* J = slots_.data() + data.inertia;
      const auto& omega = bodies_[1 + b].omega;
      load.angular = inertia_times(J, a.angular) + cross(omega, inertia_times(J, omega));
    }
    push(static_cast<int>(b), load, 1.0);
  }
}

template <class Space>
void StructureTracer<Space>::add_row(int number, const Row<Space, Traced>& row, int a, int b,
                                     bool of_positions, int far) {
  Traced second = row.second;
  for (const bool side_b : {false, true}) {
    const int body = side_b ? b : a;
    const Block acceleration = accelerations(body, body == far);
    second += dot(side_b ? row.linear_b : row.linear_a, acceleration.linear) +
              dot(side_b ? row.angular_b : row.angular_a, acceleration.angular);
  }
  push_row(row, a, b, multiplier(number));
  emit(trace_->lambda[number], second);
  emit(trace_->velocity[number], rate(row, bodies_[1 + a], bodies_[1 + b]));
  if (of_positions) emit(trace_->position[number], row.value);
}

// A row that is a sum of coordinates times factors; rate, second: what the row adds to them.
template <class Space>
void StructureTracer<Space>::add_coordinate_row(int number,
                                                std::span<const std::pair<int, Traced>> terms,
                                                const Traced& value, const Traced& rate,
                                                const Traced& second, bool of_positions) {
  emit(trace_->lambda[number], second);
  emit(trace_->velocity[number], rate);
  if (of_positions) emit(trace_->position[number], value);
  for (const auto& [index, factor] : terms) {
    const Coordinate& c = coordinate_[index];
    const CoordinateData& data = mechanism.coordinates[index];
    emit(trace_->lambda[number], factor * c.qdd);
    emit(trace_->velocity[number], factor * c.qd);
    // gamma: the factor's own rate
    if (!factor.constant()) emit(trace_->lambda[number], dependent(factor, c.qd));
    push_row(c.row, body_of(data.a), body_of(data.b), factor * multiplier(number));
  }
}

// In mixed coordinates the rows of a joint of the tree have its coordinates as well.
template <class Space>
void StructureTracer<Space>::add_joints() {
  std::vector<int> far(mechanism.joints.size(), ground);
  for (std::size_t k = 0; k < places_in_tree_.size(); ++k) {
    const TreeNode& node = coordinates_.tree->nodes[k];
    if (node.joint < 0) continue;
    far[node.joint] = node.body;
    if (!coordinates_.mixed) continue;
    const JointData& joint = mechanism.joints[node.joint];
    for (int row = joint.first_row; row < joint.first_row + joint.rows; ++row)
      for (const int residual :
           {trace_->lambda[row], trace_->velocity[row], trace_->position[row]}) {
        for (int d = 0; d < node.np; ++d)
          trace_->graph.depend(residual, trace_->p + places_in_tree_[k][0] + d, false);
        for (int d = 0; d < node.nv && residual != trace_->position[row]; ++d)
          trace_->graph.depend(residual, trace_->v + places_in_tree_[k][1] + d, false);
      }
  }
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j)
    for_constraints(mechanism, mechanism.joints[j], [&](const auto& c) {
      std::array<Row<Space, Traced>, std::decay_t<decltype(c)>::rows> rows;
      on_sides<Traced>(*this, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(*this, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k)
        add_row(c.row + static_cast<int>(k), rows[k], body_of(c.a), body_of(c.b), true, far[j]);
    });
  for (const RollingData& r : mechanism.rolling)
    on_sides<Traced>(*this, r.a, r.b, ground, [&](const auto& a, const auto& b) {
      for_rows_of(r, [&](int k, int number) {
        add_row(number, rolling_row(*this, r, k, a, b), body_of(r.a), body_of(r.b), k < 0);
      });
    });
}

// A law is linear in its coordinates: factors are made of its parameters.
template <class Space>
void StructureTracer<Space>::add_couplings() {
  for (const CouplingData& coupling : mechanism.couplings) {
    std::vector<std::pair<int, Traced>> terms;
    Traced value;
    if (coupling.law == absent) {
      value = optional(coupling.constant);
      for (const CouplingData::Term& term : coupling.terms) {
        terms.emplace_back(term.coordinate, optional(term.factor, 1.0));
        value += terms.back().second * coordinate_[term.coordinate].q;
      }
    } else {
      value = law(coupling.law);
      Traced factor;
      for (const Law::Argument& a : mechanism.laws[coupling.law].arguments)
        if (a.kind != SymbolKind::coordinate) factor = dependent(factor, argument(a, {}));
      if (factor.constant()) factor = 1.0;
      for (const Law::Argument& a : mechanism.laws[coupling.law].arguments)
        if (a.kind == SymbolKind::coordinate) terms.emplace_back(a.index, factor);
    }
    add_coordinate_row(coupling.row, terms, value, {}, {}, true);
  }
}

// A drive that follows an input through lags remembers where it was, so that its row depends on the
// coordinate and its rate.
template <class Space>
void StructureTracer<Space>::add_drives() {
  for (const DriveData& d : mechanism.drives) {
    const Coordinate& c = coordinate_[d.coordinate];
    const std::array terms{std::pair{d.coordinate, Traced(1.0)}};
    if (d.input < 0) {
      const bool moves =
          std::ranges::any_of(mechanism.laws[d.law].arguments,
                              [](const Law::Argument& a) { return a.kind == SymbolKind::time; });
      const Traced to = law(d.law), change = moves ? dependent(to) : Traced();
      add_coordinate_row(d.row, terms, c.q - to, change, change, true);
      continue;
    }
    const Traced u = variable(trace_->input + d.input), lag = slots_[d.lag];
    const Traced direct = lag.constant() && lag.value > 0.0 ? Traced() : dependent(u, lag);
    add_coordinate_row(d.row, terms, c.q - direct, direct, dependent(u, lag, c.q, c.qd), true);
    trace_->position_conditions.push_back(node_of(c.q - u));
  }
}

// Without the shape itself: its normal may have any direction, and its row any entry.
template <class Space>
void StructureTracer<Space>::add_guides() {
  for (const GuideData& guide : mechanism.guides) {
    on_sides<Traced>(*this, guide.a, guide.b, ground, [&](const auto& a, const auto& b) {
      Traced positions, motion;
      for (int d = 0; d < Space::dim; ++d) {
        for (const Law::Argument& one : mechanism.laws[guide.law[d]].arguments)
          if (one.kind == SymbolKind::parameter)
            positions = dependent(positions, argument(one, {}));
        for (const auto* side : {&a, &b}) {
          positions = dependent(positions, side->point()[d]);
          for (const Traced& number : axis_of(side->body.R, d).x)
            positions = dependent(positions, number);
          motion = dependent(motion, side->body.v[d]);
        }
      }
      for (const auto* side : {&a, &b})
        for (const Traced& number : side->body.omega.x) motion = dependent(motion, number);
      Traced place = positions;
      for (int i = 0; i < Space::dim - 1; ++i) {
        emit(places_[guide.s + i], positions);
        place = dependent(place, variable(places_[guide.s + i]));
        trace_->position_conditions.push_back(
            node_of(dependent(positions, optional(guide.start[i]))));
      }
      Row<Space, Traced> row;
      row.second = dependent(place, motion);
      for (auto* part : {&row.linear_a, &row.linear_b}) part->x.fill(place);
      for (auto* part : {&row.angular_a, &row.angular_b}) part->x.fill(place);
      row.value = place + optional(guide.distance);
      add_row(guide.row, row, body_of(guide.a), body_of(guide.b), true);
    });
  }
}

// All rows, and friction while it slides, along its direction or one that it begins in.
template <class Space>
void StructureTracer<Space>::add_contact(std::size_t k) {
  const ContactData& c = mechanism.contacts[k];
  const Traced mode = variable(trace_->mode + static_cast<int>(k));
  Traced limit;
  if (c.limit != absent) limit = dependent(law(c.limit), optional(c.static_ratio));
  if (c.normal >= 0 && !(optional(c.mu).is_zero() && optional(c.mu_static).is_zero()))
    limit = dependent(multiplier(c.normal), optional(c.mu), optional(c.mu_static));
  const Traced strength = limit.constant() ? Traced() : dependent(limit, mode);
  if (c.coordinate >= 0) {
    const std::array terms{std::pair{c.coordinate, Traced(1.0)}};
    const Coordinate& q = coordinate_[c.coordinate];
    if (c.normal >= 0) add_coordinate_row(c.normal, terms, q.q - optional(c.bound), {}, {}, true);
    if (c.tangents > 0) {
      add_coordinate_row(c.tangent, terms, {}, optional(c.speed), {}, false);
      push_row(q.row, body_of(mechanism.coordinates[c.coordinate].a),
               body_of(mechanism.coordinates[c.coordinate].b), strength);
    }
  } else {
    const int on_a = body_of(c.a), on_b = body_of(c.b);
    on_sides<Traced>(*this, c.a, c.b, ground, [&](const auto& a, const auto& b) {
      if (c.normal >= 0) add_row(c.normal, normal_row(*this, c, a, b), on_a, on_b, true);
      std::array<Row<Space, Traced>, 2> rows;
      Traced direction = x.z[std::max(c.direction, 0)];
      for (int i = 0; i < c.tangents; ++i) {
        rows[i] = tangent_row(*this, c, i, a, b);
        add_row(c.tangent + i, rows[i], on_a, on_b, false);
        if (c.tangents > 1)
          direction = dependent(direction, rate(rows[i], a.body, b.body), variable(trace_->time));
      }
      for (int i = 0; i < c.tangents; ++i) push_row(rows[i], on_a, on_b, strength * direction);
    });
  }
  StructureTrace::Contact& contact = trace_->contacts.emplace_back();
  Traced impact = dependent(optional(c.restitution), optional(c.rest_speed), optional(c.mu),
                            optional(c.mu_static));
  const auto add = [&](int row) {
    contact.lambda.push_back(trace_->lambda[row]);
    emit(trace_->lambda[row], dependent(mode));
    if (row != c.normal) emit(trace_->velocity[row], optional(c.speed));
    impact = dependent(impact, variable(trace_->velocity[row]), variable(trace_->position[row]));
  };
  if (c.normal >= 0) add(c.normal);
  for (int i = 0; i < c.tangents; ++i) add(c.tangent + i);
  contact.impact = node_of(impact);
  contact.law = node_of(dependent(impact, limit, optional(c.speed)));
}

template class StructureTracer<Planar>;
template class StructureTracer<Spatial>;

}  // namespace mbs
