#pragma once

// A robot description (URDF) as plain data: links that hang on each other by joints, a tree.
// Lengths in m, angles in rad, masses in kg.

#include <array>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/reader.hpp"
#include "engine/model/urdf/rigid.hpp"
#include "engine/model/xml_source.hpp"

namespace mbs::urdf {

enum class JointType : unsigned char {
  fixed,
  revolute,  // and continuous
  prismatic,
  floating,
  planar,
  spherical  // of PyBullet, not of the standard
};

struct Joint {
  std::string name;
  Place place;
  JointType type = JointType::fixed;
  int parent = -1, child = -1;  // Robot::links
  Pose origin;                  // of the child's axes in the parent's
  Vector axis{1, 0, 0};         // in the child's axes
  double damping = 0, friction = 0;
  bool continuous = false;
  bool limited = false;         // lower < upper
  double lower = 0, upper = 0;  // infinite: no limit there
  int leader = -1;              // it mimics this joint: q = multiplier q_leader + offset
  double multiplier = 1, offset = 0;

  bool slides() const { return type == JointType::prismatic; }
};

struct Link {
  std::string name;
  Place place;
  bool has_inertial = false;
  Inertial inertial;      // of its own, in its axes
  int parent_joint = -1;  // -1: the root
  std::vector<int> child_joints;
};

struct Robot {
  std::string name;
  Place place;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<int> order;  // links, each after the one it hangs on; the root first
};

// Errors for what is wrong, notes for what has no use here. Meaningful when diagnostics.ok().
Robot read_robot(const XmlFile& file, Diagnostics& diagnostics, const ReadLimits& limits);

}  // namespace mbs::urdf
