// The positions of all frames when the simulation starts, for the picture of a mechanism.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace mbs {

// Origin and axes of a frame in those of ground; in the plane z = 0, turned about z.
struct Placement {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
};

struct Start {
  std::vector<Placement> frames;  // as Model::frames
  std::string solver;             // what integrates and why
};

// Nothing when the model does not start. Frames are left out of models with more than most_frames.
constexpr std::size_t most_frames = 4000;
std::optional<Start> start_of(const Model& model);

}  // namespace mbs
