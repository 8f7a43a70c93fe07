#pragma once

// A mechanism while it is made from a model. Elements (elements/<tag>.cpp) turn their attributes
// into slots and frames (ElementReader) and put what they are into these tables:
//
//   template <class Space> void bind_weld(Assembly<Space>& to, const ElementReader& e);
//   extern const ElementType weld_element{"weld", bind_weld, bind_weld};
//
// one for each tag; the list of them is made from the file names in elements/. Joints are put
// together by joint_builder.hpp.

#include "engine/multibody/assembly/dropped_rows.hpp"
#include "engine/multibody/assembly/force_table.hpp"
#include "engine/multibody/assembly/frame_table.hpp"
#include "engine/multibody/assembly/law_table.hpp"

namespace mbs {

template <class Space>
struct Assembly {
  Assembly(const Model& from, Diagnostics& messages)
      : model(from),
        diagnostics(messages),
        mechanism(std::make_unique<Mechanism<Space>>()),
        frames(model, *mechanism),
        joints(model, diagnostics, *mechanism),
        laws(model, *mechanism, joints),
        forces(model, *mechanism),
        dropped(model) {}

  const Model& model;
  Diagnostics& diagnostics;
  std::unique_ptr<Mechanism<Space>> mechanism;
  FrameTable<Space> frames;
  JointTable<Space> joints;
  LawTable<Space> laws;
  ForceTable<Space> forces;
  DroppedRows<Space> dropped;
};

struct ElementType {
  std::string_view tag;
  // Null where the schema does not know the tag.
  void (*bind_in_plane)(Assembly<Planar>&, const ElementReader&);
  void (*bind_in_space)(Assembly<Spatial>&, const ElementReader&);
};
// Generated: all elements.
std::span<const ElementType* const> element_types();

}  // namespace mbs
