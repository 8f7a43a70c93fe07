#include "engine/model/urdf/import_urdf.hpp"

#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/model/syntax.hpp"
#include "engine/model/urdf/bodies.hpp"
#include "engine/model/urdf/robot.hpp"

namespace mbs {

namespace urdf {
namespace {

std::string list(const Vector& v) {
  return number_text(v[0]) + ", " + number_text(v[1]) + ", " + number_text(v[2]);
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + '"';
}

// Two directions that make a right-handed system with the normal: x and y for z.
std::pair<Vector, Vector> across(Vector n) {
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& c : n) c /= length;
  std::size_t k = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::fabs(n[i]) < std::fabs(n[k])) k = i;
  }
  Vector u{};
  u[k] = 1;
  for (std::size_t i = 0; i < 3; ++i) u[i] -= n[k] * n[i];
  const Vector v{n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
  return {u, v};
}

class Writer {
 public:
  Writer(const Robot& robot, const Bodies& bodies, const UrdfOptions& options,
         Diagnostics& diagnostics)
      : robot_(robot), bodies_(bodies), options_(options), diagnostics_(diagnostics) {}

  void write() {
    name_all();
    const std::string name = identifier(robot_.name.empty() ? "robot" : robot_.name);
    line(robot_.place, "<mbs" + attribute("name", is_reserved(name) ? name + "_robot" : name) +
                           attribute("version", "1") + ">");
    for (const int l : robot_.order) {
      const Link& link = robot_.links[l];
      if (link.parent_joint < 0) {
        root(l);
      } else {
        hang(l, link.parent_joint);
      }
    }
    line(robot_.place, "</mbs>");
  }

  std::string text;
  std::vector<Place> places;  // of each line of the text

 private:
  void line(const Place& place, const std::string& keywords) {
    text += keywords + '\n';
    places.push_back(place);
  }

  static std::string identifier(std::string keyword) {
    for (char& c : keyword) {
      if (!is_identifier("_" + std::string(1, c))) c = '_';
    }
    return is_identifier(keyword) ? keyword : "_" + keyword;
  }

  // A unique name; `ending` is added where another item has the same.
  std::string take(const std::string& wanted, const char* ending) {
    std::string name = identifier(wanted);
    if (is_reserved(name) || taken_.contains(name)) name += ending;
    for (std::string base = name; !taken_.insert(name).second;) {
      name = base + '_' + std::to_string(++counted_[base] + 1);
    }
    return name;
  }

  void name_all() {
    const auto note = [&](const Place& place, const char* what, const std::string& was,
                          const std::string& is) {
      if (was == is) return;
      diagnostics_.note(place, "urdf-renamed",
                        std::string("the ") + what + " '" + was + "' is called " + is);
    };
    for (const Link& link : robot_.links) {
      links_.push_back(take(link.name, "_link"));
      note(link.place, "link", link.name, links_.back());
    }
    for (const Joint& joint : robot_.joints) {
      joints_.push_back(take(joint.name, "_joint"));
      note(joint.place, "joint", joint.name, joints_.back());
    }
    starts_.resize(joints_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      if (!moves(static_cast<int>(j)) || robot_.joints[j].leader >= 0) continue;
      starts_[j] = {take(joints_[j] + "_q0", "_start"), take(joints_[j] + "_qd0", "_start")};
    }
  }

  // Has it a coordinate q?
  bool moves(int j) const {
    const JointType type = robot_.joints[j].type;
    return (type == JointType::revolute || type == JointType::prismatic) && !bodies_.immobile[j];
  }

  void body(int l) {
    const Inertial& of = bodies_.inertial[l];
    const Matrix& J = of.J;
    std::string keywords =
        "<body" + attribute("name", links_[l]) + attribute("mass", number_text(of.mass) + " kg");
    if (of.com != Vector{}) keywords += attribute("com", list(of.com));
    if (J != Matrix{}) {
      std::string moments = list({J[0][0], J[1][1], J[2][2]});
      if (J[0][1] != 0 || J[0][2] != 0 || J[1][2] != 0) {
        moments += ", " + list({J[0][1], J[0][2], J[1][2]});
      }
      keywords += attribute("inertia", moments) + attribute("inertia_check", "warning");
    }
    line(robot_.links[l].place, keywords + "/>");
  }

  void root(int l) {
    const Link& link = robot_.links[l];
    if (!bodies_.is_body[l]) {
      line(link.place, "<frame" + attribute("name", links_[l]) + "/>");
      return;
    }
    body(l);
    const std::string ends = attribute("name", take("base", "_joint")) + attribute("a", "ground") +
                             attribute("b", links_[l]);
    line(link.place,
         options_.free_base ? "<free" + ends + zero_motion(true) + "/>" : "<weld" + ends + "/>");
  }

  static std::string zero_motion(bool moves) {
    const std::string zero = "0, 0, 0";
    return (moves ? attribute("pos", zero) + attribute("vel", zero) : "") + attribute("rot", zero) +
           attribute("omega", zero);
  }

  static std::string placed(const std::string& name, const std::string& on, const Pose& pose) {
    std::string keywords = "<frame" + attribute("name", name) + attribute("on", on);
    if (pose.xyz != Vector{}) keywords += attribute("pos", list(pose.xyz));
    if (pose.rpy != Vector{}) keywords += attribute("rot", list(turned_angles(pose.rpy)));
    return keywords + "/>";
  }

  void hang(int l, int j) {
    const Joint& joint = robot_.joints[j];
    const Link& link = robot_.links[l];
    const std::string& on = links_[joint.parent];
    const bool immobile = bodies_.immobile[j];
    if (immobile) {
      diagnostics_.warning(joint.place, "urdf-immobile",
                           "the joint '" + joint.name + "' is fixed at zero: nothing beyond it " +
                               "has the inertia to be moved",
                           "give the links beyond it an <inertial>");
    }
    if (!bodies_.is_body[l]) {
      line(link.place, placed(links_[l], on, joint.origin));
      return;
    }
    body(l);
    std::string a = on;
    if (joint.origin.xyz != Vector{} || joint.origin.rpy != Vector{}) {
      a = take(joints_[j] + "_origin", "_frame");
      line(joint.place, placed(a, on, joint.origin));
    }
    connect(j, a, links_[l], immobile);
  }

  void connect(int j, const std::string& a, const std::string& b, bool immobile) {
    const Joint& joint = robot_.joints[j];
    const std::string name = attribute("name", joints_[j]) + attribute("a", a);
    const std::string to = attribute("b", b);
    const std::string axis = attribute("axis", list(joint.axis));
    const std::string damping =
        joint.damping > 0 ? attribute("damping", number_text(joint.damping)) : "";
    if (immobile || joint.type == JointType::fixed) {
      return line(joint.place, "<weld" + name + to + "/>");
    }
    switch (joint.type) {
      case JointType::revolute:
      case JointType::prismatic: {
        const std::string start_values = start(j);
        line(joint.place, std::string(joint.slides() ? "<prismatic" : "<revolute") + name + to +
                              axis + start_values + damping + "/>");
        if (joint.leader >= 0) couple(j);
        bound(j);
        return;
      }
      case JointType::floating:
        return line(joint.place, "<free" + name + to + zero_motion(true) + "/>");
      case JointType::spherical:
        return line(joint.place, "<spherical" + name + to + zero_motion(false) + "/>");
      case JointType::planar: {
        const auto [u, v] = across(joint.axis);
        const std::string second = slide(j, a, "_u", u);
        const std::string third = slide(j, second, "_v", v);
        return line(joint.place, "<revolute" + attribute("name", joints_[j]) +
                                     attribute("a", third) + to + axis + "/>");
      }
      case JointType::fixed:
        return;
    }
  }

  // Writes limits and dry friction. A joint that mimics another is bounded by that one.
  void bound(int j) {
    const Joint& joint = robot_.joints[j];
    const std::string of = attribute("joint", joints_[j]);
    if (joint.friction > 0 && options_.friction != UrdfOptions::Friction::none) {
      const bool sticks = options_.friction == UrdfOptions::Friction::coulomb;
      const std::string law = attribute("law", "regularised") +
                              attribute("width", joint.slides() ? "1 mm/s" : "0.01 rad/s");
      line(joint.place, "<friction" + attribute("name", take(joints_[j] + "_friction", "_dry")) +
                            of + attribute("force", number_text(joint.friction)) +
                            (sticks ? "" : law) + "/>");
    }
    if (!joint.limited || !options_.limits) return;
    if (joint.leader >= 0) {
      diagnostics_.note(joint.place, "urdf-limit",
                        "the limits of the joint '" + joint.name + "' are left to '" +
                            robot_.joints[joint.leader].name + "', which it mimics");
      return;
    }
    const std::string unit = joint.slides() ? " m" : " rad";
    for (const auto& [name, value] :
         {std::pair{"lower", joint.lower}, std::pair{"upper", joint.upper}}) {
      if (std::isinf(value)) continue;
      line(joint.place, "<end_stop" + attribute("name", take(joints_[j] + "_" + name, "_stop")) +
                            of + attribute(name, number_text(value) + unit) +
                            attribute("rest_speed", joint.slides() ? "1 mm/s" : "1 mrad/s") + "/>");
    }
  }

  // The start value: zero, or the middle of limits that exclude zero, or the only limit.
  double middle(int j) const {
    const Joint& joint = robot_.joints[j];
    const bool zero = !joint.limited || (joint.lower <= 0 && joint.upper >= 0);
    if (zero || !options_.limits) return 0.0;
    if (std::isinf(joint.upper)) return joint.lower;
    return std::isinf(joint.lower) ? joint.upper : 0.5 * (joint.lower + joint.upper);
  }

  // A massless body that slides; gives its name.
  std::string slide(int j, const std::string& a, const char* ending, const Vector& axis) {
    const Place& place = robot_.joints[j].place;
    const std::string name = take(joints_[j] + ending, "_joint");
    const std::string to = take(name + "_slide", "_body");
    line(place, "<body" + attribute("name", to) + attribute("mass", "0 kg") + "/>");
    line(place, "<prismatic" + attribute("name", name) + attribute("a", a) + attribute("b", to) +
                    attribute("axis", list(axis)) + "/>");
    return to;
  }

  // The start values: parameters, or values that follow from those of its leader.
  std::string start(int j) {
    const Joint& joint = robot_.joints[j];
    if (joint.leader >= 0) {
      const auto& [q, qd] = starts_[joint.leader];
      std::string keywords = attribute("q", followed(j, q, true));
      if (moves(joint.leader)) keywords += attribute("qd", followed(j, qd, false));
      return keywords;
    }
    const auto parameter = [&](const std::string& name, const char* what, double value,
                               const std::string& unit) {
      line(joint.place, "<parameter" + attribute("name", name) +
                            attribute("value", number_text(value) + " " + unit) +
                            attribute("doc", what + joints_[j] + " at the start") + "/>");
    };
    const std::string unit = joint.slides() ? "m" : "rad";
    const auto& [q, qd] = starts_[j];
    parameter(q, "coordinate of joint ", middle(j), unit);
    parameter(qd, "rate of joint ", 0.0, unit + "/s");
    return attribute("q", q) + attribute("qd", qd);
  }

  // multiplier * (what its leader has) + offset
  std::string followed(int j, const std::string& of_leader, bool with_offset) const {
    const Joint& joint = robot_.joints[j];
    const bool slides = joint.slides(), leader_slides = robot_.joints[joint.leader].slides();
    std::string keywords;
    if (moves(joint.leader)) {
      keywords = "(" + number_text(joint.multiplier) + (slides && !leader_slides ? " m)" : ")") +
                 (!slides && leader_slides ? "/(1 m)*" : "*") + of_leader;
    }
    if (with_offset && (joint.offset != 0 || keywords.empty())) {
      keywords += (keywords.empty() ? "(" : " + (") + number_text(joint.offset) +
                  (slides ? " m)" : " rad)");
    }
    return keywords;
  }

  void couple(int j) {
    const std::string leader = joints_[robot_.joints[j].leader];
    line(robot_.joints[j].place,
         "<coupling" + attribute("name", take(joints_[j] + "_mimic", "_coupling")) +
             attribute("relation", joints_[j] + ".q - (" + followed(j, leader + ".q", true) + ")") +
             "/>");
  }

  const Robot& robot_;
  const Bodies& bodies_;
  const UrdfOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<std::string> links_, joints_;  // their names
  std::vector<std::pair<std::string, std::string>> starts_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> counted_;
};

}  // namespace
}  // namespace urdf

UrdfOptions urdf_options(pugi::xml_node import) {
  const auto is = [&](const char* attribute, std::string_view keyword) {
    return import.attribute(attribute).value() == keyword;
  };
  using Friction = UrdfOptions::Friction;
  return {is("base", "free"), is("fixed_joints", "weld"), !is("limits", "none"),
          is("friction", "none")          ? Friction::none
          : is("friction", "regularised") ? Friction::regularised
                                          : Friction::coulomb};
}

std::unique_ptr<XmlFile> import_urdf(const XmlFile& description, const UrdfOptions& options,
                                     Diagnostics& diagnostics, const ReadLimits& limits) {
  const urdf::Robot robot = urdf::read_robot(description, diagnostics, limits);
  if (!diagnostics.ok()) return nullptr;
  const urdf::Bodies bodies = make_bodies(robot, options.free_base, options.keep_fixed);
  urdf::Writer writer(robot, bodies, options, diagnostics);
  writer.write();
  auto file = parse_xml(description.name(), std::move(writer.text), diagnostics, limits);
  if (file) file->set_places(std::move(writer.places));
  return file;
}

}  // namespace mbs
