#pragma once

// G, gI and gamma of a C++ model that is not written over its scalar, by central differences of
// fourth order,
//
//   x'  = (8 (x(h) - x(-h)) - (x(2h) - x(-2h))) / 12 h                      h = 1e-3: about 1e-12
//   x'' = (16 (x(h) + x(-h)) - (x(2h) + x(-2h)) - 30 x(0)) / 12 h^2         h = 4e-3: about 1e-10
//
// with h in multiples of the coordinates' typical sizes and of 1 s.

#include <array>
#include <cmath>

#include "engine/cpp_model/functions.hpp"

namespace mbs {

template <class Model>
struct Differencing {
  struct Weight {
    int steps;
    double weight;
  };
  static constexpr std::array<Weight, 4> slope{{{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}};
  static constexpr std::array<Weight, 5> curvature{
      {{0, -30.0}, {1, 16.0}, {-1, 16.0}, {2, -1.0}, {-2, -1.0}}};

  const Functions<Model>& of;
  const Vector& p_scale;
  ResidualScratch<double>& k;

  // k.moved at p + h p' + h^2/2 p'' and, in time as well, t + h.
  void move(double h, bool in_time) {
    for (int i = 0; i < of.n.p; ++i)
      k.moved.p[i] = k.at.p[i] + h * (k.direction[i] + 0.5 * h * k.curvature[i]);
    if (!in_time) return;
    k.moved.t = k.at.t + h;
    for (int i = 0; i < of.n.u; ++i)
      k.moved.u[i] = k.at.u[i] + h * (k.at.u1[i] + 0.5 * h * k.at.u2[i]);
  }

  // p' = Z v of k.moved; gives the factor of h.
  double set_direction() {
    of.p_dot(k.moved);
    std::copy(k.moved.out.begin(), k.moved.out.begin() + of.n.p, k.direction.begin());
    std::fill(k.curvature.begin(), k.curvature.end(), 0.0);
    double largest = 0.0;
    for (int i = 0; i < of.n.p; ++i)
      largest = std::max(largest, std::abs(k.direction[i]) / p_scale[i]);
    return largest > 0.0 ? 1.0 / largest : 1.0;
  }

  // h at v = 0, into k.moved.out.
  void h_at_rest() {
    std::fill(k.moved.v.begin(), k.moved.v.end(), 0.0);
    of.h(k.moved);
  }

  void fill_G() {
    const Sizes& n = of.n;
    std::fill(k.G.begin(), k.G.end(), 0.0);
    for (int j = 0; j < n.v; ++j) {
      k.moved = k.at;
      h_at_rest();
      for (int i = n.g; i < n.lambda; ++i) k.G[i * n.v + j] -= k.moved.out[i];
      k.moved.v[j] = 1.0;
      of.h(k.moved);
      for (int i = n.g; i < n.lambda; ++i) k.G[i * n.v + j] += k.moved.out[i];
      const double h = 1e-3 * set_direction();
      for (const auto& [steps, weight] : slope) {
        move(steps * h, false);
        of.g(k.moved);
        for (int i = 0; i < n.g; ++i) k.G[i * n.v + j] += weight / (12.0 * h) * k.moved.out[i];
      }
    }
  }

  // k.rows = gI
  void fill_gI() {
    constexpr double h = 1e-3;
    std::fill(k.rows.begin(), k.rows.end(), 0.0);
    std::fill(k.direction.begin(), k.direction.end(), 0.0);
    std::fill(k.curvature.begin(), k.curvature.end(), 0.0);
    k.moved = k.at;
    h_at_rest();
    for (int i = of.n.g; i < of.n.lambda; ++i) k.rows[i] = k.moved.out[i];
    for (const auto& [steps, weight] : slope) {
      move(steps * h, true);
      of.g(k.moved);
      for (int i = 0; i < of.n.g; ++i) k.rows[i] += weight / (12.0 * h) * k.moved.out[i];
    }
  }

  // k.rows = gamma
  void fill_gamma() {
    const Sizes& n = of.n;
    std::fill(k.rows.begin(), k.rows.end(), 0.0);
    k.moved = k.at;
    const double h1 = 1e-3 * std::min(1.0, set_direction()), h2 = 4.0 * h1;
    std::fill(k.residual.begin(), k.residual.begin() + n.p, 0.0);  // p''
    for (const auto& [steps, weight] : slope) {
      move(steps * h1, true);
      of.h(k.moved);
      for (int i = n.g; i < n.lambda; ++i) k.rows[i] += weight / (12.0 * h1) * k.moved.out[i];
      if (!Functions<Model>::own_kinematics) continue;
      of.p_dot(k.moved);
      for (int i = 0; i < n.p; ++i) k.residual[i] += weight / (12.0 * h1) * k.moved.out[i];
    }
    std::copy(k.residual.begin(), k.residual.begin() + n.p, k.curvature.begin());
    for (const auto& [steps, weight] : curvature) {
      move(steps * h2, true);
      of.g(k.moved);
      for (int i = 0; i < n.g; ++i) k.rows[i] += weight / (12.0 * h2 * h2) * k.moved.out[i];
    }
  }
};

}  // namespace mbs
