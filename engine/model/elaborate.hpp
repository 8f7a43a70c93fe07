#pragma once

// The reader's inside: from the nodes of the files to a Model, in these stages.
//
//   validate   each file's tags and attributes against the schema, once for each place
//   expand     parameters as needed, repeats and subsystems into a flat list of items, all names
//   bind       the items' attributes: names looked up, expressions compiled, checked, mirrored
//
// What failed is remembered, so that nothing that depends on it is reported again.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/model/compile.hpp"
#include "engine/model/quantities.hpp"
#include "engine/model/reader.hpp"
#include "engine/model/syntax.hpp"
#include "engine/model/xml_source.hpp"

namespace mbs {

struct GiveUp {};  // thrown when reading on would make no sense: the reason has been reported

// An attribute in <default>, with its element.
using DefaultOf = std::pair<pugi::xml_node, pugi::xml_attribute>;

// One <mbs> element: a whole file, or a subsystem written in place.
struct Source {
  const XmlFile* file = nullptr;
  pugi::xml_node root;
  std::unordered_map<std::string, DefaultOf> defaults;  // by "class|tag|attribute"
  std::unordered_set<std::string> classes;
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

  // The factor of component k of an axial vector.
  double axial(std::size_t k) const { return mirror[0] * mirror[1] * mirror[2] * mirror[k]; }
};

enum class EntityKind : unsigned char {
  parameter,
  input,
  state,
  algebraic,
  discrete,
  coordinate,
  rate,
  measure,
  output,
  event,
  condition,
  acceleration,
  curve,
  body,
  frame,
  joint,
  force,
  system,
  failed
};

struct Entity {
  EntityKind kind = EntityKind::failed;
  int index = 0;  // in the Model's list of that kind; joint, force: Model::elements
};

// Where names are looked up: a system's top, or one pass of a repeat.
struct Scope {
  int system = 0;
  int parent = -1;  // the scope around a repeat
  std::string index_name;
  int index = 0;
  std::string indices;  // "[2,3]"
  pugi::xml_node repeat;
  int previous = -1;  // the scope of the pass before
  Entity prev;        // what `prev` means
};

// What a <curve> is to expressions; no curve: it could not be read.
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
};

// The text of an attribute, wherever it comes from.
struct Text {
  const XmlFile* file = nullptr;  // null: from the schema, or from outside
  pugi::xml_node node;
  pugi::xml_attribute attribute;
  std::string_view text;
  bool outside = false;  // from the command line
  bool present() const { return file != nullptr || outside; }
};

struct ParameterSlot {
  pugi::xml_node node;
  int scope = 0;
  Text value;           // its own, or the one set from outside
  int value_scope = 0;  // where that is looked up; -1: only numbers (from outside the model)
  enum { waiting, open, done } progress = waiting;
  Type type;
};

// What an expression may use; `event`: also what is known only after the equations are solved.
enum class Level : unsigned char { structural, parameters, runtime, event };

class Elaborator {
 public:
  Elaborator(Diagnostics& diagnostics, std::span<const Override> overrides,
             const ReadLimits& limits)
      : diagnostics_(diagnostics), overrides_(overrides), limits_(limits) {}
  Model run(std::unique_ptr<XmlFile> file);

  // names.cpp
  Resolved resolve(const SyntaxTree& tree, const SyntaxTree::Name& name, int scope, Level level,
                   std::string_view locals);

 private:
  // reader.cpp: errors
  void error(const Place& place, std::string code, std::string message, std::string hint = {});
  Place place(const Text& text, int offset = 0) const;
  void error(const Text& text, const SyntaxError& error);
  const System& system_of(int scope) const { return systems_[scopes_[scope].system]; }
  System& system_of(int scope) { return systems_[scopes_[scope].system]; }
  const XmlFile& file_of(int scope) const { return *system_of(scope).source->file; }
  std::string_view plane_letters() const;
  bool taken(const Place& place, const std::string& code);

  // validate.cpp
  Source* source_of(const XmlFile& file, pugi::xml_node root);
  void collect_defaults(Source& source);
  void validate_root(Source& source);
  void validate_children(Source& source, pugi::xml_node parent, std::string_view parent_tag,
                         int depth);
  void validate_attributes(Source& source, pugi::xml_node node, const TagSchema& tag,
                           bool in_default);
  void validate_rules(Source& source, pugi::xml_node node, const TagSchema& tag);
  bool has(const Source& source, pugi::xml_node node, std::string_view attribute) const;

  // expand.cpp
  void expand_system(int system, int scope);
  void collect_parameters(int system, int scope);
  void expand_children(pugi::xml_node parent, int scope, int owner);
  void expand_repeat(pugi::xml_node node, int scope, int owner);
  void expand_use(pugi::xml_node node, int scope);
  bool is_known_keyword(pugi::xml_node node, int scope, const char* attribute);
  void apply_sets(pugi::xml_node use, int system);
  std::string parameter_hint(std::string_view keyword, int system) const;
  void apply_overrides(int system);
  void check_solver_overrides();
  void declare(pugi::xml_node node, const TagSchema& tag, int scope, int owner);
  void declare_states(const Item& item);
  void declare_coordinates(const TagSchema& tag, int element, int scope, const std::string& name);
  // The coordinates of a joint: from first to last, as indices into Model::coordinates.
  std::pair<int, int> coordinates_of(int element) const;
  bool declare_name(const std::string& full, const std::string& keyword, Entity entity, int scope,
                    const Place& place);
  void count_element(const XmlFile& file, pugi::xml_node node);
  void count_text(const Place& place, std::size_t bytes);

  // curves.cpp
  void collect_curves(int system, int scope);
  NamedCurve read_curve(const Item& item);

  // parameters.cpp
  void elaborate_parameter(int index);
  void keep_dimension(const ParameterSlot& slot, Level level, Compiled& value);
  void finish_parameter(int index, Compiled& value);

  // names.cpp
  std::optional<std::string> full_name(const SyntaxTree& tree, const SyntaxTree::Name& name,
                                       int scope, SyntaxError& why);
  Compiled compile_node(const SyntaxTree& tree, int node, int scope, Level level,
                        std::string_view locals);
  Entity look_up(const SyntaxTree& tree, const SyntaxTree::Name& name, int scope, SyntaxError& why);
  SyntaxError unknown_name(const SyntaxTree::Name& name, int scope, const std::string& full);
  // "did you mean ...?" of the names in a system; `before` leads to that system.
  std::string candidates(std::string_view keyword, int of, const std::string& before = {});
  // Reads the text as one name: a frame, a joint, ...; kind `failed` when it is none.
  Entity reference(const Text& text, int scope);
  int as_frame(Entity entity) const;  // -1: it is no frame
  void resolve_scopes();

  // attributes.cpp
  Text text_of(const Item& item, const AttributeSchema& schema) const;
  const DefaultOf& default_of(const Source& source, pugi::xml_node node,
                              const AttributeSchema& schema) const;
  const SyntaxTree* parsed(const Text& text);
  std::vector<Compiled> compile_list(const Text& text, int scope, Level level,
                                     std::string_view locals);
  Compiled compile_one(const Text& text, int scope, Level level, std::string_view locals = {});
  bool check_type(const Text& text, int offset, const AttributeSchema& schema, const Type& type,
                  const Dimension& wanted);
  std::string_view joint_unit(const Item& item, std::string_view dimension);
  AttributeValue read_attribute(const Item& item, const AttributeSchema& schema);
  void read_numbers(const Item& item, const AttributeSchema& schema, const Text& text,
                    AttributeValue& value);
  void read_axis(const Item& item, const AttributeSchema& schema, const Text& text,
                 AttributeValue& value);
  void read_keyword(const AttributeSchema& schema, const Text& text, AttributeValue& value);
  void read_frame(const Item& item, const Text& text, AttributeValue& value);
  void read_joint(const Item& item, const AttributeSchema& schema, const Text& text,
                  AttributeValue& value);
  bool acts_on_joint(const Item& item) const;
  void mirror(const Item& item, const AttributeSchema& schema, AttributeValue& value) const;
  std::optional<Unit> read_unit(const Text& text);
  Text attribute_text(pugi::xml_node node, int scope, const char* name) const;

  // plausibility.cpp: values that no physical thing has
  void check_range(const AttributeSchema& schema, const Text& text, const AttributeValue& value);
  void check_plausible(const Item& item, const AttributeSchema& schema, const Text& text,
                       const AttributeValue& value);

  // bind.cpp
  void bind();
  void bind_static(const Item& item);  // inputs, starts of states: what gives a dimension
  void bind_frame(const Item& item);
  void bind_element(const Item& item);
  void bind_runtime(const Item& item);  // der, residual, output values
  void bind_setting(const Item& item);
  int joint_axes(int element) const;
  // `component`: instead of the attribute's.
  bool bind_measure(const Item& item, Measure& measure, const Entity& of,
                    const std::string* component = nullptr);
  void bind_output(const Item& item);
  void bind_each(const Item& item, const Output& output);
  void add_output(const Item& item, const Output& output, const Entity& of);
  void finish_frames();
  Unit display_unit(const Text& text, const Type& type, Type& result);

  // events.cpp
  void bind_event(const Item& item);
  void bind_condition(const Item& item, const Text& when, Event& event);
  void bind_sets(const Item& item, Event& event);

  // conditions.cpp
  void bind_initial_condition(const Item& item);
  void bind_drop(const Item& item);
  void bind_trim(const Item& item);

  // quantities.cpp
  bool read_component(const Item& item, Measure& measure, const QuantitySchema& quantity,
                      const std::string* part);
  // What an output puts out: one component, or with component="all" several under further indices.
  struct Part {
    std::string component;
    std::vector<int> indices;
  };
  std::vector<Part> parts_of(const Item& item);

  Diagnostics& diagnostics_;
  std::span<const Override> overrides_;
  const ReadLimits& limits_;
  Model model_;
  std::vector<std::unique_ptr<XmlFile>> files_;
  std::unordered_map<std::string, XmlFile*> file_by_path_;  // null: could not be read
  std::vector<std::string> open_files_;                     // the chain of <use> being expanded
  std::map<std::pair<const XmlFile*, std::ptrdiff_t>, std::unique_ptr<Source>> sources_;
  std::vector<System> systems_;
  std::vector<Scope> scopes_;
  std::vector<Item> items_;
  std::unordered_map<std::string, std::pair<Entity, Place>> entities_;
  std::vector<ParameterSlot> slots_;  // as long as Model::parameters
  std::vector<NamedCurve> curves_;
  std::unordered_map<const void*, NamedCurve> curve_of_;  // by place in the file
  std::vector<int> open_parameters_;                      // the chain being evaluated
  std::vector<Type> input_types_, state_types_, algebraic_types_, discrete_types_, measure_types_;
  std::unordered_map<const void*, std::pair<SyntaxTree, std::optional<SyntaxError>>> parsed_;
  std::vector<double> start_values_;  // of the parameters
  std::map<std::string, int> anonymous_;
  mutable std::map<std::pair<const void*, const AttributeSchema*>, DefaultOf> defaults_of_;
  long counted_ = 0;              // elements, passes, outputs of `each`
  std::size_t text_counted_ = 0;  // bytes
  int validating_ = 0;            // elements being validated, one inside the other
  int open_ = 0;  // repeats, bodies and subsystems being expanded, one inside the other
};

std::string entity_text(EntityKind kind);  // "a body"
// The path of a file used by another.
std::string used_path(const std::string& from, std::string_view file);
// The same for what may only stand beside or below that other; empty: it does not.
std::string file_in_folder(const std::string& from, std::string_view relative);

}  // namespace mbs
