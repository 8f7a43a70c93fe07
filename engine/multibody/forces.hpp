#pragma once

// Forces, stored by type in contiguous arrays: one indirect call for each type and stage. A type is
// a struct that computes what it does from the motion of its frames, or from coordinates of joints,
// over any scalar; its Jacobian blocks come from the same lines with Dual for the scalar.
//
//   struct Spring {                                    (elements/spring.hpp)
//     static constexpr int frame_count = 2, law_count = 1;
//     std::array<int, 2> frame; std::array<int, 1> law;  which; law absent: not used
//     template <class T> T evaluate(at, motion[frames], laws, wrench[frames]) const;
//     template <class T> T potential(at, motion[frames]) const;          where it is conservative
//   };
//
// evaluate fills the wrenches it exerts and returns the first number that outputs show. On
// coordinates instead: `std::array<int, n> coordinate` and T evaluate(at, q[n], qd[n], laws, Q[n]),
// Q being the generalised forces; potential(at, q[n]).
//
// An element may have states of its own (pressures, currents, slips): `OwnStates states`, and
// evaluate gives their rates, laws.rate(k) = ..., from laws.state(k) and all else: rows of r' = b
// whose blocks of the Jacobian come from the same lines again.

#include <concepts>

#include "engine/multibody/fill.hpp"
#include "engine/multibody/laws.hpp"

namespace mbs {

template <class Space>
class Forces {
 public:
  virtual ~Forces() = default;
  // Adds generalised forces to f and sets the rates of own states in b, where not null.
  virtual void add(const Evaluation<Space>& at, double* f, double* b) const = 0;
  // Adds d(f, b)/d(p, v) of their own bodies, at fixed states and arguments of the laws; and what
  // comes by these.
  virtual void add_jacobian(const Evaluation<Space>& at, Fill& fill) const = 0;
  virtual void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const = 0;
  // Number `which` of those that element `index` shows.
  virtual double value(const Evaluation<Space>& at, int index, int which) const = 0;
  virtual double potential(const Evaluation<Space>&) const { return 0.0; }
  // Derivatives of the numbers and of the potential.
  virtual void value_gradient(const Evaluation<Space>& at, int index, int which,
                              const OutputRow& to) const = 0;
  virtual void potential_gradient(const Evaluation<Space>&, const OutputRow&) const {}
};

// The common part of both kinds of forces. A Kind evaluates one element: `apply(e, at, seeded,
// laws)` gives what it exerts as a `Load<T>`, and for_rows(e, at, load, use) does use(row of f,
// number).
template <class Space, class E, class Kind>
class ForcesOf : public Forces<Space> {
  using D = BodyDual<Space>;
  static constexpr bool has_states = requires(const E& e) { e.states; };

 public:
  std::vector<E> elements;

  void add(const Evaluation<Space>& at, double* f, double* b) const override {
    if (f == nullptr && !has_states) return;
    for (const E& e : elements) {
      auto laws = laws_of<Space, double>(e, at, false);
      const auto load = Kind::template apply<double>(e, at, ground, laws);
      if (f != nullptr) Kind::for_rows(e, at, load, [&](int row, double x) { f[row] += x; });
      if (b == nullptr) continue;
      for_rates(laws, [&](int state, double x) { b[state] = x; });
    }
  }

  void add_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    for (const E& e : elements) {
      Kind::for_bodies(e, at, [&](int seeded) {
        auto laws = laws_of<Space, D>(e, at, false);
        const auto load = Kind::template apply<D>(e, at, seeded, laws);
        const auto add = [&](int row, const D& x) {
          at.columns(seeded, x.d.data(), [&](int column, double d) { fill.add(row, column, d); });
        };
        Kind::for_rows(e, at, load, [&](int row, const D& x) { add(at.layout.dynamics + row, x); });
        for_rates(laws, [&](int state, const D& x) { add(at.layout.r + state, x); });
      });
    }
  }

  void add_law_jacobian(const Evaluation<Space>& at, Fill& fill) const override {
    if (E::law_count == 0 && !has_states) return;
    static_assert(E::law_count <= Laws<Space, D>::most_laws);
    for (const E& e : elements) {
      auto laws = laws_of<Space, D>(e, at, true);
      bool any = has_states;
      for (int k = 0; k < E::law_count; ++k) any = any || laws.has_columns(k);
      if (!any) continue;
      const auto load = Kind::template apply<D>(e, at, ground, laws);
      int rows = laws.states().count;
      Kind::for_rows(e, at, load, [&](int, const D&) { ++rows; });
      // d/d(lane) times d(lane)/d(column)
      const auto add = [&](int lane, int column, double d) {
        if (!fill.any(d, rows)) return;
        Kind::for_rows(e, at, load, [&](int row, const D& x) {
          fill.add(at.layout.dynamics + row, column, x.d[lane] * d);
        });
        for_rates(laws, [&](int state, const D& x) {
          fill.add(at.layout.r + state, column, x.d[lane] * d);
        });
      };
      for (int k = 0; k < E::law_count; ++k) {
        if (!laws.given(k)) continue;
        laws.columns(k, [&](int column, double d) { add(k, column, d); });
      }
      for (int k = 0; k < laws.states().count; ++k) {
        add(E::law_count + k, at.layout.col_r + laws.states().first + k, 1.0);
      }
    }
  }

  double value(const Evaluation<Space>& at, int index, int which) const override {
    const E& e = elements[index];
    auto laws = laws_of<Space, double>(e, at, false, which);
    const auto load = Kind::template apply<double>(e, at, ground, laws);
    return laws.shown(load.value);
  }

  void value_gradient(const Evaluation<Space>& at, int index, int which,
                      const OutputRow& to) const override {
    const E& e = elements[index];
    Kind::for_bodies(e, at, [&](int seeded) {
      auto laws = laws_of<Space, D>(e, at, false, which);
      const auto load = Kind::template apply<D>(e, at, seeded, laws);
      at.columns(seeded, laws.shown(load.value).d.data(), to);
    });
    if (E::law_count == 0 && !has_states) return;
    auto laws = laws_of<Space, D>(e, at, true, which);
    const auto load = Kind::template apply<D>(e, at, ground, laws);
    const D& x = laws.shown(load.value);
    for (int k = 0; k < E::law_count; ++k) {
      if (laws.given(k)) laws.columns(k, [&](int column, double d) { to(column, x.d[k] * d); });
    }
    for (int k = 0; k < laws.states().count; ++k) {
      to(at.layout.col_r + laws.states().first + k, x.d[E::law_count + k]);
    }
  }

  double potential(const Evaluation<Space>& at) const override {
    double sum = 0.0;
    if constexpr (Kind::conservative) {
      for (const E& e : elements) sum += Kind::template potential<double>(e, at, ground);
    }
    return sum;
  }

  void potential_gradient(const Evaluation<Space>& at, const OutputRow& to) const override {
    if constexpr (Kind::conservative) {
      for (const E& e : elements) {
        Kind::for_bodies(e, at, [&](int seeded) {
          at.columns(seeded, Kind::template potential<D>(e, at, seeded).d.data(), to);
        });
      }
    }
  }

 private:
  template <class T, class Function>
  static void for_rates(Laws<Space, T>& laws, const Function& use) {
    for (int k = 0; k < laws.states().count; ++k) use(laws.states().first + k, laws.rate(k));
  }
};

// Elements of type E between frames.
template <class Space, class E>
struct BetweenFrames {
  static constexpr int n = E::frame_count;
  template <class T>
  struct Load {
    T value{0.0};
    std::array<Wrench<Space, T>, n> on_bodies;
  };

  template <class T>
  static Load<T> apply(const E& e, const Evaluation<Space>& at, int seeded, Laws<Space, T>& laws) {
    std::array<FrameMotion<Space, T>, n> motion;
    std::array<Wrench<Space, T>, n> wrench;
    Load<T> load;
    for (int i = 0; i < n; ++i) motion[i] = at.template motion<T>(e.frame[i], seeded);
    load.value = e.evaluate(at, motion, laws, wrench);
    for (int i = 0; i < n; ++i) {
      const int body = at.body_of(e.frame[i]);
      if (body == ground) continue;
      const FrameConstants<Space> frame = at.frame(e.frame[i]);
      if constexpr (!std::is_same_v<T, double>) {
        if (body == seeded) {
          load.on_bodies[i] = to_body<Space>(at.template body<T>(body, seeded).R, frame, wrench[i]);
          continue;
        }
      }
      load.on_bodies[i] = to_body<Space>(at.bodies[1 + body].R, frame, wrench[i]);
    }
    return load;
  }

  template <class T, class Function>
  static void for_rows(const E& e, const Evaluation<Space>& at, const Load<T>& load,
                       const Function& use) {
    for (int k = 0; k < n; ++k) {
      const int body = at.body_of(e.frame[k]);
      if (body == ground) continue;
      const BodyData& data = at.mechanism.bodies[body];
      const Wrench<Space, T>& w = load.on_bodies[k];
      for (int i = 0; i < Space::dim; ++i) use(data.v + i, w.force[i]);
      if (!data.rotates) continue;
      for (int i = 0; i < Space::rot; ++i) use(data.v + Space::dim + i, w.torque[i]);
    }
  }

  template <class Function>
  static void for_bodies(const E& e, const Evaluation<Space>& at, const Function& use) {
    for (int k = 0; k < n; ++k) {
      const int body = at.body_of(e.frame[k]);
      bool done = body == ground;
      for (int i = 0; i < k; ++i) done = done || at.body_of(e.frame[i]) == body;
      if (!done) use(body);
    }
  }

  static constexpr bool conservative =
      requires(const E& e, const Evaluation<Space>& at,
               const std::array<FrameMotion<Space, double>, n>& motion) {
    e.potential(at, motion);
  };
  template <class T>
  static T potential(const E& e, const Evaluation<Space>& at, int seeded) {
    std::array<FrameMotion<Space, T>, n> motion;
    for (int i = 0; i < n; ++i) motion[i] = at.template motion<T>(e.frame[i], seeded);
    return e.potential(at, motion);
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

// Elements of type E on coordinates of joints.
template <class Space, class E>
struct OnCoordinates {
  static constexpr int n = std::tuple_size_v<decltype(E::coordinate)>;
  template <class T>
  struct Load {
    T value{0.0};
    std::array<Row<Space, T>, n> row;
    std::array<T, n> Q{};
  };

  template <class T>
  static Load<T> apply(const E& e, const Evaluation<Space>& at, int seeded, Laws<Space, T>& laws) {
    Load<T> load;
    std::array<T, n> q, qd;
    for (int k = 0; k < n; ++k) {
      const CoordinateData& c = data(e, at, k);
      const auto evaluate = [&](const auto& a, const auto& b) {
        const auto row = coordinate_row<Parts::no_second>(at, c, a, b);
        qd[k] = rate(row, a.body, b.body);
        load.row[k] = row_over<T>(row);
      };
      const int body_a = at.body_of(c.a), body_b = at.body_of(c.b);
      if constexpr (!std::is_same_v<T, double>) {
        if (seeded != ground && (seeded == body_a || seeded == body_b)) {
          on_seeded_sides(at, c.a, c.b, seeded, evaluate);
          q[k] = load.row[k].value;
          continue;
        }
      }
      on_sides<double>(at, c.a, c.b, ground, evaluate);
      q[k] = load.row[k].value;
    }
    load.value = e.evaluate(at, q, qd, laws, load.Q);
    return load;
  }

  template <class T, class Function>
  static void for_rows(const E& e, const Evaluation<Space>& at, const Load<T>& load,
                       const Function& use) {
    for (int k = 0; k < n; ++k) {
      const CoordinateData& c = data(e, at, k);
      for_row(at.mechanism, load.row[k], at.body_of(c.a), at.body_of(c.b),
              [&](int row, const T& x) { use(row, x * load.Q[k]); });
    }
  }

  template <class Function>
  static void for_bodies(const E& e, const Evaluation<Space>& at, const Function& use) {
    std::array<int, 2 * n> bodies;
    for (int k = 0; k < 2 * n; ++k) {
      const CoordinateData& c = data(e, at, k / 2);
      bodies[k] = at.body_of(k % 2 == 0 ? c.a : c.b);
      const auto end = bodies.begin() + k;
      if (bodies[k] != ground && std::find(bodies.begin(), end, bodies[k]) == end) use(bodies[k]);
    }
  }

  static constexpr bool conservative =
      requires(const E& e, const Evaluation<Space>& at, const std::array<double, n>& q) {
    e.potential(at, q);
  };
  template <class T>
  static T potential(const E& e, const Evaluation<Space>& at, int seeded) {
    std::array<T, n> q;
    for (int k = 0; k < n; ++k) {
      const CoordinateData& c = data(e, at, k);
      on_sides<T>(at, c.a, c.b, seeded, [&](const auto& a, const auto& b) {
        q[k] = coordinate_row<Parts::no_second>(at, c, a, b).value;
      });
    }
    return e.potential(at, q);
  }

 private:
  static const CoordinateData& data(const E& e, const Evaluation<Space>& at, int k) {
    return at.mechanism.coordinates[e.coordinate[k]];
  }
};

template <class Space, class E>
using FrameForces = ForcesOf<Space, E, BetweenFrames<Space, E>>;
template <class Space, class E>
using CoordinateForces = ForcesOf<Space, E, OnCoordinates<Space, E>>;

}  // namespace mbs
