#include "engine/model/reading/attribute_reader.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/lexer.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/solver_overrides.hpp"
#include "engine/model/units.hpp"

namespace mbs {

namespace {

using T = AttributeType;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// "a, b or c"
std::string either(const std::vector<std::string_view>& keywords) {
  std::string text;
  for (const std::string_view keyword : keywords) {
    text += text.empty() ? "" : keyword == keywords.back() ? " or " : ", ";
    text += keyword;
  }
  return text;
}

bool is_runtime(T type) {
  return type == T::runtime || type == T::runtime_vector || type == T::runtime_axial;
}

// How many components a value may have.
struct Count {
  std::size_t wanted = 1, other = 0;
};

Count components_of(T type, bool planar, bool on_joint) {
  switch (type) {
    case T::position:
      return {planar ? 2u : 3u};
    case T::axial:
    case T::rotation:
      return {planar ? 1u : 3u};
    case T::diagonal:
      return {planar ? 2u : 3u, 1};
    case T::axial_diagonal:
      return {planar ? 1u : 3u, planar ? 0u : 1u};
    case T::inertia:
      return {planar ? 1u : 3u, planar ? 0u : 6u};
    case T::runtime_vector:
      return {on_joint ? 1u : planar ? 2u : 3u};
    case T::runtime_axial:
      return {on_joint || planar ? 1u : 3u};
    default:
      return {};
  }
}

Level level_of(const Item& item, const AttributeSchema& schema) {
  if (is_runtime(schema.type)) return Level::runtime;
  const bool gravity = schema.type == T::position && item.tag->role == TagRole::setting;
  const bool fixed = schema.type == T::integer || item.tag->role == TagRole::setting;
  return fixed && !gravity ? Level::structural : Level::parameters;
}

}  // namespace

AttributeText AttributeReader::text(const Item& item, const AttributeSchema& schema) const {
  if (item.tag->role == TagRole::setting && !overrides_.empty()) {
    const auto set =
        std::ranges::find(overrides_, override_name(*item.tag, schema.name), &Override::name);
    if (set != overrides_.end()) return {nullptr, {}, {}, set->value, true};
  }
  return expanded_.system_of(item.scope).source->text(item.node, schema);
}

AttributeValue AttributeReader::read(const Item& item, const AttributeSchema& schema) {
  if (schema.dimension.size() > 1 && schema.dimension[0] == '?') {
    AttributeSchema of_joint = schema;
    of_joint.dimension = joint_unit(item, schema.dimension);
    return read(item, of_joint);
  }
  AttributeValue value;
  const AttributeText from = text(item, schema);
  value.given = from.present();
  if (value.given) value.place = from.place();
  if (!value.given && from.text.empty()) return value;
  switch (schema.type) {
    case T::name:
    case T::text:
    case T::file:
    case T::any:
    case T::item:
    case T::element:
    case T::body:
    case T::unit:
      value.text = from.text;
      break;
    case T::keyword:
      read_keyword(schema, schema.choices, from, value);
      break;
    case T::boolean:
      read_keyword(schema, "false|true", from, value);
      break;
    case T::frame:
      read_frame(item, from, value);
      break;
    case T::joint:
      read_joint(item, schema, from, value);
      break;
    case T::axis:
    case T::rotation_axis:
      read_axis(item, schema, from, value);
      break;
    default:
      read_numbers(item, schema, from, value);
      break;
  }
  if (value.numbers.empty()) return value;
  mirror(item, schema, value);
  if (is_runtime(schema.type)) return value;
  check_range(schema, from, value);
  if (schema.type == T::axis || schema.type == T::rotation_axis) check_axis(from, value);
  if (schema.type == T::inertia) check_inertia(item, from, value);
  return value;
}

// Does it act along or about the coordinate of a joint?
bool AttributeReader::acts_on_joint(const Item& item) const {
  return std::ranges::any_of(item.tag->attributes, [&](const AttributeSchema& a) {
    return a.type == T::joint && text(item, a).present();
  });
}

// The unit of what belongs to the joint it acts on: its coordinate, the rate, the force along it.
std::string_view AttributeReader::joint_unit(const Item& item, std::string_view dimension) {
  const Dimension metre = parse_unit("m")->dimension;
  Dimension of_joint = metre;
  for (const AttributeSchema& a : item.tag->attributes) {
    if (a.type != T::joint) continue;
    const AttributeText joint = text(item, a);
    if (!joint.present()) continue;
    const Entity entity = compiler_.reference(joint, item.scope);
    if (entity.kind != EntityKind::joint) continue;
    const auto [first, last] = expanded_.coordinates_of(entity.index);
    if (last > first) of_joint = expanded_.model.coordinates[first].dimension;
  }
  const bool slides = of_joint == metre;
  if (dimension == "?q") return slides ? "m" : "rad";
  if (dimension == "?qd") return slides ? "m/s" : "rad/s";
  return slides ? "N" : "N.m";
}

void AttributeReader::mirror(const Item& item, const AttributeSchema& schema,
                             AttributeValue& value) const {
  const System& system = expanded_.system_of(item.scope);
  const auto scale = [&](std::size_t k, double sign) {
    if (sign < 0) value.numbers[k] = negated(value.numbers[k]);
  };
  const std::size_t n = value.numbers.size();
  if (is_runtime(schema.type) && acts_on_joint(item)) {
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
      if (n == 1 && expanded_.model.planar) scale(0, system.axial(2));
      if (n == 3) {
        for (std::size_t k = 0; k < 3; ++k) scale(k, system.axial(k));
      }
      return;
    case T::handed:
      if (n == 1) scale(0, system.handed());
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

bool AttributeReader::fits_count(const AttributeSchema& schema, const AttributeText& text,
                                 std::size_t count, std::size_t wanted, std::size_t other) {
  const bool zero = !text.present() && count == 1;  // a default of "0" for a vector
  if (zero || count == wanted || count == other) return true;
  const std::string space = expanded_.model.planar ? "planar" : "spatial";
  report_.error(text, "component-count",
                "'" + std::string(schema.name) + "' needs " + std::to_string(wanted) +
                    (other > 0 ? " or " + std::to_string(other) : "") + " component" +
                    (wanted > 1 ? "s" : "") +
                    (wanted > 1 || count > 1 ? " in a " + space + " model" : "") + ", this has " +
                    std::to_string(count),
                wanted > 1 ? "components are separated by commas" : "");
  return false;
}

void AttributeReader::read_numbers(const Item& item, const AttributeSchema& schema,
                                   const AttributeText& text, AttributeValue& value) {
  const bool planar = expanded_.model.planar;
  const bool on_joint = is_runtime(schema.type) && acts_on_joint(item);
  const auto [wanted, other] = components_of(schema.type, planar, on_joint);
  const std::vector<Compiled> list =
      compiler_.compile_list(text, item.scope, level_of(item, schema), schema.locals);
  if (list.empty() || !fits_count(schema, text, list.size(), wanted, other)) return;
  const bool any = schema.dimension == "?";
  const Dimension dimension =
      schema.dimension.empty() || any ? Dimension{} : parse_unit(schema.dimension)->dimension;
  const SyntaxTree& tree = *compiler_.parsed(text);
  bool good = true;
  for (std::size_t k = 0; k < list.size(); ++k) {
    good = !list[k].type.failed && good;
    if (any) continue;
    const int offset = tree.nodes[leftmost(tree, tree.roots[k])].offset;
    good = compiler_.check_type(text, schema, list[k].type, dimension, offset) && good;
  }
  if (!good) return;
  for (const Compiled& c : list) value.numbers.push_back(c.expression);
  const std::size_t full = schema.type == T::inertia && !planar ? 6 : wanted;
  const bool all_axes = schema.type == T::diagonal || schema.type == T::axial_diagonal;
  value.numbers.resize(std::max(full, value.numbers.size()),
                       all_axes ? value.numbers.back() : Expression());
  if (schema.type == T::integer) read_whole_number(schema, text, value);
}

void AttributeReader::read_whole_number(const AttributeSchema& schema, const AttributeText& text,
                                        AttributeValue& value) {
  const double number = value.numbers[0].constant();
  if (number == std::floor(number) && std::fabs(number) <= 1e9) {
    value.index = static_cast<int>(number);
    return;
  }
  report_.error(
      text, "count",
      "'" + std::string(schema.name) + "' needs a whole number, this is " + number_text(number));
}

void AttributeReader::read_axis(const Item& item, const AttributeSchema& schema,
                                const AttributeText& text, AttributeValue& value) {
  const bool planar = expanded_.model.planar;
  const bool normal = planar && schema.type == T::rotation_axis;
  const std::string_view letters = normal ? "z" : expanded_.axes();
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
  const SyntaxTree* tree = compiler_.parsed(text);
  if (!tree) return;
  if (normal || tree->roots.size() != letters.size()) {
    report_.error(
        text, "unknown-keyword",
        "'" + std::string(text.text) + "' is no axis" + (planar ? " of a planar model" : ""),
        normal ? "in the plane an axis of rotation is z or -z"
               : "write x, -y, ... or " + std::to_string(letters.size()) +
                     " components separated by commas");
    return;
  }
  AttributeSchema components = schema;
  components.type = T::position;
  components.dimension = "1";
  read_numbers(item, components, text, value);
}

void AttributeReader::read_keyword(const AttributeSchema& schema, std::string_view choices,
                                   const AttributeText& text, AttributeValue& value) {
  const std::vector<std::string_view> keywords = split(choices, '|');
  value.text = trimmed(text.text);
  const auto found = std::ranges::find(keywords, value.text);
  if (found != keywords.end()) {
    value.index = static_cast<int>(found - keywords.begin());
    return;
  }
  const std::string best = nearest(value.text, keywords);
  report_.error(text, "unknown-keyword",
                "'" + std::string(schema.name) + "' cannot be '" + value.text + "'",
                best.empty() ? "it is " + either(keywords) : "did you mean '" + best + "'?");
}

void AttributeReader::read_frame(const Item& item, const AttributeText& text,
                                 AttributeValue& value) {
  value.text = text.text;
  if (!text.present()) {  // the default is "ground"
    value.index = expanded_.system_of(item.scope).ground;
    return;
  }
  const Entity entity = compiler_.reference(text, item.scope);
  value.index = expanded_.as_frame(entity);
  if (value.index >= 0 || entity.kind == EntityKind::failed) return;
  report_.error(text, "wrong-kind",
                "'" + value.text + "' is " + entity_text(entity.kind) + ", a frame is needed here",
                "frames are ground, bodies, and frames of bodies (body.frame)");
}

void AttributeReader::read_joint(const Item& item, const AttributeSchema& schema,
                                 const AttributeText& text, AttributeValue& value) {
  const Entity entity = compiler_.reference(text, item.scope);
  value.text = text.text;
  if (entity.kind == EntityKind::failed) return;
  if (entity.kind != EntityKind::joint) {
    report_.error(
        text, "wrong-kind",
        "'" + value.text + "' is " + entity_text(entity.kind) + ", a joint is needed here");
    return;
  }
  value.index = entity.index;
  const auto [first, last] = expanded_.coordinates_of(entity.index);
  const bool any = schema.dimension == "?";
  if (last == first + 1 && (any || expanded_.model.coordinates[first].dimension ==
                                       parse_unit(schema.dimension)->dimension)) {
    return;
  }
  report_.error(text, "wrong-joint",
                "<" + std::string(item.tag->name) + "> needs a joint with one coordinate" +
                    (any ? "" : " in " + std::string(schema.dimension)) + ", '" + value.text +
                    "' is a <" + std::string(expanded_.model.elements[entity.index].tag->name) +
                    ">",
                any || item.tag->role == TagRole::joint ? ""
                : schema.dimension == "m"               ? "on a joint that turns use <torque>"
                                                        : "on a joint that slides use <force>");
}

std::optional<Unit> AttributeReader::unit(const AttributeText& text) {
  const std::string_view whole = trimmed(text.text);
  if (const std::optional<Unit> unit = parse_unit(whole)) return unit;
  for (std::size_t at = 0; at < whole.size();) {  // which of its symbols is the wrong one
    const std::size_t end = std::min(whole.find_first_of("./^*- 0123456789", at), whole.size());
    const std::string_view symbol = whole.substr(at, end - at);
    if (!symbol.empty() && !parse_unit_symbol(symbol)) {
      const int offset = static_cast<int>(symbol.data() - text.text.data());
      report_.error(text, {offset, "unknown-unit", "'" + std::string(symbol) + "' is not a unit",
                           unit_hint(symbol)});
      return std::nullopt;
    }
    at = end + 1;
  }
  report_.error(text, "unknown-unit", "'" + std::string(text.text) + "' is not a unit",
                "units are joined without spaces: N.m, m/s^2, 1/s");
  return std::nullopt;
}

Unit AttributeReader::display_unit(const AttributeText& text, const Type& type, Type& result) {
  result = type;
  Unit shown;
  if (!text.present()) {
    shown.dimension = type.free || type.failed ? Dimension{} : type.dimension;
    shown.name = si_unit_name(shown.dimension);
    return shown;
  }
  const std::optional<Unit> named = unit(text);
  if (!named) {
    result.failed = true;
    return shown;
  }
  if (type.failed) return *named;
  if (!type.free && !same_up_to_angle(type.dimension, named->dimension)) {
    report_.error(
        text.place(), "dimension",
        "the unit '" + named->name + "' does not fit: the value is " + dimension_text(type),
        "use a unit of the dimension " + si_unit_name(type.dimension));
    result.failed = true;
  }
  result.free = false;
  result.dimension = named->dimension;
  return *named;
}

}  // namespace mbs
