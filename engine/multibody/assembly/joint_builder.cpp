#include "engine/multibody/assembly/joint_builder.hpp"

#include "engine/multibody/elements/joint_spring.hpp"

namespace mbs {

template <class Space>
JointBuilder<Space>::JointBuilder(Assembly<Space>& assembly, const ElementReader& e,
                                  std::optional<JointKind> kind)
    : to_(assembly), e_(e) {
  JointData joint;
  joint.kind = kind;
  joint.a = e.frame("a");
  joint.b = e.frame("b");
  const Element& element = e.element();
  joint.exact = find_attribute(*element.tag, "target") >= 0 && e["target"].text == "exact";
  to_.frames.on_two_bodies(e, joint.a, joint.b);
  index_ = to_.joints.add(e, std::move(joint));
}

template <class Space>
bool JointBuilder<Space>::rotates() const {
  return to_.frames.rotates(joint().a) && to_.frames.rotates(joint().b);
}

template <class Space>
void JointBuilder<Space>::must_rotate() const {
  to_.frames.must_rotate(e_, joint().a);
  to_.frames.must_rotate(e_, joint().b);
}

template <class Space>
void JointBuilder<Space>::align(std::string_view attribute, int k, std::string_view next) {
  const int direction = e_.slots(attribute, Space::dim);
  const int after = next.empty() ? absent : e_.slots(next, Space::dim);
  joint().a = to_.frames.turned(e_, joint().a, direction, k, after);
  joint().b = to_.frames.turned(e_, joint().b, direction, k, after);
}

template <class Space>
template <class Constraint>
void JointBuilder<Space>::add_constraint(Constraint constraint) {
  Mechanism<Space>& m = *to_.mechanism;
  constraint.a = joint().a;
  constraint.b = joint().b;
  constraint.row = m.rows;
  auto& list = std::get<std::vector<Constraint>>(m.constraints);
  auto& [begin, end] = joint().constraints[constraint_type<Space, Constraint>];
  if (begin == end) begin = static_cast<int>(list.size());
  list.push_back(constraint);
  end = static_cast<int>(list.size());
  m.rows += Constraint::rows;
  joint().rows += Constraint::rows;
}

// The rows of a joint that leaves some of them to others go along the axes of its side a.
template <class Space>
void JointBuilder<Space>::coincide() {
  if (!to_.dropped.concern(joint())) return add_constraint(Coincide<Space>{});
  for (int i = 0; i < Space::dim; ++i) across(i);
}

template <class Space>
void JointBuilder<Space>::across(int i) {
  to_.dropped.record(joint(), to_.mechanism->rows, false, i);
  add_constraint(Across<Space>{.i = i});
}

template <class Space>
void JointBuilder<Space>::perpendicular(int i, int j) {
  if constexpr (Space::dim == 3) {
    to_.dropped.record(joint(), to_.mechanism->rows, true, 3 - i - j);
    add_constraint(Perpendicular<Space>{.i = i, .j = j});
  }
}

template <class Space>
void JointBuilder<Space>::same_direction(int k) {
  to_.mechanism->alignments.push_back({index_, joint().a, joint().b, k});
}

template <class Space>
void JointBuilder<Space>::parallel() {
  perpendicular(0, 2);
  perpendicular(1, 2);
  same_direction(2);
}

template <class Space>
void JointBuilder<Space>::equal_orientation() {
  if constexpr (Space::dim == 2) {
    const int turns =
        to_.mechanism->add_start_value({StartValue::Kind::turns, joint().a, joint().b});
    to_.dropped.record(joint(), to_.mechanism->rows, true, 2);
    add_constraint(EqualAngle<Space>{.turns = turns});
  } else {
    for (int i = 0; i < 3; ++i) {
      perpendicular(i, (i + 1) % 3);
      same_direction(i);
    }
  }
}

template <class Space>
void JointBuilder<Space>::distance(int length) {
  const int start =
      length != absent
          ? absent
          : to_.mechanism->add_start_value({StartValue::Kind::distance, joint().a, joint().b});
  add_constraint(Distance<Space>{.length = length, .start_length = start});
}

template <class Space>
void JointBuilder<Space>::helix(int pitch) {
  if constexpr (Space::dim == 3) {
    joint().pitch = pitch;
    add_constraint(Helix<Space>{.pitch = pitch});
  }
}

template <class Space>
int JointBuilder<Space>::add_coordinate(CoordinateData data) {
  Mechanism<Space>& m = *to_.mechanism;
  data.a = joint().a;
  data.b = joint().b;
  data.name = joint().name + "." + data.name;
  if (data.kind == CoordinateData::Kind::plane_angle) {
    data.turns = m.add_start_value({StartValue::Kind::turns, data.a, data.b, data.q, data.sign});
  }
  if (joint().exact && data.measurable) {
    Condition condition;
    condition.name = data.name;
    condition.coordinate = static_cast<int>(m.coordinates.size());
    condition.a = data.a;
    condition.b = data.b;
    condition.target = data.q;
    if (data.q != absent) m.position_conditions.push_back(condition);
    condition.target = data.qd;
    if (data.qd != absent) m.velocity_conditions.push_back(condition);
  }
  return to_.joints.add_coordinate(index_, std::move(data));
}

template <class Space>
int JointBuilder<Space>::add_coordinate(CoordinateData::Kind kind, int axis,
                                        std::string_view name) {
  CoordinateData data;
  data.kind = kind;
  data.axis = axis;
  data.name = name;
  data.q = e_.slot(name);
  data.qd = e_.slot(data.name + "d");
  return add_coordinate(std::move(data));
}

template <class Space>
void JointBuilder<Space>::start_orientation(int rotation, int omega) {
  joint().rotation = rotation;
  joint().omega = omega;
  if (!joint().exact) return;
  if (rotation != absent || omega != absent) must_rotate();
  Mechanism<Space>& m = *to_.mechanism;
  Condition condition;
  condition.a = joint().a;
  condition.b = joint().b;
  if (rotation != absent) {  // b is aligned with a turned by the start's rotation
    Condition aligned = condition;
    aligned.name = joint().name + ".rot";
    aligned.a = to_.frames.rotated(joint().a, rotation, joint().name);
    for (aligned.axis = 0; aligned.axis < 3; ++aligned.axis) {
      m.position_conditions.push_back(aligned);
      m.alignments.push_back({index_, aligned.a, aligned.b, aligned.axis});
    }
  }
  if (omega == absent) return;
  condition.name = joint().name + ".omega";
  for (condition.axis = 0; condition.axis < 3; ++condition.axis) {
    condition.target = omega + condition.axis;
    m.velocity_conditions.push_back(condition);
  }
}

template <class Space>
void JointBuilder<Space>::add_spring(int coordinate) {
  const bool stiff = e_.can_be_nonzero("stiffness"), damped = e_.can_be_nonzero("damping");
  if (!stiff && !damped) return;
  if (!to_.mechanism->coordinates[coordinate].measurable) {
    e_.error("no-orientation",
             e_.title() + " has stiffness or damping about an angle, but a particle does not turn",
             "leave them out, or use a <body>");
    return;
  }
  JointSpring spring;
  spring.coordinate = {coordinate};
  if (stiff) {
    spring.stiffness = e_.slot("stiffness");
    spring.rest = e_.slot("rest");
    to_.joints.use_as_number(coordinate);
  }
  if (damped) spring.damping = e_.slot("damping");
  to_.forces.add(e_, spring);
}

template <class Space>
void JointBuilder<Space>::add_damper(std::string_view attribute, int coordinate) {
  if (!e_.can_be_nonzero(attribute)) return;
  JointSpring damper;
  damper.coordinate = {coordinate};
  damper.damping = e_.slot(attribute);
  to_.forces.add(e_, damper);
}

template class JointBuilder<Planar>;
template class JointBuilder<Spatial>;

}  // namespace mbs
