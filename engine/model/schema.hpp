#pragma once

// The one schema of the model file: every tag, attribute, type, dimension, default and doc string.
// The reader checks against it; the XSD and the reference manual are generated from it.

#include <span>
#include <string_view>

namespace mbs {

enum class AttributeType : unsigned char {
  name,      // names the item itself
  text,      // free text
  keyword,   // one of `choices`
  boolean,   // true | false
  integer,   // an expression of structural parameters, folded to a whole number
  number,    // an expression of parameters
  handed,    // the same, but a mirror changes its sign: a slide along an axis of rotation, a pitch
  position,  // components of a polar vector: 2 in the plane, 3 in space (mirrored as a vector)
  axial,     // components of an axial vector (angular velocity, torque), 3 in space, 1 in the plane
  axis,      // x | y | z, a signed keyword (-x) or components; a direction, mirrored as a vector
  rotation_axis,  // likewise, but mirrored as an axial vector; in the plane one number: +1 or -1
  inertia,        // planar: Izz; spatial: Ixx, Iyy, Izz [, Ixy, Ixz, Iyz]
  diagonal,       // one number for each axis, 2 in the plane, 3 in space, or one for all of them; a
                  // mirror leaves them as they are
  axial_diagonal,  // likewise for turning: 1 in the plane
  rotation,  // planar: an angle; spatial: rx, ry, rz, turned about x, then the new y, then the new
             // z: the matrix Rx(rx) Ry(ry) Rz(rz) takes components in the turned axes to the old
  runtime,   // an expression that may also use time, inputs, states, coordinates, measures, locals
  runtime_vector,  // one component when the element acts on the coordinate of a joint, otherwise
                   // 2 in the plane, 3 in space
  runtime_axial,   // one component on the coordinate of a joint and in the plane, 3 in space
  unit,            // a unit for display
  frame,           // "body.frame", a body, a top-level frame, or ground
  body,
  joint,    // `dimension`: that of the one coordinate the joint must have
  element,  // any named item: what fits is decided by `quantity`
  file,
  item,  // a reference that needs its own reading (each, next, prev)
  any    // the tag takes attributes of any name, each an expression (set)
};

struct AttributeSchema {
  std::string_view name = {};
  AttributeType type = AttributeType::text;
  // An SI unit ("N.m"), "" without dimension, "?" any; of the joint's coordinate: "?q", its rate
  // "?qd", the force along it "?Q".
  std::string_view dimension = {};
  std::string_view default_value =
      {};  // as it would stand in the file; "" and not required: absent
  bool required = false;
  std::string_view choices = {};  // keyword: "a|b|c"
  std::string_view locals = {};   // runtime: what the law may use, "x:m xd:m/s"
  std::string_view doc = {};
  std::string_view range =
      {};  // what its value must keep to at the parameters' start values: ">=0", ">0", "3..13"
};

// The kind of item that a tag makes.
enum class TagRole : unsigned char {
  structure,  // mbs, repeat, use, set, default, ...: the reader's own
  variable,   // parameter, input, output, state, algebraic, measure
  setting,    // gravity, solver
  body,
  frame,
  joint,
  force
};

enum class SpaceSupport : unsigned char { both, planar, spatial };

struct TagSchema {
  std::string_view name = {};
  TagRole role = TagRole::structure;
  SpaceSupport space = SpaceSupport::both;
  std::string_view parents = {};  // tags that may hold it: "mbs repeat", "body"
  // Joints: the coordinates it publishes, "q:rad" or "q:m"; where they differ: "in the plane | in
  // space". A third field says how a mirrored subsystem counts it: p0 as component 0 of a vector
  // (it is then also named after that axis of the plane), a2 as component 2 of an axial one, h as
  // what is handed.
  std::string_view coordinates = {};
  std::span<const AttributeSchema> attributes = {};
  std::string_view doc = {};
  // Forces: the numbers that outputs show, "force:N slip:1", the first being the quantity `force`;
  // and the states of its own that it has, "current:A:start@inductance": name, unit, the
  // attribute that is their start value, and, where not all have them, that without which it is
  // not there. Where the plane has fewer: "in the plane | in space".
  std::string_view values = {};
  std::string_view states = {};
  // Rules on attributes together: "one(on,joint)" exactly one of them, "not(law,stiffness)" not
  // both, "with(reaction_on,on)" the first only with the second.
  std::string_view rules = {};
  std::string_view formula = {};  // for the manual
  std::string_view example = {};  // what stands between <mbs> and </mbs>, or a whole file
};

std::span<const TagSchema> schema();
const TagSchema* find_tag(std::string_view name);
// The position of an attribute in its tag's table; -1: there is none.
int find_attribute(const TagSchema& tag, std::string_view name);
// Options of one integrator: `radau`, `bdf`, ...
bool is_method_tag(const TagSchema& tag);
// Attributes which bodies, frames, joints and forces have besides those of their table: class, doc.
std::span<const AttributeSchema> common_attributes(TagRole role);

}  // namespace mbs
