// Lines, circles and texts as SVG, in pixels with y downwards.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace mbs {

// For texts and attributes of XML and HTML; what XML does not allow at all becomes a question mark.
inline std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

class Svg {
 public:
  using Point = Eigen::Vector2d;

  void polyline(std::span<const Point> points, std::string_view style, bool closed = false) {
    if (points.size() < 2) return;
    text_ += closed ? "<polygon points=\"" : "<polyline points=\"";
    for (const Point& p : points) text_ += number(p.x()) + "," + number(p.y()) + " ";
    text_.back() = '"';
    text_ += " class=\"" + std::string(style) + "\"/>\n";
  }
  void line(const Point& a, const Point& b, std::string_view style) {
    text_ += "<line x1=\"" + number(a.x()) + "\" y1=\"" + number(a.y()) + "\" x2=\"" +
             number(b.x()) + "\" y2=\"" + number(b.y()) + "\" class=\"" + std::string(style) +
             "\"/>\n";
  }
  void circle(const Point& centre, double radius, std::string_view style) {
    text_ += "<circle cx=\"" + number(centre.x()) + "\" cy=\"" + number(centre.y()) + "\" r=\"" +
             number(radius) + "\" class=\"" + std::string(style) + "\"/>\n";
  }
  // A path in SVG's own keywords, moved to `at` and turned by degrees clockwise.
  void path(const Point& at, double degrees, std::string_view data, std::string_view style) {
    text_ += "<path transform=\"translate(" + number(at.x()) + " " + number(at.y()) + ") rotate(" +
             number(degrees) + ")\" d=\"" + std::string(data) + "\" class=\"" + std::string(style) +
             "\"/>\n";
  }
  void label(const Point& at, std::string_view text, std::string_view style,
             std::string_view anchor = "start") {
    text_ += "<text x=\"" + number(at.x()) + "\" y=\"" + number(at.y()) + "\" text-anchor=\"" +
             std::string(anchor) + "\" class=\"" + std::string(style) + "\">" + escape_xml(text) +
             "</text>\n";
  }
  // Opens a group with a title, which shows when one points at its shapes; close() ends it.
  void open(std::string_view title, std::string_view style = {}) {
    text_ += "<g" + (style.empty() ? "" : " class=\"" + std::string(style) + "\"") + "><title>" +
             escape_xml(title) + "</title>\n";
  }
  void close() { text_ += "</g>\n"; }

  std::string take(double width, double height, std::string_view title) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " +
           number(height) + "\" role=\"img\">\n<title>" + escape_xml(title) + "</title>\n" + text_ +
           "</svg>\n";
  }
  void raw(std::string_view text) { text_ += text; }

  static std::string number(double x) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", std::abs(x) < 1e-3 ? 0.0 : x);
    return buffer;
  }

 private:
  std::string text_;
};

}  // namespace mbs
