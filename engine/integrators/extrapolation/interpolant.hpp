#pragma once

// Dense output over one step: polynomials in theta for y = (p, v, r) and z = (a, lambda, w, s),
// made of values and slopes at both ends and of what the rows of the tableau know in between.

#include <array>

#include "engine/integrators/base/stack.hpp"
#include "engine/integrators/extrapolation/hermite.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {

// Values (y, z) and slopes (y', ...) at an end of a step, as Stack lays them out.
struct StepEnd {
  Vector value, slope;
};

using Slopes = std::array<Matrix, most_rows>;  // of row j in [j - 1]

class Interpolant {
 public:
  Interpolant(const Stack& stack, const Expansion& expansion, int most_conditions)
      : stack_(stack),
        expansion_(expansion),
        y_(stack.ny(), most_conditions),
        z_(stack.nz(), most_conditions),
        x_(stack.size()) {}
  virtual ~Interpolant() = default;

  // H = length of the step. rows = 1 takes no slopes of rows: y is the cubic and z the straight
  // line through both ends.
  virtual void build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                     const StepEnd& end) = 0;

  // At t0 + theta H; fills all unknowns of x.
  void evaluate(double theta, State& x) {
    y_.evaluate(theta, x_.head(stack_.ny()));
    z_.evaluate(theta, x_.tail(stack_.nz()));
    stack_.unpack(x_, x);
  }

  void save(ByteWriter& out) const {
    y_.save(out);
    z_.save(out);
  }
  void restore(ByteReader& in) {
    y_.restore(in);
    z_.restore(in);
  }

 protected:
  // (y, H y') and z at an end.
  void add_end(double node, double H, const StepEnd& end) {
    y_.add(node) = end.value.head(stack_.ny());
    y_.add(node) = H * end.slope.head(stack_.ny());
    z_.add(node) = end.value.tail(stack_.nz());
  }
  // Conditions of order k + 1 of y and of order k of z from H^k times the k-th derivatives of
  // slopes; `scale` = 1 / k!.
  void add_derivative(double node, double H, int k, double scale,
                      const Eigen::Ref<const Vector>& d) {
    y_.add(node) = d.head(stack_.ny()) * (H * scale / (k + 1));
    auto z = z_.add(node);
    z.head(stack_.v) = d.segment(stack_.p, stack_.v) * scale;
    const int rest = stack_.nz() - stack_.v;
    z.tail(rest) = d.tail(rest) * scale;
  }

  Stack stack_;
  Expansion expansion_;
  HermiteForm y_, z_;

 private:
  Vector x_;
};

}  // namespace mbs::extrapolation
