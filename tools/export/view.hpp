// The projection from points in space to pixels.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <span>

namespace mbs {

class View {
 public:
  using Vec3 = Eigen::Vector3d;
  using Point = Eigen::Vector2d;

  // The plane as it is; space from above and the side, `down` downwards.
  View(bool planar, const Vec3& down) {
    if (planar) {
      right_ = Vec3::UnitX();
      up_ = Vec3::UnitY();
      return;
    }
    const Vec3 top = down.norm() > 0.0 ? Vec3(-down.normalized()) : Vec3(Vec3::UnitZ());
    Eigen::Index most = 0;
    top.cwiseAbs().maxCoeff(&most);
    const Vec3 first = Vec3::Unit((most + 1) % 3), side = top.cross(first).normalized();
    const Vec3 front = side.cross(top);
    constexpr double azimuth = 0.6, elevation = 0.38;  // rad
    right_ = std::cos(azimuth) * front + std::sin(azimuth) * side;
    const Vec3 away = -std::sin(azimuth) * front + std::cos(azimuth) * side;
    up_ = std::cos(elevation) * top + std::sin(elevation) * away;
  }

  // All points get room within the width and at most the height.
  void fit(std::span<const Vec3> points, double width, double most_height, double margin) {
    Point low = flat(points.front()), high = low;
    for (const Vec3& p : points) {
      low = low.cwiseMin(flat(p));
      high = high.cwiseMax(flat(p));
    }
    const Point size = high - low;
    const double largest = size.maxCoeff();
    const double room_x = width - 2.0 * margin, room_y = most_height - 2.0 * margin;
    scale_ = largest > 0.0 ? std::min(size.x() > 0.0 ? room_x / size.x() : HUGE_VAL,
                                      size.y() > 0.0 ? room_y / size.y() : HUGE_VAL)
                           : 1.0;
    height_ = std::max(size.y() * scale_ + 2.0 * margin, 0.34 * width);
    middle_ = 0.5 * (low + high);
    centre_ = {0.5 * width, 0.5 * height_};
  }

  Vec3 towards() const { return right_.cross(up_); }  // who looks
  double height() const { return height_; }
  double scale() const { return scale_; }  // pixels per metre
  Point operator()(const Vec3& p) const {
    const Point d = scale_ * (flat(p) - middle_);
    return {centre_.x() + d.x(), centre_.y() - d.y()};
  }
  // The direction of a vector in pixels; it is short if the vector points at who looks.
  Point direction(const Vec3& v) const { return {right_.dot(v), -up_.dot(v)}; }

 private:
  Point flat(const Vec3& p) const { return {right_.dot(p), up_.dot(p)}; }

  Vec3 right_, up_;
  Point middle_ = Point::Zero(), centre_ = Point::Zero();
  double scale_ = 1.0, height_ = 0.0;
};

}  // namespace mbs
