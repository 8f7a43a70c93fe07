#pragma once

// One input that goes on beyond what was set: a polynomial of degree 8 with its first and second
// derivative side by side, because it is evaluated in every communication step.

#include <array>

#include "engine/equations/equations.hpp"

namespace mbs {

class PredictedInput {
 public:
  PredictedInput() { powers_.fill(Eigen::Array4d::Zero()); }
  PredictedInput(const Inputs& inputs, int i) : PredictedInput() {
    exists_ = true;
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
  void remove() { exists_ = false; }
  explicit operator bool() const { return exists_; }

  // s: the time since Inputs::t0. Pairs of powers (Estrin's scheme) do not wait for each other as
  // those of Horner's scheme do.
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
  bool exists_ = false;
  int highest_ = 0;
  std::array<Eigen::Array4d, Inputs::highest_power + 1> powers_;
};

}  // namespace mbs
