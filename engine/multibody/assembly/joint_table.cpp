#include "engine/multibody/assembly/joint_table.hpp"

#include <algorithm>

namespace mbs {

template <class Space>
JointTable<Space>::JointTable(const Model& model, Diagnostics& diagnostics,
                              Mechanism<Space>& mechanism)
    : model_(model),
      diagnostics_(diagnostics),
      m_(mechanism),
      joint_of_(model.elements.size(), -1) {}

template <class Space>
int JointTable<Space>::add(const ElementReader& e, JointData data) {
  data.name = e.element().name;
  data.element = e.index();
  data.first_row = m_.rows;
  const int index = static_cast<int>(m_.joints.size());
  joint_of_[data.element] = index;
  m_.joints.push_back(std::move(data));
  return index;
}

template <class Space>
int JointTable<Space>::add_coordinate(int joint, CoordinateData data) {
  const int index = static_cast<int>(m_.coordinates.size());
  m_.joints[joint].coordinates.push_back(index);
  m_.coordinates.push_back(std::move(data));
  used_as_number_.push_back(0);
  evaluated_.push_back(0);
  return index;
}

template <class Space>
void JointTable<Space>::add_coupling(const ElementReader& e, CouplingData data) {
  JointData joint;
  joint.couples = true;
  joint.rows = 1;
  add(e, std::move(joint));
  data.row = m_.rows++;
  m_.couplings.push_back(std::move(data));
}

template <class Space>
int JointTable<Space>::joint_with_reaction(const Measure& measure) const {
  const int joint = joint_of_[measure.element];
  if (!m_.joints[joint].couples) return joint;
  diagnostics_.error(
      measure.place, "no-such-quantity",
      title(model_.elements[measure.element]) + " has no frame at which a reaction could act",
      "take the reaction of a joint whose coordinate it couples");
  return -1;
}

template <class Space>
int JointTable<Space>::coordinate_of(const ElementReader& e, std::string_view attribute) const {
  const int element = e[attribute].index, j = joint_of_[element];
  const std::size_t count = j < 0 ? 0 : m_.joints[j].coordinates.size();
  if (count != 1) {
    e.error("no-coordinate",
            e.title() + " needs a joint with one coordinate, " + title(model_.elements[element]) +
                " has " + std::to_string(count),
            "act on a frame instead: on=\"...\"");
    return -1;
  }
  const int coordinate = m_.joints[j].coordinates.front();
  if (m_.coordinates[coordinate].measurable) return coordinate;
  e.error("no-orientation", e.title() + " acts about an angle, but a particle does not turn");
  return -1;
}

template <class Space>
double JointTable<Space>::sign_of(const ElementReader& e, std::string_view attribute) const {
  const int joint = e[attribute].index;
  const auto found = std::find_if(model_.coordinates.begin(), model_.coordinates.end(),
                                  [&](const Coordinate& c) { return c.element == joint; });
  return found == model_.coordinates.end() ? 1.0 : found->sign;
}

template <class Space>
int JointTable<Space>::evaluated_coordinate(int model_coordinate, const Place& place) {
  const Coordinate& c = model_.coordinates[model_coordinate];
  const int index = m_.joints[joint_of_[c.element]].coordinates[c.local];
  if (!m_.coordinates[index].measurable) {
    diagnostics_.error(place, "no-orientation",
                       "'" + c.name + "' has no value: a particle does not turn",
                       "use a <body> or measure positions instead");
    return -1;
  }
  evaluated_[index] = 1;
  return index;
}

template <class Space>
std::vector<int> JointTable<Space>::evaluated() const {
  std::vector<int> list;
  for (std::size_t c = 0; c < evaluated_.size(); ++c) {
    if (evaluated_[c]) list.push_back(static_cast<int>(c));
  }
  return list;
}

template class JointTable<Planar>;
template class JointTable<Spatial>;

}  // namespace mbs
