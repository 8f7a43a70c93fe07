#pragma once

// A robot description (URDF) as a subsystem: the same robot in the keywords of a model file. What
// comes after reading need not know of it, and an FMU carries the subsystem written in place.
//
//   link      a body, or a frame of the body it is fixed to
//   joint     the frame name_origin on the parent, the joint name, the parameters name_q0 and
//             name_qd0 of its start; planar: two slides name_u, name_v with massless bodies before
//             it
//   mimic     a coupling
//   limit     the stops name_lower and name_upper
//   friction  name_friction
//
// Characters that no name can have become _. Notes list what the model has no use for.

#include <memory>

#include "engine/model/reader.hpp"
#include "engine/model/xml_source.hpp"

namespace mbs {

struct UrdfOptions {
  bool free_base = false;   // the root moves freely; otherwise it is fixed to ground
  bool keep_fixed = false;  // links with mass on fixed joints are welded on as bodies of their own
  bool limits = true;       // of the joints become stops
  enum class Friction : unsigned char { none, regularised, coulomb } friction = Friction::coulomb;
};

// The attributes of <import> that decide what becomes of the description.
inline constexpr const char* urdf_option_names[] = {"base", "fixed_joints", "limits", "friction"};
UrdfOptions urdf_options(pugi::xml_node import);

// The places of the new file are those of the description. Null when there were errors.
std::unique_ptr<XmlFile> import_urdf(const XmlFile& description, const UrdfOptions& options,
                                     Diagnostics& diagnostics, const ReadLimits& limits);

}  // namespace mbs
