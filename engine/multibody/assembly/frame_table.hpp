#pragma once

// The bodies of a mechanism and the frames on them: those of the model, and those that elements
// turn to their axes.

#include "engine/multibody/assembly/element_reader.hpp"
#include "engine/multibody/mechanism.hpp"

namespace mbs {

template <class Space>
class FrameTable {
 public:
  FrameTable(const Model& model, Mechanism<Space>& mechanism) : model_(model), m_(mechanism) {}

  void add_frames_of_model();
  // Bodies come in the order of Model::bodies. com: slots, or absent.
  void add_body(const ElementReader& e, BodyData data, int com = absent);
  // A frame turned so that its axis k lies along a direction in slots; next: slots of the direction
  // of the axis after it, perpendicular to it.
  int turned(const ElementReader& e, int frame, int direction, int k, int next = absent);
  // A frame at another one, rotated by angles in slots.
  int rotated(int frame, int rotation, const std::string& owner);
  int centre_of_mass(int body);  // with the body's axes

  bool rotates(int frame) const;
  // These report an error: when the frame belongs to a particle; when both belong to one body.
  void must_rotate(const ElementReader& e, int frame) const;
  bool on_two_bodies(const ElementReader& e, int a, int b) const;

 private:
  int add(FrameData frame);

  const Model& model_;
  Mechanism<Space>& m_;
};

}  // namespace mbs
