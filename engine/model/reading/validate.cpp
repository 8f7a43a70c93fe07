#include "engine/model/reading/validate.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/schema_rules.hpp"

namespace mbs {

namespace {

constexpr int newest_version = 1;

bool allowed_in(const TagSchema& tag, std::string_view parent) {
  return parent == "default" ? is_item(tag.role) : contains(tag.parents, ' ', parent);
}

bool stands_once(const TagSchema& tag) {
  return tag.name == "gravity" || tag.name == "init" || tag.name == "solver" || is_method_tag(tag);
}

std::string quoted(std::string_view tag) {
  return "<" + std::string(tag) + ">";
}

}  // namespace

const Source& Validator::validate(const XmlFile& file, pugi::xml_node root) {
  auto& source = sources_[{&file, root.offset_debug()}];
  if (source) return *source;
  source = std::make_unique<Source>();
  source->file = &file;
  source->root = root;
  validate_root(*source);
  return *source;
}

void Validator::validate_root(Source& source) {
  const pugi::xml_node root = source.root;
  if (std::strcmp(root.name(), "mbs") != 0) {
    report_.error(source.file->place(root), "unknown-tag",
                  "the root is " + quoted(root.name()) + ", a model file has <mbs>",
                  std::strcmp(root.name(), "robot") == 0
                      ? "a robot description is taken in by <import>"
                      : "");
    source.root = {};
    return;
  }
  validate_version(source);
  if (!source.root) return;
  collect_defaults(source);
  validate_attributes(source, root, *find_tag("mbs"), false);
  validate_children(source, root, 1);
}

void Validator::validate_version(Source& source) {
  const pugi::xml_attribute version = source.root.attribute("version");
  const std::string_view text = version.value();
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  const std::string newest = std::to_string(newest_version);
  if (version && (!whole || number < 1)) {
    report_.error(source.file->value_place(source.root, version, 0), "version",
                  "'version' is a whole number from 1, this is '" + std::string(text) + "'",
                  "write version=\"" + newest + "\"");
  } else if (number > newest_version) {
    report_.error(source.file->value_place(source.root, version, 0), "newer-version",
                  "the file is of version " + std::to_string(number) +
                      " of the format, this program reads up to " + newest,
                  "use a newer program, or save the model for version " + newest);
    source.root = {};  // keywords that are unknown here may be right there
  }
}

void Validator::collect_defaults(Source& source) {
  for (const pugi::xml_node node : source.root.children("default")) {
    const std::string name_of_class = node.attribute("class").value();
    if (node.attribute("class")) source.classes.insert(name_of_class);
    for (const pugi::xml_node item : node.children()) {
      for (const pugi::xml_attribute attribute : item.attributes()) {
        const auto [known, fresh] = source.defaults.try_emplace(
            default_key(name_of_class, item.name(), attribute.name()), item, attribute);
        if (fresh || known->second.first == item) continue;
        const Place first = source.file->place(known->second.first, known->second.second);
        report_.error(source.file->place(item, attribute), "duplicate-default",
                      quoted(item.name()) + " has a default of '" + attribute.name() + "' already",
                      "the first is in line " + std::to_string(first.line));
      }
    }
  }
}

void Validator::validate_children(Source& source, pugi::xml_node parent, int depth) {
  const ReadLimits& limits = report_.limits();
  if (++open_ > limits.whole_nesting()) {
    report_.error(source.file->place(parent), "limit-nesting",
                  "with subsystems in place elements are nested more than " +
                      std::to_string(limits.whole_nesting()) + " deep");
    throw ReadingStopped{};
  }
  const bool in_default = std::strcmp(parent.name(), "default") == 0;
  for (const pugi::xml_node node : parent.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      report_.error(source.file->place(node), "stray-text", "text between elements has no meaning",
                    "values are attributes; remarks are written <!-- so -->");
    }
    if (node.type() != pugi::node_element) continue;
    if (depth > limits.nesting) {
      report_.error(source.file->place(node), "limit-nesting",
                    "elements are nested " + std::to_string(depth) + " deep, at most " +
                        std::to_string(limits.nesting) + " are allowed");
      throw ReadingStopped{};  // nothing below is looked at
    }
    if (!has_place(source, node, parent.name())) continue;
    const TagSchema& tag = *find_tag(node.name());
    if (const pugi::xml_node first = parent.child(node.name());
        !in_default && stands_once(tag) && first != node) {
      report_.error(source.file->place(node), "duplicate-element",
                    "there is a " + quoted(tag.name) + " already",
                    "the first is in line " + std::to_string(source.file->place(first).line) +
                        "; put the attributes of both into one");
    }
    if (tag.name == "mbs") {
      // A subsystem in place is a source of its own, whether it is ever expanded or not.
      validate(*source.file, node);
      continue;
    }
    validate_attributes(source, node, tag, in_default);
    if (!in_default) {
      validate_children(source, node, depth + 1);
    } else if (node.first_child()) {
      report_.error(source.file->place(node.first_child()), "misplaced-tag",
                    "in <default> an element has attributes only");
    }
  }
  --open_;
}

bool Validator::has_place(const Source& source, pugi::xml_node node, std::string_view parent) {
  const std::string_view name = node.name();
  const TagSchema* tag = find_tag(name);
  if (!tag || !allowed_in(*tag, parent)) {
    std::vector<std::string_view> known;
    for (const TagSchema& t : schema()) {
      if (allowed_in(t, parent)) known.push_back(t.name);
    }
    std::string hint = tag ? "" : did_you_mean(name, known);
    if (tag) {
      for (const std::string_view p : split(tag->parents, ' ')) {
        hint += (hint.empty() ? "it stands in " : " or ") + quoted(p);
      }
    }
    report_.error(source.file->place(node), tag ? "misplaced-tag" : "unknown-tag",
                  tag ? quoted(name) + " has no place in " + quoted(parent)
                      : "there is no element " + quoted(name),
                  hint);
    return false;
  }
  const bool planar = !source.plane().empty();
  if (tag->space != (planar ? SpaceSupport::spatial : SpaceSupport::planar)) return true;
  report_.error(source.file->place(node), "wrong-space",
                quoted(name) + " exists only in " + (planar ? "spatial" : "planar") + " models",
                name == "spherical" ? "in the plane use <revolute>" : "");
  return false;
}

void Validator::validate_attributes(const Source& source, pugi::xml_node node, const TagSchema& tag,
                                    bool in_default) {
  validate_names(source, node, tag, in_default);
  if (in_default) return;
  for (const std::string_view c : split(node.attribute("class").value(), ' ')) {
    if (tag.role == TagRole::structure || source.classes.contains(std::string(c))) continue;
    const std::vector<std::string_view> known(source.classes.begin(), source.classes.end());
    report_.error(source.file->value_place(node, node.attribute("class"), 0), "unknown-class",
                  "there is no <default class=\"" + std::string(c) + "\">", did_you_mean(c, known));
  }
  validate_values(source, node, tag);
  validate_rules(source, node, tag);
}

void Validator::validate_names(const Source& source, pugi::xml_node node, const TagSchema& tag,
                               bool in_default) {
  const bool any = !tag.attributes.empty() && tag.attributes[0].type == AttributeType::any;
  std::vector<std::string_view> names;
  for (const AttributeSchema& a : tag.attributes) names.push_back(a.name);
  for (const AttributeSchema& a : common_attributes(tag.role)) names.push_back(a.name);
  std::unordered_set<std::string_view> seen;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (!seen.insert(name).second) {
      report_.error(source.file->place(node, attribute), "duplicate-attribute",
                    "the attribute '" + std::string(name) + "' is given twice");
      continue;
    }
    const bool known = any || std::find(names.begin(), names.end(), name) != names.end();
    if (known && !(in_default && name == "name")) continue;
    if (name.starts_with("xmlns") || name.starts_with("xsi:")) continue;  // for editors
    report_.error(source.file->place(node, attribute), "unknown-attribute",
                  known ? "a name cannot be a default"
                        : quoted(tag.name) + " has no attribute '" + std::string(name) + "'",
                  known ? "" : did_you_mean(name, names));
  }
}

void Validator::validate_values(const Source& source, pugi::xml_node node, const TagSchema& tag) {
  for (const AttributeSchema& a : tag.attributes) {
    const pugi::xml_attribute given = node.attribute(std::string(a.name).c_str());
    const std::string_view value = given.value();
    if (a.type == AttributeType::name && given && (!is_identifier(value) || is_reserved(value))) {
      report_.error(source.file->value_place(node, given, 0), "bad-name",
                    "'" + std::string(value) + "' cannot be a name",
                    is_identifier(value)
                        ? "the keyword has a meaning of its own in expressions"
                        : "a name has letters, digits and _ and begins with a letter");
    }
    if (!a.required || source.has(node, a.name)) continue;
    const bool has_unit = !a.dimension.empty() && a.dimension[0] != '?' && a.dimension != "1";
    report_.error(source.file->place(node), "missing-attribute",
                  quoted(tag.name) + " needs the attribute '" + std::string(a.name) + "'",
                  std::string(a.doc) + (has_unit ? " [" + std::string(a.dimension) + "]" : ""));
  }
}

void Validator::validate_rules(const Source& source, pugi::xml_node node, const TagSchema& tag) {
  for (const std::string_view text : split(tag.rules, ' ')) {
    const Rule rule = parse_rule(text);
    const std::string first(rule.first), second(rule.second);
    // The second of a use may be the element <mbs> in place of a file.
    const auto given = [&](const std::string& name) {
      return source.has(node, name) || !node.child(name.c_str()).empty();
    };
    const bool one = given(first), other = given(second);
    const Place place = source.file->place(node);
    if (rule.kind == "one" && !one && !other) {
      report_.error(place, "missing-attribute",
                    quoted(tag.name) + " needs '" + first + "' or '" + second + "'");
    } else if (one && other && rule.kind != "with") {
      report_.error(
          place, "exclusive-attributes",
          quoted(tag.name) + " cannot have '" + first + "' together with '" + second + "'",
          "leave one of them out");
    } else if (rule.kind == "with" && one && !other) {
      report_.error(place, "missing-attribute",
                    quoted(tag.name) + " has '" + first + "', which also needs '" + second + "'");
    }
  }
}

}  // namespace mbs
