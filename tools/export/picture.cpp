#include "tools/export/picture.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "tools/export/picture_symbols.hpp"
#include "tools/export/svg.hpp"
#include "tools/export/view.hpp"

namespace mbs {
namespace {

using Vec3 = Eigen::Vector3d;
using Point = Eigen::Vector2d;

constexpr double width = 760.0, most_height = 560.0, margin = 64.0;
constexpr std::size_t most_labels = 14;  // bodies; beyond that names show when pointed at
constexpr std::array<const char*, 6> colours{"c0", "c1", "c2", "c3", "c4", "c5"};

constexpr std::string_view styles = R"css(<style>
.c0{fill:#4878a8;stroke:#2d5680}.c1{fill:#d08438;stroke:#9c5c1c}.c2{fill:#5a9e6f;stroke:#377a4c}
.c3{fill:#a86a9c;stroke:#804474}.c4{fill:#b8a03c;stroke:#8a761f}.c5{fill:#5fa3ad;stroke:#377b86}
.body{fill-opacity:.28;stroke-width:5;stroke-linejoin:round;stroke-linecap:round}
.mass{fill:#fff;stroke:#333;stroke-width:1}.quarter{fill:#333}
.joint{fill:#fff;stroke:#222;stroke-width:2}.dot{fill:#222}
.axis{stroke:#666;stroke-width:1.2;stroke-dasharray:7 3 2 3;fill:none}
.guide{stroke:#555;stroke-width:1.5;stroke-dasharray:4 4;fill:none}
.ground{stroke:#555;stroke-width:1.6;fill:none}
.spring{stroke:#b3372f;stroke-width:2;fill:none;stroke-linejoin:round}
.part{stroke:#b3372f;stroke-width:2;fill:#fff}
.load{stroke:#c2185b;stroke-width:2.4;fill:none}.head{fill:#c2185b}
.wheel{stroke:#444;stroke-width:2;fill:#888;fill-opacity:.12}
.plane{fill:#9a9a86;fill-opacity:.16;stroke:#8a8a76;stroke-width:1}
.rod{stroke:#444;stroke-width:4;stroke-linecap:round}
.tree{stroke:#888;stroke-width:1.4;fill:none}
text{font-family:system-ui,sans-serif;font-size:13px;fill:#222}
.name{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.small{font-size:11px;fill:#555}
</style>
)css";

class Picture {
 public:
  Picture(const Model& model, const Start& start)
      : model_(model),
        frames_(start.frames),
        values_(parameter_start_values(model)),
        view_(model.planar, gravity()) {}

  std::string svg() {
    collect();
    if (points_.empty()) return {};
    view_.fit(points_, width, most_height, margin);
    svg_.raw(styles);
    for (const Element& element : model_.elements) draw_behind(element);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) draw_body(i);
    for (const Element& element : model_.elements)
      if (element.tag->role == TagRole::joint) draw_joint(element);
    for (const Element& element : model_.elements) draw_force(element);
    if (model_.bodies.size() <= most_labels)
      for (std::size_t i = 0; i < model_.bodies.size(); ++i) label_body(i);
    draw_margin();
    return svg_.take(width, view_.height(), model_.name + " at the start");
  }

  Outline outline(int size) {
    Outline result;
    collect();
    if (points_.empty()) return result;
    view_.fit(points_, size, size, 14.0);
    const Point lift(0.0, 0.5 * (size - view_.height()));
    for (const std::vector<Vec3>& corners : corners_) {
      result.bodies.push_back(convex_hull(seen(corners)));
      for (Point& p : result.bodies.back()) p += lift;
    }
    for (const Element& element : model_.elements)
      if (element.tag->role == TagRole::joint && element.tag->name != "free" &&
          has_frames(element) && frame(element, "b") >= 0)
        result.joints.push_back(view_(place(frame(element, "b"))) + lift);
    return result;
  }

 private:
  static bool has_frames(const Element& element) {
    const int a = find_attribute(*element.tag, "a");
    return a >= 0 &&
           element.tag->attributes[static_cast<std::size_t>(a)].type == AttributeType::frame;
  }

  // ---- the model's numbers

  Vec3 gravity() const {
    Vec3 g = Vec3::Zero();
    for (int k = 0; k < (model_.planar ? 2 : 3); ++k) {
      if (constant(model_.gravity[static_cast<std::size_t>(k)]))
        g[k] = evaluate(model_.gravity[static_cast<std::size_t>(k)], values_);
    }
    return g;
  }
  static bool constant(const Expression& expression) {
    const auto symbols = expression.symbols();
    return std::all_of(symbols.begin(), symbols.end(),
                       [](const Symbol& symbol) { return symbol.kind == SymbolKind::parameter; });
  }
  const AttributeValue* find(const Element& element, std::string_view name) const {
    const int k = find_attribute(*element.tag, name);
    return k < 0 ? nullptr : &element.attributes[static_cast<std::size_t>(k)];
  }
  int frame(const Element& element, std::string_view name) const {
    const AttributeValue* value = find(element, name);
    const int index = value ? value->index : -1;
    return index < static_cast<int>(frames_.size()) ? index : -1;
  }
  double number(const Element& element, std::string_view name) const {
    const AttributeValue* value = find(element, name);
    if (!value || value->numbers.empty() || !constant(value->numbers[0])) return 0.0;
    const double x = evaluate(value->numbers[0], values_);
    return std::isfinite(x) ? x : 0.0;
  }
  // A direction in the axes of a frame, in those of ground; zero where it is not known.
  Vec3 direction(const Element& element, std::string_view name, int of) const {
    const AttributeValue* value = find(element, name);
    Vec3 v = Vec3::Zero();
    if (!value || of < 0) return v;
    for (std::size_t k = 0; k < value->numbers.size() && k < 3; ++k)
      if (constant(value->numbers[k]))
        v[static_cast<Eigen::Index>(k)] = evaluate(value->numbers[k], values_);
    if (!v.allFinite() || v.norm() == 0.0) return Vec3::Zero();
    return frames_[static_cast<std::size_t>(of)].R * v.normalized();
  }
  Vec3 place(int frame) const { return frames_[static_cast<std::size_t>(frame)].r; }
  int body_of(int frame) const { return model_.frames[static_cast<std::size_t>(frame)].body; }
  Vec3 mass_centre(std::size_t body) const {
    const Element& element = model_.elements[static_cast<std::size_t>(model_.bodies[body].element)];
    const Placement& origin = frames_[static_cast<std::size_t>(model_.bodies[body].origin)];
    Vec3 c = Vec3::Zero();
    if (const AttributeValue* com = find(element, "com"))
      for (std::size_t k = 0; k < com->numbers.size() && k < 3; ++k)
        if (constant(com->numbers[k]))
          c[static_cast<Eigen::Index>(k)] = evaluate(com->numbers[k], values_);
    return c.allFinite() ? Vec3(origin.r + origin.R * c) : origin.r;
  }
  // The joint that an element acts on; null: none.
  const Element* joint_of(const Element& element, std::string_view name = "joint") const {
    const AttributeValue* value = find(element, name);
    if (!value || value->index < 0 || (find_attribute(*element.tag, "on") >= 0 && !value->given))
      return nullptr;
    if (value->index >= static_cast<int>(model_.elements.size())) return nullptr;
    const Element& joint = model_.elements[static_cast<std::size_t>(value->index)];
    return joint.tag->role == TagRole::joint ? &joint : nullptr;
  }
  std::string title(const Element& element) const {
    return element.name + " (" + std::string(element.tag->name) + ")";
  }

  // ---- what is there to be seen

  void use(int frame) {
    if (frame < 0) return;
    used_[static_cast<std::size_t>(frame)] = true;
    points_.push_back(place(frame));
  }
  void collect() {
    used_.assign(frames_.size(), false);
    if (frames_.empty()) return;
    for (const Element& element : model_.elements) {
      if (element.tag->role == TagRole::body) continue;
      for (const char* name : {"a", "b", "on", "wheel"}) {
        const AttributeSchema* schema = nullptr;
        const int k = find_attribute(*element.tag, name);
        if (k >= 0) schema = &element.tag->attributes[static_cast<std::size_t>(k)];
        if (schema && schema->type == AttributeType::frame) use(frame(element, name));
      }
      for (const Vec3& p : rim(element)) points_.push_back(p);
    }
    corners_.resize(model_.bodies.size());
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const int body = body_of(static_cast<int>(f));
      if (body < 0) continue;
      const bool origin =
          model_.bodies[static_cast<std::size_t>(body)].origin == static_cast<int>(f);
      if (!origin || used_[f]) corners_[static_cast<std::size_t>(body)].push_back(frames_[f].r);
    }
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      corners_[i].push_back(mass_centre(i));
      points_.insert(points_.end(), corners_[i].begin(), corners_[i].end());
    }
  }

  // The rim of a wheel, disc or ball that an element knows of.
  std::vector<Vec3> rim(const Element& element) const {
    const std::string_view tag = element.tag->name;
    int hub = -1;
    double radius = 0.0;
    Vec3 axis = Vec3::Zero();
    if (tag == "tyre" || tag == "wheel_rail") {
      hub = frame(element, "wheel");
      radius = number(element, "radius");
      axis = direction(element, "axis", hub);
      if (hub >= 0 && axis.norm() == 0.0) axis = frames_[static_cast<std::size_t>(hub)].R.col(1);
    } else if (tag == "rolling") {
      hub = frame(element, "b");
      radius = number(element, "radius");
      axis = direction(element, "axis", hub);
    } else if (tag == "contact") {
      hub = frame(element, "b");
      radius = number(element, "radius_b");
    }
    return ring(hub, radius, axis);
  }
  std::vector<Vec3> ring(int hub, double radius, Vec3 axis) const {
    if (hub < 0 || !(radius > 0.0)) return {};
    if (model_.planar) axis = Vec3::UnitZ();
    if (axis.norm() == 0.0) axis = view_.towards();  // a ball: the circle that is seen
    const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
    std::vector<Vec3> points;
    for (int k = 0; k < 72; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 72.0;
      points.push_back(place(hub) + radius * (std::cos(angle) * x + std::sin(angle) * y));
    }
    return points;
  }
  std::vector<Point> seen(const std::vector<Vec3>& points) const {
    std::vector<Point> result;
    for (const Vec3& p : points) result.push_back(view_(p));
    return result;
  }

  // ---- drawing

  void draw_behind(const Element& element) {
    const std::string_view tag = element.tag->name;
    const std::vector<Vec3> points = rim(element);
    if (!points.empty()) {
      svg_.open(title(element));
      svg_.polyline(seen(points), "wheel", true);
      svg_.line(view_(points[0]), view_(points[36]), "tree");
      svg_.line(view_(points[18]), view_(points[54]), "tree");
      svg_.close();
    }
    if (tag == "contact" || tag == "rolling") {
      const int a = frame(element, "a");
      const Vec3 normal = direction(element, "normal", a);
      if (a >= 0 && normal.norm() > 0.0) draw_plane(element, place(a), normal);
      if (a >= 0 && tag == "contact")
        svg_.polyline(seen(ring(a, number(element, "radius_a"), Vec3::Zero())), "wheel", true);
    }
    if (element.tag->role != TagRole::joint) return;
    if (!has_frames(element)) return;
    const int a = frame(element, "a"), b = frame(element, "b");
    if (a >= 0 && b >= 0 && tag != "rod" && view_(place(a)) != view_(place(b)) && tag != "free")
      svg_.line(view_(place(a)), view_(place(b)), "guide");
  }

  void draw_plane(const Element& element, const Vec3& origin, const Vec3& normal) {
    const Vec3 along = model_.planar ? Vec3(-normal.y(), normal.x(), 0.0) : Vec3::Zero();
    svg_.open(title(element));
    if (model_.planar) {
      const Point p = view_(origin), d = view_.direction(along);
      // through the whole picture, at the height of the point nearest to its middle
      const Point middle{width / 2, view_.height() / 2};
      const Point foot = p + d * d.dot(middle - p);
      svg_.line(foot - 0.46 * width * d, foot + 0.46 * width * d, "ground");
      const Point down = -view_.direction(normal);
      for (double s = -0.45 * width; s < 0.45 * width; s += 14.0)
        svg_.line(foot + s * d, foot + (s - 7.0) * d + 8.0 * down, "ground");
    } else {
      // below the middle of the mechanism, a little larger than it
      Vec3 low = points_.front(), high = low;
      for (const Vec3& p : points_) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
      }
      const Vec3 middle = 0.5 * (low + high), foot = middle - normal * normal.dot(middle - origin);
      const double half = 0.35 * (high - low).norm();
      Eigen::Index least = 0;
      normal.cwiseAbs().minCoeff(&least);
      const Vec3 x = normal.cross(Vec3::Unit(least)).normalized(), y = normal.cross(x);
      svg_.polyline(seen({foot + half * (x + y), foot + half * (x - y), foot - half * (x + y),
                          foot - half * (x - y)}),
                    "plane", true);
    }
    svg_.close();
  }

  void draw_body(std::size_t i) {
    const Element& element = model_.elements[static_cast<std::size_t>(model_.bodies[i].element)];
    const std::string_view colour = colours[i % colours.size()];
    svg_.open(element.name, colour);
    const std::vector<Point> outline = convex_hull(seen(corners_[i]));
    if (outline.size() == 1)
      svg_.circle(outline[0], 9.0, "body");
    else if (outline.size() == 2)
      svg_.line(outline[0], outline[1], "body");
    else
      svg_.polyline(outline, "body", true);
    svg_.close();
    if (model_.bodies.size() <= most_labels) draw_mass_centre(svg_, view_(mass_centre(i)));
  }

  void label_body(std::size_t i) {
    const Element& element = model_.elements[static_cast<std::size_t>(model_.bodies[i].element)];
    Point centre = Point::Zero();
    for (const Point& p : seen(corners_[i])) centre += p / static_cast<double>(corners_[i].size());
    svg_.label(labels_.free_place(centre + Point(10.0, -10.0), element.name), element.name, "name");
  }

  void draw_joint(const Element& element) {
    const std::string_view tag = element.tag->name;
    const int a = frame(element, "a"), b = frame(element, "b");
    if (!has_frames(element) || a < 0 || b < 0) return;
    const Point p = view_(place(b)), q = view_(place(a));
    svg_.open(title(element));
    if (body_of(a) < 0 && tag != "free") draw_ground(svg_, q);
    if (body_of(b) < 0 && tag != "free") draw_ground(svg_, p);
    const Point axis = view_.direction(direction(element, "axis", a));
    const bool turns = tag == "revolute" || tag == "cylindrical" || tag == "screw" ||
                       tag == "universal" || tag == "gear";
    const bool slides = tag == "prismatic" || tag == "cylindrical" || tag == "screw" ||
                        tag == "in_line" || tag == "planar";
    if (!model_.planar && (turns || slides) && axis.norm() > 0.05)
      svg_.line(p - 26.0 * axis, p + 26.0 * axis, "axis");
    if (slides) {
      if (model_.planar && axis.norm() > 0.0) svg_.line(p - 40.0 * axis, p + 40.0 * axis, "guide");
      const double degrees = std::atan2(axis.y(), axis.x()) * 180.0 / std::numbers::pi;
      svg_.path(p, axis.norm() > 0.05 ? degrees : 0.0, "M-13,-7H13V7H-13Z", "joint");
    }
    if (tag == "rod") {
      svg_.line(p, q, "rod");
      svg_.circle(q, 3.5, "joint");
      svg_.circle(p, 3.5, "joint");
    } else if (tag == "weld") {
      svg_.path(p, 0.0, "M-4,-4H4V4H-4Z", "dot");
    } else if (tag == "spherical") {
      svg_.circle(p, 7.0, "joint");
      svg_.circle(p, 3.5, "dot");
    } else if (turns) {
      svg_.circle(p, model_.bodies.size() <= most_labels ? 5.5 : 3.5, "joint");
      if (tag == "universal") svg_.path(p, 45.0, "M-5.5,0H5.5M0,-5.5V5.5", "ground");
    } else if (!slides && tag != "free") {
      svg_.path(p, 45.0, "M-4.5,-4.5H4.5V4.5H-4.5Z", "joint");
    }
    svg_.close();
  }

  void draw_force(const Element& element) {
    if (element.tag->role != TagRole::force) return;
    const std::string_view tag = element.tag->name;
    svg_.open(title(element));
    const int on = frame(element, "on");
    const Element* joint = joint_of(element);
    const bool between = tag == "spring" || tag == "damper" || tag == "bushing" ||
                         tag == "hydraulic_cylinder" || tag == "point_on_curve";
    if (between && frame(element, "a") >= 0 && frame(element, "b") >= 0) {
      const Point a = view_(place(frame(element, "a"))), b = view_(place(frame(element, "b")));
      if (body_of(frame(element, "a")) < 0) draw_ground(svg_, a);
      if (body_of(frame(element, "b")) < 0) draw_ground(svg_, b);
      const AttributeValue* damping = find(element, "damping");
      if (tag == "damper" || tag == "hydraulic_cylinder")
        draw_damper(svg_, a, b);
      else if (damping && damping->given)
        draw_spring_and_damper(svg_, a, b);
      else
        draw_spring(svg_, a, b);
    } else if (tag == "belt") {
      const Element *first = joint_of(element, "a"), *second = joint_of(element, "b");
      if (first && second && frame(*first, "b") >= 0 && frame(*second, "b") >= 0)
        svg_.line(view_(place(frame(*first, "b"))), view_(place(frame(*second, "b"))), "guide");
    } else if (joint && frame(*joint, "b") >= 0) {
      const Point p = view_(place(frame(*joint, "b")));
      const std::string_view kind = joint->tag->name;
      const Point axis = view_.direction(direction(*joint, "axis", frame(*joint, "a")));
      if (tag == "end_stop" || tag == "friction") {
        svg_.path(p, 0.0, "M-9,11H9M-6,14H6", "spring");
      } else if (kind == "prismatic" && axis.norm() > 0.05) {
        const Point d = axis.normalized();
        draw_arrow(svg_, p - 15.0 * d, d);
      } else if (tag == "torsion_spring" || tag == "torsion_damper") {
        svg_.path(p, 0.0, "M0,0a3,3 0 0 1 6,0a6,6 0 0 1 -12,0a9,9 0 0 1 18,0", "spring");
      } else {
        draw_turn(svg_, p);
      }
    } else if (on >= 0 && tag == "torque") {
      draw_turn(svg_, view_(place(on)));
    } else if (on >= 0) {
      const Point d = load_direction(element);
      draw_arrow(svg_, view_(place(on)) - 9.0 * d, d);
    }
    svg_.close();
  }

  // Along the components that are not always zero.
  Point load_direction(const Element& element) const {
    const AttributeValue* value = find(element, "value");
    const AttributeValue* in = find(element, "in");
    Vec3 v = Vec3::Zero();
    if (value)
      for (std::size_t k = 0; k < value->numbers.size() && k < 3; ++k) {
        const bool zero =
            constant(value->numbers[k]) && evaluate(value->numbers[k], values_) == 0.0;
        if (!zero) v[static_cast<Eigen::Index>(k)] = 1.0;
      }
    const int axes = in && in->given ? frame(element, "in") : 0;
    if (axes >= 0) v = frames_[static_cast<std::size_t>(axes)].R * v;
    const Point d = view_.direction(v);
    return d.norm() > 0.05 ? Point(d.normalized()) : Point(1.0, 0.0);
  }

  // The axes, gravity and a length to compare with.
  void draw_margin() {
    const Point corner{34.0, view_.height() - 30.0};
    const std::array<const char*, 3> names{"x", "y", "z"};
    for (int k = 0; k < (model_.planar ? 2 : 3); ++k) {
      const Point d = view_.direction(Vec3::Unit(k));
      svg_.line(corner, corner + 24.0 * d, "ground");
      const int axis = model_.planar ? model_.plane_axes[static_cast<std::size_t>(k)] : k;
      svg_.label(corner + 32.0 * d + Point(-3.0, 4.0), names[static_cast<std::size_t>(axis)],
                 "small");
    }
    if (gravity().norm() > 0.0) {
      const Point d = view_.direction(gravity().normalized());
      const Point p{width - 28.0, 26.0};
      draw_arrow(svg_, p + 34.0 * d, d);
      svg_.label(p + Point(-16.0, 4.0), "g", "small");
    }
    const double metres = round_length(120.0 / view_.scale());
    const double length = metres * view_.scale();
    const Point end{width - 24.0, view_.height() - 18.0};
    svg_.line(end - Point(length, 0.0), end, "ground");
    for (const double x : {0.0, length})
      svg_.line(end - Point(x, 4.0), end - Point(x, -4.0), "ground");
    svg_.label(end - Point(length / 2.0, 7.0), length_text(metres), "small", "middle");
  }

  const Model& model_;
  const std::vector<Placement>& frames_;
  std::vector<double> values_;
  View view_;
  std::vector<bool> used_;
  std::vector<Vec3> points_;
  std::vector<std::vector<Vec3>> corners_;  // of each body
  Labels labels_;
  Svg svg_;
};

}  // namespace

std::string picture_svg(const Model& model, const Start& start) {
  return start.frames.empty() || model.elements.empty() ? std::string()
                                                        : Picture(model, start).svg();
}

Outline outline_of(const Model& model, const Start& start, int size) {
  return start.frames.empty() || model.elements.empty() ? Outline{}
                                                        : Picture(model, start).outline(size);
}

}  // namespace mbs
