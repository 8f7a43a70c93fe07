#pragma once

// Runs the elements, rows and measures of a mechanism over traced values (traced.hpp), so that a
// graph says what each quantity is computed from. It stands in for Evaluation where these are
// templates.
//
// The equations of motion are written as the Newton-Euler residuals and the second derivatives of
// the constraints,
//
//   a_i  <-  M a - f + G^T lambda,      lambda_j  <-  G a + gamma
//
// over the coordinates of the bodies and with all joints as constraints, so that blocks of the
// saddle matrix are cycles of the graph (graph.hpp). Rows of all modes of contacts are there at
// once. In coordinates along a tree the bodies' states follow from those of the joints, and q''
// from the bodies' accelerations; what a joint does not let a body do is no unknown there but of
// the joint's own rows. All accelerations of coordinates that joints join are one block.

#include <initializer_list>
#include <map>
#include <span>

#include "engine/analysis/dependencies/trace.hpp"
#include "engine/analysis/dependencies/traced.hpp"
#include "engine/multibody/laws.hpp"
#include "engine/multibody/tree/topology.hpp"

namespace mbs {

// How a mechanism is counted: tree null: in absolute coordinates.
template <class Space>
struct TracedCoordinates {
  const Tree<Space>* tree = nullptr;
  bool mixed = false;          // the coordinates of bodies as well
  std::vector<int> r_of = {};  // in the mechanism's numbers, of each r here; empty: all
};

template <class Space>
class Tracer {
 public:
  using Geometry = Space;
  Tracer(const Mechanism<Space>& mechanism, const Parameters& defaults,
         TracedCoordinates<Space> coordinates);

  // These members are named as those of Evaluation: the code of elements takes either.
  const Mechanism<Space>& mechanism;
  struct {
    std::vector<Traced> r, z, a;  // a: of the bodies in absolute coordinates
  } x;
  Traced operator[](int slot) const { return slots_[slot]; }
  Traced optional(int slot, double otherwise = 0.0) const {
    return slot == absent ? Traced(otherwise) : slots_[slot];
  }
  bool is_positive(int) const { return true; }  // a sign changes no dependency
  int pole(int) const { return 0; }             // all components of tangents are alike
  int body_of(int frame) const { return mechanism.frames[frame].body; }
  const FrameConstants<Space, Traced>& frame(int index) const { return frames_[index]; }
  template <class T>
  const BodyState<Space, Traced>& body(int index, int) const {
    return bodies_[1 + index];
  }
  template <class T>
  FrameMotion<Space, Traced> motion(int index, int) const {
    return frame_motion(bodies_[1 + body_of(index)], frames_[index]);
  }
  Traced law(int index, std::initializer_list<Traced> locals = {}) const;
  Traced multiplier(int row) const { return variable(trace_->lambda[row]); }

 protected:
  struct Coordinate {
    int v = -1;  // where it is a coordinate of the tree
    Traced q, qd, qdd;
    Row<Space, Traced> row;
  };

  Traced variable(int node) const { return {trace_->graph, node}; }
  int node_of(const Traced& value) const;
  void emit(int node, const Traced& value) const;
  bool has_bodies() const { return coordinates_.tree == nullptr || coordinates_.mixed; }
  bool counts(const TreeNode& node) const { return !coordinates_.mixed || node.joint >= 0; }
  Traced argument(const Law::Argument& argument, std::initializer_list<Traced> locals) const;

  const TracedCoordinates<Space> coordinates_;
  const std::unique_ptr<StructureTrace> trace_ = std::make_unique<StructureTrace>();
  std::vector<Traced> slots_;
  std::vector<FrameConstants<Space, Traced>> frames_;
  std::vector<BodyState<Space, Traced>> bodies_;  // ground first
  std::vector<int> forces_;                       // nodes, by absolute velocity coordinate
  std::vector<Coordinate> coordinate_;
  std::vector<int> measures_, auxiliary_, places_;  // nodes; places on guides
  std::vector<std::array<int, 2>> places_in_tree_;  // p and v of each node

 private:
  void add_knowns();
  void add_numbers();
  void place_frames(const Parameters& defaults);
  typename Space::template Rotation<Traced> own_rotation(int frame,
                                                         const Parameters& defaults) const;
  void place_bodies();
  void hang(std::size_t node);
};

// An element's own laws and states, over traced values.
template <class Space>
class Laws<Space, Traced> {
 public:
  template <class E>
  Laws(const Tracer<Space>& at, const E& e) : at_(at), law_(e.law.data()) {
    if constexpr (requires { e.states; }) states_ = e.states;
  }
  bool given(int k) const { return law_[k] != absent; }
  template <class... Locals>
  Traced operator()(int k, const Locals&... locals) const {
    return at_.law(law_[k], {Traced(locals)...});
  }
  bool has_state(int k) const { return k < states_.count; }
  Traced state(int k) const { return at_.x.r[states_.first + k]; }
  Traced& rate(int k) { return rates_[k]; }
  void show(int k, const Traced& value) { shown_.emplace_back(k, value); }
  bool showing() const { return true; }
  const OwnStates& states() const { return states_; }
  const auto& shown() const { return shown_; }

 private:
  const Tracer<Space>& at_;
  const int* law_;
  OwnStates states_;
  std::array<Traced, 3> rates_;
  std::vector<std::pair<int, Traced>> shown_;
};

template <class T, class Space, class Function>
void on_sides(const Tracer<Space>& at, int a, int b, int, const Function& use) {
  use(Side<Space, Traced>{at.template body<T>(at.body_of(a), ground), at.frame(a)},
      Side<Space, Traced>{at.template body<T>(at.body_of(b), ground), at.frame(b)});
}

// All of a mechanism: its rows, states, outputs, switching functions, and what its start has to
// meet.
template <class Space>
class StructureTracer final : public Tracer<Space> {
 public:
  using Base = Tracer<Space>;
  using Base::body_of;
  using Base::law;
  using Base::mechanism;
  using Base::multiplier;
  using Base::optional;
  using Base::x;
  using Tracer<Space>::Tracer;
  StructureTrace run();

 private:
  using Base::argument;
  using Base::auxiliary_;
  using Base::bodies_;
  using Base::coordinate_;
  using Base::coordinates_;
  using Base::counts;
  using Base::emit;
  using Base::forces_;
  using Base::frames_;
  using Base::has_bodies;
  using Base::measures_;
  using Base::node_of;
  using Base::places_;
  using Base::places_in_tree_;
  using Base::slots_;
  using Base::trace_;
  using Base::variable;
  using typename Base::Coordinate;
  struct Block {  // inertial axes, body axes
    Vec<Traced, Space::dim> linear;
    Vec<Traced, Space::rot> angular;
  };

  // elements.cpp: forces
  void trace_forces();
  template <class E>
  void frame_force(int type, int index, const E& e);
  template <class E>
  void coordinate_force(int type, int index, const E& e);
  template <class Values>
  void note(int type, int index, Values& laws, const Traced& value);
  void show(int type, int index, int which, const Traced& value);

  // rows.cpp
  Block accelerations(int body, bool all = false) const;  // all: those too that cannot be
  void push(int body, const Block& load, const Traced& factor);
  void push_row(const Row<Space, Traced>& row, int a, int b, const Traced& factor);
  void add_coordinates();
  void add_joint_rates(std::size_t node);
  void add_inertia();
  void add_row(int number, const Row<Space, Traced>& row, int a, int b, bool of_positions,
               int far = ground);
  void add_coordinate_row(int number, std::span<const std::pair<int, Traced>> terms,
                          const Traced& value, const Traced& rate, const Traced& second,
                          bool of_positions);
  void add_joints();
  void add_couplings();
  void add_drives();
  void add_guides();
  void add_contact(std::size_t contact);

  // structure.cpp: laws, outputs, switching functions
  void add_laws();
  Traced output(const OutputData& data) const;
  Traced energy(const OutputData& data) const;
  void add_indicators();

  // start.cpp
  void add_row_conditions();
  void add_joint_conditions();
  void add_start_conditions(const std::vector<Condition>& conditions, bool of_rate);
  void add_start_values();
  void add_assemblies();
  void add_coordinates_of(int body, StructureTrace::Assembly& to) const;

  Traced potential_;  // of elements
};

}  // namespace mbs
