#pragma once

// Runs the elements, rows and measures of a mechanism over traced values (traced.hpp) and notes in
// a graph what each quantity is computed from. It stands in for Evaluation where these are
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
// the joint's own rows.

#include <initializer_list>
#include <map>

#include "engine/analysis/dependencies/scope.hpp"
#include "engine/multibody/laws.hpp"
#include "engine/multibody/measures.hpp"
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
class Tracer : public TraceScope {
 public:
  using Geometry = Space;
  Tracer(const Mechanism<Space>& mechanism, const Parameters& defaults,
         TracedCoordinates<Space> coordinates);

  // As Evaluation.
  const Mechanism<Space>& mechanism;
  struct Nodes {
    const Tracer& at;
    std::vector<Entry> entries;
    Traced operator[](int i) const { return at.load(entries[static_cast<std::size_t>(i)]); }
  };
  struct {
    Nodes r, z, a;  // a: of the bodies in absolute coordinates
  } x;
  Traced operator[](int slot) const { return load(slots_[static_cast<std::size_t>(slot)]); }
  Traced optional(int slot, double otherwise = 0.0) const {
    return slot == absent ? Traced(otherwise) : (*this)[slot];
  }
  bool is_positive(int) const { return true; }  // a sign changes no dependency
  int pole(int) const { return 0; }             // all components of tangents are alike
  int body_of(int frame) const { return mechanism.frames[frame].body; }
  FrameConstants<Space, Traced> frame(int index) const;
  template <class T>
  BodyState<Space, Traced> body(int index, int) const;
  template <class T>
  FrameMotion<Space, Traced> motion(int index, int) const {
    return frame_motion(body<Traced>(body_of(index), ground), frame(index));
  }
  Traced law(int index, std::initializer_list<Traced> locals = {}) const;

  // For elements: what number k of the outputs of an element is.
  void show(int type, int index, int which, const Traced& value) const;
  template <class E>
  void frame_force(int type, int index, const E& e) const;
  template <class E>
  void coordinate_force(int type, int index, const E& e) const;
  void trace_forces() const;
  void show_row(int type, int index, int which, int row) const;
  void show_contact(int type, int index, int contact) const;
  Traced multiplier(int row) const { return variable(trace_.lambda[row]); }

 protected:
  struct Coordinate {
    int v = -1;  // where it is a coordinate of the tree
    Entry q, qd, qdd;
    Row<Space, Entry> row;
  };
  struct Block {
    Vec<Traced, Space::dim> linear;
    Vec<Traced, Space::rot> angular;
  };

  Traced argument(const Law::Argument& argument, std::initializer_list<Traced> locals) const;
  void push(int body, const Block& load, const Traced& factor) const;
  void push_coordinate(int coordinate, const Traced& Q) const;

  const TracedCoordinates<Space> coordinates_;
  std::vector<Entry> slots_;
  std::vector<FrameConstants<Space, Entry>> frames_;
  std::vector<BodyState<Space, Entry>> bodies_;  // ground first
  std::vector<int> forces_;                      // nodes, by absolute velocity coordinate
  std::vector<Coordinate> coordinate_;
  mutable std::vector<int> potential_;                     // of elements
  std::vector<int> measures_, auxiliary_, places_;         // nodes; places on guides
  std::map<std::pair<int, int>, std::vector<int>> shown_;  // outputs by force type and element
  std::vector<std::array<int, 2>> places_in_tree_;         // p and v of each node

 private:
  void note(int type, int index, Laws<Space, Traced>& laws, const Traced& value) const;
  Traced counted(int known, const Traced& scale) const;
  void add_knowns();
  typename Space::template Rotation<Traced> own_rotation(int frame,
                                                         const Parameters& defaults) const;
  void place_frames(const Parameters& defaults);
  void place_bodies();
  void hang(std::size_t node);
};

// What elements see of laws and states of their own, traced.
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
  Traced& rate(int k) { return rates_[static_cast<std::size_t>(k)]; }
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
void on_sides(const Tracer<Space>& at, int a, int b, int seeded, const Function& use) {
  const auto body_a = at.template body<T>(at.body_of(a), seeded);
  const auto body_b = at.template body<T>(at.body_of(b), seeded);
  const auto frame_a = at.frame(a), frame_b = at.frame(b);
  use(Side<Space, Traced>{body_a, frame_a}, Side<Space, Traced>{body_b, frame_b});
}

}  // namespace mbs
