#pragma once

// Forces, stored by type in contiguous arrays: one indirect call for each type and stage. A type is
// a struct that computes what it does from the motion of its frames, or from a joint's coordinate,
// over any scalar; its Jacobian blocks come from the same lines with Dual for the scalar.
//
//   struct Spring {                                    (elements/spring.cpp)
//     static constexpr int frame_count = 2, law_count = 1;
//     std::array<int, 2> frame; std::array<int, 1> law;  which; law absent: not used
//     template <class T> T evaluate(at, motion[frames], laws, wrench[frames]) const;
//     double potential(at) const;                      0 for what is not conservative
//   };
//
// evaluate fills the wrenches it exerts and returns the number that the output `force` shows. On a
// coordinate instead: `int coordinate` and T evaluate(at, q, qd, laws), the generalised force.

#include <concepts>

#include "engine/multibody/evaluation.hpp"
#include "engine/multibody/fill.hpp"

namespace mbs {

// The laws of one element over T. Derivatives with respect to its own coordinates come through the
// locals (a spring's x and xd). In a second pass, `by_value`, the values of the laws themselves are
// the variables; what they depend on is chained on afterwards.
template <class Space, class T>
class Laws {
 public:
  Laws(const Evaluation<Space>& at, const int* law, bool by_value)
      : at_(at), law_(law), by_value_(by_value) {}

  bool given(int k) const { return law_[k] != absent; }
  template <class... Locals>
  T operator()(int k, const Locals&... locals) {
    const std::initializer_list<double> values{value_of(locals)...};
    if constexpr (std::is_same_v<T, double>) {
      return at_.law(law_[k], values);
    } else {
      std::copy(values.begin(), values.end(), locals_[k].begin());
      if (by_value_) return T::variable(at_.law(law_[k], values), k);
      std::array<double, Expression::max_arguments> partial;
      T result(at_.law_gradient(law_[k], values, partial.data()));
      const std::vector<Law::Argument>& arguments = at_.mechanism.laws[law_[k]].arguments;
      const std::array<T, sizeof...(Locals)> local{T(locals)...};
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].kind != SymbolKind::local) continue;
        const T change = T::chain(0.0, partial[i], local[arguments[i].index]);
        result += change;
      }
      return result;
    }
  }
  // use(column, derivative) of law k, for its arguments outside of the element.
  template <class Function>
  void columns(int k, const Function& use) const {
    at_.law_columns(law_[k], {locals_[k][0], locals_[k][1]}, use);
  }

 private:
  const Evaluation<Space>& at_;
  const int* law_;
  bool by_value_;
  std::array<std::array<double, 2>, 3> locals_{};
};

template <class Space>
class Forces {
 public:
  virtual ~Forces() = default;
  // Adds generalised forces to f.
  virtual void add(const Evaluation<Space>& at, double* f) const = 0;
  // Adds df/d(p, v) of their own bodies, at fixed arguments of the laws, to the rows that start at
  // `dynamics`; and what comes by these arguments.
  virtual void add_jacobian(const Evaluation<Space>& at, Fill& fill) const = 0;
  virtual void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const = 0;
  virtual double value(const Evaluation<Space>& at, int index) const = 0;
  virtual double potential(const Evaluation<Space>& at) const = 0;
};

// Forces of type E between frames.
template <class Space, class E>
class FrameForces final : public Forces<Space> {
  static constexpr int n = E::frame_count;
  template <class T>
  using Motions = std::array<FrameMotion<Space, T>, n>;
  template <class T>
  using Wrenches = std::array<Wrench<Space, T>, n>;
  using D = BodyDual<Space>;

 public:
  std::vector<E> elements;

  void add(const Evaluation<Space>& at, double* f) const override {
    for (const E& e : elements) {
      Laws<Space, double> laws(at, e.law.data(), false);
      Wrenches<double> on_bodies;
      evaluate<double>(e, at, ground, laws, on_bodies);
      for (int i = 0; i < n; ++i) {
        for_rows(at, e.frame[i], on_bodies[i], [&](int row, double x) { f[row] += x; });
      }
    }
  }

  void add_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    for (const E& e : elements) {
      for (int k = 0; k < n; ++k) {
        const int seeded = at.body_of(e.frame[k]);
        bool done = seeded == ground;
        for (int i = 0; i < k; ++i) done = done || at.body_of(e.frame[i]) == seeded;
        if (done) continue;
        Laws<Space, D> laws(at, e.law.data(), false);
        Wrenches<D> on_bodies;
        evaluate<D>(e, at, seeded, laws, on_bodies);
        for_all_rows(e, at, on_bodies, [&](int row, const D& x) {
          at.columns(seeded, x.d.data(),
                     [&](int column, double d) { fill.add(at.layout.dynamics + row, column, d); });
        });
      }
    }
  }

  void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    if (E::law_count == 0) return;
    for (const E& e : elements) {
      Laws<Space, D> laws(at, e.law.data(), true);
      Wrenches<D> on_bodies;
      evaluate<D>(e, at, ground, laws, on_bodies);
      for (int k = 0; k < E::law_count; ++k) {
        if (!laws.given(k)) continue;
        laws.columns(k, [&](int column, double d) {
          for_all_rows(e, at, on_bodies, [&](int row, const D& x) {
            fill.add(at.layout.dynamics + row, column, x.d[k] * d);
          });
        });
      }
    }
  }

  double value(const Evaluation<Space>& at, int index) const override {
    const E& e = elements[index];
    Laws<Space, double> laws(at, e.law.data(), false);
    Wrenches<double> on_bodies;
    return evaluate<double>(e, at, ground, laws, on_bodies);
  }

  double potential(const Evaluation<Space>& at) const override {
    double sum = 0.0;
    for (const E& e : elements) sum += e.potential(at);
    return sum;
  }

 private:
  template <class T>
  static T evaluate(const E& e, const Evaluation<Space>& at, int seeded, Laws<Space, T>& laws,
                    Wrenches<T>& on_bodies) {
    Motions<T> motion;
    Wrenches<T> wrench;
    for (int i = 0; i < n; ++i) motion[i] = at.template motion<T>(e.frame[i], seeded);
    const T value = e.evaluate(at, motion, laws, wrench);
    for (int i = 0; i < n; ++i) {
      on_bodies[i] = to_body(at.template body<T>(at.body_of(e.frame[i]), seeded),
                             at.frame(e.frame[i]), wrench[i]);
    }
    return value;
  }

  template <class T, class Function>
  static void for_rows(const Evaluation<Space>& at, int frame, const Wrench<Space, T>& w,
                       const Function& use) {
    const int body = at.body_of(frame);
    if (body == ground) return;
    const BodyData& data = at.mechanism.bodies[body];
    for (int i = 0; i < Space::dim; ++i) use(data.v + i, w.force[i]);
    if (!data.rotates) return;
    for (int i = 0; i < Space::rot; ++i) use(data.v + Space::dim + i, w.torque[i]);
  }

  template <class T, class Function>
  static void for_all_rows(const E& e, const Evaluation<Space>& at, const Wrenches<T>& wrenches,
                           const Function& use) {
    for (int i = 0; i < n; ++i) for_rows(at, e.frame[i], wrenches[i], use);
  }
};

// The rows of f which a row of a joint's coordinate acts on.
template <class Space, class T, class Function>
void for_row(const Mechanism<Space>& mechanism, const Row<Space, T>& row, int body_a, int body_b,
             const Function& use) {
  for (const bool side_b : {false, true}) {
    const int body = side_b ? body_b : body_a;
    if (body == ground) continue;
    const BodyData& data = mechanism.bodies[body];
    const auto& linear = side_b ? row.linear_b : row.linear_a;
    const auto& angular = side_b ? row.angular_b : row.angular_a;
    for (int i = 0; i < Space::dim; ++i) use(data.v + i, linear[i]);
    if (!data.rotates) continue;
    for (int i = 0; i < Space::rot; ++i) use(data.v + Space::dim + i, angular[i]);
  }
}

// Forces of type E on a coordinate of a joint.
template <class Space, class E>
class CoordinateForces final : public Forces<Space> {
  using D = BodyDual<Space>;

 public:
  std::vector<E> elements;

  void add(const Evaluation<Space>& at, double* f) const override {
    for (const E& e : elements) {
      Laws<Space, double> laws(at, e.law.data(), false);
      Row<Space, double> row;
      const double Q = evaluate<double>(e, at, ground, laws, row);
      for_row(at.mechanism, row, body_a(e, at), body_b(e, at),
              [&](int i, double x) { f[i] += x * Q; });
    }
  }

  void add_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    for (const E& e : elements) {
      const int a = body_a(e, at), b = body_b(e, at);
      Row<Space, D> row;
      for (const int seeded : {a, b}) {
        if (seeded == ground) continue;
        Laws<Space, D> laws(at, e.law.data(), false);
        const D Q = evaluate<D>(e, at, seeded, laws, row);
        for_row(at.mechanism, row, a, b, [&](int i, const D& x) {
          const D force = x * Q;
          at.columns(seeded, force.d.data(),
                     [&](int column, double d) { fill.add(at.layout.dynamics + i, column, d); });
        });
      }
    }
  }

  void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    if (E::law_count == 0) return;
    for (const E& e : elements) {
      const int a = body_a(e, at), b = body_b(e, at);
      Row<Space, D> row;
      Laws<Space, D> laws(at, e.law.data(), true);
      const D Q = evaluate<D>(e, at, ground, laws, row);
      for (int k = 0; k < E::law_count; ++k) {
        if (!laws.given(k)) continue;
        laws.columns(k, [&](int column, double d) {
          for_row(at.mechanism, row, a, b, [&](int i, const D& x) {
            fill.add(at.layout.dynamics + i, column, x.v * Q.d[k] * d);
          });
        });
      }
    }
  }

  double value(const Evaluation<Space>& at, int index) const override {
    Laws<Space, double> laws(at, elements[index].law.data(), false);
    Row<Space, double> row;
    return evaluate<double>(elements[index], at, ground, laws, row);
  }

  double potential(const Evaluation<Space>& at) const override {
    double sum = 0.0;
    for (const E& e : elements) sum += e.potential(at, coordinate<double>(e, at, ground).value);
    return sum;
  }

 private:
  static const CoordinateData& data(const E& e, const Evaluation<Space>& at) {
    return at.mechanism.coordinates[e.coordinate];
  }
  static int body_a(const E& e, const Evaluation<Space>& at) { return at.body_of(data(e, at).a); }
  static int body_b(const E& e, const Evaluation<Space>& at) { return at.body_of(data(e, at).b); }

  template <class T>
  static Row<Space, T> coordinate(const E& e, const Evaluation<Space>& at, int seeded) {
    Row<Space, T> row;
    on_sides<T>(at, data(e, at).a, data(e, at).b, seeded,
                [&](const auto& a, const auto& b) { row = coordinate_row(at, data(e, at), a, b); });
    return row;
  }

  template <class T>
  static T evaluate(const E& e, const Evaluation<Space>& at, int seeded, Laws<Space, T>& laws,
                    Row<Space, T>& row) {
    T qd{0.0};
    on_sides<T>(at, data(e, at).a, data(e, at).b, seeded, [&](const auto& a, const auto& b) {
      row = coordinate_row(at, data(e, at), a, b);
      qd = rate(row, a.body, b.body);
    });
    return e.evaluate(at, row.value, qd, laws);
  }
};

}  // namespace mbs
