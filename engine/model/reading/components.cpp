// Components of quantities: their keywords in this model, and the sign that they have in a mirrored
// subsystem.

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

// Keywords for the components of a quantity in this model, in the order of their numbers; empty
// places have no keyword.
std::vector<std::string> component_keywords(Components components, bool planar,
                                            std::string_view letters) {
  const auto letter = [&](std::size_t k) { return std::string(1, letters[k]); };
  switch (components) {
    case Components::vector:
      if (planar) return {letter(0), letter(1), "", "", "", "", "norm"};
      return {"x", "y", "z", "", "", "", "norm"};
    case Components::axial:
      if (planar) return {};
      return {"x", "y", "z", "", "", "", "norm"};
    case Components::orientation:
      if (planar) return {};
      return {"11", "12", "13", "21", "22", "23", "31", "32", "33", "rx", "ry", "rz"};
    case Components::wrench:
      if (planar) return {"f" + letter(0), "f" + letter(1), "", "", "", "m", "norm", ""};
      return {"fx", "fy", "fz", "mx", "my", "mz", "norm", "mnorm"};
    default:
      return {};
  }
}

bool is_group_of(const ComponentGroup& group, Components components, bool planar) {
  return group.components == components && (planar ? group.planar : group.spatial);
}

class ComponentBinder {
 public:
  ComponentBinder(ReadContext& context, const Item& item, Measure& measure,
                  const QuantitySchema& quantity, const std::string* part)
      : context_(context),
        model_(context.expanded.model),
        item_(item),
        measure_(measure),
        quantity_(quantity),
        text_(context.own_text(item, "component")),
        keyword_(part ? *part : text_.text) {}

  bool run() {
    if (quantity_.components == Components::keyword) return counter();
    if (quantity_.components == Components::coordinate) return coordinate();
    if (quantity_.target == Target::force) return value_of_force();
    measure_.dimension = parse_unit(quantity_.dimension)->dimension;
    if (quantity_.components == Components::none) return none();
    return vector();
  }

 private:
  // Reports a keyword that is not one of these.
  bool wrong(const std::vector<std::string>& keywords) {
    std::vector<std::string_view> known;
    std::string offer;
    const auto add = [&](std::string_view one) {
      if (one.empty()) return;
      known.push_back(one);
      offer += (offer.empty() ? "" : ", ") + std::string(one);
    };
    for (const std::string& one : keywords) add(one);
    const bool groups = item_.tag->name == "output" && !keywords.empty();
    for (const ComponentGroup& group : component_groups()) {
      if (groups && is_group_of(group, quantity_.components, model_.planar)) add(group.keyword);
    }
    const std::string quantity = "'" + std::string(quantity_.keyword) + "'";
    if (!text_.present()) {
      context_.report.error(
          measure_.place, "missing-attribute",
          "<" + std::string(item_.tag->name) + "> needs the attribute 'component' for " + quantity,
          "components are " + offer);
    } else if (known.empty()) {
      context_.report.error(text_.place(), "unknown-keyword", quantity + " has no components here",
                            "leave 'component' out");
    } else {
      const std::string best = nearest(keyword_, known);
      context_.report.error(
          text_.place(), "unknown-keyword", quantity + " has no component '" + keyword_ + "'",
          best.empty() ? "components are " + offer : "did you mean '" + best + "'?");
    }
    return false;
  }

  bool none() { return text_.present() ? wrong({}) : true; }

  bool counter() {
    measure_.keyword = keyword_;
    if (contains(statistics, '|', keyword_)) return true;
    const std::vector<std::string_view> keywords = split(statistics, '|');
    return wrong({keywords.begin(), keywords.end()});
  }

  bool coordinate() {
    const auto [first, last] = context_.expanded.coordinates_of(measure_.element);
    if (first == last) {
      context_.report.error(measure_.place, "wrong-kind", "the joint has no coordinate",
                            "joints with coordinates are revolute, prismatic, ...");
      return false;
    }
    const bool only = last == first + 1 && !text_.present();
    std::vector<std::string> keywords;
    for (int k = first; k < last; ++k) {
      const Coordinate& coordinate = model_.coordinates[k];
      keywords.push_back(coordinate.name.substr(coordinate.name.rfind('.') + 1));
      if (keyword_ != keywords.back() && !only) continue;
      measure_.coordinate = k;
      measure_.dimension =
          product(coordinate.dimension, parse_unit("s")->dimension, -quantity_.time_derivatives);
      return true;
    }
    return wrong(keywords);
  }

  // The unit of a number that an element shows; "?Q": of the force along its joint's coordinate.
  std::string_view shown_unit(std::string_view unit) const {
    if (unit != "?Q") return unit;
    const int joint = model_.elements[measure_.element]["joint"].index;
    const Dimension metre = parse_unit("m")->dimension;
    for (const Coordinate& c : model_.coordinates) {
      if (c.element == joint && !(c.dimension == metre)) return "N.m";
    }
    return "N";
  }

  bool value_of_force() {
    std::vector<std::string> keywords;
    std::vector<std::string_view> units;
    for (const std::string_view one :
         split(for_space(model_.elements[measure_.element].tag->values, model_.planar), ' ')) {
      const std::vector<std::string_view> fields = split(one, ':');
      keywords.emplace_back(fields[0]);
      units.push_back(fields[1]);
    }
    const bool first = quantity_.components == Components::none;
    if (first && text_.present()) return wrong({});
    const auto found = first ? keywords.begin() : std::ranges::find(keywords, keyword_);
    if (found == keywords.end()) return wrong(keywords);
    measure_.component = static_cast<int>(found - keywords.begin());
    measure_.dimension = parse_unit(shown_unit(units[measure_.component]))->dimension;
    return true;
  }

  bool vector() {
    const System& system = context_.expanded.system_of(item_.scope);
    const std::vector<std::string> keywords =
        component_keywords(quantity_.components, model_.planar, context_.expanded.axes());
    if (keywords.empty()) {  // one number in the plane, about its normal
      measure_.component = 2;
      measure_.sign = system.axial(2);
      return none();
    }
    const auto found = std::ranges::find(keywords, keyword_);
    if (keyword_.empty() || found == keywords.end()) return wrong(keywords);
    const auto k = static_cast<std::size_t>(found - keywords.begin());
    measure_.component = static_cast<int>(k);
    mirror(k, system);
    return true;
  }

  void mirror(std::size_t k, const System& system) {
    const std::array<double, 3>& s = system.mirror;
    switch (quantity_.components) {
      case Components::vector:
        measure_.sign = k < 3 ? s[k] : 1;
        break;
      case Components::axial:
        measure_.sign = k < 3 ? system.axial(k) : 1;
        break;
      case Components::wrench:
        measure_.sign = k < 3 ? s[k] : k < 6 ? system.axial(k - 3) : 1;
        if (k >= 3 && k != 6) measure_.dimension = parse_unit("N.m")->dimension;
        break;
      case Components::orientation:
        measure_.sign = k < 9 ? s[k / 3] * s[k % 3] : system.axial(k - 9);
        if (k < 9) measure_.dimension = {};
        break;
      default:
        break;
    }
  }

  ReadContext& context_;
  const Model& model_;
  const Item& item_;
  Measure& measure_;
  const QuantitySchema& quantity_;
  AttributeText text_;
  std::string keyword_;
};

}  // namespace

std::vector<OutputPart> parts_of(const ExpandedModel& expanded, const Item& item) {
  const std::string_view keyword = item.node.attribute("component").value();
  const std::string_view quantity = item.node.attribute("quantity").value();
  const bool planar = expanded.model.planar;
  const auto q = std::ranges::find(quantity_schema(), quantity, &QuantitySchema::keyword);
  if (q == quantity_schema().end()) return {{std::string(keyword), {}}};
  for (const ComponentGroup& group : component_groups()) {
    if (group.keyword != keyword || !is_group_of(group, q->components, planar)) continue;
    const std::vector<std::string> keywords =
        component_keywords(q->components, planar, expanded.axes());
    std::vector<OutputPart> parts;
    const int count = group.count - (planar ? 1 : 0);
    for (int k = 0; k < count; ++k) {
      const std::vector<int> index =
          group.matrix ? std::vector{k / 3 + 1, k % 3 + 1} : std::vector{k + 1};
      parts.push_back({keywords[group.first + k], index});
    }
    return parts;
  }
  return {{std::string(keyword), {}}};
}

bool bind_component(ReadContext& context, const Item& item, Measure& measure,
                    const QuantitySchema& quantity, const std::string* component) {
  return ComponentBinder(context, item, measure, quantity, component).run();
}

}  // namespace mbs
