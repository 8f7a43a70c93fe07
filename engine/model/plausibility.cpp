#include "engine/model/plausibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {

namespace {

// The tolerance leaves room for rounding and for the digits that files give.
bool semidefinite(double xx, double yy, double zz, double xy, double xz, double yz, double size) {
  const double tolerance = 1e-9;
  const double sides = std::min({xx, yy, zz});
  const double minors = std::min({xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz});
  const double determinant =
      xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return sides >= -tolerance * size && minors >= -tolerance * size * size &&
         determinant >= -tolerance * size * size * size;
}

std::string negative_moment(std::span<const double> J) {
  for (const double moment : J.first(std::min<std::size_t>(3, J.size()))) {
    if (!(moment >= 0.0)) return "is negative: " + number_text(moment) + " kg.m^2";
  }
  return {};
}

std::array<double, 6> six_entries(std::span<const double> J) {
  std::array<double, 6> j{};
  std::copy(J.begin(), J.end(), j.begin());
  return j;
}

}  // namespace

std::string negative_energy(std::span<const double> J) {
  std::string moment = negative_moment(J);
  if (!moment.empty() || J.size() < 3) return moment;
  const std::array<double, 6> j = six_entries(J);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(j[0], j[1], j[2], j[3], j[4], j[5], size)) return {};
  return "is negative about some axis: its products of inertia are too large";
}

// The matrix of second moments  P = tr(J)/2 I - J  of a thing with mass is positive semidefinite;
// that is the triangle inequality of the principal moments, whatever the axes.
std::string inertia_defect(std::span<const double> J) {
  std::string moment = negative_moment(J);
  if (!moment.empty() || J.size() < 3) return moment;
  const std::array<double, 6> j = six_entries(J);
  const double half = 0.5 * (j[0] + j[1] + j[2]);
  const double size = std::max({j[0], j[1], j[2]});
  if (semidefinite(half - j[0], half - j[1], half - j[2], -j[3], -j[4], -j[5], size)) return {};
  return "belongs to no distribution of mass: one principal moment is greater than the sum of the "
         "others";
}

}  // namespace mbs
