// The elements of a description, each checked where it stands, then their tree.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/urdf/robot.hpp"
#include "engine/model/urdf/unused.hpp"

namespace mbs::urdf {

namespace {

struct TooManyErrors {};

constexpr double largest = 1e12;  // of a number in SI: keeps sums and products finite
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_candidates = 1000;

constexpr std::pair<std::string_view, JointType> joint_types[] = {
    {"revolute", JointType::revolute},   {"continuous", JointType::revolute},
    {"prismatic", JointType::prismatic}, {"fixed", JointType::fixed},
    {"floating", JointType::floating},   {"planar", JointType::planar},
    {"spherical", JointType::spherical}};

bool has_axis(JointType type) {
  return type == JointType::revolute || type == JointType::prismatic || type == JointType::planar;
}

bool has_one_coordinate(JointType type) {
  return type == JointType::revolute || type == JointType::prismatic;
}

class Reader {
 public:
  Reader(const XmlFile& file, Diagnostics& diagnostics, const ReadLimits& limits)
      : file_(file), diagnostics_(diagnostics), limits_(limits), unused_(file, diagnostics) {}

  Robot run() {
    try {
      read();
    } catch (const TooManyErrors&) {
    }
    unused_.report();
    return std::move(robot_);
  }

 private:
  void error(const Place& place, std::string code, std::string message, std::string hint = {}) {
    diagnostics_.error(place, std::move(code), std::move(message), std::move(hint));
    if (diagnostics_.errors() >= limits_.errors) throw TooManyErrors{};
  }

  void read();
  bool is_robot(pugi::xml_node root);
  void read_link(pugi::xml_node node);
  void read_inertial(pugi::xml_node node, Link& link);
  void read_joint(pugi::xml_node node);
  void read_limit(pugi::xml_node node, const std::string& of, Joint& joint);
  void read_mimic(std::size_t joint, pugi::xml_node node);
  void connect();
  void follow_leaders();

  pugi::xml_node one_child(pugi::xml_node node, const char* name);
  pugi::xml_node needed_child(pugi::xml_node node, const char* name, const std::string& why);
  std::string name_of(pugi::xml_node node);
  int link_of(pugi::xml_node joint, const char* tag);
  Pose pose_in(pugi::xml_node node);
  bool numbers(pugi::xml_node node, const char* attribute, double* first, std::size_t count,
               double most = largest);
  bool number(pugi::xml_node node, const char* attribute, double& value, bool needed);
  bool once(pugi::xml_node node);

  const XmlFile& file_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  Unused unused_;
  Robot robot_;
  std::unordered_map<std::string_view, int> link_index_, joint_index_;
  std::vector<pugi::xml_node> mimics_;  // of each joint; may be empty
};

bool Reader::is_robot(pugi::xml_node root) {
  const std::string_view name = root.name();
  if (name != "robot") {
    error(file_.place(root), "unknown-tag",
          "the root is <" + std::string(name) + ">, a robot description has <robot>",
          name == "mbs"   ? "a model file is taken in by <use>"
          : name == "sdf" ? "this is SDF, which is another format; make a URDF of it"
                          : "");
    return false;
  }
  for (const pugi::xml_node child : root.children()) {
    if (std::strncmp(child.name(), "xacro:", 6) != 0) continue;
    error(file_.place(child), "urdf-xacro",
          "this is a template for xacro: it has <" + std::string(child.name()) + ">",
          "make a robot description of it: xacro robot.urdf.xacro > robot.urdf");
    return false;
  }
  return true;
}

void Reader::read() {
  const pugi::xml_node root = file_.root();
  if (!is_robot(root)) return;
  robot_.name = root.attribute("name").value();
  robot_.place = file_.place(root);
  unused_.look_at(root);
  for (const pugi::xml_node node : root.children("link")) read_link(node);
  if (robot_.links.empty()) {
    error(robot_.place, "urdf-tree", "the robot has no <link>");
    return;
  }
  for (const pugi::xml_node node : root.children("joint")) read_joint(node);
  for (std::size_t j = 0; j < robot_.joints.size(); ++j) read_mimic(j, mimics_[j]);
  if (!diagnostics_.ok()) return;
  connect();
  follow_leaders();
}

// An attribute may be given once; pugixml does not mind.
bool Reader::once(pugi::xml_node node) {
  std::unordered_set<std::string_view> seen;
  for (const pugi::xml_attribute a : node.attributes()) {
    if (seen.insert(a.name()).second) continue;
    error(file_.place(node, a), "duplicate-attribute",
          "the attribute '" + std::string(a.name()) + "' is given twice");
    return false;
  }
  return true;
}

pugi::xml_node Reader::one_child(pugi::xml_node node, const char* name) {
  const pugi::xml_node child = node.child(name);
  const pugi::xml_node second = child.next_sibling(name);
  if (second) {
    error(file_.place(second), "duplicate-tag",
          "there is a second <" + std::string(name) + "> in this <" + node.name() + ">",
          "the first is in line " + std::to_string(file_.place(child).line));
  }
  if (child) {
    once(child);
    unused_.look_at(child);
  }
  return child;
}

pugi::xml_node Reader::needed_child(pugi::xml_node node, const char* name, const std::string& why) {
  const pugi::xml_node child = one_child(node, name);
  if (!child) {
    error(file_.place(node), "missing-tag",
          "<" + std::string(node.name()) + "> needs an element <" + name + ">", why);
  }
  return child;
}

std::string Reader::name_of(pugi::xml_node node) {
  once(node);
  unused_.look_at(node);
  std::string name = node.attribute("name").value();
  if (name.empty()) {
    error(file_.place(node), "missing-attribute",
          "<" + std::string(node.name()) + "> needs the attribute 'name'");
  }
  return name;
}

bool Reader::numbers(pugi::xml_node node, const char* attribute, double* first, std::size_t count,
                     double most) {
  const pugi::xml_attribute a = node.attribute(attribute);
  const std::string_view text = a.value();
  const auto wrong = [&](std::size_t at, const std::string& what, const std::string& hint = {}) {
    error(file_.value_place(node, a, static_cast<int>(at)), "urdf-number",
          "'" + std::string(attribute) + "' needs " +
              (count == 1 ? "a number" : std::to_string(count) + " numbers") + ", " + what,
          hint);
    return false;
  };
  std::size_t read = 0;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    std::string_view keyword = text.substr(at, end - at);
    const std::string shown = "'" + std::string(keyword.substr(0, 40)) + "'";
    if (keyword.starts_with('+')) keyword.remove_prefix(1);
    double value = 0;
    const auto [stop, failure] =
        std::from_chars(keyword.data(), keyword.data() + keyword.size(), value);
    if (failure == std::errc::result_out_of_range) {  // far too large, or as good as zero
      value = std::strtod(std::string(keyword).c_str(), nullptr);
    } else if (failure != std::errc() || stop != keyword.data() + keyword.size()) {
      return wrong(at, shown + " is none",
                   shown.find("${") != std::string::npos
                       ? "this is a template for xacro: xacro robot.urdf.xacro > robot.urdf"
                   : shown.find(',') != std::string::npos
                       ? "numbers are separated by spaces and have a decimal point"
                       : "");
    }
    if (std::isnan(value)) return wrong(at, shown + " is none");
    if (std::fabs(value) > most) {
      return wrong(at, shown + " is larger than " + number_text(most));
    }
    if (read < count) first[read] = value;
    ++read;
    at = end;
  }
  if (read != count) return wrong(0, "this has " + std::to_string(read));
  return true;
}

bool Reader::number(pugi::xml_node node, const char* attribute, double& value, bool needed) {
  if (node.attribute(attribute)) return numbers(node, attribute, &value, 1);
  if (needed) {
    error(file_.place(node), "missing-attribute",
          "<" + std::string(node.name()) + "> needs the attribute '" + attribute + "'");
  }
  return !needed;
}

Pose Reader::pose_in(pugi::xml_node node) {
  Pose pose;
  const pugi::xml_node origin = one_child(node, "origin");
  if (origin.attribute("xyz")) numbers(origin, "xyz", pose.xyz.data(), 3);
  if (origin.attribute("rpy")) numbers(origin, "rpy", pose.rpy.data(), 3);
  return pose;
}

void Reader::read_link(pugi::xml_node node) {
  Link link;
  link.place = file_.place(node);
  link.name = name_of(node);
  if (link.name.empty()) return;
  if (const pugi::xml_node inertial = one_child(node, "inertial")) read_inertial(inertial, link);
  const std::string_view name = node.attribute("name").value();
  const auto [known, fresh] = link_index_.try_emplace(name, static_cast<int>(robot_.links.size()));
  if (!fresh) {
    error(link.place, "duplicate-name", "there is a link '" + link.name + "' already",
          "the first is in line " + std::to_string(robot_.links[known->second].place.line));
    return;
  }
  robot_.links.push_back(std::move(link));
}

void Reader::read_inertial(pugi::xml_node node, Link& link) {
  const Pose pose = pose_in(node);
  const pugi::xml_node mass = needed_child(node, "mass", "<mass value=\"...\"/> in kg");
  const pugi::xml_node inertia =
      needed_child(node, "inertia", "the matrix about the centre of mass, in kg.m^2");
  if (!mass || !inertia) return;
  Inertial own;
  Matrix& J = own.J;
  bool good = number(mass, "value", own.mass, true);
  good = number(inertia, "ixx", J[0][0], true) && good;
  good = number(inertia, "iyy", J[1][1], true) && good;
  good = number(inertia, "izz", J[2][2], true) && good;
  good = number(inertia, "ixy", J[0][1], false) && good;
  good = number(inertia, "ixz", J[0][2], false) && good;
  good = number(inertia, "iyz", J[1][2], false) && good;
  if (!good) return;
  J[1][0] = J[0][1];
  J[2][0] = J[0][2];
  J[2][1] = J[1][2];
  if (own.mass < 0) {
    error(file_.value_place(mass, mass.attribute("value"), 0), "range",
          "the mass cannot be negative, this is " + number_text(own.mass) + " kg");
  }
  link.inertial = moved(own, pose);
  link.has_inertial = true;
}

int Reader::link_of(pugi::xml_node joint, const char* tag) {
  const pugi::xml_node node = needed_child(joint, tag, "<" + std::string(tag) + " link=\"...\"/>");
  if (!node) return -1;
  const pugi::xml_attribute a = node.attribute("link");
  const std::string_view name = a.value();
  if (name.empty()) {
    error(file_.place(node), "missing-attribute",
          "<" + std::string(tag) + "> needs the attribute 'link'");
    return -1;
  }
  const auto found = link_index_.find(name);
  if (found != link_index_.end()) return found->second;
  std::vector<std::string_view> names;
  if (link_index_.size() <= most_candidates) {
    for (const Link& link : robot_.links) names.push_back(link.name);
  }
  error(file_.value_place(node, a, 0), "unknown-name",
        "there is no link '" + std::string(name) + "'", did_you_mean(name, names));
  return -1;
}

void Reader::read_joint(pugi::xml_node node) {
  Joint joint;
  joint.place = file_.place(node);
  joint.name = name_of(node);
  const pugi::xml_attribute type = node.attribute("type");
  const std::string_view keyword = type.value();
  const auto* known = std::find_if(std::begin(joint_types), std::end(joint_types),
                                   [&](const auto& t) { return t.first == keyword; });
  if (!type) {
    error(joint.place, "missing-attribute", "<joint> needs the attribute 'type'",
          "it is revolute, continuous, prismatic, fixed, floating or planar");
  } else if (known == std::end(joint_types)) {
    std::vector<std::string_view> keywords;
    for (const auto& [name, value] : joint_types) keywords.push_back(name);
    error(file_.value_place(node, type, 0), "unknown-keyword",
          "there is no joint of type '" + std::string(keyword) + "'",
          did_you_mean(keyword, keywords));
  } else {
    joint.type = known->second;
    joint.continuous = keyword == "continuous";
  }
  joint.origin = pose_in(node);
  joint.parent = link_of(node, "parent");
  joint.child = link_of(node, "child");
  const std::string of = " of a joint of type " + std::string(keyword);
  if (const pugi::xml_node axis = one_child(node, "axis")) {
    if (!has_axis(joint.type)) {
      unused_.note(axis, "<axis>" + of);
    } else if (axis.attribute("xyz") && numbers(axis, "xyz", joint.axis.data(), 3) &&
               std::hypot(joint.axis[0], joint.axis[1], joint.axis[2]) < 1e-12) {
      error(file_.value_place(axis, axis.attribute("xyz"), 0), "zero-axis",
            "the axis has no length");
    }
  }
  if (const pugi::xml_node dynamics = one_child(node, "dynamics")) {
    if (!has_one_coordinate(joint.type)) {
      unused_.note(dynamics, "<dynamics>" + of);
    } else {
      const auto positive = [&](const char* name, double& to) {
        if (!number(dynamics, name, to, false) || !(to < 0)) return;
        error(file_.value_place(dynamics, dynamics.attribute(name), 0), "range",
              "the " + std::string(name) + " cannot be negative, this is " + number_text(to));
      };
      positive("damping", joint.damping);
      positive("friction", joint.friction);
    }
  }
  if (const pugi::xml_node limit = one_child(node, "limit")) read_limit(limit, of, joint);
  pugi::xml_node mimic = one_child(node, "mimic");
  if (mimic && !has_one_coordinate(joint.type)) {
    unused_.note(mimic, "<mimic>" + of);
    mimic = {};
  }
  if (joint.name.empty()) return;
  const std::string_view name = node.attribute("name").value();
  const auto [first, fresh] =
      joint_index_.try_emplace(name, static_cast<int>(robot_.joints.size()));
  if (!fresh) {
    error(joint.place, "duplicate-name", "there is a joint '" + joint.name + "' already",
          "the first is in line " + std::to_string(robot_.joints[first->second].place.line));
    return;
  }
  robot_.joints.push_back(std::move(joint));
  mimics_.push_back(mimic);
}

// A joint without `lower` and `upper` has no limits, though the format takes 0 for what is absent:
// many files give only effort and velocity. What is far beyond any motion, 1e16 or
// inf, is no limit.
void Reader::read_limit(pugi::xml_node node, const std::string& of, Joint& joint) {
  const bool given = node.attribute("lower") || node.attribute("upper");
  if (!has_one_coordinate(joint.type) || joint.continuous) {
    if (given) unused_.note(node, "'lower' and 'upper' of <limit>" + of, "it has no end");
    return;
  }
  const auto bound = [&](const char* name, double& value) {
    if (node.attribute(name) && !numbers(node, name, &value, 1, infinity)) return false;
    if (std::fabs(value) > largest) value = std::copysign(infinity, value);
    return true;
  };
  if (!given || !bound("lower", joint.lower) || !bound("upper", joint.upper)) return;
  joint.limited = joint.lower < joint.upper;
  if (joint.limited) return;
  diagnostics_.warning(file_.place(node), "urdf-limit",
                       "the limits of the joint '" + joint.name + "' are left out: from " +
                           number_text(joint.lower) + " to " + number_text(joint.upper) +
                           " there is nothing between them",
                       "give lower < upper, or the type fixed");
}

void Reader::read_mimic(std::size_t index, pugi::xml_node node) {
  if (!node) return;
  Joint& joint = robot_.joints[index];
  const pugi::xml_attribute a = node.attribute("joint");
  const std::string_view name = a.value();
  if (name.empty()) {
    error(file_.place(node), "missing-attribute", "<mimic> needs the attribute 'joint'");
    return;
  }
  number(node, "multiplier", joint.multiplier, false);
  number(node, "offset", joint.offset, false);
  const auto found = joint_index_.find(name);
  if (found == joint_index_.end()) {
    std::vector<std::string_view> names;
    if (joint_index_.size() <= most_candidates) {
      for (const Joint& j : robot_.joints) names.push_back(j.name);
    }
    error(file_.value_place(node, a, 0), "unknown-name",
          "there is no joint '" + std::string(name) + "'", did_you_mean(name, names));
    return;
  }
  const JointType type = robot_.joints[found->second].type;
  if (!has_one_coordinate(type) && type != JointType::fixed) {
    error(file_.value_place(node, a, 0), "urdf-mimic",
          "the joint '" + std::string(name) + "' has no single coordinate to mimic");
    return;
  }
  joint.leader = found->second;
}

// Links and joints must be one tree.
void Reader::connect() {
  for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
    const Joint& joint = robot_.joints[j];
    Link& child = robot_.links[joint.child];
    if (child.parent_joint >= 0) {
      const Joint& other = robot_.joints[child.parent_joint];
      error(joint.place, "urdf-tree",
            "the link '" + child.name + "' is the child of '" + other.name + "' already, in line " +
                std::to_string(other.place.line),
            "a robot description is a tree; a loop is closed by a joint in the model file");
      continue;
    }
    child.parent_joint = static_cast<int>(j);
    robot_.links[joint.parent].child_joints.push_back(static_cast<int>(j));
  }
  int root = -1;
  for (std::size_t l = 0; l < robot_.links.size(); ++l) {
    const Link& link = robot_.links[l];
    if (link.parent_joint >= 0) continue;
    if (root < 0) {
      root = static_cast<int>(l);
      continue;
    }
    const Link& first = robot_.links[root];
    error(link.place, "urdf-tree",
          "the link '" + link.name + "' hangs on nothing, like '" + first.name + "' in line " +
              std::to_string(first.place.line),
          "a robot has one root; hang it on a joint, or put it into a file of its own");
  }
  if (!diagnostics_.ok()) return;
  if (root >= 0) robot_.order.push_back(root);
  for (std::size_t k = 0; k < robot_.order.size(); ++k) {
    for (const int j : robot_.links[robot_.order[k]].child_joints) {
      robot_.order.push_back(robot_.joints[j].child);
    }
  }
  if (robot_.order.size() == robot_.links.size()) return;
  std::vector<char> reached(robot_.links.size(), 0);
  for (const int l : robot_.order) reached[l] = 1;
  for (const Joint& joint : robot_.joints) {
    if (reached[joint.child]) continue;
    error(joint.place, "urdf-tree",
          "the joint '" + joint.name + "' is part of a circle of links that hangs on no root",
          "a robot description is a tree; a loop is closed by a joint in the model file");
    return;
  }
}

// A joint that mimics one that itself mimics another follows the first of them.
void Reader::follow_leaders() {
  enum : char { unknown, open, done };
  std::vector<Joint>& joints = robot_.joints;
  std::vector<char> state(joints.size(), unknown);
  std::vector<int> chain;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    int at = static_cast<int>(k);
    for (; at >= 0 && state[at] == unknown; at = joints[at].leader) {
      state[at] = open;
      chain.push_back(at);
    }
    if (at >= 0 && state[at] == open) {
      const Joint& joint = joints[at];
      error(joint.place, "urdf-mimic",
            "joints mimic each other in a circle, '" + joint.name + "' is one of them");
      return;
    }
    for (; !chain.empty(); chain.pop_back()) {
      Joint& joint = joints[chain.back()];
      state[chain.back()] = done;
      if (joint.leader < 0) continue;
      const Joint& leader = joints[joint.leader];
      if (leader.leader < 0) continue;
      joint.offset += joint.multiplier * leader.offset;
      joint.multiplier *= leader.multiplier;
      joint.leader = leader.leader;
      if (std::fabs(joint.offset) <= largest && std::fabs(joint.multiplier) <= largest) continue;
      error(joint.place, "urdf-mimic",
            "the joint '" + joint.name + "' follows the first of a chain of joints with a factor " +
                "or an offset larger than " + number_text(largest));
      return;
    }
  }
}

}  // namespace

Robot read_robot(const XmlFile& file, Diagnostics& diagnostics, const ReadLimits& limits) {
  return Reader(file, diagnostics, limits).run();
}

}  // namespace mbs::urdf
