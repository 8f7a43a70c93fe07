// Stage two: repeats and subsystems into a flat list, and all names.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/solver_overrides.hpp"
#include "engine/model/urdf/import_urdf.hpp"

namespace mbs {

namespace {

// "a/b/../c" -> "a/c", so that a file is known by one path.
std::string tidy(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string result = path.starts_with('/') ? "/" : "";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) result += '/';
    result += parts[k];
  }
  return result;
}

std::string folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash + 1));
}

}  // namespace

std::string used_path(const std::string& from, std::string_view file) {
  return tidy(folder(from) + std::string(file));
}

void Elaborator::count_element(const XmlFile& file, pugi::xml_node node) {
  if (++counted_ <= limits_.elements) return;
  error(file.place(node), "limit-elements",
        "the model has more than " + std::to_string(limits_.elements) +
            " elements and passes of repeats",
        "is a count too large?");
  throw GiveUp{};
}

// Names and docs are copied in every pass.
void Elaborator::count_text(const Place& place, std::size_t bytes) {
  text_counted_ += bytes + place.file.size();
  if (text_counted_ <= limits_.text_bytes) return;
  error(place, "limit-text",
        "the model's names and docs have more than " + std::to_string(limits_.text_bytes) +
            " bytes, counted in every pass of a repeat",
        "shorten them, or is a count too large?");
  throw GiveUp{};
}

void Elaborator::expand_system(int system, int scope) {
  const pugi::xml_node root = systems_[system].source->root;
  collect_curves(system, scope);
  collect_parameters(system, scope);
  if (systems_[system].use) apply_sets(systems_[system].use, system);
  if (system == 0) apply_overrides(system);
  expand_children(root, scope, ground);
}

void Elaborator::collect_parameters(int system, int scope) {
  const Source& source = *systems_[system].source;
  for (const pugi::xml_node node : source.root.children("parameter")) {
    count_element(*source.file, node);
    const std::string name = node.attribute("name").value();
    const std::string full = systems_[system].prefix + name;
    const int index = static_cast<int>(model_.parameters.size());
    const Place place = source.file->place(node);
    count_text(place, full.size() + std::string_view(node.attribute("doc").value()).size());
    if (!declare_name(full, name, {EntityKind::parameter, index}, scope, place)) continue;
    systems_[system].parameters[name] = index;
    Parameter parameter;
    parameter.name = full;
    parameter.doc = node.attribute("doc").value();
    parameter.place = place;
    model_.parameters.push_back(std::move(parameter));
    ParameterSlot slot;
    slot.node = node;
    slot.scope = slot.value_scope = scope;
    slot.value = attribute_text(node, scope, "value");
    slots_.push_back(slot);
  }
}

Text Elaborator::attribute_text(pugi::xml_node node, int scope, const char* name) const {
  Text text;
  text.attribute = node.attribute(name);
  if (text.attribute.empty()) return text;
  text.file = &file_of(scope);
  text.node = node;
  text.text = text.attribute.value();
  return text;
}

void Elaborator::apply_sets(pugi::xml_node use, int system) {
  const int outer = systems_[system].outer_scope;
  for (const pugi::xml_node set : use.children("set")) {
    for (const pugi::xml_attribute attribute : set.attributes()) {
      const auto known = systems_[system].parameters.find(attribute.name());
      if (known != systems_[system].parameters.end()) {
        ParameterSlot& slot = slots_[known->second];
        slot.value = attribute_text(set, outer, attribute.name());
        slot.value_scope = outer;
        continue;
      }
      const Place where = file_of(outer).place(set, attribute);
      if (taken(where, "unknown-parameter")) continue;
      error(where, "unknown-parameter",
            "the subsystem '" + std::string(use.attribute("name").value()) +
                "' has no parameter '" + attribute.name() + "'",
            parameter_hint(attribute.name(), system));
    }
  }
}

std::string Elaborator::parameter_hint(std::string_view keyword, int system) const {
  std::vector<std::string_view> names;
  for (const auto& [name, index] : systems_[system].parameters) names.push_back(name);
  std::sort(names.begin(), names.end());
  return did_you_mean(keyword, names);
}

void Elaborator::apply_overrides(int system) {
  for (const Override& o : overrides_) {
    if (o.name.starts_with(solver_prefix)) continue;
    const auto known = systems_[system].parameters.find(o.name);
    if (known == systems_[system].parameters.end()) {
      error({"command line", 0, 0}, "unknown-parameter",
            "the model has no parameter '" + o.name + "'", parameter_hint(o.name, system));
      continue;
    }
    ParameterSlot& slot = slots_[known->second];
    slot.value = Text{};
    slot.value.text = o.value;
    slot.value_scope = -1;
  }
}

void Elaborator::expand_children(pugi::xml_node parent, int scope, int owner) {
  if (++open_ > 4 * limits_.nesting) {
    error(file_of(scope).place(parent), "limit-nesting",
          "repeats and subsystems are nested deeper than " + std::to_string(4 * limits_.nesting));
    throw GiveUp{};
  }
  for (const pugi::xml_node node : parent.children()) {
    if (node.type() != pugi::node_element) continue;
    const std::string_view name = node.name();
    if (name == "parameter" || name == "curve" || name == "default" || name == "set" ||
        name == "mbs") {
      continue;
    }
    const TagSchema* tag = find_tag(name);
    const bool planar = model_.planar;
    const bool usable = tag && contains(tag->parents, ' ', parent.name()) &&
                        !(tag->space == SpaceSupport::spatial && planar) &&
                        !(tag->space == SpaceSupport::planar && !planar);
    if (!usable) {  // reported already: its name and what is in it are not unknown but unusable
      if (node.attribute("name")) system_of(scope).failed.insert(node.attribute("name").value());
      continue;
    }
    if (name == "repeat") {
      expand_repeat(node, scope, owner);
    } else if (name == "use" || name == "import") {
      expand_use(node, scope);
    } else {
      declare(node, *tag, scope, owner);
    }
  }
  --open_;
}

void Elaborator::expand_repeat(pugi::xml_node node, int scope, int owner) {
  const std::string index_name = node.attribute("index").value();
  const Text count_text = attribute_text(node, scope, "count");
  int count = -1;
  if (count_text.present()) {
    static const AttributeSchema& schema = find_tag("repeat")->attributes[1];
    const Compiled c = compile_one(count_text, scope, Level::structural);
    if (!c.type.failed && check_type(count_text, 0, schema, c.type, {})) {
      const double number = c.expression.constant();
      if (!(number >= 0 && number == std::floor(number))) {
        error(place(count_text), "count",
              "'count' needs a whole number from 0, this is " + number_text(number));
      } else if (number > limits_.repeat_count) {
        error(place(count_text), "limit-repeat",
              "the repeat has " + number_text(number) + " passes, at most " +
                  std::to_string(limits_.repeat_count) + " are allowed");
      } else {
        count = static_cast<int>(number);
      }
    }
  }
  const auto mark = [&](auto&& self, pugi::xml_node parent, bool failed) -> void {
    for (const pugi::xml_node child : parent.children()) {
      const std::string name = child.attribute("name").value();
      System& system = system_of(scope);
      if (!name.empty()) {
        if (failed) system.failed.insert(name);
        if (std::strcmp(parent.name(), "repeat") == 0) {
          system.repeated[name] = static_cast<int>(
              1 + std::count(scopes_[scope].indices.begin(), scopes_[scope].indices.end(), ',') +
              (scopes_[scope].indices.empty() ? 0 : 1));
        }
      }
      if (std::strcmp(child.name(), "repeat") == 0 && failed) self(self, child, failed);
    }
  };
  mark(mark, node, count < 0);
  if (count < 0) return;
  int previous = -1;
  for (int pass = 1; pass <= count; ++pass) {
    count_element(file_of(scope), node);
    Scope inner;
    inner.system = scopes_[scope].system;
    inner.parent = scope;
    inner.index_name = index_name;
    inner.index = pass;
    const std::string& outer = scopes_[scope].indices;
    inner.indices = (outer.empty() ? "[" : outer.substr(0, outer.size() - 1) + ",") +
                    std::to_string(pass) + "]";
    inner.repeat = node;
    inner.previous = previous;
    previous = static_cast<int>(scopes_.size());
    scopes_.push_back(std::move(inner));
    expand_children(node, previous, owner);
  }
}

// Of an attribute with choices that may be absent.
bool Elaborator::is_known_keyword(pugi::xml_node node, int scope, const char* attribute) {
  const Text text = attribute_text(node, scope, attribute);
  if (!text.present()) return true;
  const TagSchema& tag = *find_tag(node.name());
  AttributeValue value;
  read_keyword(tag.attributes[static_cast<std::size_t>(find_attribute(tag, attribute))], text,
               value);
  return value.index >= 0;
}

void Elaborator::expand_use(pugi::xml_node node, int scope) {
  const XmlFile& file = file_of(scope);
  const std::string name = node.attribute("name").value();
  const auto fail = [&] { system_of(scope).failed.insert(name); };
  const bool import = std::strcmp(node.name(), "import") == 0;
  for (const char* keyword : {"base", "fixed_joints", "limits", "friction"}) {
    if (import && !is_known_keyword(node, scope, keyword)) return fail();
  }
  count_element(file, node);
  if (static_cast<int>(open_files_.size()) >= limits_.nesting) {
    error(file.place(node), "limit-nesting",
          "subsystems are nested deeper than " + std::to_string(limits_.nesting));
    return fail();
  }
  const XmlFile* used = &file;
  pugi::xml_node root = node.child("mbs");
  std::string path = file.name();
  const pugi::xml_attribute attribute = node.attribute("file");
  if (!attribute.empty()) {
    const Place where = file.value_place(node, attribute, 0);
    const std::string_view relative = attribute.value();
    if (relative.empty() || relative.starts_with('/') || relative.find('\\') < relative.size() ||
        relative.find(':') < relative.size()) {
      error(where, "bad-path", "'" + std::string(relative) + "' is not a relative path",
            "a path is relative to the file that contains it, with '/' between folders");
      return fail();
    }
    path = used_path(file.name(), relative);
    if (std::find(open_files_.begin(), open_files_.end(), path) != open_files_.end()) {
      std::string chain;
      for (const std::string& open : open_files_) chain += open + " -> ";
      error(where, "use-cycle", "the file uses itself: " + chain + path);
      return fail();
    }
    const UrdfOptions options = import ? urdf_options(node) : UrdfOptions{};
    const std::string as =
        path +
        (!import             ? ""
         : options.free_base ? "|free"
                             : "|fixed") +
        (options.keep_fixed ? "|weld" : "") + (options.limits ? "" : "|unlimited") +
        (import ? '|' + std::to_string(static_cast<int>(options.friction)) : std::string());
    const auto known = file_by_path_.find(as);
    if (known != file_by_path_.end()) {
      used = known->second;
    } else {
      if (static_cast<int>(files_.size()) >= limits_.files) {
        error(where, "limit-files",
              "the model consists of more than " + std::to_string(limits_.files) + " files");
        throw GiveUp{};
      }
      Diagnostics inside;
      std::unique_ptr<XmlFile> loaded = load_xml(path, inside, limits_);
      if (loaded && import) loaded = import_urdf(*loaded, options, inside, limits_);
      for (const Diagnostic& d : inside.list()) {
        if (d.severity != Severity::error) {
          diagnostics_.add(d);
        } else if (d.place.line == 0) {  // of the file as a whole: shown where it is used
          error(where, d.code, "'" + std::string(relative) + "': " + d.message, d.hint);
        } else {
          error(d.place, d.code, d.message, d.hint);
        }
      }
      used = loaded.get();
      file_by_path_[as] = loaded.get();
      if (loaded) files_.push_back(std::move(loaded));
    }
    if (!used) return fail();
    root = used->root();
  } else if (root.empty()) {
    return fail();  // reported by validate
  }
  Source* source = source_of(*used, root);
  if (!source->root) return fail();
  const std::string_view plane = source->root.attribute("planar").value();
  if (plane != system_of(scope).source->root.attribute("planar").value()) {
    error(file.place(node), "wrong-space",
          "'" + name + "' is " + (plane.empty() ? "spatial" : "planar in " + std::string(plane)) +
              ", the model that uses it is not",
          "both need the same attribute 'planar'");
    return fail();
  }
  const std::string full = system_of(scope).prefix + name + scopes_[scope].indices;
  const int index = static_cast<int>(systems_.size());
  count_text(file.place(node), full.size());
  if (!declare_name(full, name, {EntityKind::system, index}, scope, file.place(node))) return;

  System system;
  system.source = source;
  system.prefix = full + '.';
  system.outer_scope = scope;
  system.use = node;
  system.mirror = system_of(scope).mirror;
  const std::string_view mirror = node.attribute("mirror").value();
  if (!mirror.empty()) {
    const std::string_view axes = model_.planar ? plane : "xyz";
    const std::size_t k = mirror.size() == 1 ? axes.find(mirror) : std::string_view::npos;
    if (k == std::string_view::npos) {
      error(file.value_place(node, node.attribute("mirror"), 0), "unknown-keyword",
            "'mirror' cannot be '" + std::string(mirror) + "'",
            "axes are " + std::string(axes.substr(0, 1)) + ", " + std::string(axes.substr(1, 1)) +
                (axes.size() > 2 ? ", z" : ""));
    } else {
      system.mirror[k] *= -1;
    }
  }
  systems_.push_back(std::move(system));
  Scope inner;
  inner.system = index;
  const int inner_scope = static_cast<int>(scopes_.size());
  scopes_.push_back(std::move(inner));
  open_files_.push_back(path +
                        (attribute.empty() ? "#" + std::to_string(node.offset_debug()) : ""));
  expand_system(index, inner_scope);
  open_files_.pop_back();
}

}  // namespace mbs
