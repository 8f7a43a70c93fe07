// Stage one: tags and attributes against the schema, each place once.

#include <algorithm>
#include <charconv>
#include <cstring>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/solver_overrides.hpp"

namespace mbs {

namespace {

constexpr int newest_version = 1;

std::string key(std::string_view name_of_class, std::string_view tag, std::string_view attribute) {
  return std::string(name_of_class) + '|' + std::string(tag) + '|' + std::string(attribute);
}

bool is_item(TagRole role) {
  return role == TagRole::body || role == TagRole::frame || role == TagRole::joint ||
         role == TagRole::force;
}

bool allowed_in(const TagSchema& tag, std::string_view parent) {
  return parent == "default" ? is_item(tag.role) : contains(tag.parents, ' ', parent);
}

bool stands_once(const TagSchema& tag) {
  return tag.name == "gravity" || tag.name == "init" || tag.name == "solver" || is_method_tag(tag);
}

}  // namespace

Source* Elaborator::source_of(const XmlFile& file, pugi::xml_node root) {
  auto& source = sources_[{&file, root.offset_debug()}];
  if (source) return source.get();
  source = std::make_unique<Source>();
  source->file = &file;
  source->root = root;
  validate_root(*source);
  return source.get();
}

void Elaborator::validate_root(Source& source) {
  const pugi::xml_node root = source.root;
  if (std::strcmp(root.name(), "mbs") != 0) {
    error(source.file->place(root), "unknown-tag",
          "the root is <" + std::string(root.name()) + ">, a model file has <mbs>",
          std::strcmp(root.name(), "robot") == 0 ? "a robot description is taken in by <import>"
                                                 : "");
    source.root = {};
    return;
  }
  const pugi::xml_attribute version = root.attribute("version");
  const std::string_view text = version.value();
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (version && (end.ec != std::errc() || end.ptr != text.data() + text.size() || number < 1)) {
    error(source.file->value_place(root, version, 0), "version",
          "'version' is a whole number from 1, this is '" + std::string(text) + "'",
          "write version=\"" + std::to_string(newest_version) + "\"");
  } else if (number > newest_version) {
    error(source.file->value_place(root, version, 0), "newer-version",
          "the file is of version " + std::to_string(number) +
              " of the format, this program reads "
              "up to " +
              std::to_string(newest_version),
          "use a newer program, or save the model for version " + std::to_string(newest_version));
    source.root = {};  // its other keywords may be right there
    return;
  }
  collect_defaults(source);
  validate_attributes(source, root, *find_tag("mbs"), false);
  validate_children(source, root, "mbs", 1);
}

void Elaborator::collect_defaults(Source& source) {
  for (const pugi::xml_node node : source.root.children("default")) {
    const std::string name_of_class = node.attribute("class").value();
    if (node.attribute("class")) source.classes.insert(name_of_class);
    for (const pugi::xml_node item : node.children()) {
      for (const pugi::xml_attribute attribute : item.attributes()) {
        const auto [known, fresh] = source.defaults.try_emplace(
            key(name_of_class, item.name(), attribute.name()), item, attribute);
        if (fresh || known->second.first == item) continue;
        const Place first = source.file->place(known->second.first, known->second.second);
        error(source.file->place(item, attribute), "duplicate-default",
              "<" + std::string(item.name()) + "> has a default of '" + attribute.name() +
                  "' already",
              "the first is in line " + std::to_string(first.line));
      }
    }
  }
}

void Elaborator::validate_children(Source& source, pugi::xml_node parent,
                                   std::string_view parent_tag, int depth) {
  if (++validating_ > limits_.whole_nesting()) {
    error(source.file->place(parent), "limit-nesting",
          "with subsystems in place elements are nested more than " +
              std::to_string(limits_.whole_nesting()) + " deep");
    throw GiveUp{};
  }
  for (const pugi::xml_node node : parent.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      error(source.file->place(node), "stray-text", "text between elements has no meaning",
            "values are attributes; remarks are written <!-- so -->");
    }
    if (node.type() != pugi::node_element) continue;
    if (depth > limits_.nesting) {
      error(source.file->place(node), "limit-nesting",
            "elements are nested " + std::to_string(depth) + " deep, at most " +
                std::to_string(limits_.nesting) + " are allowed");
      throw GiveUp{};  // nothing below is looked at
    }
    const std::string_view name = node.name();
    const TagSchema* tag = find_tag(name);
    const bool in_default = parent_tag == "default";
    if (!tag || !allowed_in(*tag, parent_tag)) {
      std::vector<std::string_view> known;
      for (const TagSchema& t : schema()) {
        if (allowed_in(t, parent_tag)) known.push_back(t.name);
      }
      std::string hint = tag ? "" : did_you_mean(name, known);
      if (tag && !tag->parents.empty()) {
        for (const std::string_view p : split(tag->parents, ' ')) {
          hint += (hint.empty() ? "it stands in <" : " or <") + std::string(p) + ">";
        }
      }
      error(source.file->place(node), tag ? "misplaced-tag" : "unknown-tag",
            tag ? "<" + std::string(name) + "> has no place in <" + std::string(parent_tag) + ">"
                : "there is no element <" + std::string(name) + ">",
            hint);
      continue;
    }
    const bool planar = !source.root.attribute("planar").empty();
    if ((tag->space == SpaceSupport::spatial && planar) ||
        (tag->space == SpaceSupport::planar && !planar)) {
      error(source.file->place(node), "wrong-space",
            "<" + std::string(name) + "> exists only in " + (planar ? "spatial" : "planar") +
                " models",
            name == "spherical" ? "in the plane use <revolute>" : "");
      continue;
    }
    if (const pugi::xml_node first = parent.child(node.name());
        !in_default && stands_once(*tag) && first != node) {
      error(source.file->place(node), "duplicate-element",
            "there is a <" + std::string(name) + "> already",
            "the first is in line " + std::to_string(source.file->place(first).line) +
                "; put the attributes of both into one");
    }
    // A subsystem in place is a source of its own, validated whether it is ever expanded or not.
    if (name != "mbs") validate_attributes(source, node, *tag, in_default);
    if (name == "mbs") {
      source_of(*source.file, node);
    } else if (!in_default) {
      validate_children(source, node, name, depth + 1);
    } else if (node.first_child()) {
      error(source.file->place(node.first_child()), "misplaced-tag",
            "in <default> an element has attributes only");
    }
  }
  --validating_;
}

// Given by the element itself or by a default?
bool Elaborator::has(const Source& source, pugi::xml_node node, std::string_view attribute) const {
  if (!node.attribute(std::string(attribute).c_str()).empty()) return true;
  const std::string_view name_of_class = node.attribute("class").value();
  for (const std::string_view c : split(name_of_class, ' ')) {
    if (source.defaults.contains(key(c, node.name(), attribute))) return true;
  }
  return source.defaults.contains(key("", node.name(), attribute));
}

void Elaborator::validate_attributes(Source& source, pugi::xml_node node, const TagSchema& tag,
                                     bool in_default) {
  const bool open = !tag.attributes.empty() && tag.attributes[0].type == AttributeType::any;
  const auto common = common_attributes(tag.role);
  std::unordered_set<std::string_view> seen;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (!seen.insert(name).second) {
      error(source.file->place(node, attribute), "duplicate-attribute",
            "the attribute '" + std::string(name) + "' is given twice");
      continue;
    }
    const bool known = open || find_attribute(tag, name) >= 0 ||
                       std::any_of(common.begin(), common.end(),
                                   [&](const AttributeSchema& a) { return a.name == name; });
    if (known && !(in_default && name == "name")) continue;
    if (name.starts_with("xmlns") || name.starts_with("xsi:")) continue;  // for editors
    std::vector<std::string_view> names;
    for (const AttributeSchema& a : tag.attributes) names.push_back(a.name);
    for (const AttributeSchema& a : common) names.push_back(a.name);
    error(source.file->place(node, attribute), "unknown-attribute",
          known ? "a name cannot be a default"
                : "<" + std::string(tag.name) + "> has no attribute '" + std::string(name) + "'",
          known ? "" : did_you_mean(name, names));
  }
  if (in_default) return;
  for (const std::string_view c : split(node.attribute("class").value(), ' ')) {
    if (tag.role == TagRole::structure || source.classes.contains(std::string(c))) continue;
    const std::vector<std::string_view> known(source.classes.begin(), source.classes.end());
    error(source.file->value_place(node, node.attribute("class"), 0), "unknown-class",
          "there is no <default class=\"" + std::string(c) + "\">", did_you_mean(c, known));
  }
  for (const AttributeSchema& a : tag.attributes) {
    const pugi::xml_attribute given = node.attribute(std::string(a.name).c_str());
    const std::string_view keyword = given.value();
    if (a.type == AttributeType::name && given &&
        (!is_identifier(keyword) || is_reserved(keyword))) {
      error(source.file->value_place(node, given, 0), "bad-name",
            "'" + std::string(keyword) + "' cannot be a name",
            is_identifier(keyword) ? "the keyword has a meaning of its own in expressions"
                                   : "a name has letters, digits and _ and begins with a letter");
    }
    if (a.required && !has(source, node, a.name)) {
      error(source.file->place(node), "missing-attribute",
            "<" + std::string(tag.name) + "> needs the attribute '" + std::string(a.name) + "'",
            std::string(a.doc) + (a.dimension.empty() || a.dimension[0] == '?' || a.dimension == "1"
                                      ? ""
                                      : " [" + std::string(a.dimension) + "]"));
    }
  }
  validate_rules(source, node, tag);
}

void Elaborator::validate_rules(Source& source, pugi::xml_node node, const TagSchema& tag) {
  for (const std::string_view rule : split(tag.rules, ' ')) {
    const std::size_t open = rule.find('('), comma = rule.find(',');
    const std::string_view kind = rule.substr(0, open);
    const std::string first(rule.substr(open + 1, comma - open - 1));
    const std::string second(rule.substr(comma + 1, rule.size() - comma - 2));
    // The second of a use may be the element <mbs> in place of a file.
    const auto given = [&](const std::string& name) {
      return has(source, node, name) || !node.child(name.c_str()).empty();
    };
    const bool one = given(first), other = given(second);
    const std::string tag_text = "<" + std::string(tag.name) + ">";
    if (kind == "one" && !one && !other) {
      error(source.file->place(node), "missing-attribute",
            tag_text + " needs '" + first + "' or '" + second + "'");
    } else if (one && other && kind != "with") {
      error(source.file->place(node), "exclusive-attributes",
            tag_text + " cannot have '" + first + "' together with '" + second + "'",
            "leave one of them out");
    } else if (kind == "with" && one && !other) {
      error(source.file->place(node), "missing-attribute",
            tag_text + " has '" + first + "', which needs '" + second + "' beside it");
    }
  }
}

// Looked up once for each attribute of a place, however many passes it has.
const DefaultOf& Elaborator::default_of(const Source& source, pugi::xml_node node,
                                        const AttributeSchema& schema) const {
  const auto [known, fresh] = defaults_of_.try_emplace({node.internal_object(), &schema});
  if (!fresh) return known->second;
  std::vector<std::string_view> classes = split(node.attribute("class").value(), ' ');
  classes.push_back("");
  for (const std::string_view c : classes) {
    const auto found = source.defaults.find(key(c, node.name(), schema.name));
    if (found == source.defaults.end()) continue;
    known->second = found->second;
    break;
  }
  return known->second;
}

Text Elaborator::text_of(const Item& item, const AttributeSchema& schema) const {
  const Source& source = *system_of(item.scope).source;
  const std::string name(schema.name);
  const auto text = [&](pugi::xml_node node, pugi::xml_attribute attribute) {
    return Text{source.file, node, attribute, attribute.value()};
  };
  if (item.tag->role == TagRole::setting && !overrides_.empty()) {
    const std::string set = override_name(*item.tag, schema.name);
    for (const Override& o : overrides_) {
      if (o.name == set) return Text{nullptr, {}, {}, o.value, true};
    }
  }
  if (const pugi::xml_attribute own = item.node.attribute(name.c_str())) {
    return text(item.node, own);
  }
  if (!source.defaults.empty() && schema.type != AttributeType::name) {
    const DefaultOf& found = default_of(source, item.node, schema);
    if (found.second) return text(found.first, found.second);
  }
  Text result;
  result.text = schema.default_value;
  return result;
}

}  // namespace mbs
