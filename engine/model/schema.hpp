#pragma once

// The one schema of the model file: every tag, attribute, type, dimension, default and doc string.
// The reader checks against it; the XSD and the reference manual are generated from it.

#include <span>
#include <string_view>

namespace mbs {

enum class AttributeType : unsigned char {
  name,      // names the item itself
  text,      // free text
  word,      // one of `choices`
  boolean,   // true | false
  integer,   // an expression of structural parameters, folded to a whole number
  number,    // an expression of parameters
  position,  // components of a polar vector: 2 in the plane, 3 in space (mirrored as a vector)
  axial,     // components of an axial vector (angular velocity, torque), 3 in space, 1 in the plane
  axis,      // x | y | z, a signed word or components; a direction
  inertia,   // planar: Izz; spatial: Ixx, Iyy, Izz [, Ixy, Ixz, Iyz]
  rotation,  // planar: an angle; spatial: rx, ry, rz (turned about x, then y, then z)
  runtime,   // an expression that may also use time, inputs, states, coordinates, measures, locals
  runtime_vector,
  unit,      // a unit for display
  frame,     // "body.frame", a body, a top-level frame, or ground
  body,
  joint,
  element,   // any named item with a reaction
  file,
  names      // anything that needs its own reading (each, index, next)
};

struct AttributeSchema {
  std::string_view name;
  AttributeType type;
  std::string_view dimension;      // an SI unit ("N.m"), "" without dimension, "?" any
  std::string_view default_value;  // as it would stand in the file; "" and not required: absent
  bool required = false;
  std::string_view choices = {};  // word: "a|b|c"
  std::string_view locals = {};   // runtime: what the law may use, "x:m xd:m/s"
  std::string_view doc = {};
};

// What a tag is to the rest of the program.
enum class TagRole : unsigned char {
  structure,  // mbs, repeat, use, set, default, ...: the reader's own
  variable,   // parameter, input, output, state, algebraic, measure
  setting,    // gravity, solver
  body, frame, joint, force
};

enum class SpaceSupport : unsigned char { both, planar, spatial };

struct TagSchema {
  std::string_view name;
  TagRole role;
  SpaceSupport space;
  std::string_view parents;      // tags that may hold it: "mbs repeat", "body"
  std::string_view coordinates;  // joints: the coordinates it publishes, "q:rad" or "q:m"
  std::span<const AttributeSchema> attributes;
  std::string_view doc;
  std::string_view formula = {};  // for the manual
  std::string_view example = {};
};

std::span<const TagSchema> schema();
const TagSchema* find_tag(std::string_view name);

}  // namespace mbs
