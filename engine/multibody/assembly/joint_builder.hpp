#pragma once

// Puts a joint together: its constraints between the frames of the attributes a and b, its
// coordinates with their start values, and what acts along them.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
class JointBuilder {
 public:
  // kind: as a joint of the tree; a joint without it always closes a loop.
  JointBuilder(Assembly<Space>& assembly, const ElementReader& e,
               std::optional<JointKind> kind = {});

  // Whether both sides rotate; must_rotate() reports an error where one does not.
  bool rotates() const;
  void must_rotate() const;

  // Turns both sides so that axis k lies along the direction of the attribute.
  // next: the attribute of the direction of the axis after it, perpendicular to it.
  void align(std::string_view attribute, int k, std::string_view next = {});

  // Constraints.
  void coincide();
  void across(int i);
  void perpendicular(int i, int j);
  void parallel();  // axis 2 of both sides, in the same direction
  void equal_orientation();
  void distance(int length);  // slot; absent: that of the start
  void helix(int pitch);      // slot

  // A coordinate; exact targets for its start values in slots become conditions.
  int add_coordinate(CoordinateData data);
  // The attributes of the start values are `name` and `name`d.
  int add_coordinate(CoordinateData::Kind kind, int axis, std::string_view name);
  // Slots of the start of a joint with free orientation in space: rotation and omega.
  void start_orientation(int rotation, int omega);

  // Attributes stiffness, rest and damping of a coordinate; damping alone, by its attribute.
  void add_spring(int coordinate);
  void add_damper(std::string_view attribute, int coordinate);

 private:
  JointData& joint() { return to_.mechanism->joints[index_]; }
  const JointData& joint() const { return to_.mechanism->joints[index_]; }
  void same_direction(int k);
  template <class Constraint>
  void add_constraint(Constraint constraint);

  Assembly<Space>& to_;
  const ElementReader& e_;
  int index_;  // in Mechanism::joints
};

}  // namespace mbs
