#include "engine/model/quantities.hpp"

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

namespace {

constexpr QuantitySchema table[] = {
    {"position", Quantity::position, Target::frame, Components::vector, "m", 0,
     "of the frame's origin, from that of relative_to"},
    {"velocity", Quantity::velocity, Target::frame, Components::vector, "m/s", 0,
     "of the frame's origin, as seen in relative_to"},
    {"acceleration", Quantity::acceleration, Target::frame, Components::vector, "m/s^2", 0,
     "of the frame's origin, as seen in relative_to"},
    {"orientation", Quantity::orientation, Target::frame, Components::orientation, "rad", 0,
     "of the frame against relative_to"},
    {"angular_velocity", Quantity::angular_velocity, Target::frame, Components::axial, "rad/s", 0,
     "of the frame against relative_to"},
    {"angular_acceleration", Quantity::angular_acceleration, Target::frame, Components::axial,
     "rad/s^2", 0, "of the frame against relative_to"},
    {"q", Quantity::coordinate, Target::joint_coordinate, Components::coordinate, "?", 0,
     "coordinate of a joint"},
    {"qd", Quantity::coordinate_rate, Target::joint_coordinate, Components::coordinate, "?", 1,
     "its rate"},
    {"qdd", Quantity::coordinate_acceleration, Target::joint_coordinate, Components::coordinate,
     "?", 2, "its acceleration"},
    {"reaction", Quantity::reaction, Target::joint, Components::wrench, "N", 0,
     "force and torque of a joint on its frame b, at its origin"},
    {"force", Quantity::force_value, Target::force, Components::none, "?", 0,
     "the first number that the item shows: its force, tension or torque"},
    {"value", Quantity::force_value, Target::force, Components::values, "?", 0,
     "any number that the item shows, see there"},
    {"kinetic_energy", Quantity::kinetic_energy, Target::body_or_all, Components::none, "J", 0,
     "of a body, or without `of` of the whole model"},
    {"potential_energy", Quantity::potential_energy, Target::none, Components::none, "J", 0,
     "of gravity, springs and stiffnesses of the whole model"},
    {"energy", Quantity::energy, Target::none, Components::none, "J", 0, "the sum of both"},
    {"residual", Quantity::residual, Target::none, Components::none, "1", 0,
     "largest residual of the constraints on positions, scaled: how well the joints are closed, "
     "and "
     "half of what the squares of Euler parameters are beside 1"},
    {"velocity_residual", Quantity::velocity_residual, Target::none, Components::none, "1", 0,
     "the same for velocities"},
    {"events", Quantity::event_count, Target::event, Components::none, "1", 0,
     "how often an event has happened"},
    {"event_time", Quantity::event_time, Target::event, Components::none, "s", 0,
     "when it happened last; the start time while it has not"},
    {"statistic", Quantity::statistic, Target::none, Components::keyword, "1", 0,
     "a counter of the integrator, by the keyword in `component`"},
};

constexpr ComponentGroup groups[] = {
    {Components::vector, "all", true, true, 0, 3, false, "the vector"},
    {Components::axial, "all", false, true, 0, 3, false, "the vector"},
    {Components::orientation, "matrix", false, true, 0, 9, true, "the rotation matrix"},
    {Components::orientation, "angles", false, true, 9, 3, false, "the vector of rx, ry, rz"},
    {Components::wrench, "force", true, true, 0, 3, false, "the vector of the force"},
    {Components::wrench, "torque", false, true, 3, 3, false, "the vector of the torque"},
};

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

}  // namespace

std::span<const QuantitySchema> quantity_schema() {
  return table;
}

std::span<const ComponentGroup> component_groups() {
  return groups;
}

std::vector<Elaborator::Part> Elaborator::parts_of(const Item& item) {
  const std::string_view keyword = item.node.attribute("component").value();
  const std::string_view quantity = item.node.attribute("quantity").value();
  for (const QuantitySchema& q : table) {
    if (q.keyword != quantity) continue;
    for (const ComponentGroup& group : groups) {
      if (group.keyword != keyword || group.components != q.components ||
          !(model_.planar ? group.planar : group.spatial)) {
        continue;
      }
      const std::vector<std::string> keywords =
          component_keywords(q.components, model_.planar, plane_letters());
      std::vector<Part> parts;
      const int count = group.count - (model_.planar ? 1 : 0);
      for (int k = 0; k < count; ++k) {
        const std::vector<int> index =
            group.matrix ? std::vector{k / 3 + 1, k % 3 + 1} : std::vector{k + 1};
        parts.push_back({keywords[static_cast<std::size_t>(group.first + k)], index});
      }
      return parts;
    }
  }
  return {{std::string(keyword), {}}};
}

// The component of a measure and the sign it has in a mirrored subsystem.
bool Elaborator::read_component(const Item& item, Measure& measure, const QuantitySchema& quantity,
                                const std::string* part) {
  const Text text = attribute_text(item.node, item.scope, "component");
  const std::string keyword(part ? *part : text.text);
  const System& system = system_of(item.scope);
  const auto wrong = [&](const std::vector<std::string>& keywords) {
    std::vector<std::string_view> known;
    std::string offer;
    const auto add = [&](std::string_view w) {
      if (w.empty()) return;
      known.push_back(w);
      offer += (offer.empty() ? "" : ", ") + std::string(w);
    };
    for (const std::string& w : keywords) add(w);
    for (const ComponentGroup& group : groups)
      if (item.tag->name == "output" && !keywords.empty() &&
          group.components == quantity.components &&
          (model_.planar ? group.planar : group.spatial)) {
        add(group.keyword);
      }
    const std::string quantity_text = "'" + std::string(quantity.keyword) + "'";
    if (!text.present()) {
      error(file_of(item.scope).place(item.node), "missing-attribute",
            "<" + std::string(item.tag->name) + "> needs the attribute 'component' for " +
                quantity_text,
            "components are " + offer);
    } else if (known.empty()) {
      error(place(text), "unknown-keyword", quantity_text + " has no components here",
            "leave 'component' out");
    } else {
      const std::string best = nearest(keyword, known);
      error(place(text), "unknown-keyword", quantity_text + " has no component '" + keyword + "'",
            best.empty() ? "components are " + offer : "did you mean '" + best + "'?");
    }
    return false;
  };

  if (quantity.components == Components::keyword) {
    std::vector<std::string> keywords;
    for (const std::string_view w : split(statistics, '|')) keywords.emplace_back(w);
    measure.keyword = keyword;
    for (const std::string& w : keywords) {
      if (w == keyword) return true;
    }
    return wrong(keywords);
  }
  if (quantity.components == Components::coordinate) {
    std::vector<std::string> keywords;
    std::vector<int> coordinates;
    const auto [first, last] = coordinates_of(measure.element);
    for (int k = first; k < last; ++k) {
      const std::string& name = model_.coordinates[k].name;
      keywords.push_back(name.substr(name.rfind('.') + 1));
      coordinates.push_back(k);
    }
    for (std::size_t k = 0; k < keywords.size(); ++k) {
      if (keyword != keywords[k] && !(keywords.size() == 1 && !text.present())) continue;
      measure.coordinate = coordinates[k];
      measure.dimension = product(model_.coordinates[coordinates[k]].dimension,
                                  parse_unit("s")->dimension, -quantity.time_derivatives);
      return true;
    }
    if (keywords.empty()) {
      error(file_of(item.scope).place(item.node), "wrong-kind", "the joint has no coordinate",
            "joints with coordinates are revolute, prismatic, ...");
      return false;
    }
    return wrong(keywords);
  }
  if (quantity.target == Target::force) {
    const std::vector<std::string_view> shown =
        split(for_space(model_.elements[measure.element].tag->values, model_.planar), ' ');
    std::vector<std::string> keywords;
    for (const std::string_view one : shown) keywords.emplace_back(split(one, ':')[0]);
    const bool first = quantity.components == Components::none;
    if (first && text.present()) return wrong({});
    if (keywords.empty()) return wrong(keywords);
    const std::string& wanted = first ? keywords[0] : keyword;
    const auto unit = [&](std::string_view shown_unit) -> std::string_view {
      if (shown_unit != "?Q") return shown_unit;  // else the force along the joint's coordinate
      const int joint = model_.elements[measure.element]["joint"].index;
      for (const Coordinate& c : model_.coordinates) {
        if (c.element == joint && !(c.dimension == parse_unit("m")->dimension)) return "N.m";
      }
      return "N";
    };
    for (std::size_t k = 0; k < keywords.size(); ++k) {
      if (keywords[k] != wanted) continue;
      measure.component = static_cast<int>(k);
      measure.dimension = parse_unit(unit(split(shown[k], ':')[1]))->dimension;
      return true;
    }
    return wrong(keywords);
  }
  measure.dimension = parse_unit(quantity.dimension)->dimension;
  if (quantity.components == Components::none) return text.present() ? wrong({}) : true;

  const bool planar = model_.planar;
  const std::vector<std::string> keywords =
      component_keywords(quantity.components, planar, plane_letters());
  if (keywords.empty()) {  // one number in the plane, about its normal
    measure.component = 2;
    measure.sign = system.axial(2);
    return text.present() ? wrong({}) : true;
  }
  std::size_t k = 0;
  while (k < keywords.size() && (keyword.empty() || keywords[k] != keyword)) ++k;
  if (k == keywords.size()) return wrong(keywords);
  measure.component = static_cast<int>(k);
  const std::array<double, 3>& s = system.mirror;
  switch (quantity.components) {
    case Components::vector:
      measure.sign = k < 3 ? s[k] : 1;
      break;
    case Components::axial:
      measure.sign = k < 3 ? system.axial(k) : 1;
      break;
    case Components::wrench:
      measure.sign = k < 3 ? s[k] : k < 6 ? system.axial(k - 3) : 1;
      if (k >= 3 && k != 6) measure.dimension = parse_unit("N.m")->dimension;
      break;
    case Components::orientation:
      measure.sign = k < 9 ? s[k / 3] * s[k % 3] : system.axial(k - 9);
      if (k < 9) measure.dimension = {};
      break;
    default:
      break;
  }
  return true;
}

}  // namespace mbs
