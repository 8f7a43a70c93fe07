// Laws, knowns, frames and bodies.

#include "engine/analysis/dependencies/tracer.hpp"

#include <algorithm>
#include <cmath>

#include "engine/analysis/dependencies/traced_bodies.hpp"
#include "engine/multibody/bodies.hpp"

namespace mbs {

template <class Space>
Tracer<Space>::Tracer(const Mechanism<Space>& m, const Parameters& defaults,
                      TracedCoordinates<Space> coordinates)
    : mechanism(m), x{{*this, {}}, {*this, {}}, {*this, {}}}, coordinates_(std::move(coordinates)) {
  add_knowns();
  place_frames(defaults);
  place_bodies();
}

// One that is counted by a sign or an advance that depend on parameters.
template <class Space>
Traced Tracer<Space>::counted(int known, const Traced& scale) const {
  return scale.constant() ? variable(known) : dependent(variable(known), scale);
}

template <class Space>
Traced Tracer<Space>::argument(const Law::Argument& a, std::initializer_list<Traced> locals) const {
  const auto k = static_cast<std::size_t>(a.index);
  switch (a.kind) {
    case SymbolKind::time:
      return variable(trace_.time);
    case SymbolKind::parameter:
      return variable(trace_.parameter + a.index);
    case SymbolKind::input:
      return variable(trace_.input + a.index);
    case SymbolKind::state:
      return x.r[a.index];
    case SymbolKind::algebraic:
      return variable(auxiliary_[k]);
    case SymbolKind::coordinate:
      return load(coordinate_[k].q);
    case SymbolKind::coordinate_rate:
      return load(coordinate_[k].qd);
    case SymbolKind::coordinate_acceleration:
      return load(coordinate_[k].qdd);
    case SymbolKind::measure:
      return variable(measures_[k]);
    case SymbolKind::local:
      return locals.begin()[a.index];
    case SymbolKind::output:
      return variable(trace_.outputs[k]);
    case SymbolKind::discrete:
      return x.z[mechanism.discrete + a.index];
  }
  return {};
}

template <class Space>
Traced Tracer<Space>::law(int index, std::initializer_list<Traced> locals) const {
  const Law& law = mechanism.laws[static_cast<std::size_t>(index)];
  std::vector<Traced> arguments;
  for (const Law::Argument& a : law.arguments) arguments.push_back(argument(a, locals));
  return expression(law.expression, arguments);
}

// Knowns, numbers that depend on parameters, frames.

template <class Space>
void Tracer<Space>::add_knowns() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = trace_;
  const Tree<Space>* tree = coordinates_.tree;
  int absolute_v = 0, p = 0, v = 0;
  for (const BodyData& body : m.bodies) {
    if (tree == nullptr || coordinates_.mixed) p += body.rotates ? Space::np : Space::dim;
    absolute_v += body.rotates ? Space::nv : Space::dim;
  }
  if (tree == nullptr || coordinates_.mixed) v = absolute_v;
  if (tree != nullptr)
    for (const TreeNode& node : tree->nodes) {
      places_in_tree_.push_back({p, v});
      if (coordinates_.mixed && node.joint < 0) continue;
      p += node.np;
      v += node.nv;
    }
  const int all_r = static_cast<int>(m.der.size() + m.counted.size());
  const int r = coordinates_.tree == nullptr ? all_r : static_cast<int>(coordinates_.r_of.size());
  const auto knowns = [&](std::size_t count) { return graph().add_nodes(static_cast<int>(count)); };
  const auto nodes = [&](std::size_t count) {
    std::vector<int> list(count);
    const int first = knowns(count);
    for (std::size_t k = 0; k < count; ++k) list[k] = first + static_cast<int>(k);
    return list;
  };
  const auto entries = [](int first, int count) {
    std::vector<Entry> list(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) list[static_cast<std::size_t>(k)].node = first + k;
    return list;
  };
  t.p = knowns(static_cast<std::size_t>(p));
  t.v = knowns(static_cast<std::size_t>(v));
  t.r = knowns(static_cast<std::size_t>(r));
  const int z = m.discrete + static_cast<int>(m.discrete_start.size());
  t.z = knowns(static_cast<std::size_t>(z));
  t.mode = knowns(m.contacts.size());
  t.input = knowns(m.input_start.size());
  t.time = knowns(1);
  t.parameter = knowns(m.parameter_values.size());
  t.knowns = graph().size();
  t.p_dot = nodes(static_cast<std::size_t>(p));
  t.a = nodes(static_cast<std::size_t>(v));
  t.r_dot = nodes(static_cast<std::size_t>(r));
  t.outputs = nodes(m.outputs.size());
  t.lambda = nodes(static_cast<std::size_t>(m.rows));
  t.position = nodes(static_cast<std::size_t>(m.rows));
  t.velocity = nodes(static_cast<std::size_t>(m.rows));
  measures_ = nodes(m.measures.size());
  auxiliary_ = nodes(m.residuals.size());
  places_ = nodes((Space::dim - 1) * m.guides.size());
  forces_ =
      tree == nullptr || coordinates_.mixed ? t.a : nodes(static_cast<std::size_t>(absolute_v));
  x.z.entries = entries(t.z, z);
  if (tree == nullptr) {
    x.r.entries = entries(t.r, all_r);
  } else {
    x.r.entries.resize(static_cast<std::size_t>(all_r));  // turns of coordinates of the tree
    for (int k = 0; k < r; ++k)
      x.r.entries[static_cast<std::size_t>(coordinates_.r_of[static_cast<std::size_t>(k)])].node =
          t.r + k;
  }
  for (std::size_t k = 0; k < m.parameter_values.size(); ++k) {
    open_scope();
    if (m.calculated[k] != 0)
      emit(t.parameter + static_cast<int>(k), at_parameters(m.parameter_values[k]));
  }
  for (const Slot& slot : m.slots) {
    open_scope();
    slots_.push_back(keep(at_parameters(slot.value)));
  }
  for (std::size_t k = 0; k < m.outputs.size(); ++k)
    if (m.outputs[k].measure.quantity == Quantity::force_value)
      shown_[{m.outputs[k].force_type, m.outputs[k].force}].push_back(static_cast<int>(k));
}

// A rotation by constant numbers is that of the defaults, in which the cosine of a right angle is
// zero but for rounding.
template <class Space>
auto Tracer<Space>::own_rotation(int k, const Parameters& defaults) const ->
    typename Space::template Rotation<Traced> {
  typename Space::template Rotation<Traced> R = no_rotation<Space, Traced>();
  const FrameData& data = mechanism.frames[static_cast<std::size_t>(k)];
  Traced direction;
  for (const int first : {data.direction, data.next})
    for (int i = 0; first != absent && i < Space::dim; ++i)
      direction = dependent(direction, (*this)[first + i]);
  Traced turned;
  for (int i = 0; data.rotation != absent && i < Space::rotation_numbers; ++i)
    turned += (*this)[data.rotation + i];
  if (turned.constant() && direction.constant()) {
    const double* numbers = defaults.derived.data();
    FrameConstants<Space> base;
    if (data.base >= 0) base = mechanism.frame(numbers, data.base);
    map_numbers(compose(inverse(base.R), mechanism.frame(numbers, k).R), R, [](double number) {
      constexpr double rounding = 1e-15;
      return Traced(std::abs(number) < rounding ? 0.0 : number);
    });
  } else if (!direction.constant()) {
    map_numbers(R, R, [&](const Traced&) { return direction; });
  } else if constexpr (Space::dim == 2) {
    R = plane_rotation((*this)[data.rotation]);
  } else {
    R = turned_about<0>(R, (*this)[data.rotation]);
    R = turned_about<1>(R, (*this)[data.rotation + 1]);
    R = turned_about<2>(R, (*this)[data.rotation + 2]);
  }
  return R;
}

template <class Space>
void Tracer<Space>::place_frames(const Parameters& defaults) {
  frames_.resize(mechanism.frames.size());
  for (const int k : mechanism.frame_order) {
    open_scope();
    const FrameData& data = mechanism.frames[static_cast<std::size_t>(k)];
    FrameConstants<Space, Traced> at;
    if (data.base >= 0) at = frame(data.base);
    for (int i = 0; data.com != absent && i < Space::dim; ++i) at.s[i] = -(*this)[data.com + i];
    if (data.position != absent) {
      Vec<Traced, Space::dim> position;
      for (int i = 0; i < Space::dim; ++i) position[i] = (*this)[data.position + i];
      at.s += turn(at.R, position);
    }
    at.R = compose(at.R, own_rotation(k, defaults));
    FrameConstants<Space, Entry>& kept = frames_[static_cast<std::size_t>(k)];
    for (int i = 0; i < Space::dim; ++i) kept.s[i] = keep(at.s[i]);
    map_numbers(at.R, kept.R, [&](const Traced& number) { return keep(number); });
  }
}

template <class Space>
FrameConstants<Space, Traced> Tracer<Space>::frame(int index) const {
  const FrameConstants<Space, Entry>& kept = frames_[static_cast<std::size_t>(index)];
  FrameConstants<Space, Traced> f;
  for (int i = 0; i < Space::dim; ++i) f.s[i] = load(kept.s[i]);
  map_numbers(kept.R, f.R, [&](const Entry& entry) { return load(entry); });
  return f;
}

template <class Space>
template <class T>
BodyState<Space, Traced> Tracer<Space>::body(int index, int) const {
  return map_body<Space, Traced>(bodies_[static_cast<std::size_t>(1 + index)],
                                 [&](const Entry& entry) { return load(entry); });
}

// Bodies.

template <class Space>
void Tracer<Space>::place_bodies() {
  const Mechanism<Space>& m = mechanism;
  bodies_.resize(1 + m.bodies.size());
  const auto keeps = [&](const Traced& number) { return keep(number); };
  for (const int force : forces_) x.a.entries.emplace_back().node = force;
  const std::size_t nodes = coordinates_.tree == nullptr ? 0 : coordinates_.tree->nodes.size();
  for (std::size_t k = 0; k < nodes && !coordinates_.mixed; ++k) hang(k);
  if (nodes > 0 && !coordinates_.mixed) return;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    open_scope();
    const BodyData& data = m.bodies[i];
    std::array<Traced, Space::np> p{};
    std::array<Traced, Space::nv> v{};
    for (int k = 0; k < (data.rotates ? Space::np : Space::dim); ++k)
      p[static_cast<std::size_t>(k)] = variable(trace_.p + data.p + k);
    for (int k = 0; k < (data.rotates ? Space::nv : Space::dim); ++k)
      v[static_cast<std::size_t>(k)] = variable(trace_.v + data.v + k);
    bodies_[1 + i] =
        map_body<Space, Entry>(body_state<Space>(p.data(), v.data(), data.rotates), keeps);
    for (int k = 0; k < Space::dim; ++k) emit(trace_.p_dot[data.p + k], v[k]);
    if (!data.rotates) continue;
    if constexpr (Space::dim == 2) {
      emit(trace_.p_dot[data.p + 2], v[2]);
    } else {
      std::array<Traced, 4> rates;
      euler_rates(p.data() + 3, v.data() + 3, rates.data());
      for (int k = 0; k < 4; ++k) emit(trace_.p_dot[data.p + 3 + k], rates[k]);
    }
  }
}

// A body of the tree, from its parent. Where it cannot move it has no acceleration.
template <class Space>
void Tracer<Space>::hang(std::size_t k) {
  open_scope();
  const TreeNode& node = coordinates_.tree->nodes[k];
  const BodyData& data = mechanism.bodies[static_cast<std::size_t>(node.body)];
  const int on = node.parent < 0 ? ground : coordinates_.tree->nodes[node.parent].body;
  const Traced scale = dependent(optional(node.sign), optional(node.pitch));
  std::array<Traced, 7> q, qd;
  for (int i = 0; i < node.np; ++i) q[i] = counted(trace_.p + node.p + i, scale);
  for (int i = 0; i < node.nv; ++i) qd[i] = counted(trace_.v + node.v + i, scale);
  const FrameConstants<Space, Traced> none;
  const auto state =
      hanging_body<Space>(body<Traced>(on, ground), node.near < 0 ? none : frame(node.near),
                          node.far < 0 || !data.rotates ? none : frame(node.far), node.kind,
                          q.data(), qd.data(), data.rotates);
  bodies_[static_cast<std::size_t>(1 + node.body)] =
      map_body<Space, Entry>(state, [&](const Traced& number) { return keep(number); });
  for (int i = 0; i < Space::dim; ++i)
    if (state.v[i].constant()) x.a.entries[static_cast<std::size_t>(data.v + i)] = Entry(0.0);
  for (int i = 0; data.rotates && i < Space::rot; ++i)
    if (state.omega[i].constant())
      x.a.entries[static_cast<std::size_t>(data.v + Space::dim + i)] = Entry(0.0);
}

// A force in inertial axes and a torque in body axes, times a factor.
template <class Space>
void Tracer<Space>::push(int body, const Block& load, const Traced& factor) const {
  if (body == ground) return;
  const BodyData& data = mechanism.bodies[static_cast<std::size_t>(body)];
  for (int i = 0; i < Space::dim; ++i) emit(forces_[data.v + i], factor * load.linear[i]);
  for (int i = 0; data.rotates && i < Space::rot; ++i)
    emit(forces_[data.v + Space::dim + i], factor * load.angular[i]);
}

template <class Space>
void Tracer<Space>::note(int type, int index, Laws<Space, Traced>& laws,
                         const Traced& value) const {
  for (int k = 0; k < laws.states().count; ++k)
    emit(trace_.r_dot[static_cast<std::size_t>(laws.states().first + k)], laws.rate(k));
  show(type, index, 0, value);
  for (const auto& [which, shown] : laws.shown()) show(type, index, which, shown);
}

template <class Space>
void Tracer<Space>::show(int type, int index, int which, const Traced& value) const {
  const auto found = shown_.find({type, index});
  if (found == shown_.end()) return;
  for (const int output : found->second)
    if (mechanism.outputs[static_cast<std::size_t>(output)].shown == which)
      emit(trace_.outputs[static_cast<std::size_t>(output)], value);
}

// What outputs show of them.
template <class Space>
void Tracer<Space>::show_row(int type, int index, int which, int row) const {
  open_scope();
  if (row >= 0) show(type, index, which, multiplier(row));
}

template <class Space>
void Tracer<Space>::show_contact(int type, int index, int contact) const {
  open_scope();
  const ContactData& c = mechanism.contacts[static_cast<std::size_t>(contact)];
  show(type, index, 0,
       c.normal >= 0 ? dependent(multiplier(c.normal))
                     : dependent(multiplier(c.tangent), law(c.limit), optional(c.static_ratio),
                                 variable(trace_.mode + contact)));
}

template <class Space>
void Tracer<Space>::push_coordinate(int coordinate, const Traced& Q) const {
  const Coordinate& c = coordinate_[static_cast<std::size_t>(coordinate)];
  const CoordinateData& data = mechanism.coordinates[static_cast<std::size_t>(coordinate)];
  Block on_a, on_b;
  for (int i = 0; i < Space::dim; ++i) {
    on_a.linear[i] = load(c.row.linear_a[i]);
    on_b.linear[i] = load(c.row.linear_b[i]);
  }
  for (int i = 0; i < Space::rot; ++i) {
    on_a.angular[i] = load(c.row.angular_a[i]);
    on_b.angular[i] = load(c.row.angular_b[i]);
  }
  push(body_of(data.a), on_a, Q);
  push(body_of(data.b), on_b, Q);
}

template class Tracer<Planar>;
template class Tracer<Spatial>;
template BodyState<Planar, Traced> Tracer<Planar>::body<Traced>(int, int) const;
template BodyState<Spatial, Traced> Tracer<Spatial>::body<Traced>(int, int) const;

}  // namespace mbs
