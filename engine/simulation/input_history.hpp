#pragma once

// Inputs that are set again and again with their derivatives are foreseen from the last points:
//
//   p(t), of degree 3 m - 1, with value, first and second derivative at t_0 > ... > t_(m-1)
//   u(t_0 + s) - p(t_0 + s) = u^(3m) / (3m)! prod_j (s + t_0 - t_j)^3
//
// m = 1 is the polynomial that was set. How far off the one of the points before t_0 is there tells
// the factor, without any assumption about u: nothing is foreseen of inputs that do not prove to be
// smooth, as those given without derivatives.

#include <array>

#include "engine/equations/equations.hpp"

namespace mbs {

// Inputs::jet of one input that goes on beyond what was set: polynomials for value, first and
// second derivative side by side, because it is looked at in every communication step.
class ForeseenInput {
 public:
  ForeseenInput() = default;
  ForeseenInput(const Inputs& inputs, int i) : on_(true) {
    const Eigen::Index n = inputs.value.size();
    for (int k = 0; k <= Inputs::highest_power; ++k) {
      const double c = k == 0   ? inputs.value[i]
                       : k == 1 ? inputs.first[i]
                       : k == 2 ? 0.5 * inputs.second[i]
                                : inputs.further[i + (k - 3) * n];
      powers_[static_cast<std::size_t>(k)][0] = c;
      if (c != 0.0) highest_ = k;
      if (k > 0) powers_[static_cast<std::size_t>(k - 1)][1] = k * c;
      if (k > 1) powers_[static_cast<std::size_t>(k - 2)][2] = k * (k - 1) * c;
    }
  }
  void stop() { on_ = false; }
  explicit operator bool() const { return on_; }
  // From t0 on. By pairs (Estrin's scheme): Horner's would wait for each power in turn.
  [[gnu::always_inline]] Inputs::Jet at(double s) const {
    static_assert(Inputs::highest_power == 8);
    const auto& c = powers_;
    const double s2 = s * s, s4 = s2 * s2;
    const Eigen::Array4d low = (c[0] + s * c[1]) + s2 * (c[2] + s * c[3]);
    Eigen::Array4d high = c[4] + s * c[5];
    if (highest_ > 5) high += s2 * (c[6] + s * c[7]) + s4 * c[8];
    const Eigen::Array4d jet = low + s4 * high;
    return {jet[0], jet[1], jet[2]};
  }

 private:
  bool on_ = false;
  int highest_ = 0;
  std::array<Eigen::Array4d, Inputs::highest_power + 1> powers_ = zeros();
  static std::array<Eigen::Array4d, Inputs::highest_power + 1> zeros() {
    std::array<Eigen::Array4d, Inputs::highest_power + 1> all;
    all.fill(Eigen::Array4d::Zero());
    return all;
  }
};

class InputHistory {
 public:
  explicit InputHistory(int inputs);

  void forget() { count_ = 0; }
  // As they were set at inputs.t0, after all points before.
  void record(const Inputs& inputs);
  using Powers = std::array<double, Inputs::highest_power + 1>;  // coefficients of (t - t_0)^k
  struct Prediction {
    int points = 1;   // m; 1: as it was set
    double reach;     // for how long p errs by less than tol/2; infinity: nothing is known of that
    Powers powers{};  // of more points than one
  };
  // Of input i, whose values are about `size`, by the m that may go farthest.
  Prediction predict(int i, double size, double tol) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);  // throws std::runtime_error

 private:
  static constexpr int most = 4;
  // Of p on points from ... from + m - 1; p on the first m, in powers of t - t_0.
  Powers divided_differences(int i, int from, int m) const;
  Powers powers(int i, int m) const;

  int count_ = 0;
  std::array<double, most> t_{};  // the newest first
  // Value, first and second derivative of all inputs.
  std::array<std::array<Vector, 3>, most> jet_;
};

}  // namespace mbs
