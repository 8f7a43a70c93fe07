#include "engine/model/reading/declare.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/text.hpp"

namespace mbs {

namespace {

// The keyword and full name of an item; both with the body around it.
struct Naming {
  std::string keyword, full;
};

Naming naming_of(const ExpandedModel& expanded, const Item& item) {
  const auto naming =
      std::ranges::find(item.tag->attributes, AttributeType::name, &AttributeSchema::type);
  const std::string attribute(naming == item.tag->attributes.end() ? "" : naming->name);
  const std::string keyword = item.node.attribute(attribute.c_str()).value();
  if (item.owner == ground || keyword.empty()) {
    return {keyword,
            expanded.system_of(item.scope).prefix + keyword + expanded.scopes[item.scope].indices};
  }
  const Element& body = expanded.model.elements[expanded.model.bodies[item.owner].element];
  return {std::string(item.node.parent().attribute("name").value()) + '.' + keyword,
          body.name + '.' + keyword};
}

void declare_coordinates(ExpandedModel& expanded, const Item& item) {
  Model& model = expanded.model;
  const std::vector<std::string_view> variants = split(item.tag->coordinates, '|');
  if (variants.empty()) return;
  const System& system = expanded.system_of(item.scope);
  const Element& joint = model.elements[item.index];
  int local = 0;
  for (const std::string_view text :
       split(model.planar ? variants.front() : variants.back(), ' ')) {
    const std::vector<std::string_view> fields = split(text, ':');
    Coordinate coordinate;
    std::string keyword(fields[0]);
    if (fields.size() > 2 && fields[2] == "h") {
      coordinate.sign = system.handed();
    } else if (fields.size() > 2) {
      const std::size_t k = static_cast<std::size_t>(fields[2][1] - '0');
      const bool polar = fields[2][0] == 'p';
      if (polar) keyword = expanded.axes()[k];
      coordinate.sign = polar ? system.mirror[k] : system.axial(k);
    }
    coordinate.name = joint.name + '.' + keyword;
    coordinate.element = item.index;
    coordinate.local = local++;
    coordinate.dimension = parse_unit(fields[1])->dimension;
    const int index = static_cast<int>(model.coordinates.size());
    const auto declare = [&](const char* ending, EntityKind kind) {
      expanded.entities.try_emplace(coordinate.name + ending, Entity{kind, index}, joint.place);
    };
    declare("", EntityKind::coordinate);
    declare("d", EntityKind::rate);
    declare("dd", EntityKind::acceleration);
    model.coordinates.push_back(std::move(coordinate));
  }
}

class Declaration {
 public:
  Declaration(ReadContext& context, const Item& item)
      : context_(context),
        expanded_(context.expanded),
        model_(context.expanded.model),
        item_(item),
        naming_(naming_of(context.expanded, item)),
        place_(context.expanded.place(item)) {}

  // False when it is left out.
  bool run(AnonymousNames& anonymous) {
    const TagRole role = item_.tag->role;
    const bool may_be_anonymous = role == TagRole::joint || role == TagRole::force;
    if (naming_.keyword.empty() && !may_be_anonymous) return false;
    const std::string_view doc = item_.node.attribute("doc").value();
    context_.report.count_text(place_, naming_.full.size() + doc.size());
    if (role == TagRole::variable) return variable();
    if (role == TagRole::frame) {
      if (!add(EntityKind::frame, model_.frames)) return false;
      model_.frames.back().body = item_.owner;
      return true;
    }
    return element(anonymous);
  }

  const Item& item() const { return item_; }

 private:
  bool named(EntityKind kind, std::size_t index) {
    item_.index = static_cast<int>(index);
    return declare_name(context_, naming_.full, naming_.keyword, {kind, item_.index}, item_.scope,
                        place_);
  }

  template <class T>
  bool add(EntityKind kind, std::vector<T>& list) {
    if (!named(kind, list.size())) return false;
    T& variable = list.emplace_back();
    variable.name = naming_.full;
    variable.place = place_;
    if constexpr (requires { variable.doc; }) {
      variable.doc = item_.node.attribute("doc").value();
    }
    expanded_.types_of(kind).emplace_back().failed = true;  // until it is bound
    return true;
  }

  bool variable() {
    const std::string_view tag = item_.tag->name;
    if (tag == "input") return add(EntityKind::input, model_.inputs);
    if (tag == "state") return add(EntityKind::state, model_.states);
    if (tag == "algebraic") return add(EntityKind::algebraic, model_.algebraics);
    if (tag == "discrete") return add(EntityKind::discrete, model_.discretes);
    if (tag == "measure") return add(EntityKind::measure, model_.measures);
    if (tag == "event") return add(EntityKind::event, model_.events);
    if (tag == "condition") return add(EntityKind::condition, model_.conditions);
    return named(EntityKind::output, 0);
  }

  bool element(AnonymousNames& anonymous) {
    const TagRole role = item_.tag->role;
    const std::size_t index = model_.elements.size();
    if (naming_.keyword.empty()) {
      const std::string counted =
          expanded_.system_of(item_.scope).prefix + std::string(item_.tag->name);
      naming_.full = counted + '#' + std::to_string(++anonymous[counted]);
    } else if (role == TagRole::body) {
      if (!named(EntityKind::body, model_.bodies.size())) return false;
    } else if (!named(role == TagRole::joint ? EntityKind::joint : EntityKind::force, index)) {
      return false;
    }
    item_.index = static_cast<int>(index);
    Element& element = model_.elements.emplace_back();
    element.tag = item_.tag;
    element.name = naming_.full;
    element.owner = item_.owner;
    element.place = place_;
    if (role == TagRole::body) {
      Frame frame;
      frame.name = naming_.full;
      frame.body = static_cast<int>(model_.bodies.size());
      frame.place = place_;
      model_.bodies.push_back({item_.index, static_cast<int>(model_.frames.size())});
      model_.frames.push_back(std::move(frame));
    }
    if (role == TagRole::joint && !naming_.keyword.empty()) declare_coordinates(expanded_, item_);
    return true;
  }

  ReadContext& context_;
  ExpandedModel& expanded_;
  Model& model_;
  Item item_;
  Naming naming_;
  Place place_;
};

}  // namespace

bool declare_name(ReadContext& context, const std::string& full, const std::string& keyword,
                  Entity entity, int scope, const Place& place) {
  System& system = context.expanded.system_of(scope);
  if (keyword.empty()) return false;  // missing: reported by the validation
  const std::string last = keyword.substr(keyword.rfind('.') + 1);
  if (!is_identifier(last) || is_reserved(last)) {  // reported by the validation
    system.failed.insert(keyword);
    return false;
  }
  // A keyword belongs to one place of the file, which in a repeat declares it in every pass.
  const auto [first, fresh] = system.known_keywords.try_emplace(keyword, place);
  const Place& there = first->second;
  const bool same = there.line == place.line && there.column == place.column;
  if (!same || !context.expanded.entities.try_emplace(full, entity, place).second) {
    if (!context.report.counts_again(place, "duplicate-name")) {
      context.report.error(place, "duplicate-name", "the name '" + keyword + "' is taken",
                           "the first is in line " + std::to_string(there.line));
    }
    return false;
  }
  if (fresh) system.keywords.push_back(keyword);
  return true;
}

int declare(ReadContext& context, pugi::xml_node node, const TagSchema& tag, int scope, int owner,
            AnonymousNames& anonymous) {
  ExpandedModel& expanded = context.expanded;
  context.report.count_element(expanded.file_of(scope), node);
  const Item item{node, &tag, scope, 0, owner};
  if (tag.role == TagRole::setting) {
    if (expanded.scopes[scope].system == 0) expanded.items.push_back(item);
    return ground;
  }
  Declaration declaration(context, item);
  if (!declaration.run(anonymous)) return ground;
  expanded.items.push_back(declaration.item());
  return tag.role == TagRole::body ? static_cast<int>(expanded.model.bodies.size()) - 1 : ground;
}

void declare_states(ReadContext& context, const Item& item) {
  ExpandedModel& expanded = context.expanded;
  Model& model = expanded.model;
  Element& element = model.elements[item.index];
  element.first_state = static_cast<int>(model.states.size());
  for (const std::string_view text : split(for_space(item.tag->states, model.planar), ' ')) {
    const std::size_t at = std::min(text.find('@'), text.size());
    if (at < text.size() &&
        !expanded.system_of(item.scope).source->has(item.node, text.substr(at + 1))) {
      continue;
    }
    const std::vector<std::string_view> fields = split(text.substr(0, at), ':');
    const int index = static_cast<int>(model.states.size());
    StateVariable& state = model.states.emplace_back();
    state.name = element.name + '.' + std::string(fields[0]);
    state.doc = std::string(fields[0]) + " of <" + std::string(item.tag->name) + ">";
    state.unit = *parse_unit(fields[1]);
    state.element = item.index;
    state.start_attribute = fields[2];
    state.place = element.place;
    expanded.entities.try_emplace(state.name, Entity{EntityKind::state, index}, state.place);
    expanded.types_of(EntityKind::state).push_back({state.unit.dimension, false});
    ++element.state_count;
  }
}

}  // namespace mbs
