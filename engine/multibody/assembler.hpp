#pragma once

// Binds a Model to a Mechanism. Elements (elements/<tag>.cpp or .hpp) use it to turn their attributes into
// slots, laws, rows and forces:
//
//   template <class Space> void bind_weld(Assembler<Space>& to, const Element& e);
//
// one function for each tag, explicitly instantiated for both spaces; the list of them is made
// from the file names in elements/.

#include <concepts>
#include <string_view>

#include "engine/multibody/forces.hpp"

namespace mbs {

template <class Space>
class Assembler {
 public:
  Assembler(const Model& model, Diagnostics& diagnostics);

  // Null when there were errors.
  std::unique_ptr<Mechanism<Space>> run();

  void error(const Element& e, std::string code, std::string message, std::string hint = {});
  static std::string title(const Element& e);  // "revolute 'main'"

  // Attributes. An attribute that is absent has no slot and no law.
  bool given(const Element& e, std::string_view attribute) const;
  int frame(const Element& e, std::string_view attribute) const;
  int slot(const Element& e, std::string_view attribute);
  int slots(const Element& e, std::string_view attribute, int count);  // the first of them
  int law(const Element& e, std::string_view attribute, int component = 0);
  // mu times radius (where there is one) times the reaction force of the element's joint.
  int friction_law(const Element& e);
  // A number that can do something: present and not the constant 0.
  bool acts(const Element& e, std::string_view attribute) const;

  // Bodies, in the order of Model::bodies. com: slots, or absent.
  void body(const Element& e, BodyData data, int com = absent);

  // Joints, between the frames of the attributes a and b.
  JointData& joint(const Element& e);
  bool rotates(int frame) const;
  bool rotates(const JointData& joint) const { return rotates(joint.a) && rotates(joint.b); }
  void must_rotate(const Element& e, int frame);  // an error when it belongs to a particle
  void both_rotate(const Element& e, const JointData& joint);
  // A frame turned so that its axis k lies along a direction in slots.
  int turned(const Element& e, int frame, int direction, int k, int next = absent);
  // Turns both sides so that axis k lies along the direction of the attribute.
  // next: the attribute of the direction of the axis after it, perpendicular to it.
  void align(const Element& e, JointData& joint, std::string_view attribute, int k,
             std::string_view next = {});
  void coincide(JointData& joint);
  void across(JointData& joint, int i);
  void perpendicular(JointData& joint, int i, int j);
  // Axis k of both sides points the same way, not only along the same line.
  void same_direction(const JointData& joint, int k);
  void equal_angle(JointData& joint);
  void distance(JointData& joint, int length);  // slot; absent: that of the start
  void helix(JointData& joint, int pitch);
  // A coordinate with its start values in slots; exact targets become conditions.
  int coordinate(JointData& joint, CoordinateData data);
  // A joint without frames: one row between the coordinates of others.
  void couple(const Element& e);
  // 0 = q_b - factor q_a - offset, of the joints of the attributes a and b.
  void mesh(const Element& e, std::string_view factor);
  // Whether it is zero at the start values of the parameters.
  bool vanishes(const Element& e, std::string_view attribute) const;
  void condition_on_turn(const Element& e, JointData& joint);  // rotation and omega, when exact
  // Stiffness, rest and damping of a joint about or along a coordinate.
  void passive(const Element& e, int coordinate);
  void damp(const Element& e, std::string_view attribute, int coordinate);

  // The one coordinate of the joint of an attribute; -1 with an error when it has no value.
  int coordinate_of(const Element& e, std::string_view attribute);
  void use_value(int coordinate) { value_used_[coordinate] = 1; }
  double coordinate_sign(const Element& e, std::string_view attribute) const;
  const CoordinateData& coordinate_data(int coordinate) const {
    return mechanism_->coordinates[coordinate];
  }
  int remember(const Remembered& what);  // its index in z
  // An error when both frames belong to one body.
  bool two_bodies(const Element& e, int a, int b);
  void drive(const Element& e, DriveData data);
  void rolling(const Element& e, RollingData data);
  void guide(const Element& e, GuideData data);
  // Its rows, mode, direction and switching functions are numbered when all is bound.
  void contact(const Element& e, ContactData data);

  int centre_of_mass(int body);  // a frame there, with the body's axes
  // The states that the reader gave the element.
  static OwnStates states(const Element& e) { return {e.first_state, e.state_count}; }

  template <class E>
  void force(const Element& e, E data) {
    using Array = std::conditional_t < requires {
      data.coordinate;
    }
    , CoordinateForces<Space, E>, FrameForces < Space, E >> ;
    const auto [type, array] = forces_of_type<Array>();
    force_of_[index_of(e)] = {type, static_cast<int>(array->elements.size())};
    array->elements.push_back(std::move(data));
  }

 private:
  struct ForceIndex {
    int type = -1, index = -1;
  };
  std::size_t index_of(const Element& e) const { return &e - model_.elements.data(); }
  int add_slot(Expression value, std::string owner, const AttributeSchema* attribute = nullptr,
               int element = -1);
  int add_law(const Expression& expression);
  void add_frames();
  void add_variables();
  void add_measures();
  void add_outputs();
  void add_events();
  void add_conditions();
  const DroppedReactions* dropped_of(const JointData& joint) const;
  void record(const JointData& joint, bool moment, int axis);
  void name_rows();
  void bind(TagRole role);
  void count_turns();
  void list_gradients();
  void number_rows();
  template <class Array>
  std::pair<int, Array*> forces_of_type();
  template <class Array>
  void shows_rows(const Element& e, std::size_t index);
  int joint_with_reaction(const Measure& measure);
  int bound_coordinate(int model_coordinate, const Place& place);

  // A row of a joint of which <drop> leaves out some.
  struct ReactionRow {
    int element, row, frame, axis;
    bool moment;
  };

  const Model& model_;
  std::vector<ReactionRow> reaction_rows_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Mechanism<Space>> mechanism_;
  std::vector<ForceIndex> force_of_;          // by element
  std::vector<int> joint_of_;                 // by element
  std::vector<MeasureData> reactions_;        // of friction laws, after Model::measures
  std::vector<char> value_used_, evaluated_;  // by coordinate
};

// The array of all forces of a type, made when it is first asked for, and where it stands.
template <class Space>
template <class Array>
std::pair<int, Array*> Assembler<Space>::forces_of_type() {
  auto& list = mechanism_->forces;
  for (std::size_t type = 0; type < list.size(); ++type) {
    auto* array = dynamic_cast<Array*>(list[type].get());
    if (array != nullptr) return {static_cast<int>(type), array};
  }
  auto& made = list.emplace_back(std::make_unique<Array>());
  return {static_cast<int>(list.size()) - 1, static_cast<Array*>(made.get())};
}

extern template class Assembler<Planar>;
extern template class Assembler<Spatial>;

template <class Space>
struct ElementType {
  std::string_view tag;
  void (*bind)(Assembler<Space>&, const Element&);
};
// Generated: all elements.
template <class Space>
std::span<const ElementType<Space>> element_types();

}  // namespace mbs
