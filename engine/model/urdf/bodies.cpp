#include "engine/model/urdf/bodies.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::urdf {

namespace {

constexpr double nothing = 1e-20;  // kg or kg.m^2: what is left of zero by rounding

// The inertia that resists the joint in the pose where all coordinates are zero; where it has
// several, the least of them.
double resistance(const Joint& joint, const Inertial& beyond) {
  const auto least_moment = [&] {
    return std::min({moment_about(beyond, {1, 0, 0}), moment_about(beyond, {0, 1, 0}),
                     moment_about(beyond, {0, 0, 1})});
  };
  switch (joint.type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
      return moment_about(beyond, joint.axis);
    case JointType::prismatic:
      return beyond.mass;
    case JointType::planar:
      return std::min(beyond.mass, moment_about(beyond, joint.axis));
    case JointType::floating:
      return std::min(beyond.mass, least_moment());
    case JointType::spherical:
      return least_moment();
  }
  return 0;
}

}  // namespace

Bodies make_bodies(const Robot& robot, bool root_moves, bool keep_fixed) {
  Bodies bodies;
  std::vector<Inertial> beyond;  // of each link: with all that hangs on it
  for (const Link& link : robot.links) {
    beyond.push_back(link.inertial);
    bodies.inertial.push_back(link.inertial);
  }
  const auto up = [&](std::vector<Inertial>& sums, const Joint& joint) {
    sums[joint.parent] = joined(sums[joint.parent], moved(sums[joint.child], joint.origin));
  };
  std::vector<double> weight(robot.joints.size());
  for (auto l = robot.order.rbegin(); l != robot.order.rend(); ++l) {
    const int j = robot.links[*l].parent_joint;
    if (j < 0) continue;
    const Joint& joint = robot.joints[j];
    weight[j] = resistance(joint, beyond[*l]);
    up(beyond, joint);
  }
  // A joint that follows another moves with it, and its inertia resists there.
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    if (joint.leader >= 0) {
      weight[joint.leader] += joint.multiplier * joint.multiplier * weight[j];
    }
  }
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    const bool free = joint.type != JointType::fixed && joint.leader < 0;
    bodies.immobile.push_back(free && !(std::fabs(weight[j]) > nothing));
  }
  for (const Link& link : robot.links) {
    const int j = link.parent_joint;
    const bool moves = j < 0 || (robot.joints[j].type != JointType::fixed && !bodies.immobile[j]);
    bodies.is_body.push_back(moves || (keep_fixed && link.inertial.mass > 0));
  }
  for (auto l = robot.order.rbegin(); l != robot.order.rend(); ++l) {
    const int j = robot.links[*l].parent_joint;
    if (j >= 0 && !bodies.is_body[*l]) up(bodies.inertial, robot.joints[j]);
  }
  const int root = robot.order[0];
  const Inertial& base = bodies.inertial[root];
  bodies.is_body[root] = root_moves || base.mass > 0 || base.J != Matrix{};
  return bodies;
}

}  // namespace mbs::urdf
