#include "engine/model/reading/expand.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/reading/declare.hpp"
#include "engine/model/solver_overrides.hpp"
#include "engine/model/urdf/import_urdf.hpp"

namespace mbs {

namespace {

class Expander {
 public:
  Expander(ReadContext& context, ModelFiles& files, Validator& validator)
      : context_(context),
        expanded_(context.expanded),
        report_(context.report),
        files_(files),
        validator_(validator),
        open_files_{files.main_path()} {}

  void expand_system(int system, int scope);

 private:
  void declare_curves(int system, int scope);
  void declare_parameters(int system, int scope);
  void set_parameters(int system);
  void override_parameters();
  std::string parameter_hint(std::string_view keyword, int system) const;

  void expand_children(pugi::xml_node parent, int scope, int owner);
  void expand_repeat(pugi::xml_node node, int scope, int owner);
  int pass_count(pugi::xml_node node, int scope);
  void note_repeated_names(pugi::xml_node parent, int scope, bool failed);
  Scope next_pass(pugi::xml_node node, int scope, int pass) const;

  bool expand_use(pugi::xml_node node, int scope);
  bool has_known_options(pugi::xml_node node, int scope);
  std::string path_of(pugi::xml_node node, int scope);
  const XmlFile* open(pugi::xml_node node, int scope, const std::string& path);
  void mirror(System& system, pugi::xml_node node, int scope);

  ReadContext& context_;
  ExpandedModel& expanded_;
  ReadReport& report_;
  ModelFiles& files_;
  Validator& validator_;
  std::vector<std::string> open_files_;                   // the chain of <use> being expanded
  std::unordered_map<const void*, NamedCurve> curve_of_;  // by place in the file
  AnonymousNames anonymous_;
  int open_ = 0;  // repeats, bodies and subsystems being expanded, one inside the other
};

void Expander::expand_system(int system, int scope) {
  const pugi::xml_node root = expanded_.systems[system].source->root;
  declare_curves(system, scope);
  declare_parameters(system, scope);
  if (system > 0) set_parameters(system);
  if (system == 0) override_parameters();
  expand_children(root, scope, ground);
}

void Expander::declare_curves(int system, int scope) {
  const Source& source = *expanded_.systems[system].source;
  for (const pugi::xml_node node : source.root.children("curve")) {
    report_.count_element(*source.file, node);
    const std::string name = node.attribute("name").value();
    const std::string full = expanded_.systems[system].prefix + name;
    const Place place = source.file->place(node);
    report_.count_text(place, full.size());
    const int index = static_cast<int>(expanded_.curves.size());
    if (!declare_name(context_, full, name, {EntityKind::curve, index}, scope, place)) continue;
    const auto [known, fresh] = curve_of_.try_emplace(node.internal_object());
    if (fresh) {
      known->second = read_curve(context_, {node, find_tag("curve"), scope, index, ground});
    }
    expanded_.curves.push_back(known->second);
  }
}

void Expander::declare_parameters(int system, int scope) {
  const Source& source = *expanded_.systems[system].source;
  for (const pugi::xml_node node : source.root.children("parameter")) {
    report_.count_element(*source.file, node);
    const std::string name = node.attribute("name").value();
    Parameter parameter;
    parameter.name = expanded_.systems[system].prefix + name;
    parameter.doc = node.attribute("doc").value();
    parameter.place = source.file->place(node);
    report_.count_text(parameter.place, parameter.name.size() + parameter.doc.size());
    const int index = static_cast<int>(expanded_.model.parameters.size());
    if (!declare_name(context_, parameter.name, name, {EntityKind::parameter, index}, scope,
                      parameter.place)) {
      continue;
    }
    expanded_.systems[system].parameters[name] = index;
    expanded_.model.parameters.push_back(std::move(parameter));
    ParameterSlot slot;
    slot.node = node;
    slot.scope = slot.value_scope = scope;
    slot.value = own_text(*source.file, node, "value");
    expanded_.slots.push_back(slot);
  }
}

// <set> in the <use> of a subsystem.
void Expander::set_parameters(int system) {
  const pugi::xml_node use = expanded_.systems[system].use;
  const int outer = expanded_.systems[system].outer_scope;
  const XmlFile& file = expanded_.file_of(outer);
  const auto& parameters = expanded_.systems[system].parameters;
  for (const pugi::xml_node set : use.children("set")) {
    for (const pugi::xml_attribute attribute : set.attributes()) {
      const auto known = parameters.find(attribute.name());
      if (known != parameters.end()) {
        ParameterSlot& slot = expanded_.slots[known->second];
        slot.value = own_text(file, set, attribute.name());
        slot.value_scope = outer;
        continue;
      }
      const Place where = file.place(set, attribute);
      if (report_.counts_again(where, "unknown-parameter")) continue;
      report_.error(where, "unknown-parameter",
                    "the subsystem '" + std::string(use.attribute("name").value()) +
                        "' has no parameter '" + attribute.name() + "'",
                    parameter_hint(attribute.name(), system));
    }
  }
}

void Expander::override_parameters() {
  const auto& parameters = expanded_.systems[0].parameters;
  for (const Override& o : context_.overrides) {
    if (o.name.starts_with(solver_prefix)) continue;
    const auto known = parameters.find(o.name);
    if (known == parameters.end()) {
      report_.error({"command line", 0, 0}, "unknown-parameter",
                    "the model has no parameter '" + o.name + "'", parameter_hint(o.name, 0));
      continue;
    }
    ParameterSlot& slot = expanded_.slots[known->second];
    slot.value = {};
    slot.value.text = o.value;
    slot.value_scope = -1;
  }
}

std::string Expander::parameter_hint(std::string_view keyword, int system) const {
  std::vector<std::string_view> names;
  for (const auto& [name, index] : expanded_.systems[system].parameters) names.push_back(name);
  std::sort(names.begin(), names.end());
  return did_you_mean(keyword, names);
}

void Expander::expand_children(pugi::xml_node parent, int scope, int owner) {
  const int most = 4 * report_.limits().nesting;
  if (++open_ > most) {
    report_.error(expanded_.file_of(scope).place(parent), "limit-nesting",
                  "repeats and subsystems are nested deeper than " + std::to_string(most));
    throw ReadingStopped{};
  }
  const SpaceSupport other = expanded_.model.planar ? SpaceSupport::spatial : SpaceSupport::planar;
  for (const pugi::xml_node node : parent.children()) {
    if (node.type() != pugi::node_element) continue;
    const std::string_view name = node.name();
    if (name == "parameter" || name == "curve" || name == "default" || name == "set" ||
        name == "mbs") {
      continue;
    }
    const TagSchema* tag = find_tag(name);
    auto& failed = expanded_.system_of(scope).failed;
    if (!tag || !contains(tag->parents, ' ', parent.name()) || tag->space == other) {
      // Reported by the validation: its names are not unknown but unusable.
      if (node.attribute("name")) failed.insert(node.attribute("name").value());
    } else if (name == "repeat") {
      expand_repeat(node, scope, owner);
    } else if (name == "use" || name == "import") {
      const std::string system = node.attribute("name").value();
      if (!expand_use(node, scope)) expanded_.system_of(scope).failed.insert(system);
    } else if (const int body = declare(context_, node, *tag, scope, owner, anonymous_);
               body != ground) {
      expand_children(node, scope, body);
    }
  }
  --open_;
}

// -1: it has none that can be used, which is reported.
int Expander::pass_count(pugi::xml_node node, int scope) {
  const Item item{node, find_tag("repeat"), scope};
  const AttributeText text = context_.own_text(item, "count");
  if (!text.present()) return -1;
  const Compiled c = context_.compiler.compile_one(text, scope, Level::structural);
  if (c.type.failed || !context_.check_type(text, item, "count", c.type, {})) return -1;
  const double number = c.expression.constant();
  const int most = report_.limits().repeat_count;
  if (!(number >= 0 && number == std::floor(number))) {
    report_.error(text.place(), "count",
                  "'count' needs a whole number from 0, this is " + number_text(number));
  } else if (number > most) {
    report_.error(text.place(), "limit-repeat",
                  "the repeat has " + number_text(number) + " passes, at most " +
                      std::to_string(most) + " are allowed");
  } else {
    return static_cast<int>(number);
  }
  return -1;
}

// How many indices the names inside have; in a repeat that failed they are unusable.
void Expander::note_repeated_names(pugi::xml_node parent, int scope, bool failed) {
  System& system = expanded_.system_of(scope);
  const std::string& indices = expanded_.scopes[scope].indices;
  const auto outer = indices.empty() ? 0 : 1 + std::count(indices.begin(), indices.end(), ',');
  for (const pugi::xml_node child : parent.children()) {
    const std::string name = child.attribute("name").value();
    if (!name.empty()) {
      if (failed) system.failed.insert(name);
      system.repeated[name] = static_cast<int>(1 + outer);
    }
    if (failed && std::strcmp(child.name(), "repeat") == 0) {
      note_repeated_names(child, scope, failed);
    }
  }
}

Scope Expander::next_pass(pugi::xml_node node, int scope, int pass) const {
  const std::string& outer = expanded_.scopes[scope].indices;
  Scope inner;
  inner.system = expanded_.scopes[scope].system;
  inner.parent = scope;
  inner.index_name = node.attribute("index").value();
  inner.index = pass;
  inner.indices =
      (outer.empty() ? "[" : outer.substr(0, outer.size() - 1) + ",") + std::to_string(pass) + "]";
  inner.repeat = node;
  return inner;
}

void Expander::expand_repeat(pugi::xml_node node, int scope, int owner) {
  const int count = pass_count(node, scope);
  note_repeated_names(node, scope, count < 0);
  int previous = -1;
  for (int pass = 1; pass <= count; ++pass) {
    report_.count_element(expanded_.file_of(scope), node);
    Scope inner = next_pass(node, scope, pass);
    inner.previous = previous;
    previous = static_cast<int>(expanded_.scopes.size());
    expanded_.scopes.push_back(std::move(inner));
    expand_children(node, previous, owner);
  }
}

// The choices of an <import> decide what model the description becomes.
bool Expander::has_known_options(pugi::xml_node node, int scope) {
  if (std::strcmp(node.name(), "import") != 0) return true;
  const Item item{node, find_tag("import"), scope};
  return std::ranges::all_of(urdf_option_names, [&](const char* name) {
    return !context_.own_text(item, name).present() || context_.read(item, name).index >= 0;
  });
}

// Empty when it is wrong, which is reported.
std::string Expander::path_of(pugi::xml_node node, int scope) {
  const XmlFile& file = expanded_.file_of(scope);
  const pugi::xml_attribute attribute = node.attribute("file");
  const std::string relative = attribute.value();
  const Place where = file.value_place(node, attribute, 0);
  if (!is_relative_path(relative)) {
    report_.error(where, "bad-path", "'" + relative + "' is not a relative path",
                  "a path is relative to the file that contains it, with '/' between folders");
    return {};
  }
  const std::string path = used_path(file.name(), relative);
  if (std::ranges::find(open_files_, path) == open_files_.end()) return path;
  std::string chain;
  for (const std::string& open : open_files_) chain += open + " -> ";
  report_.error(where, "use-cycle", "the file uses itself: " + chain + path);
  return {};
}

const XmlFile* Expander::open(pugi::xml_node node, int scope, const std::string& path) {
  const pugi::xml_attribute attribute = node.attribute("file");
  const Place where = expanded_.file_of(scope).value_place(node, attribute, 0);
  if (!files_.knows(path, node) && files_.is_full()) {
    report_.error(
        where, "limit-files",
        "the model consists of more than " + std::to_string(report_.limits().files) + " files");
    throw ReadingStopped{};
  }
  Diagnostics inside;
  const XmlFile* used = files_.open(path, node, inside);
  for (const Diagnostic& d : inside.list()) {
    if (d.severity != Severity::error) {
      report_.add(d);
    } else if (d.place.line == 0) {  // about the file as a whole: shown where it is used
      report_.error(where, d.code, "'" + std::string(attribute.value()) + "': " + d.message,
                    d.hint);
    } else {
      report_.error(d.place, d.code, d.message, d.hint);
    }
  }
  return used;
}

void Expander::mirror(System& system, pugi::xml_node node, int scope) {
  const pugi::xml_attribute attribute = node.attribute("mirror");
  const std::string_view axis = attribute.value(), axes = expanded_.axes();
  if (axis.empty()) return;
  const std::size_t k = axis.size() == 1 ? axes.find(axis) : std::string_view::npos;
  if (k != std::string_view::npos) {
    system.mirror[k] *= -1;
    return;
  }
  std::string offer;
  for (const char letter : axes) offer += (offer.empty() ? "" : ", ") + std::string(1, letter);
  report_.error(expanded_.file_of(scope).value_place(node, attribute, 0), "unknown-keyword",
                "'mirror' cannot be '" + std::string(axis) + "'", "axes are " + offer);
}

// False when nothing is known of what is in it.
bool Expander::expand_use(pugi::xml_node node, int scope) {
  const XmlFile& file = expanded_.file_of(scope);
  const Place place = file.place(node);
  const std::string name = node.attribute("name").value();
  if (!has_known_options(node, scope)) return false;
  report_.count_element(file, node);
  if (static_cast<int>(open_files_.size()) >= report_.limits().nesting) {
    report_.error(place, "limit-nesting",
                  "subsystems are nested deeper than " + std::to_string(report_.limits().nesting));
    return false;
  }
  const XmlFile* used = &file;
  pugi::xml_node root = node.child("mbs");
  std::string opened = file.name() + '#' + std::to_string(node.offset_debug());
  if (node.attribute("file")) {
    opened = path_of(node, scope);
    used = opened.empty() ? nullptr : open(node, scope, opened);
    if (!used) return false;
    root = used->root();
  } else if (root.empty()) {
    return false;  // reported by the validation
  }
  const Source& source = validator_.validate(*used, root);
  if (!source.root) return false;
  const std::string plane(source.plane());
  if (plane != expanded_.system_of(scope).source->plane()) {
    report_.error(place, "wrong-space",
                  "'" + name + "' is " + (plane.empty() ? "spatial" : "planar in " + plane) +
                      ", the model that uses it is not",
                  "both need the same attribute 'planar'");
    return false;
  }
  const std::string full =
      expanded_.system_of(scope).prefix + name + expanded_.scopes[scope].indices;
  const int index = static_cast<int>(expanded_.systems.size());
  report_.count_text(place, full.size());
  if (!declare_name(context_, full, name, {EntityKind::system, index}, scope, place)) return true;

  System system;
  system.source = &source;
  system.prefix = full + '.';
  system.outer_scope = scope;
  system.use = node;
  system.mirror = expanded_.system_of(scope).mirror;
  mirror(system, node, scope);
  expanded_.systems.push_back(std::move(system));
  const int inner = static_cast<int>(expanded_.scopes.size());
  expanded_.scopes.emplace_back().system = index;
  open_files_.push_back(opened);
  expand_system(index, inner);
  open_files_.pop_back();
  return true;
}

}  // namespace

void expand(const Source& source, ReadContext& context, ModelFiles& files, Validator& validator) {
  context.expanded.systems.emplace_back().source = &source;
  context.expanded.scopes.emplace_back();
  Expander(context, files, validator).expand_system(0, 0);
}

}  // namespace mbs
