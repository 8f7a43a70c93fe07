// Forces of elements; the rows of G and what they bear.

#include "engine/analysis/dependencies/rows.hpp"

#include "engine/analysis/dependencies/traced_bodies.hpp"
#include "engine/multibody/bodies.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

namespace {

template <class Space>
Row<Space, Traced> scaled(const Traced& factor, const Row<Space, Traced>& row) {
  return combine(factor, row, Traced(0.0), row);
}

}  // namespace

// A coordinate of the tree is one of the knowns; others, and all in mixed coordinates, are computed
// from the bodies.
template <class Space>
void RowTracer<Space>::add_coordinates() {
  coordinate_.resize(mechanism.coordinates.size());
  if (coordinates_.tree != nullptr)
    for (std::size_t k = 0; k < coordinates_.tree->nodes.size(); ++k) {
      const TreeNode& node = coordinates_.tree->nodes[k];
      for (int i = 0; i < node.np && node.joint >= 0 && i < 3; ++i) {
        if (node.coordinates[static_cast<std::size_t>(i)] < 0) continue;
        Coordinate& c = coordinate_[node.coordinates[static_cast<std::size_t>(i)]];
        c.v = places_in_tree_[k][1] + i;
        c.q.node = trace_.p + places_in_tree_[k][0] + i;
        c.qd.node = trace_.v + c.v;
        c.qdd.node = trace_.a[c.v];
      }
    }
  for (std::size_t k = 0; k < coordinate_.size(); ++k) {
    Coordinate& c = coordinate_[k];
    const CoordinateData& data = mechanism.coordinates[k];
    open_scope();
    on_sides<Traced>(*this, data.a, data.b, ground, [&](const auto& a, const auto& b) {
      const Row<Space, Traced> row = coordinate_row(*this, data, a, b);
      if (c.v < 0 || coordinates_.mixed) {
        c.q = keep(row.value);
        c.qd = keep(rate(row, a.body, b.body));
      }
      const Block of_a = accelerations(body_of(data.a)), of_b = accelerations(body_of(data.b));
      const Traced qdd = row.second + dot(row.linear_a, of_a.linear) +
                         dot(row.angular_a, of_a.angular) + dot(row.linear_b, of_b.linear) +
                         dot(row.angular_b, of_b.angular);
      if (c.v < 0) {
        c.qdd = keep(qdd);
      } else {
        emit(trace_.a[c.v], qdd);
        bind(trace_.a[c.v], row, body_of(data.a), body_of(data.b));
      }
      for (int i = 0; i < Space::dim; ++i) {
        c.row.linear_a[i] = keep(row.linear_a[i]);
        c.row.linear_b[i] = keep(row.linear_b[i]);
      }
      for (int i = 0; i < Space::rot; ++i) {
        c.row.angular_a[i] = keep(row.angular_a[i]);
        c.row.angular_b[i] = keep(row.angular_b[i]);
      }
    });
  }
}

// The accelerations that make up that of a coordinate are solved for with it.
template <class Space>
void RowTracer<Space>::bind(int unknown, const Row<Space, Traced>& row, int a, int b) const {
  push(a, {row.linear_a, row.angular_a}, variable(unknown));
  push(b, {row.linear_b, row.angular_b}, variable(unknown));
}

template <class Space>
void RowTracer<Space>::add_row(int number, const Row<Space, Traced>& row, int a, int b,
                               bool of_positions, int far) {
  const auto k = static_cast<std::size_t>(number);
  const Traced lambda = variable(trace_.lambda[k]);
  Traced second = row.second, rate;
  for (const bool side_b : {false, true}) {
    const int index = side_b ? b : a;
    if (index == ground) continue;
    const Block G{side_b ? row.linear_b : row.linear_a, side_b ? row.angular_b : row.angular_a};
    const Block acceleration = accelerations(index, index == far);
    const auto motion = this->template body<Traced>(index, ground);
    second += dot(G.linear, acceleration.linear) + dot(G.angular, acceleration.angular);
    rate += dot(G.linear, motion.v) + dot(G.angular, motion.omega);
    push(index, G, lambda);
  }
  emit(trace_.lambda[k], second);
  emit(trace_.velocity[k], rate);
  if (of_positions) emit(trace_.position[k], row.value);
}

// A row that is a sum of coordinates times factors; rate, second: what the row adds to them.
template <class Space>
void RowTracer<Space>::add_coordinate_row(int number, std::span<const std::pair<int, Traced>> terms,
                                          const Traced& value, const Traced& rate,
                                          const Traced& second, bool of_positions) {
  const auto k = static_cast<std::size_t>(number);
  const Traced lambda = variable(trace_.lambda[k]);
  emit(trace_.lambda[k], second);
  emit(trace_.velocity[k], rate);
  if (of_positions) emit(trace_.position[k], value);
  for (const auto& [index, factor] : terms) {
    const Coordinate& c = coordinate_[static_cast<std::size_t>(index)];
    emit(trace_.lambda[k], factor * load(c.qdd));
    emit(trace_.velocity[k], factor * load(c.qd));
    // gamma: the factor's own rate
    if (!factor.constant()) emit(trace_.lambda[k], dependent(factor, load(c.qd)));
    push_coordinate(index, factor * lambda);
  }
}

// In mixed coordinates the rows of a joint of the tree have its coordinates as well.
template <class Space>
void RowTracer<Space>::add_constraints() {
  std::vector<int> joint_node(mechanism.joints.size(), -1);
  if (coordinates_.tree != nullptr)
    for (std::size_t k = 0; k < coordinates_.tree->nodes.size(); ++k)
      if (const int joint = coordinates_.tree->nodes[k].joint; joint >= 0)
        joint_node[static_cast<std::size_t>(joint)] = static_cast<int>(k);
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const auto of_tree = static_cast<std::size_t>(joint_node[j]);
    const int far = joint_node[j] < 0 ? ground : coordinates_.tree->nodes[of_tree].body;
    for (int i = 0; coordinates_.mixed && far != ground && i < mechanism.joints[j].rows; ++i) {
      const TreeNode& node = coordinates_.tree->nodes[of_tree];
      const auto row = static_cast<std::size_t>(mechanism.joints[j].first_row + i);
      for (const int residual : {trace_.lambda[row], trace_.velocity[row], trace_.position[row]}) {
        for (int d = 0; d < node.np; ++d)
          graph().depend(residual, trace_.p + places_in_tree_[of_tree][0] + d, false);
        for (int d = 0; d < node.nv && residual != trace_.position[row]; ++d)
          graph().depend(residual, trace_.v + places_in_tree_[of_tree][1] + d, false);
      }
    }
    for_constraints(mechanism, mechanism.joints[j], [&](const auto& c) {
      open_scope();
      std::array<Row<Space, Traced>, std::decay_t<decltype(c)>::rows> rows;
      on_sides<Traced>(*this, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(*this, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k)
        add_row(c.row + static_cast<int>(k), rows[k], body_of(c.a), body_of(c.b), true, far);
    });
  }
}

template <class Space>
void RowTracer<Space>::add_couplings() {
  for (const CouplingData& coupling : mechanism.couplings) {
    open_scope();
    std::vector<std::pair<int, Traced>> terms;
    Traced value;
    if (coupling.law == absent) {
      value = optional(coupling.constant);
      for (const CouplingData::Term& term : coupling.terms) {
        terms.emplace_back(term.coordinate, optional(term.factor, 1.0));
        value += terms.back().second * load(coordinate_[term.coordinate].q);
      }
    } else {
      value = law(coupling.law);
      const auto& arguments = mechanism.laws[static_cast<std::size_t>(coupling.law)].arguments;
      // The law is linear in its coordinates: factors are made of its parameters.
      Traced factor;
      for (const Law::Argument& a : arguments)
        if (a.kind != SymbolKind::coordinate) factor = dependent(factor, argument(a, {}));
      if (factor.constant()) factor = 1.0;
      for (const Law::Argument& a : arguments)
        if (a.kind == SymbolKind::coordinate) terms.emplace_back(a.index, factor);
    }
    add_coordinate_row(coupling.row, terms, value, {}, {}, true);
  }
}

// What follows an input by lags remembers where it was, so that the coordinate and its rate count.
template <class Space>
void RowTracer<Space>::add_drives() {
  for (const DriveData& d : mechanism.drives) {
    open_scope();
    const Coordinate& c = coordinate_[static_cast<std::size_t>(d.coordinate)];
    const std::array terms{std::pair{d.coordinate, Traced(1.0)}};
    const Traced q = load(c.q), qd = load(c.qd);
    if (d.input < 0) {
      const auto& arguments = mechanism.laws[static_cast<std::size_t>(d.law)].arguments;
      const bool moves = std::ranges::any_of(
          arguments, [](const Law::Argument& a) { return a.kind == SymbolKind::time; });
      const Traced to = law(d.law), change = moves ? dependent(to) : Traced();
      add_coordinate_row(d.row, terms, q - to, change, change, true);
      continue;
    }
    const Traced u = variable(trace_.input + d.input), lag = (*this)[d.lag];
    const Traced direct = lag.constant() && lag.value > 0.0 ? Traced() : dependent(u, lag);
    add_coordinate_row(d.row, terms, q - direct, direct, dependent(u, lag, q, qd), true);
    trace_.position_conditions.push_back(node_of(q - u));
  }
}

// Without the shape itself: its normal may have any direction.
template <class Space>
void RowTracer<Space>::add_guides() {
  for (const GuideData& guide : mechanism.guides) {
    open_scope();
    on_sides<Traced>(*this, guide.a, guide.b, ground, [&](const auto& a, const auto& b) {
      Traced shape;
      for (int d = 0; d < Space::dim; ++d)
        for (const Law::Argument& one :
             mechanism.laws[static_cast<std::size_t>(guide.law[static_cast<std::size_t>(d)])]
                 .arguments)
          if (one.kind == SymbolKind::parameter) shape = dependent(shape, argument(one, {}));
      Traced positions = dependent(shape);
      const auto add = [&](const Traced& number) {
        positions = dependent(positions, number);
        return number;
      };
      for (int d = 0; d < Space::dim; ++d) add(a.point()[d]), add(b.point()[d]);
      map_body<Space, Traced>(BodyState<Space, Traced>{{}, a.body.R, {}, {}}, add);
      Traced place;
      for (int i = 0; i < Space::dim - 1; ++i) {
        const int node = places_[static_cast<std::size_t>(guide.s + i)];
        emit(node, positions);
        place = dependent(place, variable(node));
        const int start = guide.start[static_cast<std::size_t>(i)];
        trace_.position_conditions.push_back(node_of(dependent(positions, optional(start))));
      }
      rolling::Moving<Space, Traced> normal;
      Traced motion = dependent(positions, place);
      for (const auto* body : {&a.body, &b.body}) {
        for (int i = 0; i < Space::dim; ++i) motion = dependent(motion, body->v[i]);
        for (int i = 0; i < Space::rot; ++i) motion = dependent(motion, body->omega[i]);
      }
      for (int i = 0; i < Space::dim; ++i) {
        normal.x[i] = dependent(positions, place);
        normal.first[i] = motion;
      }
      Row<Space, Traced> row = rolling::row_along<Space, Traced>(a, b, normal, {});
      row.value = dependent(positions, place) + optional(guide.distance);
      add_row(guide.row, row, body_of(guide.a), body_of(guide.b), true);
    });
  }
}

template <class Space>
void RowTracer<Space>::add_rolling() {
  for (const RollingData& r : mechanism.rolling) {
    open_scope();
    on_sides<Traced>(*this, r.a, r.b, ground, [&](const auto& a, const auto& b) {
      for_rows_of(r, [&](int k, int number) {
        add_row(number, rolling_row(*this, r, k, a, b), body_of(r.a), body_of(r.b), k < 0);
      });
    });
  }
}

// All rows, and friction while it slides, along its direction or one that it begins in.
template <class Space>
void RowTracer<Space>::add_contacts() {
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const ContactData& c = mechanism.contacts[k];
    open_scope();
    StructureTrace::Contact& contact = trace_.contacts.emplace_back();
    const Traced mode = variable(trace_.mode + static_cast<int>(k));
    Traced gap, speeds, limit;
    Traced strength = dependent(mode);  // of friction
    if (c.limit != absent) limit = dependent(law(c.limit), optional(c.static_ratio));
    if (c.normal >= 0) {
      limit = dependent(multiplier(c.normal), optional(c.mu), optional(c.mu_static));
      if (optional(c.mu).is_zero() && optional(c.mu_static).is_zero()) limit = {};
    }
    strength = limit.constant() ? Traced() : dependent(limit, mode);
    const auto add = [&](int number) {
      contact.lambda.push_back(trace_.lambda[static_cast<std::size_t>(number)]);
      graph().depend(contact.lambda.back(), trace_.mode + static_cast<int>(k), false);
      const int velocity = trace_.velocity[static_cast<std::size_t>(number)];
      if (number != c.normal) emit(velocity, optional(c.speed));
      speeds = dependent(speeds, variable(velocity));
    };
    if (c.coordinate >= 0) {
      const std::array terms{std::pair{c.coordinate, Traced(1.0)}};
      const Traced q = load(coordinate_[static_cast<std::size_t>(c.coordinate)].q);
      if (c.normal >= 0) {
        gap = q - optional(c.bound);
        add_coordinate_row(c.normal, terms, gap, {}, {}, true);
        add(c.normal);
      }
      if (c.tangents > 0) {
        add_coordinate_row(c.tangent, terms, {}, optional(c.speed), {}, false);
        add(c.tangent);
        push_coordinate(c.coordinate, strength);
      }
    } else {
      const int on_a = body_of(c.a), on_b = body_of(c.b);
      on_sides<Traced>(*this, c.a, c.b, ground, [&](const auto& a, const auto& b) {
        if (c.normal >= 0) {
          const Row<Space, Traced> row = normal_row(*this, c, a, b);
          gap = row.value;
          add_row(c.normal, row, on_a, on_b, true);
          add(c.normal);
        }
        std::array<Row<Space, Traced>, 2> rows;
        Traced direction = variable(trace_.z + std::max(c.direction, 0));
        for (int i = 0; i < c.tangents; ++i) {
          rows[i] = tangent_row(*this, c, i, a, b);
          add_row(c.tangent + i, rows[i], on_a, on_b, false);
          add(c.tangent + i);
          if (c.tangents > 1)
            direction = dependent(direction, rate(rows[i], a.body, b.body), variable(trace_.time));
        }
        for (int i = 0; i < c.tangents; ++i) {
          const Row<Space, Traced> force = scaled(strength * direction, rows[i]);
          push(on_a, {force.linear_a, force.angular_a}, 1.0);
          push(on_b, {force.linear_b, force.angular_b}, 1.0);
        }
      });
    }
    const Traced impact = dependent(gap, speeds, optional(c.restitution), optional(c.rest_speed),
                                    optional(c.mu), optional(c.mu_static));
    contact.impact = node_of(impact);
    contact.law = node_of(dependent(impact, limit, optional(c.speed)));
  }
}

// M a - f of gravity and of what bodies do by turning.
template <class Space>
void RowTracer<Space>::add_inertia() {
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    open_scope();
    const BodyData& data = mechanism.bodies[b];
    const Block a = accelerations(static_cast<int>(b));
    const Traced mass = (*this)[data.mass];
    for (int i = 0; i < Space::dim; ++i)
      emit(forces_[data.v + i], mass * (a.linear[i] - (*this)[mechanism.gravity + i]));
    if (!data.rotates) continue;
    std::array<Traced, Space::inertia_numbers> J;
    for (int i = 0; i < Space::inertia_numbers; ++i) J[i] = (*this)[data.inertia + i];
    const auto omega = this->template body<Traced>(static_cast<int>(b), ground).omega;
    const auto torque =
        inertia_times(J.data(), a.angular) + cross(omega, inertia_times(J.data(), omega));
    for (int i = 0; i < Space::rot; ++i) emit(forces_[data.v + Space::dim + i], torque[i]);
  }
}

template <class Space>
typename RowTracer<Space>::Block RowTracer<Space>::accelerations(int body, bool all) const {
  Block a;
  if (body == ground) return a;
  const BodyData& data = mechanism.bodies[static_cast<std::size_t>(body)];
  const auto one = [&](int i) { return all ? variable(forces_[data.v + i]) : x.a[data.v + i]; };
  for (int i = 0; i < Space::dim; ++i) a.linear[i] = one(i);
  for (int i = 0; data.rotates && i < Space::rot; ++i) a.angular[i] = one(Space::dim + i);
  return a;
}

// Rates of the coordinates of a joint of the tree; those of serial ones are added with the others.
template <class Space>
void RowTracer<Space>::add_joint_rates(std::size_t k) {
  open_scope();
  const TreeNode& node = coordinates_.tree->nodes[k];
  const auto [p, v] = places_in_tree_[k];
  const int turning = node.np > node.nv ? 4 : 0, plain = node.np - turning;
  for (int i = 0; i < plain; ++i) emit(trace_.p_dot[p + i], variable(trace_.v + v + i));
  if (turning > 0) {
    std::array<Traced, 4> e, rates;
    std::array<Traced, 3> omega;
    for (int i = 0; i < 4; ++i) e[i] = variable(trace_.p + p + plain + i);
    for (int i = 0; i < 3; ++i) omega[i] = variable(trace_.v + v + plain + i);
    euler_rates(e.data(), omega.data(), rates.data());
    for (int i = 0; i < 4; ++i) emit(trace_.p_dot[p + plain + i], rates[i]);
  }
  const BodyData& data = mechanism.bodies[static_cast<std::size_t>(node.body)];
  const bool free = node.kind == JointKind::free || node.kind == JointKind::free_point;
  if (!free && node.kind != JointKind::spherical) return;
  // A free body has the coordinates of absolute ones; a spherical joint turns with both sides.
  Traced relative;
  const int on = node.parent < 0 ? ground : coordinates_.tree->nodes[node.parent].body;
  for (const int index : {node.body, on}) {
    const auto state = this->template body<Traced>(index, ground);
    const Block a = accelerations(index);
    for (int i = 0; i < Space::rot; ++i)
      relative = dependent(relative, state.omega[i], a.angular[i]);
    auto R = state.R;
    map_numbers(state.R, R,
                [&](const Traced& number) { return relative = dependent(relative, number); });
  }
  for (int i = 0; i < node.nv; ++i) {
    const int own = forces_[data.v + (free ? i : Space::dim + i)];
    emit(trace_.a[v + i], free ? variable(own) : relative);
    graph().depend(own, trace_.a[v + i], free);
  }
}

template <class Space>
void RowTracer<Space>::add_rows() {
  add_coordinates();
  const std::size_t nodes = coordinates_.tree == nullptr ? 0 : coordinates_.tree->nodes.size();
  for (std::size_t k = 0; k < nodes; ++k)
    if (!coordinates_.mixed || coordinates_.tree->nodes[k].joint >= 0) add_joint_rates(k);
  add_inertia();
  this->trace_forces();
  add_constraints();
  add_couplings();
  add_drives();
  add_guides();
  add_rolling();
  add_contacts();
}

template class RowTracer<Planar>;
template class RowTracer<Spatial>;

}  // namespace mbs
