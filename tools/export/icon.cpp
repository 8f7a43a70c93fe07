#include "tools/export/icon.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tools/export/crc.hpp"
#include "tools/export/picture.hpp"
#include "tools/export/svg.hpp"

namespace mbs {
namespace {

using Point = Svg::Point;

constexpr int samples = 3;                // a side of a pixel
constexpr std::size_t most_shapes = 150;  // of a large model every second, third, ...

// A polygon, line or point, as thick as a pen.
struct Shape {
  std::vector<Point> corners;
  double pen;
  std::uint32_t colour;  // RGB
};

constexpr std::array<std::uint32_t, 6> colours{0x4878a8, 0xd08438, 0x5a9e6f,
                                               0xa86a9c, 0xb8a03c, 0x5fa3ad};

double distance_to_edge(const Point& p, const Point& a, const Point& b) {
  const Point d = b - a;
  const double square = d.squaredNorm();
  const double s = square > 0.0 ? std::clamp((p - a).dot(d) / square, 0.0, 1.0) : 0.0;
  return (p - a - s * d).norm();
}

struct Box {
  Point least, most;
  bool contains(const Point& p) const {
    return (p.array() >= least.array()).all() && (p.array() <= most.array()).all();
  }
};

Box box_of(const Shape& shape) {
  Box box{shape.corners.front(), shape.corners.front()};
  for (const Point& corner : shape.corners) {
    box.least = box.least.cwiseMin(corner);
    box.most = box.most.cwiseMax(corner);
  }
  const Point pen(shape.pen, shape.pen);
  return {box.least - pen, box.most + pen};
}

bool covers(const Shape& shape, const Point& p) {
  bool inside = false;
  const std::size_t n = shape.corners.size();
  for (std::size_t i = 0, j = n - 1; i < n; j = i++) {
    const Point &a = shape.corners[i], &b = shape.corners[j];
    if (distance_to_edge(p, a, b) <= shape.pen) return true;
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y()) + a.x())
      inside = !inside;
  }
  return inside;
}

// The last shape that covers a sample is seen; none: transparent.
std::string pixels(const std::vector<Shape>& shapes, int size) {
  std::string rows;
  std::vector<Box> boxes;
  for (const Shape& shape : shapes) boxes.push_back(box_of(shape));
  for (int y = 0; y < size; ++y) {
    rows += '\0';  // no filter
    for (int x = 0; x < size; ++x) {
      std::array<int, 4> sum{};
      for (int k = 0; k < samples * samples; ++k) {
        const Point p(x + (k % samples + 0.5) / samples, y + (k / samples + 0.5) / samples);
        std::size_t seen = shapes.size();
        while (seen > 0 && !(boxes[seen - 1].contains(p) && covers(shapes[seen - 1], p))) --seen;
        if (seen == 0) continue;
        const std::uint32_t colour = shapes[seen - 1].colour;
        for (int c = 0; c < 3; ++c)
          sum[static_cast<std::size_t>(c)] += static_cast<int>(colour >> (16 - 8 * c) & 255u);
        ++sum[3];
      }
      for (std::size_t c = 0; c < 3; ++c)
        rows += static_cast<char>(sum[3] > 0 ? sum[c] / sum[3] : 0);
      rows += static_cast<char>(255 * sum[3] / (samples * samples));
    }
  }
  return rows;
}

std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8),
          static_cast<char>(x)};
}

std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + name + data +
         big_endian(crc(name + data));
}

// A zlib stream of stored blocks: the archive compresses it.
std::string stored(const std::string& data) {
  std::string stream = "\x78\x01";
  constexpr std::size_t most = 65535;
  for (std::size_t at = 0; at < data.size(); at += most) {
    const std::size_t n = std::min(most, data.size() - at);
    stream += static_cast<char>(at + n == data.size());
    for (const std::size_t length : {n, ~n}) {
      stream += static_cast<char>(length);
      stream += static_cast<char>(length >> 8);
    }
    stream.append(data, at, n);
  }
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char byte : data) {
    a = (a + static_cast<unsigned char>(byte)) % 65521u;
    b = (b + a) % 65521u;
  }
  return stream + big_endian(b << 16 | a);
}

std::string png(const std::vector<Shape>& shapes, int size) {
  const std::string side = big_endian(static_cast<std::uint32_t>(size));
  std::string header = side + side;
  header += {8, 6, 0, 0, 0};  // eight bits of red, green, blue, opacity
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header) +
         chunk("IDAT", stored(pixels(shapes, size))) + chunk("IEND", {});
}

std::string svg(const std::vector<Shape>& shapes, int size) {
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                     std::to_string(size) + " " + std::to_string(size) + "\">\n";
  for (const Shape& shape : shapes) {
    char colour[8];
    std::snprintf(colour, sizeof colour, "#%06x", shape.colour & 0xffffffu);
    text += "<polygon points=\"";
    for (const Point& p : shape.corners)
      text += Svg::number(p.x()) + "," + Svg::number(p.y()) + " ";
    text.back() = '"';
    text += " fill=\"" + std::string(colour) + "\" stroke=\"" + colour + "\" stroke-width=\"" +
            Svg::number(2.0 * shape.pen) +
            "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
  }
  return text + "</svg>\n";
}

Icon drawn(const std::vector<Shape>& shapes, int size) {
  return {png(shapes, size), svg(shapes, size)};
}

}  // namespace

Icon model_icon(const Model& model, const Start* start) {
  constexpr int size = 128;
  const Outline outline = start ? outline_of(model, *start, size) : Outline{};
  std::vector<Shape> shapes;
  const std::size_t stride = outline.bodies.size() / most_shapes + 1;
  for (std::size_t i = 0; i < outline.bodies.size(); i += stride)
    shapes.push_back({outline.bodies[i], 5.0, colours[i % colours.size()]});
  const std::size_t hinge_stride = outline.joints.size() / most_shapes + 1;
  for (std::size_t i = 0; i < outline.joints.size(); i += hinge_stride)
    for (const auto& [pen, colour] : {std::pair{4.2, 0x222222u}, std::pair{2.6, 0xffffffu}})
      shapes.push_back({{outline.joints[i]}, pen, colour});
  if (shapes.empty()) {
    shapes.push_back({{{30.0, 92.0}, {98.0, 36.0}}, 11.0, colours[0]});
    for (const Point& hinge : {Point(30.0, 92.0), Point(98.0, 36.0)})
      for (const auto& [pen, colour] : {std::pair{6.5, 0x222222u}, std::pair{4.5, 0xffffffu}})
        shapes.push_back({{hinge}, pen, colour});
  }
  return drawn(shapes, size);
}

Icon flange_icon() {
  return drawn({{{{10.0, 10.0}, {22.0, 10.0}, {22.0, 22.0}, {10.0, 22.0}}, 6.0, 0x333333},
                {{{16.0, 16.0}}, 6.0, 0xd9d9d9}},
               32);
}

}  // namespace mbs
