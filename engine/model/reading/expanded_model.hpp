#pragma once

// The result of expanding: repeats and subsystems as a flat list of items with their scopes, all
// names, and the Model's lists with an entry for each item, still without values. Names that failed
// are remembered, so that nothing that depends on them is reported again.

#include <array>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/model/compile.hpp"
#include "engine/model/model.hpp"
#include "engine/model/reading/source.hpp"

namespace mbs {

enum class EntityKind : unsigned char {
  failed,
  parameter,
  input,
  state,
  algebraic,
  discrete,
  coordinate,
  rate,
  acceleration,
  measure,
  output,
  event,
  condition,
  curve,
  body,
  frame,
  joint,
  force,
  system
};
constexpr std::size_t entity_kinds = 19;
std::string entity_text(EntityKind kind);  // "a body"

struct Entity {
  EntityKind kind = EntityKind::failed;
  int index = 0;  // in the Model's list of that kind; joint, force: Model::elements
};

// A use of a source, with the names and the mirror it has there.
struct System {
  const Source* source = nullptr;
  std::string prefix;    // "fl."
  int outer_scope = -1;  // where its <use> stands
  pugi::xml_node use;
  int ground = 0;                         // the frame `at`
  std::array<double, 3> mirror{1, 1, 1};  // sign of each component of a vector
  std::unordered_map<std::string, int> parameters;
  std::unordered_map<std::string, int> repeated;  // keyword -> number of indices
  std::unordered_set<std::string> failed;         // keywords of which nothing is known
  std::vector<std::string> keywords;  // all names without indices: "link", "link.bottom"
  std::unordered_map<std::string, Place> known_keywords;  // and where they were declared

  // The sign of a scalar that a reflection inverts, and of component k of an axial vector.
  double handed() const { return mirror[0] * mirror[1] * mirror[2]; }
  double axial(std::size_t k) const { return handed() * mirror[k]; }
};

// A place where names are looked up: the top of a system, or one pass of a repeat.
struct Scope {
  int system = 0;
  int parent = -1;  // the scope around a repeat
  std::string index_name;
  int index = 0;
  std::string indices;  // "[2,3]"
  pugi::xml_node repeat;
  int previous = -1;  // the scope of the pass before
  Entity prev;        // what the keyword `prev` means
};

// A <curve> as expressions see it; without a curve when it could not be read.
struct NamedCurve {
  std::shared_ptr<const Curve> curve;
  Dimension x, y;
};

// An element of the file in one pass.
struct Item {
  pugi::xml_node node;
  const TagSchema* tag = nullptr;
  int scope = 0;
  int index = 0;   // in the Model's list for its tag
  int owner = -1;  // the body around it: Model::bodies

  const AttributeSchema& attribute(std::string_view name) const {
    return tag->attributes[find_attribute(*tag, name)];
  }
};

struct ParameterSlot {
  pugi::xml_node node;
  int scope = 0;
  AttributeText value;  // its own, or the one set from outside
  int value_scope = 0;  // where that is looked up; -1: it comes from the command line
  enum { waiting, open, done } progress = waiting;
  Type type;
};

struct ExpandedModel {
  Model model;
  std::vector<System> systems;
  std::vector<Scope> scopes;
  std::vector<Item> items;
  std::unordered_map<std::string, std::pair<Entity, Place>> entities;  // by full name
  std::vector<ParameterSlot> slots;                                    // one a parameter
  std::vector<NamedCurve> curves;
  std::array<std::vector<Type>, entity_kinds> types;  // of variables, by kind and index
  std::vector<double> start_values;                   // of the parameters

  const System& system_of(int scope) const { return systems[scopes[scope].system]; }
  System& system_of(int scope) { return systems[scopes[scope].system]; }
  const XmlFile& file_of(int scope) const { return *system_of(scope).source->file; }
  Place place(const Item& item) const { return file_of(item.scope).place(item.node); }
  // An attribute that the item gives itself.
  AttributeText own_text(const Item& item, const char* name) const {
    return mbs::own_text(file_of(item.scope), item.node, name);
  }
  Type& type(Entity entity) { return types[static_cast<std::size_t>(entity.kind)][entity.index]; }
  std::vector<Type>& types_of(EntityKind kind) { return types[static_cast<std::size_t>(kind)]; }
  // The coordinates of a joint: from first to last, as indices into Model::coordinates.
  std::pair<int, int> coordinates_of(int element) const;
  // The axes of the plane, or of space.
  std::string_view axes() const;
  int as_frame(Entity entity) const;  // -1: it is no frame
};

}  // namespace mbs
