// The reference manual: chapters on the language, then one section for each tag from its table.

#include "engine/base/text.hpp"
#include "engine/model/quantities.hpp"
#include "engine/model/schema.hpp"
#include "engine/model/schema/chapters.hpp"
#include "engine/model/schema/variables.hpp"
#include "engine/model/schema_docs.hpp"
#include "engine/model/schema_rules.hpp"
#include "engine/model/syntax.hpp"
#include "engine/model/units.hpp"

namespace mbs {

namespace {

using T = AttributeType;

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string cell(std::string_view text) {  // a bar would end the cell
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string type_text(const AttributeSchema& a) {
  switch (a.type) {
    case T::name:
      return "name";
    case T::text:
      return "text";
    case T::keyword: {
      std::string keywords;
      for (const std::string_view w : split(a.choices, '|')) {
        keywords += (keywords.empty() ? "" : ", ") + code(w);
      }
      return keywords;
    }
    case T::boolean:
      return "`true`, `false`";
    case T::integer:
      return "whole number";
    case T::number:
    case T::handed:
      return "number";
    case T::position:
      return "vector";
    case T::axial:
      return "axial vector";
    case T::axis:
      return "direction";
    case T::rotation_axis:
      return "axis of rotation";
    case T::diagonal:
      return "number for each axis";
    case T::axial_diagonal:
      return "number for each axis of turning";
    case T::inertia:
      return "inertia";
    case T::rotation:
      return "angles";
    case T::runtime:
      return "run-time expression";
    case T::runtime_vector:
      return "run-time vector";
    case T::runtime_axial:
      return "run-time axial vector";
    case T::unit:
      return "unit";
    case T::frame:
      return "frame";
    case T::body:
      return "body";
    case T::joint:
      return "joint";
    case T::element:
      return "item";
    case T::file:
      return "path";
    case T::item:
      return "item";
    case T::any:
      return "expression";
  }
  return "";
}

std::string rule_text(std::string_view text) {
  const Rule rule = parse_rule(text);
  const std::string first = code(rule.first);
  const std::string second = rule.second == "mbs" ? "an `<mbs>` inside" : code(rule.second);
  if (rule.kind == "one") return "Either " + first + " or " + second + ".";
  if (rule.kind == "not") return "Not " + first + " together with " + second + ".";
  return first + " needs " + second + ".";
}

std::string range_text(std::string_view range) {
  if (range == ">=0") return "; not negative";
  if (range == ">0") return "; positive";
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) return "";
  return "; from " + std::string(range.substr(0, dots)) + " to " +
         std::string(range.substr(dots + 2));
}

std::string attribute_row(const AttributeSchema& a) {
  std::string doc(a.doc);
  doc += range_text(a.range);
  if (!a.locals.empty()) {
    doc += "; knows";
    for (const std::string_view local : split(a.locals, ' ')) {
      const std::size_t colon = local.find(':');
      doc += " " + code(local.substr(0, colon)) + " [" + std::string(local.substr(colon + 1)) + "]";
    }
  }
  const bool of_joint = a.dimension.size() > 1 && a.dimension[0] == '?';
  const std::string unit = of_joint             ? "of the joint"
                           : a.dimension == "?" ? "any"
                                                : std::string(a.dimension);
  const std::string otherwise = a.required                ? "required"
                                : a.default_value.empty() ? ""
                                                          : code(a.default_value);
  return "| " + code(a.name) + " | " + type_text(a) + " | " + unit + " | " + otherwise + " | " +
         cell(doc) + " |\n";
}

// "force [N], slip [1]" of "force:N slip:1|..." (the part of space, which has all).
std::string named_list(std::string_view title, std::string_view list, std::string_view condition) {
  std::string text;
  for (const std::string_view one : split(for_space(list, false), ' ')) {
    const std::size_t at = condition.empty() ? one.size() : std::min(one.find('@'), one.size());
    const std::vector<std::string_view> fields = split(one.substr(0, at), ':');
    text += (text.empty() ? "" : ", ") + code(fields[0]) + " [" + std::string(fields[1]) + "]";
    if (at < one.size()) text += " (with " + code(one.substr(at + 1)) + ")";
  }
  return text.empty() ? text : std::string(title) + text + ".\n";
}

std::string section(const TagSchema& tag) {
  std::string text = "\n### `<" + std::string(tag.name) + ">`\n\n" + std::string(tag.doc);
  if (tag.space == SpaceSupport::spatial) text += " Only in spatial models.";
  if (tag.space == SpaceSupport::planar) text += " Only in planar models.";
  if (contains(tables::pictures, ' ', tag.name)) {
    text += "\n\n![" + std::string(tag.name) + "](../pictures/" + std::string(tag.name) + ".svg)";
  }
  if (!tag.formula.empty()) text += "\n\n    " + std::string(tag.formula);
  text += "\n\n| attribute | type | unit | default | |\n|---|---|---|---|---|\n";
  for (const AttributeSchema& a : tag.attributes) text += attribute_row(a);
  for (const AttributeSchema& a : common_attributes(tag.role)) text += attribute_row(a);
  if (!tag.rules.empty()) {
    text += "\n";
    for (const std::string_view rule : split(tag.rules, ' ')) text += rule_text(rule) + " ";
    text.back() = '\n';
  }
  text += named_list("\nOutputs (`value`): ", tag.values, "");
  text += named_list("\nStates, known to expressions as `name.state`: ", tag.states, "@");
  std::string where;
  for (const std::string_view parent : split(tag.parents, ' ')) {
    where += (where.empty() ? "\nStands in " : ", ") + code("<" + std::string(parent) + ">");
  }
  if (!where.empty()) text += where + ".\n";
  return text + "\n```xml\n" + std::string(tag.example) + "\n```\n";
}

std::string target_text(Target target) {
  switch (target) {
    case Target::frame:
      return "body or frame";
    case Target::joint_coordinate:
    case Target::joint:
      return "joint";
    case Target::force:
      return "force element";
    case Target::body_or_all:
      return "body, or nothing";
    default:
      return "";
  }
}

std::string component_text(Components components) {
  switch (components) {
    case Components::vector:
      return "`x`, `y`, `z`, `norm`; in the plane its two axes, `norm`";
    case Components::axial:
      return "`x`, `y`, `z`, `norm`; in the plane none";
    case Components::orientation:
      return "`rx`, `ry`, `rz`, or an entry `11` ... `33` of the matrix; in the plane none";
    case Components::wrench:
      return "`fx`, `fy`, `fz`, `mx`, `my`, `mz`, `norm`, `mnorm`; in the plane `fx`, `fy` (after "
             "its two axes), `m`, `norm`";
    case Components::coordinate:
      return "which coordinate, if the joint has several";
    case Components::values:
      return "which, by its name";
    case Components::keyword: {
      std::string keywords;
      for (const std::string_view w : split(statistics, '|')) {
        keywords += (keywords.empty() ? "" : ", ") + code(w);
      }
      return keywords;
    }
    default:
      return "";
  }
}

std::string group_text(Components components) {
  std::string text;
  for (const ComponentGroup& group : component_groups()) {
    if (group.components != components) continue;
    text += std::string(text.empty() ? "; several at once: " : ", ") + code(group.keyword) + " (" +
            std::string(group.doc) + (group.planar ? ")" : ", in space)");
  }
  return text;
}

// The table of contents: a line for each chapter with its elements, made from the headings.
std::string contents_text(std::string_view manual) {
  std::string text = "\n";
  std::string_view separator;
  for (const std::string_view line : split(manual, '\n')) {
    if (line.starts_with("### `<")) {
      const std::string name(line.substr(6, line.size() - 8));
      text += std::string(separator) + "[" + name + "](#" + name + ")";
      separator = ", ";
    } else if (line.starts_with("## ")) {
      std::string anchor;
      for (const char c : line.substr(3)) {
        anchor += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
      text += "\n- [" + std::string(line.substr(3)) + "](#" + anchor + ")";
      separator = ": ";
    }
  }
  return text + "\n";
}

}  // namespace

std::string manual_text() {
  std::string text(tables::introduction);
  for (const Function& f : functions()) {
    text += "| " + code(f.name) + " | " + std::string(f.meaning) + " |\n";
  }
  text += tables::units;
  for (const UnitSymbol& u : unit_symbols()) {
    const std::string value =
        u.name == "degC" ? "x + 273.15 K" : number_text(u.factor) + " " + si_unit_name(u.dimension);
    text += "| " + code(u.name) + " | " + std::string(u.meaning) + " | " + value + " | " +
            (u.prefixes ? "yes" : "") + " |\n";
  }
  text += tables::language;
  text += tables::quantity_chapter;
  for (const QuantitySchema& q : quantity_schema()) {
    const bool measure = contains(tables::measurable, '|', q.keyword);
    text += "| " + code(q.keyword) + (measure ? " *" : "") + " | " + target_text(q.target) + " | " +
            component_text(q.components) + group_text(q.components) + " | " +
            (q.dimension == "?" ? "of the coordinate" : std::string(q.dimension)) + " | " +
            std::string(q.doc) + " |\n";
  }
  const auto chapter = [&](std::string_view title, auto&& wanted) {
    text += "\n## " + std::string(title) + "\n";
    for (const TagSchema& tag : schema()) {
      if (wanted(tag.role)) text += section(tag);
    }
  };
  chapter("Structure", [](TagRole r) { return r == TagRole::structure; });
  chapter("Variables", [](TagRole r) { return r == TagRole::variable; });
  chapter("Settings", [](TagRole r) { return r == TagRole::setting; });
  chapter("Bodies and frames", [](TagRole r) { return r == TagRole::body || r == TagRole::frame; });
  chapter("Joints", [](TagRole r) { return r == TagRole::joint; });
  chapter("Forces", [](TagRole r) { return r == TagRole::force; });
  text.insert(text.find("\n## "), contents_text(text));
  return text;
}

}  // namespace mbs
