#pragma once

// The functions of a C++ model evaluated over a scalar T, and the room they need: what may be
// missing is found out here and nowhere else. Nothing allocates after construction.

#include <algorithm>

#include "engine/cpp_model/at.hpp"
#include "engine/equations/equations.hpp"
#include "engine/multibody/dual.hpp"

namespace mbs {

// The arguments over T, and room for a result.
template <class T>
struct Scratch {
  explicit Scratch(const Sizes& n)
      : p(n.p), v(n.v), r(n.r), w(n.w), a(n.v), lambda(n.lambda), u(n.u), u1(n.u), u2(n.u) {
    out.resize(static_cast<std::size_t>(std::max({n.p, n.v, n.r, n.w, n.lambda, n.y, n.phi})));
  }
  At<T> view() const { return {t, p, v, r, w, a, lambda, u, parameters}; }

  T t{};
  std::vector<T> p, v, r, w, a, lambda, u, u1, u2, out;  // u1 = u', u2 = u''
  std::span<const double> parameters;
};

template <class T>
struct ResidualScratch {
  explicit ResidualScratch(const Sizes& n)
      : at(n),
        moved(n),
        columns(n),
        path(n),
        second(n),
        M(n.v * n.v),
        G(n.lambda * n.v),
        rows(n.lambda),
        direction(n.p),
        curvature(n.p),
        residual(JacobianLayout(n).rows) {}

  Scratch<T> at, moved;
  Scratch<Dual<4, T>> columns;
  Scratch<Dual<1, T>> path;
  Scratch<Dual<1, Dual<1, T>>> second;
  std::vector<T> M, G;                  // by rows
  std::vector<T> rows;                  // one for each multiplier
  std::vector<T> direction, curvature;  // p' and p'' of differences
  std::vector<T> residual;
};

template <class Model>
struct Functions {
  template <class T>
  static constexpr bool has_mass = requires(const Model& m, const At<T>& at, Symmetric<T>& M) {
    m.mass(at, M);
  };
  template <class T>
  static constexpr bool has_forces = requires(const Model& m, const At<T>& at, Values<T>& f) {
    m.forces(at, f);
  };
  template <class T>
  static constexpr bool has_constraints = requires(const Model& m, const At<T>& at, Values<T>& g) {
    m.constraints(at, g);
  };
  template <class T>
  static constexpr bool has_velocity_constraints = requires(const Model& m, const At<T>& at,
                                                            Values<T>& h) {
    m.velocity_constraints(at, h);
  };
  template <class T>
  static constexpr bool has_kinematics = requires(const Model& m, const At<T>& at,
                                                  PositionRates<T>& z) {
    m.kinematics(at, z);
  };
  template <class T>
  static constexpr bool has_rates = requires(const Model& m, const At<T>& at, Values<T>& b) {
    m.rates(at, b);
  };
  template <class T>
  static constexpr bool has_residuals = requires(const Model& m, const At<T>& at, Values<T>& d) {
    m.residuals(at, d);
  };
  static constexpr bool has_outputs =
      requires(const Model& m, const At<double>& at, Values<double>& y) {
    m.outputs(at, y);
  };
  static constexpr bool has_events =
      requires(const Model& m, const At<double>& at, Values<double>& phi) {
    m.events(at, phi);
  };
  static constexpr bool has_potential = requires(const Model& m, const At<double>& at) {
    m.potential(at);
  };

  static constexpr bool own_kinematics = has_kinematics<double>;
  static constexpr bool holonomic = has_constraints<double>;
  static constexpr bool nonholonomic = has_velocity_constraints<double>;
  // All that is there takes dual numbers.
  template <class T>
  static constexpr bool takes =
      has_mass<T>&& has_forces<T>&& has_constraints<T> == holonomic&& has_velocity_constraints<T> ==
      nonholonomic&& has_kinematics<T> == own_kinematics&& has_rates<T> ==
      has_rates<double>&& has_residuals<T> == has_residuals<double>;

  const Model& model;
  const Sizes& n;

  // Results in at.out[begin], ..., at.out[end - 1].
  template <class T, class Function>
  void call(Scratch<T>& at, int begin, int end, Function&& function) const {
    std::fill(at.out.begin() + begin, at.out.begin() + end, T());
    Values<T> values{std::span<T>(at.out).subspan(begin, end - begin), begin};
    function(at.view(), values);
  }

  template <class T>
  void f(Scratch<T>& at) const {
    call(at, 0, n.v, [&](const At<T>& x, Values<T>& y) { model.forces(x, y); });
  }
  template <class T>
  void b(Scratch<T>& at) const {
    if constexpr (has_rates<T>)
      call(at, 0, n.r, [&](const At<T>& x, Values<T>& y) { model.rates(x, y); });
  }
  template <class T>
  void d(Scratch<T>& at) const {
    if constexpr (has_residuals<T>)
      call(at, 0, n.w, [&](const At<T>& x, Values<T>& y) { model.residuals(x, y); });
  }
  template <class T>
  void g(Scratch<T>& at) const {
    if constexpr (holonomic)
      call(at, 0, n.g, [&](const At<T>& x, Values<T>& y) { model.constraints(x, y); });
  }
  template <class T>  // H v + h, behind the rows of g
  void h(Scratch<T>& at) const {
    if constexpr (nonholonomic)
      call(at, n.g, n.lambda,
           [&](const At<T>& x, Values<T>& y) { model.velocity_constraints(x, y); });
  }
  template <class T>
  void p_dot(Scratch<T>& at) const {
    std::fill(at.out.begin(), at.out.begin() + n.p, T());
    if constexpr (own_kinematics) {
      PositionRates<T> rates{std::span<T>(at.out).first(n.p)};
      model.kinematics(at.view(), rates);
    } else {
      std::copy(at.v.begin(), at.v.end(), at.out.begin());
    }
  }
  template <class T>
  void M(ResidualScratch<T>& k) const {
    std::fill(k.M.begin(), k.M.end(), T());
    Symmetric<T> matrix{k.M, n.v};
    model.mass(k.at.view(), matrix);
    for (int i = 0; i < n.v; ++i)
      for (int j = 0; j < i; ++j) k.M[i * n.v + j] = k.M[j * n.v + i];
  }
};

}  // namespace mbs
