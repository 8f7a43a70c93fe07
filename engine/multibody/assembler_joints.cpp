// What elements use of the assembler to become bodies and joints.

#include <algorithm>
#include <tuple>

#include "engine/multibody/assembler.hpp"
#include "engine/multibody/elements/joint_spring.hpp"

namespace mbs {

template <class Space>
void Assembler<Space>::body(const Element& e, BodyData data, int com) {
  Mechanism<Space>& m = *mechanism_;
  const Body& b = model_.bodies[m.bodies.size()];
  data.name = e.name;
  data.element = b.element;
  data.origin = b.origin;
  if (!m.bodies.empty()) {
    const BodyData& last = m.bodies.back();
    data.p = last.p + (last.rotates ? Space::np : Space::dim);
    data.v = last.v + (last.rotates ? Space::nv : Space::dim);
  }
  m.frames[b.origin].com = com;
  m.bodies.push_back(std::move(data));
}

template <class Space>
int Assembler<Space>::centre_of_mass(int body) {
  FrameData frame;
  frame.body = body;
  frame.owner = "the centre of mass of '" + mechanism_->bodies[body].name + "'";
  mechanism_->frames.push_back(std::move(frame));
  const int index = static_cast<int>(mechanism_->frames.size()) - 1;
  mechanism_->frame_order.push_back(index);
  return index;
}

template <class Space>
bool Assembler<Space>::two_bodies(const Element& e, int a, int b) {
  const Mechanism<Space>& m = *mechanism_;
  const int body = m.frames[a].body;
  if (body != m.frames[b].body) return true;
  error(e, "joint-on-one-body",
        title(e) + " has both sides on " +
            (body == ground ? "ground" : "body '" + m.bodies[body].name + "'"),
        "a and b must be frames of different bodies, or one of them ground's");
  return false;
}

template <class Space>
JointData& Assembler<Space>::joint(const Element& e) {
  Mechanism<Space>& m = *mechanism_;
  JointData joint;
  joint.name = e.name;
  joint.element = static_cast<int>(index_of(e));
  joint.a = frame(e, "a");
  joint.b = frame(e, "b");
  joint.first_row = m.rows;
  joint.exact = find_attribute(*e.tag, "target") >= 0 && e["target"].text == "exact";
  two_bodies(e, joint.a, joint.b);
  joint_of_[joint.element] = static_cast<int>(m.joints.size());
  m.joints.push_back(std::move(joint));
  return m.joints.back();
}

template <class Space>
bool Assembler<Space>::rotates(int frame) const {
  const int body = mechanism_->frames[frame].body;
  return body == ground || mechanism_->bodies[body].rotates;
}

template <class Space>
void Assembler<Space>::must_rotate(const Element& e, int frame) {
  if (rotates(frame)) return;
  const std::string& name = mechanism_->bodies[mechanism_->frames[frame].body].name;
  error(e, "no-orientation",
        title(e) + " acts on an orientation, and particle '" + name + "' has none",
        std::string("use a <body>") + (e.tag->role != TagRole::joint ? ""
                                       : Space::dim == 2
                                           ? ", or a <revolute> to hold its position alone"
                                           : ", or a <spherical> to hold its position alone"));
}

template <class Space>
void Assembler<Space>::both_rotate(const Element& e, const JointData& joint) {
  must_rotate(e, joint.a);
  must_rotate(e, joint.b);
}

// A frame turned so that its axis k lies along a direction in slots.
template <class Space>
int Assembler<Space>::turned(const Element& e, int frame, int direction, int k, int next) {
  Mechanism<Space>& m = *mechanism_;
  FrameData turned;
  turned.body = m.frames[frame].body;
  turned.base = frame;
  turned.direction = direction;
  turned.turned_axis = k;
  turned.next = next;
  turned.owner = title(e);
  turned.element = static_cast<int>(index_of(e));
  m.frames.push_back(std::move(turned));
  m.frame_order.push_back(static_cast<int>(m.frames.size()) - 1);
  return m.frame_order.back();
}

template <class Space>
void Assembler<Space>::align(const Element& e, JointData& joint, std::string_view attribute, int k,
                             std::string_view next) {
  const int direction = slots(e, attribute, Space::dim);
  const int after = next.empty() ? absent : slots(e, next, Space::dim);
  joint.a = turned(e, joint.a, direction, k, after);
  joint.b = turned(e, joint.b, direction, k, after);
}

namespace {

template <class Space, class Constraint>
void add_rows(Mechanism<Space>& m, JointData& joint, Constraint constraint) {
  constraint.row = m.rows;
  using Lists = decltype(m.constraints);
  constexpr std::size_t type = std::is_same_v<Constraint, Coincide<Space>>   ? 0
                               : std::is_same_v<Constraint, Across<Space>>   ? 1
                               : std::is_same_v<Constraint, Distance<Space>> ? 3
                               : std::is_same_v<Constraint, Helix<Space>>    ? 4
                                                                             : 2;
  static_assert(std::is_same_v<std::tuple_element_t<type, Lists>, std::vector<Constraint>>);
  auto& list = std::get<type>(m.constraints);
  std::array<int, 2>& range = joint.constraints[type];
  if (range[0] == range[1]) range[0] = static_cast<int>(list.size());
  list.push_back(constraint);
  range[1] = static_cast<int>(list.size());
  m.rows += Constraint::rows;
  joint.rows += Constraint::rows;
}

}  // namespace

// Those of a joint that leaves some of them to others go along the axes of its side a.
template <class Space>
void Assembler<Space>::coincide(JointData& joint) {
  if (dropped_of(joint) != nullptr) {
    for (int i = 0; i < Space::dim; ++i) across(joint, i);
    return;
  }
  add_rows(*mechanism_, joint, Coincide<Space>{joint.a, joint.b, 0});
}

template <class Space>
void Assembler<Space>::across(JointData& joint, int i) {
  record(joint, false, i);
  add_rows(*mechanism_, joint, Across<Space>{joint.a, joint.b, 0, i});
}

template <class Space>
void Assembler<Space>::perpendicular(JointData& joint, int i, int j) {
  if constexpr (Space::dim == 3) {
    record(joint, true, 3 - i - j);
    add_rows(*mechanism_, joint, Perpendicular<Space>{joint.a, joint.b, 0, i, j});
  }
}

template <class Space>
void Assembler<Space>::distance(JointData& joint, int length) {
  const int start =
      length == absent ? remember({Remembered::Kind::distance, joint.a, joint.b}) : -1;
  add_rows(*mechanism_, joint, Distance<Space>{joint.a, joint.b, 0, length, start});
}

template <class Space>
void Assembler<Space>::helix(JointData& joint, int pitch) {
  if constexpr (Space::dim == 3) {
    add_rows(*mechanism_, joint, Helix<Space>{joint.a, joint.b, 0, pitch});
  }
}

template <class Space>
void Assembler<Space>::same_direction(const JointData& joint, int k) {
  const int index = static_cast<int>(&joint - mechanism_->joints.data());
  mechanism_->alignments.push_back({index, joint.a, joint.b, k});
}

template <class Space>
void Assembler<Space>::equal_angle(JointData& joint) {
  if constexpr (Space::dim == 2) {
    const int turns = remember({Remembered::Kind::turns, joint.a, joint.b});
    record(joint, true, 2);
    add_rows(*mechanism_, joint, EqualAngle<Space>{joint.a, joint.b, 0, turns});
  } else {
    for (int i = 0; i < 3; ++i) {
      perpendicular(joint, i, (i + 1) % 3);
      same_direction(joint, i);
    }
  }
}

template <class Space>
int Assembler<Space>::coordinate(JointData& joint, CoordinateData data) {
  Mechanism<Space>& m = *mechanism_;
  const int index = static_cast<int>(m.coordinates.size());
  data.a = joint.a;
  data.b = joint.b;
  data.name = joint.name + "." + data.name;
  if (data.kind == CoordinateData::Kind::plane_angle) {
    data.turns = remember({Remembered::Kind::turns, data.a, data.b, data.q, data.sign});
  }
  if (joint.exact && data.measurable) {
    Condition condition;
    condition.name = data.name;
    condition.coordinate = index;
    condition.a = data.a;
    condition.b = data.b;
    condition.target = data.q;
    if (data.q != absent) m.position_conditions.push_back(condition);
    condition.target = data.qd;
    if (data.qd != absent) m.velocity_conditions.push_back(condition);
  }
  joint.coordinates.push_back(index);
  m.coordinates.push_back(std::move(data));
  value_used_.push_back(0);
  evaluated_.push_back(0);
  return index;
}

template <class Space>
void Assembler<Space>::couple(const Element& e) {
  Mechanism<Space>& m = *mechanism_;
  JointData joint;
  joint.name = e.name;
  joint.element = static_cast<int>(index_of(e));
  joint.couples = true;
  joint.first_row = m.rows;
  joint.rows = 1;
  const int relation = law(e, "relation");
  if (relation == absent) return;
  m.couplings.push_back({relation, m.rows++});
  joint_of_[joint.element] = static_cast<int>(m.joints.size());
  m.joints.push_back(std::move(joint));
}

template <class Space>
void Assembler<Space>::mesh(const Element& e, std::string_view factor) {
  Mechanism<Space>& m = *mechanism_;
  const int a = coordinate_of(e, "a"), b = coordinate_of(e, "b");
  if (a < 0 || b < 0) return;
  if (a == b) {
    error(e, "on-one-joint", title(e) + " has both sides on one joint");
    return;
  }
  if (vanishes(e, factor)) {
    error(e, "zero-ratio", std::string(factor) + " of " + title(e) + " is zero",
          "it would hold b and leave a free: give how far b moves for each radian of a");
    return;
  }
  use_value(a);
  use_value(b);
  JointData joint;
  joint.name = e.name;
  joint.element = static_cast<int>(index_of(e));
  joint.couples = true;
  joint.first_row = m.rows;
  joint.rows = 1;
  CouplingData coupling{absent, m.rows++};
  coupling.terms.push_back({b, coordinate_sign(e, "b")});
  coupling.terms.push_back({a, -coordinate_sign(e, "a"), slot(e, factor)});
  coupling.constant = slot(e, "offset");
  m.couplings.push_back(std::move(coupling));
  joint_of_[joint.element] = static_cast<int>(m.joints.size());
  m.joints.push_back(std::move(joint));
}

template <class Space>
bool Assembler<Space>::vanishes(const Element& e, std::string_view attribute) const {
  return evaluate(e[attribute].numbers[0], parameter_start_values(model_)) == 0.0;
}

template <class Space>
void Assembler<Space>::condition_on_turn(const Element& e, JointData& joint) {
  if (!joint.exact) return;
  if (joint.rotation != absent || joint.omega != absent) both_rotate(e, joint);
  Mechanism<Space>& m = *mechanism_;
  Condition condition;
  condition.a = joint.a;
  condition.b = joint.b;
  if (joint.rotation != absent) {  // b is aligned with a turned by the start's rotation
    FrameData turned;
    turned.body = m.frames[joint.a].body;
    turned.base = joint.a;
    turned.rotation = joint.rotation;
    turned.owner = joint.name;
    Condition aligned = condition;
    aligned.name = joint.name + ".rot";
    aligned.a = static_cast<int>(m.frames.size());
    m.frame_order.push_back(aligned.a);
    m.frames.push_back(std::move(turned));
    for (aligned.axis = 0; aligned.axis < 3; ++aligned.axis) {
      m.position_conditions.push_back(aligned);
      m.alignments.push_back(
          {static_cast<int>(&joint - m.joints.data()), aligned.a, aligned.b, aligned.axis});
    }
  }
  if (joint.omega == absent) return;
  condition.name = joint.name + ".omega";
  for (condition.axis = 0; condition.axis < 3; ++condition.axis) {
    condition.target = joint.omega + condition.axis;
    m.velocity_conditions.push_back(condition);
  }
}

template <class Space>
void Assembler<Space>::passive(const Element& e, int coordinate) {
  const bool stiff = acts(e, "stiffness"), damped = acts(e, "damping");
  if (!stiff && !damped) return;
  if (!mechanism_->coordinates[coordinate].measurable) {
    error(e, "no-orientation",
          title(e) + " has stiffness or damping about an angle, but a particle does not turn",
          "leave them out, or use a <body>");
    return;
  }
  JointSpring spring;
  spring.coordinate = {coordinate};
  if (stiff) {
    spring.stiffness = slot(e, "stiffness");
    spring.rest = slot(e, "rest");
    use_value(coordinate);
  }
  if (damped) spring.damping = slot(e, "damping");
  force(e, spring);
}

template <class Space>
void Assembler<Space>::damp(const Element& e, std::string_view attribute, int coordinate) {
  if (!acts(e, attribute)) return;
  JointSpring spring;
  spring.coordinate = {coordinate};
  spring.damping = slot(e, attribute);
  force(e, spring);
}

template <class Space>
int Assembler<Space>::remember(const Remembered& what) {
  mechanism_->remembered.push_back(what);
  return static_cast<int>(mechanism_->remembered.size()) - 1;
}

template <class Space>
int Assembler<Space>::coordinate_of(const Element& e, std::string_view attribute) {
  const Element& joint = model_.elements[e[attribute].index];
  const int j = joint_of_[e[attribute].index];
  const std::vector<int>* list = j < 0 ? nullptr : &mechanism_->joints[j].coordinates;
  if (list == nullptr || list->size() != 1) {
    error(e, "no-coordinate",
          title(e) + " needs a joint with one coordinate, " + title(joint) + " has " +
              std::to_string(list ? list->size() : 0),
          "act on a frame instead: on=\"...\"");
    return -1;
  }
  if (!mechanism_->coordinates[list->front()].measurable) {
    error(e, "no-orientation", title(e) + " acts about an angle, but a particle does not turn");
    return -1;
  }
  return list->front();
}

// As a mirrored subsystem counts the coordinate of a joint.
template <class Space>
double Assembler<Space>::coordinate_sign(const Element& e, std::string_view attribute) const {
  const int joint = e[attribute].index;
  const auto found = std::find_if(model_.coordinates.begin(), model_.coordinates.end(),
                                  [&](const Coordinate& c) { return c.element == joint; });
  return found == model_.coordinates.end() ? 1.0 : found->sign;
}

template class Assembler<Planar>;
template class Assembler<Spatial>;

}  // namespace mbs
