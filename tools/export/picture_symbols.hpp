// The symbols of a picture: springs, dampers, arrows, ground.
#pragma once

#include <string>
#include <vector>

#include "tools/export/svg.hpp"

namespace mbs {

using Point = Svg::Point;

void draw_ground(Svg& svg, const Point& at);
void draw_mass_centre(Svg& svg, const Point& at);
void draw_spring(Svg& svg, const Point& a, const Point& b);
void draw_damper(Svg& svg, const Point& a, const Point& b);
void draw_spring_and_damper(Svg& svg, const Point& a, const Point& b);
void draw_arrow(Svg& svg, const Point& tip, const Point& direction);
void draw_turn(Svg& svg, const Point& at);

std::vector<Point> convex_hull(std::vector<Point> points);

// 1, 2 or 5 times a power of ten, at most the length.
double round_length(double metres);
std::string length_text(double metres);

// Finds places where a label covers no other.
class Labels {
 public:
  Point free_place(Point wanted, const std::string& text);

 private:
  struct Box {
    Point low, high;
  };
  std::vector<Box> taken_;
};

}  // namespace mbs
