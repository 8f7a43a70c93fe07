// A drawing of the mechanism as it starts: bodies, joints, forces, wheels and planes of contact.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "tools/export/placement.hpp"

namespace mbs {

// An SVG, complete with its styles; empty when there is nothing to draw. A model in space is seen
// from above and the side, with gravity downwards.
std::string picture_svg(const Model& model, const Start& start);

// The outline of this drawing, in pixels of a square.
struct Outline {
  std::vector<std::vector<Eigen::Vector2d>> bodies;
  std::vector<Eigen::Vector2d> joints;
};
Outline outline_of(const Model& model, const Start& start, int size);

}  // namespace mbs
