#pragma once

// Inputs that are set again and again with their derivatives are predicted from the last points, by
// Hermite interpolation:
//
//   p(t), of degree 3 m - 1, with value, first and second derivative at t_0 > ... > t_(m-1)
//   u(t_0 + s) - p(t_0 + s) = u^(3m) / (3m)! prod_j (s + t_0 - t_j)^3
//
// m = 1 is the polynomial that was set. The polynomial of the points before t_0 misses the input at
// t_0 by an error that gives the factor, without any assumption about u: inputs that do not prove
// to be smooth are not predicted, for instance those that are set without derivatives.

#include <array>

#include "engine/equations/equations.hpp"

namespace mbs {

class InputHistory {
 public:
  explicit InputHistory(int inputs);

  void forget() { count_ = 0; }
  // Inputs as they were set at inputs.t0; a time that is not after the last point is ignored.
  void record(const Inputs& inputs);
  using Powers = std::array<double, Inputs::highest_power + 1>;  // coefficients of (t - t_0)^k
  struct Prediction {
    int points = 1;   // m; 1: as it was set
    double reach;     // for how long p errs by less than tol/2; infinity: not known
    Powers powers{};  // when there are more points than one
  };
  // Predicts input i, whose values are about `size`, by the m that reaches farthest.
  Prediction predict(int i, double size, double tol) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);  // throws std::runtime_error

 private:
  static constexpr int most = 4;
  // Newton's form of p on the points from ... from + m - 1.
  Powers divided_differences(int i, int from, int m) const;
  // p on the first m points, in powers of t - t_0.
  Powers powers(int i, int m) const;

  int count_ = 0;
  std::array<double, most> t_{};  // the newest first
  // Values, first and second derivatives of all inputs.
  std::array<std::array<Vector, 3>, most> jet_;
};

// Polynomials of inputs in snapshots.
void save_inputs(const Inputs&, ByteWriter&);
void restore_inputs(Inputs&, ByteReader&);

}  // namespace mbs
