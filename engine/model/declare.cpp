// Stage two: an item gets its place in the Model's lists and its names.

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"

namespace mbs {

namespace {

std::string_view name_attribute(const TagSchema& tag) {
  for (const AttributeSchema& a : tag.attributes) {
    if (a.type == AttributeType::name) return a.name;
  }
  return {};
}

}  // namespace

bool Elaborator::declare_name(const std::string& full, const std::string& keyword, Entity entity,
                              int scope, const Place& place) {
  System& system = system_of(scope);
  if (keyword.empty()) return false;  // missing: reported by validate
  const std::size_t dot = keyword.rfind('.');
  const std::string last = dot == std::string::npos ? keyword : keyword.substr(dot + 1);
  if (!is_identifier(last) || is_reserved(last)) {  // reported by validate
    system.failed.insert(keyword);
    return false;
  }
  // A keyword belongs to one place of the file, which in a repeat declares it in every pass.
  const auto [first, fresh] = system.known_keywords.try_emplace(keyword, place);
  const Place& there = first->second;
  const bool same = there.line == place.line && there.column == place.column;
  if (!same || !entities_.try_emplace(full, entity, place).second) {
    if (!taken(place, "duplicate-name")) {
      error(place, "duplicate-name", "the name '" + keyword + "' is taken",
            "the first is in line " + std::to_string(there.line));
    }
    return false;
  }
  if (fresh) system.keywords.push_back(keyword);
  return true;
}

void Elaborator::declare(pugi::xml_node node, const TagSchema& tag, int scope, int owner) {
  const Place place = file_of(scope).place(node);
  count_element(file_of(scope), node);
  Item item{node, &tag, scope, 0, owner};
  if (tag.role == TagRole::setting) {
    if (scopes_[scope].system == 0) items_.push_back(item);
    return;
  }
  const std::string& indices = scopes_[scope].indices;
  const std::string prefix = system_of(scope).prefix;
  const std::string_view naming = name_attribute(tag);
  std::string keyword = node.attribute(std::string(naming).c_str()).value();
  std::string full = prefix + keyword + indices;
  if (keyword.empty() && tag.role != TagRole::joint && tag.role != TagRole::force) return;
  if (owner != ground) {
    const Element& body = model_.elements[model_.bodies[owner].element];
    full = body.name + '.' + keyword;
    keyword = std::string(node.parent().attribute("name").value()) + '.' + keyword;
  }
  count_text(place, full.size() + std::string_view(node.attribute("doc").value()).size());
  const auto declared = [&](EntityKind kind, std::size_t index) {
    item.index = static_cast<int>(index);
    return declare_name(full, keyword, {kind, item.index}, scope, place);
  };
  const auto describe = [&](auto& variable) {
    variable.name = full;
    variable.doc = node.attribute("doc").value();
    variable.place = place;
  };
  if (tag.name == "input") {
    if (!declared(EntityKind::input, model_.inputs.size())) return;
    describe(model_.inputs.emplace_back());
    input_types_.emplace_back().failed = true;
  } else if (tag.name == "state") {
    if (!declared(EntityKind::state, model_.states.size())) return;
    describe(model_.states.emplace_back());
    state_types_.emplace_back().failed = true;
  } else if (tag.name == "algebraic") {
    if (!declared(EntityKind::algebraic, model_.algebraics.size())) return;
    describe(model_.algebraics.emplace_back());
    algebraic_types_.emplace_back().failed = true;
  } else if (tag.name == "discrete") {
    if (!declared(EntityKind::discrete, model_.discretes.size())) return;
    describe(model_.discretes.emplace_back());
    discrete_types_.emplace_back().failed = true;
  } else if (tag.name == "measure") {
    if (!declared(EntityKind::measure, model_.measures.size())) return;
    Measure measure;
    measure.name = full;
    measure.place = place;
    model_.measures.push_back(measure);
    measure_types_.emplace_back().failed = true;
  } else if (tag.name == "output") {
    if (!declared(EntityKind::output, 0)) return;
  } else if (tag.name == "event") {
    if (!declared(EntityKind::event, model_.events.size())) return;
    describe(model_.events.emplace_back());
  } else if (tag.name == "condition") {
    if (!declared(EntityKind::condition, model_.conditions.size())) return;
    describe(model_.conditions.emplace_back());
  } else if (tag.role == TagRole::frame) {
    if (!declared(EntityKind::frame, model_.frames.size())) return;
    Frame frame;
    frame.name = full;
    frame.body = owner;
    frame.place = place;
    model_.frames.push_back(std::move(frame));
  } else {
    const std::size_t index = model_.elements.size();
    if (keyword.empty()) {  // an unnamed joint or force
      const std::string counted = prefix + std::string(tag.name);
      full = counted + '#' + std::to_string(++anonymous_[counted]);
      item.index = static_cast<int>(index);
    } else {
      const EntityKind kind = tag.role == TagRole::body    ? EntityKind::body
                              : tag.role == TagRole::joint ? EntityKind::joint
                                                           : EntityKind::force;
      if (!declared(kind, kind == EntityKind::body ? model_.bodies.size() : index)) {
        return;
      }
    }
    Element element;
    element.tag = &tag;
    element.name = full;
    element.owner = owner;
    element.place = place;
    model_.elements.push_back(std::move(element));
    item.index = static_cast<int>(index);
    if (tag.role == TagRole::body) {
      Frame frame;
      frame.name = full;
      frame.body = static_cast<int>(model_.bodies.size());
      frame.place = place;
      model_.bodies.push_back({item.index, static_cast<int>(model_.frames.size())});
      model_.frames.push_back(std::move(frame));
      const int body = static_cast<int>(model_.bodies.size()) - 1;
      items_.push_back(item);
      expand_children(node, scope, body);
      return;
    }
    if (tag.role == TagRole::joint && !keyword.empty()) {
      declare_coordinates(tag, item.index, scope, full);
    }
  }
  items_.push_back(item);
}

std::pair<int, int> Elaborator::coordinates_of(int element) const {
  const auto before = [](const Coordinate& c, int e) { return c.element < e; };
  const auto begin = model_.coordinates.begin(), end = model_.coordinates.end();
  const auto first = std::lower_bound(begin, end, element, before);
  const auto last = std::lower_bound(first, end, element + 1, before);
  return {static_cast<int>(first - begin), static_cast<int>(last - begin)};
}

// The states of an element's own, after all <state>: "cylinder.pressure_a".
void Elaborator::declare_states(const Item& item) {
  Element& element = model_.elements[item.index];
  const std::string_view spec = for_space(item.tag->states, model_.planar);
  element.first_state = static_cast<int>(model_.states.size());
  for (const std::string_view text : split(spec, ' ')) {
    const std::size_t at = std::min(text.find('@'), text.size());
    if (at < text.size() && !has(*system_of(item.scope).source, item.node, text.substr(at + 1))) {
      continue;
    }
    const std::vector<std::string_view> fields = split(text.substr(0, at), ':');
    StateVariable state;
    state.name = element.name + '.' + std::string(fields[0]);
    state.doc = std::string(fields[0]) + " of <" + std::string(item.tag->name) + ">";
    state.unit = *parse_unit(fields[1]);
    state.element = item.index;
    state.start_attribute = fields[2];
    state.place = element.place;
    const int index = static_cast<int>(model_.states.size());
    entities_.try_emplace(state.name, Entity{EntityKind::state, index}, state.place);
    state_types_.push_back({state.unit.dimension, false});
    model_.states.push_back(std::move(state));
    ++element.state_count;
  }
}

void Elaborator::declare_coordinates(const TagSchema& tag, int element, int scope,
                                     const std::string& name) {
  std::vector<std::string_view> variants = split(tag.coordinates, '|');
  if (variants.empty()) return;
  const System& system = system_of(scope);
  const std::string_view letters = model_.planar ? plane_letters() : std::string_view("xyz");
  int local = 0;
  for (const std::string_view text :
       split(variants[model_.planar ? 0 : variants.size() - 1], ' ')) {
    const std::vector<std::string_view> fields = split(text, ':');
    Coordinate coordinate;
    std::string keyword(fields[0]);
    if (fields.size() > 2 && fields[2] == "h") {
      coordinate.sign = system.mirror[0] * system.mirror[1] * system.mirror[2];
    } else if (fields.size() > 2) {
      const std::size_t k = static_cast<std::size_t>(fields[2][1] - '0');
      const bool polar = fields[2][0] == 'p';
      if (polar) keyword = letters[k];
      coordinate.sign = polar ? system.mirror[k] : system.axial(k);
    }
    coordinate.name = name + '.' + keyword;
    coordinate.element = element;
    coordinate.local = local++;
    coordinate.dimension = parse_unit(fields[1])->dimension;
    const int index = static_cast<int>(model_.coordinates.size());
    const Place& place = model_.elements[element].place;
    entities_.try_emplace(coordinate.name, Entity{EntityKind::coordinate, index}, place);
    entities_.try_emplace(coordinate.name + 'd', Entity{EntityKind::rate, index}, place);
    entities_.try_emplace(coordinate.name + "dd", Entity{EntityKind::acceleration, index}, place);
    model_.coordinates.push_back(std::move(coordinate));
  }
}

}  // namespace mbs
