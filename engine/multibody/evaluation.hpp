#pragma once

// A mechanism at a point, as forces, joints and measures see it: the bodies' states, the numbers
// that depend on parameters, and the signals that run-time expressions use, with their gradients.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <type_traits>

#include "engine/multibody/mechanism.hpp"

namespace mbs {

// The derivatives of a function of up to three bodies with respect to their p and v, and of the
// multipliers of one joint.
template <class Space>
struct Gradient {
  std::array<int, 3> bodies{ground, ground, ground};
  std::array<std::array<double, Dual<Space::np + Space::nv>::lanes>, 3> d{};
  int row = 0, rows = 0;  // of G
  std::array<double, Space::nv> lambda{};
};

// Values of coordinates and measures, by index in the mechanism's tables.
template <class Space>
struct Signals {
  Vector q, qd, measures;
  Vector qdd, outputs;  // in switching() alone, those that events use
  std::vector<Gradient<Space>> grad_q, grad_qd, grad_measures;
};

// An entry of the Jacobian of the outputs; columns of JacobianLayout, then those of v'.
struct OutputEntry {
  int row, column;
  double value;
};

// Takes the derivatives of one output, times a factor, as entries of its row.
struct OutputRow {
  std::vector<OutputEntry>& entries;
  int row;
  double factor = 1.0;
  void operator()(int column, double d) const {
    if (d != 0.0) entries.push_back({row, column, factor * d});
  }
};

template <class Space>
using BodyDual = Dual<Space::np + Space::nv>;

// Derivatives of a body's p in lanes 0 ..., of its v in lanes np ... of BodyDual.
template <class Space>
struct Evaluation {
  using Geometry = Space;
  const Mechanism<Space>& mechanism;
  const Context& context;
  const State& x;
  const BodyState<Space, double>* bodies;  // [0] is ground, [1 + i] body i
  const Signals<Space>& signals;
  const JacobianLayout& layout;
  // Bodies with their derivatives; nullptr: they are made each time.
  const BodyState<Space, BodyDual<Space>>* moving = nullptr;
  bool without_g = false;  // Workspace::jacobian_without_g

  const double* derived() const { return context.parameters.derived.data(); }
  double operator[](int slot) const { return derived()[slot]; }
  double optional(int slot, double otherwise = 0.0) const {
    return slot == absent ? otherwise : derived()[slot];
  }
  // Which axis a contact's tangents are turned from: 0 ... 2, and 3 ... 5 for the negative ones.
  int pole(int z) const { return std::clamp(static_cast<int>(std::lround(x.z[z])), 0, 5); }
  bool is_positive(int slot) const { return derived()[slot] > 0.0; }
  double multiplier(int row) const { return x.lambda[row]; }
  int body_of(int frame) const { return mechanism.frames[frame].body; }
  FrameConstants<Space> frame(int index) const { return mechanism.frame(derived(), index); }

  // A body's state over T; the one that is `seeded` with derivatives.
  template <class T>
  BodyState<Space, T> body(int index, int seeded) const {
    if constexpr (std::is_same_v<T, double>) {
      return bodies[1 + index];
    } else {
      if (index == ground || index != seeded) return constant_state<Space, T>(bodies[1 + index]);
      if constexpr (std::is_same_v<T, BodyDual<Space>>) {
        if (moving != nullptr) return moving[index];
      }
      const BodyData& data = mechanism.bodies[index];
      std::array<T, Space::np> p{};
      std::array<T, Space::nv> v{};
      const int n_p = data.rotates ? Space::np : Space::dim;
      const int n_v = data.rotates ? Space::nv : Space::dim;
      for (int i = 0; i < n_p; ++i) p[i] = T::variable(x.p[data.p + i], i);
      for (int i = 0; i < n_v; ++i) v[i] = T::variable(x.v[data.v + i], Space::np + i);
      return body_state<Space, T>(p.data(), v.data(), data.rotates);
    }
  }
  template <class T>
  FrameMotion<Space, T> motion(int index, int seeded) const {
    const int on = body_of(index);
    if constexpr (!std::is_same_v<T, double>) {
      if (on == ground || on != seeded) {
        return constant_motion<Space, T>(frame_motion(bodies[1 + on], frame(index)));
      }
    }
    return frame_motion(body<T>(on, seeded), frame(index));
  }

  int count_p(int body) const { return mechanism.bodies[body].rotates ? Space::np : Space::dim; }
  int count_v(int body) const { return mechanism.bodies[body].rotates ? Space::nv : Space::dim; }
  // d/d(body's p and v) of something whose value is `dual`, as columns of the Jacobian.
  template <class Function>
  void columns(int body, const double* d, const Function& use) const {
    if (body == ground) return;
    const BodyData& data = mechanism.bodies[body];
    const int n_p = count_p(body), n_v = count_v(body);
    for (int i = 0; i < n_p; ++i) use(layout.col_p + data.p + i, d[i]);
    for (int i = 0; i < n_v; ++i) use(layout.col_v + data.v + i, d[Space::np + i]);
  }
  // Columns of a value that does not depend on velocities.
  template <class Function>
  void position_columns(int body, const double* d, const Function& use) const {
    if (body == ground) return;
    const BodyData& data = mechanism.bodies[body];
    const int n_p = count_p(body);
    for (int i = 0; i < n_p; ++i) use(layout.col_p + data.p + i, d[i]);
  }
  template <class Function>
  void columns(const Gradient<Space>& gradient, double factor, const Function& use) const {
    for (std::size_t k = 0; k < gradient.bodies.size(); ++k) {
      columns(gradient.bodies[k], gradient.d[k].data(),
              [&](int column, double d) { use(column, factor * d); });
    }
    for (int k = 0; k < gradient.rows; ++k) {
      use(layout.col_lambda + gradient.row + k, factor * gradient.lambda[k]);
    }
  }

  double law(int index, std::initializer_list<double> locals = {}) const;
  // Fills the derivative with respect to each argument; the law's value.
  double law_gradient(int index, std::initializer_list<double> locals, double* partial) const;
  // use(column, derivative) for what an argument (not a local one) depends on, times `factor`.
  template <class Function>
  void argument_columns(const Law::Argument& argument, double factor, const Function& use) const {
    switch (argument.kind) {
      case SymbolKind::input:
        return use(layout.col_u + argument.index, factor);
      case SymbolKind::state:
        return use(layout.col_r + argument.index, factor);
      case SymbolKind::algebraic:
        return use(layout.col_w + argument.index, factor);
      case SymbolKind::coordinate:
        return columns(signals.grad_q[argument.index], factor * argument.sign, use);
      case SymbolKind::coordinate_rate:
        return columns(signals.grad_qd[argument.index], factor * argument.sign, use);
      case SymbolKind::measure:
        return columns(signals.grad_measures[argument.index], factor, use);
      case SymbolKind::time:
      case SymbolKind::parameter:
      case SymbolKind::local:
      case SymbolKind::coordinate_acceleration:
      case SymbolKind::output:
      case SymbolKind::discrete:
        return;
    }
  }
  template <class Function>
  void law_columns(int index, std::initializer_list<double> locals, const Function& use) const {
    const Law& law = mechanism.laws[index];
    if (!law.has_columns) return;
    std::array<double, Expression::max_arguments> partial;
    law_gradient(index, locals, partial.data());
    for (std::size_t k = 0; k < law.arguments.size(); ++k) {
      argument_columns(law.arguments[k], partial[k], use);
    }
  }

 private:
  double argument(const Law::Argument& argument, std::initializer_list<double> locals) const;
};

// use(side a, side b) for two frames, over T.
template <class T, class Space, class Function>
void on_sides(const Evaluation<Space>& at, int a, int b, int seeded, const Function& use) {
  const BodyState<Space, T> body_a = at.template body<T>(at.body_of(a), seeded);
  const BodyState<Space, T> body_b = at.template body<T>(at.body_of(b), seeded);
  const FrameConstants<Space> frame_a = at.frame(a), frame_b = at.frame(b);
  use(Side<Space, T>{body_a, frame_a}, Side<Space, T>{body_b, frame_b});
}

// Like on_sides(), where frame a or b, or both, are on the body that is seeded: the other side is
// over double.
template <class Space, class Function>
void on_seeded_sides(const Evaluation<Space>& at, int a, int b, int seeded, const Function& use) {
  using D = BodyDual<Space>;
  const int body_a = at.body_of(a), body_b = at.body_of(b);
  const FrameConstants<Space> frame_a = at.frame(a), frame_b = at.frame(b);
  std::optional<BodyState<Space, D>> made;
  if (at.moving == nullptr) made = at.template body<D>(seeded, seeded);
  const BodyState<Space, D>& moving = made ? *made : at.moving[seeded];
  if (body_a == body_b)
    use(Side<Space, D>{moving, frame_a}, Side<Space, D>{moving, frame_b});
  else if (body_a == seeded)
    use(Side<Space, D>{moving, frame_a}, Side<Space, double>{at.bodies[1 + body_b], frame_b});
  else
    use(Side<Space, double>{at.bodies[1 + body_a], frame_a}, Side<Space, D>{moving, frame_b});
}

extern template struct Evaluation<Planar>;
extern template struct Evaluation<Spatial>;

// A coordinate's value, row and second derivative. An angle in the plane leaves out the turns that
// z holds. An angle in space is atan2 and turns: those of the counter r (r' = q' is integrated with
// the rest and needs to be right to half a turn only), and without a counter those nearest to the
// start value.
template <Parts parts = Parts::all, class Space, class A, class B>
Row<Space, Product<A, B>> coordinate_row(const auto& at, const CoordinateData& c,
                                         const Side<Space, A>& a, const Side<Space, B>& b) {
  using T = Product<A, B>;
  Row<Space, T> row;
  switch (c.kind) {
    case CoordinateData::Kind::translation:
      row = across<parts>(a, b, c.axis);
      break;
    case CoordinateData::Kind::plane_angle:
      if constexpr (Space::dim == 2) row = angle(a, b, at.x.z[c.turns]);
      break;
    case CoordinateData::Kind::turning:
    case CoordinateData::Kind::second_turning:
      if constexpr (Space::dim == 3) {
        const int i = (c.axis + 1) % 3, j = (c.axis + 2) % 3;
        // The second turn of two is about an axis of b and seen at the first one's axis, j of a.
        const bool second = c.kind == CoordinateData::Kind::second_turning;
        const int k = second ? j : i;
        row = atan_of<parts>(perpendicular<parts>(a, b, j, i), perpendicular<parts>(a, b, k, k),
                             a.body, b.body);
        row.value += whole_turns(c.counter >= 0 ? at.x.r[c.counter] : at.optional(c.q), row.value);
      }
      break;
  }
  if (c.sign == absent || at.is_positive(c.sign)) return row;
  Row<Space, T> minus = combine(-1.0, row, 0.0, row);
  minus.value = -row.value;
  minus.second = -row.second;
  return minus;
}

}  // namespace mbs
