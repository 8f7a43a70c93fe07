// Laws, knowns, frames and bodies.

#include "engine/analysis/dependencies/tracer.hpp"

#include <algorithm>
#include <numeric>

#include "engine/multibody/bodies.hpp"
#include "engine/multibody/tree/joints.hpp"

namespace mbs {
namespace {

Traced expression(const Expression& e, std::span<const Traced> arguments) {
  if (e.is_constant()) return e.constant();
  using Op = Instruction::Op;
  std::vector<Traced> stack;
  for (const Instruction& step : e.program()) {
    if (step.op == Op::constant || step.op == Op::load) {
      stack.push_back(step.op == Op::load ? arguments[step.argument] : Traced(step.number));
      continue;
    }
    const auto count = static_cast<std::size_t>(operand_count(step.op));
    const Traced* a = stack.data() + stack.size() - count;
    Traced result = a[0];
    if (step.op == Op::add) {
      result = a[0] + a[1];
    } else if (step.op == Op::subtract) {
      result = a[0] - a[1];
    } else if (step.op == Op::multiply) {
      result = a[0] * a[1];
    } else if (step.op == Op::divide) {
      result = a[0] / a[1];
    } else if (step.op == Op::negate) {
      result = -a[0];
    } else if (std::all_of(a, a + count, [](const Traced& t) { return t.constant(); }) &&
               step.op != Op::curve) {
      const double values[3] = {a[0].value, count > 1 ? a[1].value : 0.0,
                                count > 2 ? a[2].value : 0.0};
      result = apply(step.op, values);
    } else {
      for (std::size_t k = 0; k < count; ++k) result = dependent(result, a[k]);
    }
    stack.resize(stack.size() - count);
    stack.push_back(result);
  }
  return stack.back();
}

template <class Function>
void for_numbers(PlaneRotation<Traced>& R, const PlaneRotation<double>& from, const Function& f) {
  R = {f(from.angle), f(from.c), f(from.s)};
}
template <class Function>
void for_numbers(Mat<Traced, 3>& R, const Mat<double, 3>& from, const Function& f) {
  for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = f(from(i / 3, i % 3));
}

// A body of the tree by the formulas of tree/joints.hpp. q, qd: the coordinates of its joint.
template <class Space>
BodyState<Space, Traced> hanging_body(const BodyState<Space, Traced>& parent,
                                      const FrameConstants<Space, Traced>& near,
                                      const FrameConstants<Space, Traced>& far, JointKind kind,
                                      const Traced* q, const Traced* qd) {
  constexpr JointConstants constants{1.0, 0.0, 0.3};  // of an advance, some number
  const auto A = compose(parent.R, near.R);
  BodyState<Space, Traced> body;
  with_joint<Space>(kind, [&]<class Joint>(Joint) {
    const auto R = Joint::template axes<Traced>(A, constants, q);
    const Screw<Space, Traced> rates = Joint::template rates<Traced>(A, R, constants, qd);
    body.R = compose(R, inverse(far.R));
    const auto omega_parent = turn(parent.R, parent.omega), own = turn(body.R, far.s);
    const auto omega = omega_parent + rates.angular;
    const Vec<Traced, Space::dim> d =
        turn(parent.R, near.s) + Joint::template slide<Traced>(A, R, constants, q);
    body.r = parent.r + d - own;
    body.v = parent.v + cross(omega_parent, d) + rates.linear - cross(omega, own);
    body.omega = turn_back(body.R, omega);
  });
  return body;
}

}  // namespace

template <class Space>
Tracer<Space>::Tracer(const Mechanism<Space>& m, const Parameters& defaults,
                      TracedCoordinates<Space> coordinates)
    : mechanism(m), coordinates_(std::move(coordinates)) {
  add_knowns();
  add_numbers();
  place_frames(defaults);
  place_bodies();
}

template <class Space>
int Tracer<Space>::node_of(const Traced& value) const {
  return value.constant() ? trace_->graph.add_nodes(1) : value.node;
}

template <class Space>
void Tracer<Space>::emit(int node, const Traced& value) const {
  if (!value.constant()) trace_->graph.depend(node, value.node, true);
}

template <class Space>
Traced Tracer<Space>::argument(const Law::Argument& a, std::initializer_list<Traced> locals) const {
  switch (a.kind) {
    case SymbolKind::time:
      return variable(trace_->time);
    case SymbolKind::parameter:
      return variable(trace_->parameter + a.index);
    case SymbolKind::input:
      return variable(trace_->input + a.index);
    case SymbolKind::state:
      return x.r[a.index];
    case SymbolKind::algebraic:
      return variable(auxiliary_[a.index]);
    case SymbolKind::coordinate:
      return coordinate_[a.index].q;
    case SymbolKind::coordinate_rate:
      return coordinate_[a.index].qd;
    case SymbolKind::coordinate_acceleration:
      return coordinate_[a.index].qdd;
    case SymbolKind::measure:
      return variable(measures_[a.index]);
    case SymbolKind::local:
      return locals.begin()[a.index];
    case SymbolKind::output:
      return variable(trace_->outputs[a.index]);
    case SymbolKind::discrete:
      return x.z[mechanism.discrete + a.index];
  }
  return {};
}

template <class Space>
Traced Tracer<Space>::law(int index, std::initializer_list<Traced> locals) const {
  const Law& law = mechanism.laws[index];
  std::vector<Traced> arguments;
  for (const Law::Argument& a : law.arguments) arguments.push_back(argument(a, locals));
  return expression(law.expression, arguments);
}

// The knowns first, then the nodes of all unknowns.
template <class Space>
void Tracer<Space>::add_knowns() {
  const Mechanism<Space>& m = mechanism;
  StructureTrace& t = *trace_;
  int absolute_p = 0, absolute_v = 0;
  for (const BodyData& body : m.bodies) {
    absolute_p += size_p<Space>(body);
    absolute_v += size_v<Space>(body);
  }
  int p = has_bodies() ? absolute_p : 0, v = has_bodies() ? absolute_v : 0;
  const std::size_t tree_nodes = coordinates_.tree == nullptr ? 0 : coordinates_.tree->nodes.size();
  for (std::size_t k = 0; k < tree_nodes; ++k) {
    const TreeNode& node = coordinates_.tree->nodes[k];
    places_in_tree_.push_back({p, v});
    if (!counts(node)) continue;
    p += node.np;
    v += node.nv;
  }
  const std::size_t all_r = m.der.size() + m.counted.size();
  const std::size_t r = coordinates_.tree == nullptr ? all_r : coordinates_.r_of.size();
  const std::size_t z = m.discrete + m.discrete_start.size();
  const auto knowns = [&](std::size_t count) { return t.graph.add_nodes(static_cast<int>(count)); };
  const auto nodes = [&](std::size_t count) {
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), knowns(count));
    return list;
  };
  t.p = knowns(p);
  t.v = knowns(v);
  t.r = knowns(r);
  t.z = knowns(z);
  t.mode = knowns(m.contacts.size());
  t.input = knowns(m.input_start.size());
  t.time = knowns(1);
  t.parameter = knowns(m.parameter_values.size());
  t.knowns = t.graph.size();
  t.p_dot = nodes(p);
  t.a = nodes(v);
  t.r_dot = nodes(r);
  t.outputs = nodes(m.outputs.size());
  t.lambda = nodes(m.rows);
  t.position = nodes(m.rows);
  t.velocity = nodes(m.rows);
  measures_ = nodes(m.measures.size());
  auxiliary_ = nodes(m.residuals.size());
  places_ = nodes((Space::dim - 1) * m.guides.size());
  forces_ = has_bodies() ? t.a : nodes(absolute_v);
  for (int i = 0; i < absolute_v; ++i) x.a.push_back(variable(forces_[i]));
  for (std::size_t k = 0; k < z; ++k) x.z.push_back(variable(t.z + static_cast<int>(k)));
  x.r.resize(all_r);  // in the tree, counters of turns of its coordinates stay constant
  for (std::size_t k = 0; k < r; ++k)
    x.r[coordinates_.tree == nullptr ? k : coordinates_.r_of[k]] =
        variable(t.r + static_cast<int>(k));
}

// Numbers that depend on parameters.
template <class Space>
void Tracer<Space>::add_numbers() {
  const auto at_parameters = [&](const Expression& e) {
    std::vector<Traced> arguments;
    for (const Symbol& symbol : e.symbols())
      arguments.push_back(variable(trace_->parameter + symbol.index));
    return expression(e, arguments);
  };
  for (std::size_t k = 0; k < mechanism.parameter_values.size(); ++k)
    if (mechanism.calculated[k] != 0)
      emit(trace_->parameter + static_cast<int>(k), at_parameters(mechanism.parameter_values[k]));
  for (const Slot& slot : mechanism.slots) slots_.push_back(at_parameters(slot.value));
}

// A rotation by constant numbers is that of the defaults, in which the cosine of a right angle is
// zero but for rounding.
template <class Space>
auto Tracer<Space>::own_rotation(int k, const Parameters& defaults) const ->
    typename Space::template Rotation<Traced> {
  auto R = no_rotation<Space, Traced>();
  const FrameData& data = mechanism.frames[k];
  Traced direction, turned;
  for (const int first : {data.direction, data.next})
    for (int i = 0; first != absent && i < Space::dim; ++i)
      direction = dependent(direction, slots_[first + i]);
  for (int i = 0; data.rotation != absent && i < Space::rotation_numbers; ++i)
    turned += slots_[data.rotation + i];
  if (turned.constant() && direction.constant()) {
    const double* numbers = defaults.derived.data();
    FrameConstants<Space> base;
    if (data.base >= 0) base = mechanism.frame(numbers, data.base);
    for_numbers(R, compose(inverse(base.R), mechanism.frame(numbers, k).R), [](double number) {
      constexpr double rounding = 1e-15;
      return Traced(std::abs(number) < rounding ? 0.0 : number);
    });
  } else if (!direction.constant()) {
    for_numbers(R, no_rotation<Space, double>(), [&](double) { return direction; });
  } else if constexpr (Space::dim == 2) {
    R = plane_rotation(slots_[data.rotation]);
  } else {
    R = turned_about<0>(R, slots_[data.rotation]);
    R = turned_about<1>(R, slots_[data.rotation + 1]);
    R = turned_about<2>(R, slots_[data.rotation + 2]);
  }
  return R;
}

template <class Space>
void Tracer<Space>::place_frames(const Parameters& defaults) {
  frames_.resize(mechanism.frames.size());
  for (const int k : mechanism.frame_order) {
    const FrameData& data = mechanism.frames[k];
    FrameConstants<Space, Traced>& at = frames_[k];
    if (data.base >= 0) at = frames_[data.base];
    for (int i = 0; data.com != absent && i < Space::dim; ++i) at.s[i] = -slots_[data.com + i];
    Vec<Traced, Space::dim> position;
    for (int i = 0; data.position != absent && i < Space::dim; ++i)
      position[i] = slots_[data.position + i];
    at.s += turn(at.R, position);
    at.R = compose(at.R, own_rotation(k, defaults));
  }
}

template <class Space>
void Tracer<Space>::place_bodies() {
  const Mechanism<Space>& m = mechanism;
  bodies_.resize(1 + m.bodies.size());
  if (!has_bodies()) {
    for (std::size_t k = 0; k < coordinates_.tree->nodes.size(); ++k) hang(k);
    return;
  }
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    const int n_p = size_p<Space>(data), n_v = size_v<Space>(data);
    std::array<Traced, Space::np> p{};
    std::array<Traced, Space::nv> v{};
    for (int k = 0; k < n_p; ++k) p[k] = variable(trace_->p + data.p + k);
    for (int k = 0; k < n_v; ++k) v[k] = variable(trace_->v + data.v + k);
    bodies_[1 + i] = body_state<Space>(p.data(), v.data(), data.rotates);
    std::array<Traced, Space::np> rates{};
    std::copy(v.begin(), v.end(), rates.begin());
    if constexpr (Space::dim == 3) euler_rates(p.data() + 3, v.data() + 3, rates.data() + 3);
    for (int k = 0; k < n_p; ++k) emit(trace_->p_dot[data.p + k], rates[k]);
  }
}

// A body of the tree, from its parent. Where it cannot move it has no acceleration.
template <class Space>
void Tracer<Space>::hang(std::size_t k) {
  const TreeNode& node = coordinates_.tree->nodes[k];
  const BodyData& data = mechanism.bodies[node.body];
  const int on = node.parent < 0 ? ground : coordinates_.tree->nodes[node.parent].body;
  const Traced scale = dependent(optional(node.sign), optional(node.pitch));
  const auto counted = [&](int known) {
    return scale.constant() ? variable(known) : dependent(variable(known), scale);
  };
  std::array<Traced, 7> q, qd;
  for (int i = 0; i < node.np; ++i) q[i] = counted(trace_->p + node.p + i);
  for (int i = 0; i < node.nv; ++i) qd[i] = counted(trace_->v + node.v + i);
  const FrameConstants<Space, Traced> none;
  BodyState<Space, Traced>& state = bodies_[1 + node.body];
  state = hanging_body<Space>(bodies_[1 + on], node.near < 0 ? none : frames_[node.near],
                              node.far < 0 || !data.rotates ? none : frames_[node.far], node.kind,
                              q.data(), qd.data());
  if (!data.rotates) {
    state.R = no_rotation<Space, Traced>();
    state.omega = {};
  }
  for (int i = 0; i < Space::dim; ++i)
    if (state.v[i].constant()) x.a[data.v + i] = {};
  for (int i = 0; data.rotates && i < Space::rot; ++i)
    if (state.omega[i].constant()) x.a[data.v + Space::dim + i] = {};
}

template class Tracer<Planar>;
template class Tracer<Spatial>;

}  // namespace mbs
