// From the text of an attribute to its value, by the type its schema gives it.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/lexer.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/units.hpp"

namespace mbs {

namespace {

using T = AttributeType;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string_view joined_offer(const std::vector<std::string_view>& keywords, std::string& store) {
  for (const std::string_view keyword : keywords) {
    store += store.empty() ? "" : keyword == keywords.back() ? " or " : ", ";
    store += keyword;
  }
  return store;
}

}  // namespace

const SyntaxTree* Elaborator::parsed(const Text& text) {
  // Attributes stay where they are as long as the reader lives, and so do the schema's defaults.
  auto [entry, fresh] = parsed_.try_emplace(text.text.data());
  auto& [tree, failure] = entry->second;
  if (fresh) {
    try {
      tree = parse_list(text.text, limits_.expression_depth);
    } catch (const SyntaxError& e) {
      failure = e;
    }
  }
  if (!failure) return &tree;
  error(text, *failure);
  return nullptr;
}

std::vector<Compiled> Elaborator::compile_list(const Text& text, int scope, Level level,
                                               std::string_view locals) {
  std::vector<Compiled> result;
  const SyntaxTree* tree = parsed(text);
  if (!tree) return result;
  for (const int root : tree->roots) {
    // From outside the model only numbers come; they are looked up at the top, where parameters
    // would be names of the model: that is as good.
    result.push_back(compile_node(*tree, root, std::max(0, scope), level, locals));
    for (const SyntaxError& e : result.back().errors) error(text, e);
  }
  return result;
}

Compiled Elaborator::compile_one(const Text& text, int scope, Level level,
                                 std::string_view locals) {
  std::vector<Compiled> list = compile_list(text, scope, level, locals);
  if (list.size() == 1) return std::move(list.front());
  Compiled failed;
  failed.type.failed = true;
  if (!list.empty()) {
    error(text, {0, "component-count",
                 "one value is needed here, these are " + std::to_string(list.size()), ""});
  }
  return failed;
}

bool Elaborator::check_type(const Text& text, int offset, const AttributeSchema& schema,
                            const Type& type, const Dimension& wanted) {
  if (type.failed) return false;
  const auto wrong = [&](const std::string& message, const std::string& hint) {
    error(text, {offset, "dimension", message, hint});
    return false;
  };
  const std::string name = "'" + std::string(schema.name) + "'";
  if (type.condition) {
    return wrong(name + " needs a number, this is a condition",
                 "if(condition, a, b) makes a number of it");
  }
  if (type.free || schema.dimension == "?" || same_up_to_angle(type.dimension, wanted)) {
    if (schema.dimension != "?" || type.free || same_up_to_angle(type.dimension, wanted)) {
      return true;
    }
  }
  const bool none = same_up_to_angle(wanted, {});
  const std::string unit = schema.dimension == "?" || schema.dimension.empty()
                               ? si_unit_name(wanted)
                               : std::string(schema.dimension);
  return wrong(name + " needs " + (none ? "an angle or a number without dimension" : unit) +
                   ", this is " + dimension_text(type),
               none ? ""
               : same_up_to_angle(type.dimension, {})
                   ? "give its numbers units, so that it comes to " + unit
                   : "a bare number would be taken in " + unit);
}

// Does it act along or about the coordinate of a joint?
bool Elaborator::acts_on_joint(const Item& item) const {
  for (const AttributeSchema& a : item.tag->attributes) {
    if (a.type == T::joint && text_of(item, a).present()) return true;
  }
  return false;
}

void Elaborator::mirror(const Item& item, const AttributeSchema& schema,
                        AttributeValue& value) const {
  const System& system = system_of(item.scope);
  const auto scale = [&](std::size_t k, double sign) {
    if (sign < 0) value.numbers[k] = negated(value.numbers[k]);
  };
  const std::size_t n = value.numbers.size();
  const bool planar = model_.planar;
  if (acts_on_joint(item) &&
      (schema.type == T::runtime_vector || schema.type == T::runtime_axial)) {
    return;  // it follows the coordinate of a joint, which is mirrored itself
  }
  switch (schema.type) {
    case T::position:
    case T::axis:
    case T::runtime_vector:
      for (std::size_t k = 0; k < n; ++k) scale(k, system.mirror[k]);
      return;
    case T::axial:
    case T::rotation:
    case T::rotation_axis:
    case T::runtime_axial:
      if (n == 1 && planar) scale(0, system.axial(2));
      if (n == 3) {
        for (std::size_t k = 0; k < 3; ++k) scale(k, system.axial(k));
      }
      return;
    case T::handed:
      if (n == 1) scale(0, system.mirror[0] * system.mirror[1] * system.mirror[2]);
      return;
    case T::inertia:  // S J S
      if (n == 6) {
        scale(3, system.mirror[0] * system.mirror[1]);
        scale(4, system.mirror[0] * system.mirror[2]);
        scale(5, system.mirror[1] * system.mirror[2]);
      }
      return;
    default:
      return;
  }
}

// The unit of what belongs to the joint it acts on: its coordinate, the rate, the force along it.
std::string_view Elaborator::joint_unit(const Item& item, std::string_view dimension) {
  Dimension of_joint = parse_unit("m")->dimension;
  for (const AttributeSchema& a : item.tag->attributes) {
    if (a.type != T::joint) continue;
    const Text text = text_of(item, a);
    if (!text.present()) continue;
    const Entity entity = reference(text, item.scope);
    if (entity.kind != EntityKind::joint) continue;
    const auto [first, last] = coordinates_of(entity.index);
    if (last > first) of_joint = model_.coordinates[first].dimension;
  }
  const bool slides = of_joint == parse_unit("m")->dimension;
  if (dimension == "?q") return slides ? "m" : "rad";
  if (dimension == "?qd") return slides ? "m/s" : "rad/s";
  return slides ? "N" : "N.m";
}

AttributeValue Elaborator::read_attribute(const Item& item, const AttributeSchema& schema) {
  if (schema.dimension.size() > 1 && schema.dimension[0] == '?') {
    AttributeSchema of_joint = schema;
    of_joint.dimension = joint_unit(item, schema.dimension);
    return read_attribute(item, of_joint);
  }
  AttributeValue value;
  const Text text = text_of(item, schema);
  value.given = text.present();
  if (value.given) value.place = place(text);
  if (!value.given && text.text.empty()) return value;
  switch (schema.type) {
    case T::name:
    case T::text:
    case T::file:
    case T::any:
    case T::item:
    case T::element:
    case T::body:
      value.text = text.text;
      break;
    case T::unit:
      value.text = text.text;
      break;
    case T::keyword:
      read_keyword(schema, text, value);
      break;
    case T::boolean: {
      AttributeSchema keywords = schema;
      keywords.choices = "false|true";
      read_keyword(keywords, text, value);
      break;
    }
    case T::frame:
      read_frame(item, text, value);
      break;
    case T::joint:
      read_joint(item, schema, text, value);
      break;
    case T::axis:
    case T::rotation_axis:
      read_axis(item, schema, text, value);
      break;
    default:
      read_numbers(item, schema, text, value);
      break;
  }
  if (!value.numbers.empty()) {
    mirror(item, schema, value);
    check_range(schema, text, value);
    check_plausible(item, schema, text, value);
  }
  return value;
}

void Elaborator::read_numbers(const Item& item, const AttributeSchema& schema, const Text& text,
                              AttributeValue& value) {
  const bool planar = model_.planar;
  const bool runtime = schema.type == T::runtime || schema.type == T::runtime_vector ||
                       schema.type == T::runtime_axial;
  const bool on_joint = runtime && acts_on_joint(item);
  std::size_t wanted = 1, other = 0;  // how many components there may be
  switch (schema.type) {
    case T::position:
      wanted = planar ? 2 : 3;
      break;
    case T::axial:
    case T::rotation:
      wanted = planar ? 1 : 3;
      break;
    case T::diagonal:
      wanted = planar ? 2 : 3;
      other = 1;
      break;
    case T::axial_diagonal:
      wanted = planar ? 1 : 3;
      other = planar ? 0 : 1;
      break;
    case T::inertia:
      wanted = planar ? 1 : 3;
      other = planar ? 0 : 6;
      break;
    case T::runtime_vector:
      wanted = on_joint ? 1 : planar ? 2 : 3;
      break;
    case T::runtime_axial:
      wanted = on_joint || planar ? 1 : 3;
      break;
    default:
      break;
  }
  const bool fixed = schema.type == T::integer || item.tag->role == TagRole::setting;
  const bool gravity = schema.type == T::position && item.tag->role == TagRole::setting;
  const Level level = runtime             ? Level::runtime
                      : fixed && !gravity ? Level::structural
                                          : Level::parameters;
  const std::vector<Compiled> list = compile_list(text, item.scope, level, schema.locals);
  if (list.empty()) return;
  const bool zero = !text.present() && list.size() == 1;  // a default of "0" for a vector
  if (!zero && list.size() != wanted && list.size() != other) {
    const std::string space = planar ? "planar" : "spatial";
    error(text, {0, "component-count",
                 "'" + std::string(schema.name) + "' needs " + std::to_string(wanted) +
                     (other > 0 ? " or " + std::to_string(other) : "") + " component" +
                     (wanted > 1 ? "s" : "") +
                     (wanted > 1 || list.size() > 1 ? " in a " + space + " model" : "") +
                     ", this has " + std::to_string(list.size()),
                 wanted > 1 ? "components are separated by commas" : ""});
    return;
  }
  const Dimension dimension = schema.dimension.empty() || schema.dimension == "?"
                                  ? Dimension{}
                                  : parse_unit(schema.dimension)->dimension;
  const SyntaxTree& tree = *parsed(text);
  bool good = true;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const int root = tree.roots[k];
    good = !list[k].type.failed && good;
    if (schema.dimension != "?") {
      const int offset = tree.nodes[static_cast<std::size_t>(leftmost(tree, root))].offset;
      good = check_type(text, offset, schema, list[k].type, dimension) && good;
    }
  }
  if (!good) return;
  for (const Compiled& c : list) value.numbers.push_back(c.expression);
  const std::size_t full = schema.type == T::inertia && !planar ? 6 : wanted;
  const bool all_axes = schema.type == T::diagonal || schema.type == T::axial_diagonal;
  value.numbers.resize(std::max(full, value.numbers.size()),
                       all_axes ? value.numbers.back() : Expression());
  if (schema.type != T::integer) return;
  const double number = value.numbers[0].constant();
  if (number != std::floor(number) || std::fabs(number) > 1e9) {
    error(text, {0, "count",
                 "'" + std::string(schema.name) + "' needs a whole number, this is " +
                     number_text(number),
                 ""});
    return;
  }
  value.index = static_cast<int>(number);
}

void Elaborator::read_axis(const Item& item, const AttributeSchema& schema, const Text& text,
                           AttributeValue& value) {
  const bool planar = model_.planar;
  const bool normal = planar && schema.type == T::rotation_axis;
  const std::string_view letters = normal ? "z" : planar ? plane_letters() : "xyz";
  std::string_view keyword = trimmed(text.text);
  double sign = 1.0;
  if (!keyword.empty() && (keyword[0] == '-' || keyword[0] == '+')) {
    sign = keyword[0] == '-' ? -1.0 : 1.0;
    keyword = trimmed(keyword.substr(1));
  }
  const std::size_t k = keyword.size() == 1 ? letters.find(keyword) : std::string_view::npos;
  if (k != std::string_view::npos) {
    value.numbers.assign(letters.size(), Expression(0.0));
    value.numbers[k] = Expression(sign);
    return;
  }
  AttributeSchema components = schema;
  components.type = T::position;
  components.dimension = "1";
  const SyntaxTree* tree = parsed(text);
  if (normal || !tree || tree->roots.size() != letters.size()) {
    if (!tree) return;
    error(text,
          {0, "unknown-keyword",
           "'" + std::string(text.text) + "' is no axis" + (planar ? " of a planar model" : ""),
           normal ? "in the plane an axis of rotation is z or -z"
                  : "write x, -y, ... or " + std::to_string(letters.size()) +
                        " components separated by commas"});
    return;
  }
  read_numbers(item, components, text, value);
}

void Elaborator::read_keyword(const AttributeSchema& schema, const Text& text,
                              AttributeValue& value) {
  const std::vector<std::string_view> keywords = split(schema.choices, '|');
  value.text = trimmed(text.text);
  for (std::size_t k = 0; k < keywords.size(); ++k) {
    if (keywords[k] == value.text) value.index = static_cast<int>(k);
  }
  if (value.index >= 0) return;
  std::string offer;
  joined_offer(keywords, offer);
  const std::string best = nearest(value.text, keywords);
  error(text,
        {0, "unknown-keyword", "'" + std::string(schema.name) + "' cannot be '" + value.text + "'",
         best.empty() ? "it is " + offer : "did you mean '" + best + "'?"});
}

void Elaborator::read_frame(const Item& item, const Text& text, AttributeValue& value) {
  if (!text.present()) {  // the default is "ground"
    value.index = system_of(item.scope).ground;
    value.text = text.text;
    return;
  }
  const Entity entity = reference(text, item.scope);
  value.text = text.text;
  value.index = as_frame(entity);
  if (value.index >= 0 || entity.kind == EntityKind::failed) return;
  error(text, {0, "wrong-kind",
               "'" + value.text + "' is " + entity_text(entity.kind) + ", a frame is needed here",
               "frames are ground, bodies, and frames of bodies (body.frame)"});
}

void Elaborator::read_joint(const Item& item, const AttributeSchema& schema, const Text& text,
                            AttributeValue& value) {
  const Entity entity = reference(text, item.scope);
  value.text = text.text;
  if (entity.kind == EntityKind::failed) return;
  if (entity.kind != EntityKind::joint) {
    error(text,
          {0, "wrong-kind",
           "'" + value.text + "' is " + entity_text(entity.kind) + ", a joint is needed here", ""});
    return;
  }
  value.index = entity.index;
  const TagSchema& tag = *model_.elements[entity.index].tag;
  const auto [first, last] = coordinates_of(entity.index);
  if (schema.dimension == "?") {
    if (last == first + 1) return;
    error(text, {0, "wrong-joint",
                 "<" + std::string(item.tag->name) + "> needs a joint with one coordinate, '" +
                     value.text + "' is a <" + std::string(tag.name) + ">",
                 ""});
    return;
  }
  const Dimension wanted = parse_unit(schema.dimension)->dimension;
  if (last == first + 1 && model_.coordinates[first].dimension == wanted) return;
  error(text, {0, "wrong-joint",
               "<" + std::string(item.tag->name) + "> needs a joint with one coordinate in " +
                   std::string(schema.dimension) + ", '" + value.text + "' is a <" +
                   std::string(tag.name) + ">",
               item.tag->role == TagRole::joint ? ""
               : schema.dimension == "m"        ? "on a joint that turns use <torque>"
                                                : "on a joint that slides use <force>"});
}

std::optional<Unit> Elaborator::read_unit(const Text& text) {
  const std::optional<Unit> unit = parse_unit(trimmed(text.text));
  if (unit) return unit;
  const std::string_view whole = trimmed(text.text);
  for (std::size_t at = 0; at < whole.size();) {  // which of its keywords is the wrong one
    const std::size_t end = std::min(whole.find_first_of("./^*- 0123456789", at), whole.size());
    const std::string_view keyword = whole.substr(at, end - at);
    if (!keyword.empty() && !parse_unit_symbol(keyword)) {
      const int offset = static_cast<int>(keyword.data() - text.text.data());
      error(text, {offset, "unknown-unit", "'" + std::string(keyword) + "' is not a unit",
                   unit_hint(keyword)});
      return std::nullopt;
    }
    at = end + 1;
  }
  error(text, {0, "unknown-unit", "'" + std::string(text.text) + "' is not a unit",
               "units are joined without spaces: N.m, m/s^2, 1/s"});
  return std::nullopt;
}

}  // namespace mbs
