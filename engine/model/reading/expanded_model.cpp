#include "engine/model/reading/expanded_model.hpp"

#include <algorithm>

namespace mbs {

std::string entity_text(EntityKind kind) {
  constexpr std::array<const char*, entity_kinds> texts{"unusable",
                                                        "a parameter",
                                                        "an input",
                                                        "a state",
                                                        "an algebraic unknown",
                                                        "a discrete variable",
                                                        "a joint's coordinate",
                                                        "the rate of a joint's coordinate",
                                                        "the acceleration of a joint's coordinate",
                                                        "a measure",
                                                        "an output",
                                                        "an event",
                                                        "a condition on the start",
                                                        "a curve",
                                                        "a body",
                                                        "a frame",
                                                        "a joint",
                                                        "a force",
                                                        "a subsystem"};
  return texts[static_cast<std::size_t>(kind)];
}

std::pair<int, int> ExpandedModel::coordinates_of(int element) const {
  const auto range = std::ranges::equal_range(model.coordinates, element, {}, &Coordinate::element);
  const auto first = static_cast<int>(range.begin() - model.coordinates.begin());
  return {first, first + static_cast<int>(range.size())};
}

std::string_view ExpandedModel::axes() const {
  if (!model.planar) return "xyz";
  return model.plane_axes[1] == 1 ? "xy" : model.plane_axes[0] == 0 ? "xz" : "yz";
}

int ExpandedModel::as_frame(Entity entity) const {
  if (entity.kind == EntityKind::frame) return entity.index;
  if (entity.kind == EntityKind::body) return model.bodies[entity.index].origin;
  return -1;
}

}  // namespace mbs
