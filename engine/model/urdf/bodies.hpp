#pragma once

// Decides which links become bodies and which joints can move.

#include <vector>

#include "engine/model/urdf/robot.hpp"

namespace mbs::urdf {

struct Bodies {
  std::vector<char> is_body;       // of each link; the others are frames on the link they hang on
  std::vector<Inertial> inertial;  // of each link that is a body: with what is fixed on it
  std::vector<char> immobile;      // of each joint: it could move, but nothing that has mass would
};

// If `keep_fixed`, links with mass on fixed joints are bodies of their own. The root is a body
// when it moves or when there is mass.
Bodies make_bodies(const Robot& robot, bool root_moves, bool keep_fixed);

}  // namespace mbs::urdf
