#pragma once

// The joints of a mechanism and their coordinates, found by the elements and names of the model,
// and how the coordinates are used: as numbers, by laws, by outputs.

#include "engine/multibody/assembly/element_reader.hpp"
#include "engine/multibody/mechanism.hpp"

namespace mbs {

template <class Space>
class JointTable {
 public:
  JointTable(const Model& model, Diagnostics& diagnostics, Mechanism<Space>& mechanism);

  int add(const ElementReader& e, JointData data);  // its index in Mechanism::joints
  int add_coordinate(int joint, CoordinateData data);
  // A joint without frames: one row between coordinates of others.
  void add_coupling(const ElementReader& e, CouplingData data);

  int joint_of(int element) const { return joint_of_[element]; }
  // The joint of a measure of a reaction; -1 with an error when it has no frames.
  int joint_with_reaction(const Measure& measure) const;

  // The one coordinate of the joint of an attribute; -1 with an error when it has no value.
  int coordinate_of(const ElementReader& e, std::string_view attribute) const;
  // +1, or -1 where a mirrored subsystem counts it the other way.
  double sign_of(const ElementReader& e, std::string_view attribute) const;
  // The coordinate that the model means, marked as evaluated; -1 with an error when it has no
  // value.
  int evaluated_coordinate(int model_coordinate, const Place& place);
  std::vector<int> evaluated() const;

  // Its value is used, not its gradient alone: an angle in space then needs a counter of turns.
  void use_as_number(int coordinate) { used_as_number_[coordinate] = 1; }
  const std::vector<char>& used_as_number() const { return used_as_number_; }

 private:
  const Model& model_;
  Diagnostics& diagnostics_;
  Mechanism<Space>& m_;
  std::vector<int> joint_of_;                     // by element
  std::vector<char> used_as_number_, evaluated_;  // by coordinate
};

}  // namespace mbs
