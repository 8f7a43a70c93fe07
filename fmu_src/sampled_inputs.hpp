#pragma once

// Continuous inputs that an importer sets within a step (FMI 3.0), at times t_0 > t_1 > t_2 of the
// integrator's choice: between them they go on as the parabola through the last three points,
//
//   u(t_0 + s) = u_0 + s u' + s^2/2 u'',   u'' = 2 [t_0, t_1, t_2]u,
//   u' = [t_0, t_1]u + (t_0 - t_1) u''/2   ([...]: divided differences)
//
// as long as they are set at every such point: an input that is not keeps its last value.
// FMI 3.0 has no derivatives of inputs, and a held value would have an error of first order in the
// step. The error of the parabola, of third order, is not controlled: the communication steps have
// to be short enough.

#include <array>
#include <optional>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

class SampledInputs {
 public:
  explicit SampledInputs(int inputs = 0) : inputs_(static_cast<std::size_t>(inputs)) {}

  bool has(int i) const { return at(i).count > 0; }
  void forget(int i) { inputs_[static_cast<std::size_t>(i)].count = 0; }

  // Called at a point within a step: begin_point() comes before any input is set, abandoned()
  // afterwards. It gives the last value of an input that was not set any more, and forgets the
  // input.
  void begin_point() {
    for (Points& p : inputs_) p.set = false;
  }
  std::optional<double> abandoned(int i) {
    Points& p = inputs_[static_cast<std::size_t>(i)];
    if (p.count == 0 || p.set) return std::nullopt;
    p.count = 0;
    return p.u[0];
  }

  Inputs::Jet add(int i, double t, double value) {
    Points& p = inputs_[static_cast<std::size_t>(i)];
    p.set = true;
    if (p.count == 0 || t < p.t[0]) p.count = 0;
    if (p.count == 0 || t > p.t[0]) {
      p.t = {t, p.t[0], p.t[1]};
      p.u = {value, p.u[0], p.u[1]};
      if (p.count < 3) ++p.count;
    }
    p.u[0] = value;
    if (p.count < 2) return {value, 0.0, 0.0};
    const double slope = (p.u[0] - p.u[1]) / (p.t[0] - p.t[1]);
    if (p.count < 3) return {value, slope, 0.0};
    const double before = (p.u[1] - p.u[2]) / (p.t[1] - p.t[2]);
    const double curvature = (slope - before) / (p.t[0] - p.t[2]);
    return {value, slope + (p.t[0] - p.t[1]) * curvature, 2.0 * curvature};
  }

  // The samples as numbers, for stored states.
  static int numbers(int inputs) { return 7 * inputs; }
  Vector stored() const {
    Vector all(numbers(static_cast<int>(inputs_.size())));
    Eigen::Index k = 0;
    for (const Points& p : inputs_) {
      all[k++] = p.count;
      for (const auto* list : {&p.t, &p.u})
        for (const double x : *list) all[k++] = x;
    }
    return all;
  }
  void restore(const Vector& all) {
    Eigen::Index k = 0;
    for (Points& p : inputs_) {
      const double count = all[k++];
      for (auto* list : {&p.t, &p.u})
        for (double& x : *list) x = all[k++];
      // A stored state may hold any numbers.
      const bool possible = p.t[0] > p.t[1] && p.t[1] > p.t[2] && count == 3.0;
      p.count = possible ? 3 : count == 2.0 && p.t[0] > p.t[1] ? 2 : count == 1.0 ? 1 : 0;
    }
  }

 private:
  struct Points {
    int count = 0;
    bool set = false;  // at this point
    std::array<double, 3> t{}, u{};
  };
  const Points& at(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  std::vector<Points> inputs_;
};

}  // namespace mbs
