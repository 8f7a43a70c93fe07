#include "tools/export/picture_symbols.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

// Along and across a line, with its length.
struct Line {
  Point a, b, along, across;
  double length;

  Line(const Point& from, const Point& to) : a(from), b(to), length((to - from).norm()) {
    along = length > 0.0 ? Point((to - from) / length) : Point(0.0, 1.0);
    across = {-along.y(), along.x()};
  }
  Point at(double s, double t) const { return a + s * along + t * across; }
};

}  // namespace

void draw_ground(Svg& svg, const Point& at) {
  svg.path(at, 0.0, "M0,0L-9,13H9ZM-14,13H14M-12,13l-5,6M-6,13l-5,6M0,13l-5,6M6,13l-5,6M12,13l-5,6",
           "ground");
}

void draw_mass_centre(Svg& svg, const Point& at) {
  svg.circle(at, 4.5, "mass");
  svg.path(at, 0.0, "M0,0V-4.5A4.5,4.5 0 0 1 4.5,0ZM0,0V4.5A4.5,4.5 0 0 1 -4.5,0Z", "quarter");
}

void draw_spring(Svg& svg, const Point& a, const Point& b) {
  const Line line(a, b);
  if (line.length < 8.0) {
    svg.path(a, 0.0, "M-8,0l4,-5l4,10l4,-10l4,5", "spring");
    return;
  }
  const double end = 0.18 * line.length;
  constexpr int turns = 7;
  std::vector<Point> points{a, line.at(end, 0.0)};
  const double pitch = (line.length - 2.0 * end) / turns;
  for (int k = 0; k < turns; ++k)
    points.push_back(line.at(end + (k + 0.5) * pitch, k % 2 == 0 ? 7.0 : -7.0));
  points.push_back(line.at(line.length - end, 0.0));
  points.push_back(b);
  svg.polyline(points, "spring");
}

void draw_damper(Svg& svg, const Point& a, const Point& b) {
  const Line line(a, b);
  const double half = std::min(14.0, 0.3 * line.length), middle = 0.5 * line.length;
  svg.line(a, line.at(middle - half, 0.0), "spring");
  svg.line(line.at(middle, 0.0), b, "spring");
  const std::vector<Point> cylinder{line.at(middle + half, 7.0), line.at(middle - half, 7.0),
                                    line.at(middle - half, -7.0), line.at(middle + half, -7.0)};
  svg.polyline(cylinder, "spring");
  svg.line(line.at(middle, 5.5), line.at(middle, -5.5), "spring");
}

void draw_spring_and_damper(Svg& svg, const Point& a, const Point& b) {
  const Line line(a, b);
  if (line.length < 24.0) return draw_spring(svg, a, b);
  const double end = 0.12 * line.length;
  const Point from = line.at(end, 0.0), to = line.at(line.length - end, 0.0);
  const Point side = 9.0 * line.across;
  svg.line(a, from, "spring");
  svg.line(to, b, "spring");
  svg.line(from - side, from + side, "spring");
  svg.line(to - side, to + side, "spring");
  draw_spring(svg, from + side, to + side);
  draw_damper(svg, from - side, to - side);
}

void draw_arrow(Svg& svg, const Point& tip, const Point& direction) {
  const Line line(tip - 34.0 * direction, tip);
  svg.line(line.a, line.at(26.0, 0.0), "load");
  const std::vector<Point> head{tip, line.at(24.0, 5.0), line.at(24.0, -5.0)};
  svg.polyline(head, "head", true);
}

void draw_turn(Svg& svg, const Point& at) {
  svg.path(at, 0.0, "M13,8A15.5,15.5 0 1 1 15.3,-3", "load");
  svg.path(at, 0.0, "M12,-6L21,-6.5L15.5,2Z", "head");
}

// Andrew's monotone chain.
std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  points.erase(std::unique(points.begin(), points.end(),
                           [](const Point& a, const Point& b) { return (a - b).norm() < 0.3; }),
               points.end());
  if (points.size() < 3) return points;
  const auto turn = [](const Point& o, const Point& a, const Point& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
  };
  std::vector<Point> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t begin = hull.size();
    for (const Point& p : points) {
      while (hull.size() >= begin + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0.0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double round_length(double metres) {
  const double power = std::pow(10.0, std::floor(std::log10(metres)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= metres) return factor * power;
  return power;
}

std::string length_text(double metres) {
  char buffer[32];
  const bool small = metres < 0.9, tiny = metres < 0.9e-3;
  std::snprintf(buffer, sizeof buffer, "%g %s",
                std::round(metres * (tiny    ? 1e9
                                     : small ? 1e6
                                             : 1e3)) /
                    1e3,
                tiny    ? "um"
                : small ? "mm"
                        : "m");
  return buffer;
}

Point Labels::free_place(Point wanted, const std::string& text) {
  const Point size(7.2 * static_cast<double>(text.size()), 14.0);
  const auto covered = [&](const Point& low) {
    const Point high = low + size;
    return std::any_of(taken_.begin(), taken_.end(), [&](const Box& box) {
      return low.x() < box.high.x() && box.low.x() < high.x() && low.y() < box.high.y() &&
             box.low.y() < high.y();
    });
  };
  Point low = wanted - Point(0.0, 12.0);
  for (int tries = 0; tries < 20 && covered(low); ++tries) low.y() += 15.0;
  taken_.push_back({low, low + size});
  return low + Point(0.0, 12.0);
}

}  // namespace mbs
