#pragma once

// Equations from a class that gives its functions alone, for models written in C++:
//
//   mass(at, M)                    M(p,t)
//   forces(at, f)                  f(t,p,v,r,w,lambda,u)
//   constraints(at, g)             g(p,u,t)                    with holonomic constraints
//   velocity_constraints(at, h)    H v + h, affine in v        with nonholonomic ones
//   kinematics(at, p_dot)          p' = Z(p,t) v, linear in v  absent: p' = v
//   rates(at, b), residuals(at, d) r' = b, 0 = d               with states, auxiliary unknowns
//   outputs(at, y), events(at, phi), double potential(at)      likewise, plain numbers
//
// Written over any scalar (`const auto& at, auto& g`) they give G, gI, gamma and the Jacobian of
// all residuals by forward differentiation, exact to rounding (exact.hpp). Written over double
// alone (`const At<double>& at, Values<double>& g`) they give differences (differences.hpp): G and
// gI to about 1e-12, gamma to about 1e-10 of typical sizes, the Jacobian to about 1e-7. Constraints
// stay exact either way: what is lost is speed of convergence and digits of reactions.
//
// Derivatives of the outputs are differences unless the class asks for exact_outputs.hpp.
//
// Contact variables s, norms of Euler parameters, modes, invariants and sparsity are not supported.
// A class that needs them implements Equations itself.

#include <Eigen/LU>
#include <cmath>

#include "engine/cpp_model/declared.hpp"
#include "engine/cpp_model/differences.hpp"
#include "engine/cpp_model/exact.hpp"

namespace mbs {

template <class Model>
class ExactOutputs;

template <class Model>
class Automatic : public DeclaredEquations {
  friend class ExactOutputs<Model>;

 public:
  Capabilities capabilities() const override {
    if constexpr (std::is_base_of_v<ExactOutputs<Model>, Model>)
      return {.output_derivatives = &model()};
    else
      return {};
  }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Own>(sizes_, structure_);
  }

  void position(const Context& context, const State& x, unsigned want,
                Workspace& workspace) const override {
    ResidualScratch<double>& k = load(context, x, own(workspace).plain);
    const Functions<Model> of = functions();
    Workspace& ws = workspace;
    if (want & want_M) {
      of.M(k);
      std::copy(k.M.begin(), k.M.end(), ws.M.valuePtr());
    }
    if (want & want_g) {
      of.g(k.at);
      take(k.at, ws.g);
    }
    if (want & want_G) {
      if constexpr (exact()) {
        fill_G(of, k);
        std::fill(k.at.v.begin(), k.at.v.end(), 0.0);
        fill_first(of, k);
      } else {
        Differencing<Model> differences{of, structure_.p_scale, k};
        differences.fill_G();
        differences.fill_gI();
      }
      std::copy(k.G.begin(), k.G.end(), ws.G.valuePtr());
      std::copy(k.rows.begin(), k.rows.end(), ws.gI.begin());
    }
  }

  void velocity(const Context& context, const State& x, Workspace& ws) const override {
    Scratch<double>& at = load(context, x, own(ws).plain).at;
    functions().p_dot(at);
    take(at, ws.p_dot);
    ws.G_v = ws.gI;
    ws.G_v.noalias() += ws.G * x.v;
  }

  void force(const Context& context, const State& x, unsigned want, Workspace& ws) const override {
    Scratch<double>& at = load(context, x, own(ws).plain).at;
    const Functions<Model> of = functions();
    if (want & want_f) {
      of.f(at);
      take(at, ws.f);
    }
    if (want & want_b) {
      of.b(at);
      take(at, ws.b);
    }
    if (want & want_d) {
      of.d(at);
      take(at, ws.d);
    }
  }

  void gamma(const Context& context, const State& x, Workspace& ws) const override {
    ResidualScratch<double>& k = load(context, x, own(ws).plain);
    const Functions<Model> of = functions();
    if constexpr (exact()) {
      std::fill(k.at.a.begin(), k.at.a.end(), 0.0);
      fill_second(of, k);
    } else {
      Differencing<Model>{of, structure_.p_scale, k}.fill_gamma();
    }
    std::copy(k.rows.begin(), k.rows.end(), ws.gamma.begin());
  }

  void friction(const Context& context, const State& x, Workspace& ws) const override {
    if (!exact() || sizes_.w > 0) return Equations::friction(context, x, ws);  // w follows lambda
    if constexpr (exact()) {
      Scratch<Chunk>& at = own(ws).chunk.at;
      for (int first = 0; first < sizes_.lambda; first += chunk) {
        load(context, x, own(ws).chunk);
        seed(at.lambda, first);
        functions().f(at);
        for (int j = first; j < std::min(first + chunk, sizes_.lambda); ++j)
          for (int i = 0; i < sizes_.v; ++i)
            ws.F.valuePtr()[j * sizes_.v + i] = at.out[i].d[j - first];
      }
    }
  }

  void jacobian(const Context& context, const State& x, Workspace& ws) const override {
    if constexpr (!exact()) {
      Equations::jacobian(context, x, ws);
    } else {
      const JacobianLayout layout(sizes_);
      if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
      ResidualScratch<Chunk>& k = own(ws).chunk;
      for (int first = 0; first < layout.cols; first += chunk) {
        load(context, x, k);
        int begin = 0;
        for (auto* block : {&k.at.p, &k.at.v, &k.at.r, &k.at.w, &k.at.lambda, &k.at.u}) {
          seed(*block, first - begin);
          begin += static_cast<int>(block->size());
        }
        fill_residual(functions(), k, layout);
        for (int j = first; j < std::min(first + chunk, layout.cols); ++j)
          for (int i = 0; i < layout.rows; ++i)
            ws.jacobian.valuePtr()[j * layout.rows + i] = k.residual[i].d[j - first];
      }
    }
  }

  // Newton for 0 = d(w), its matrix by forward differentiation or by differences.
  bool solve_auxiliary(const Context& context, State& x, Workspace& workspace) const override {
    if (sizes_.w == 0) return true;
    Own& ws = own(workspace);
    Scratch<double>& at = ws.plain.at;
    for (int iteration = 0; iteration < 50; ++iteration) {
      load(context, x, ws.plain);
      functions().d(at);
      take(at, ws.w_step);
      fill_d_w(context, x, ws);
      ws.w_factors.compute(ws.d_w);
      ws.w_change.noalias() = ws.w_factors.solve(ws.w_step);
      x.w -= ws.w_change;
      for (int i = 0; i < sizes_.w; ++i) ws.w_step[i] = x.w[i] - at.w[i];
      if (!x.w.allFinite()) return false;
      const double size = 1.0 + x.w.template lpNorm<Eigen::Infinity>();
      const double step = ws.w_step.template lpNorm<Eigen::Infinity>();
      // Exact derivatives: quadratic, the next iterate is better than the square of this step.
      if (step <= (exact() ? 1e-9 : 1e-13) * size) return true;
    }
    return false;
  }

  void apply_Z(const Context& context, const State& x, const Vector& speeds,
               Vector& z) const override {
    z = speeds;
    if constexpr (Functions<Model>::own_kinematics) {
      ResidualScratch<double> k(sizes_);
      load(context, x, k);
      std::copy(speeds.begin(), speeds.end(), k.at.v.begin());
      functions().p_dot(k.at);
      z.resize(sizes_.p);
      take(k.at, z);
    }
  }

  void outputs(const Context& context, const State& x, Workspace& ws) const override {
    if constexpr (Functions<Model>::has_outputs) {
      Scratch<double>& at = load(context, x, own(ws).plain).at;
      functions().call(at, 0, sizes_.y, [&](const At<double>& here, Values<double>& y) {
        model().outputs(here, y);
      });
      take(at, ws.y);
    }
  }

  void switching(const Context& context, const State& x, Workspace& ws) const override {
    if constexpr (Functions<Model>::has_events) {
      Scratch<double>& at = load(context, x, own(ws).plain).at;
      functions().call(at, 0, sizes_.phi, [&](const At<double>& here, Values<double>& phi) {
        model().events(here, phi);
      });
      take(at, ws.phi);
    }
  }

  Energy energy(const Context& context, const State& x, Workspace& ws) const override {
    Energy energy = Equations::energy(context, x, ws);
    if constexpr (Functions<Model>::has_potential)
      energy.potential = model().potential(load(context, x, own(ws).plain).at.view());
    return energy;
  }

 protected:
  using DeclaredEquations::DeclaredEquations;

 private:
  static constexpr int chunk = 4;
  using Chunk = Dual<chunk>;
  static constexpr bool exact() { return Functions<Model>::template takes<Chunk>; }

  struct Own : Workspace {
    Own(const Sizes& size, const Structure& structure)
        : Workspace(size, structure),
          plain(size),
          chunk(size),
          d_w(size.w, size.w),
          w_step(size.w),
          w_change(size.w),
          w_factors(size.w) {}
    ResidualScratch<double> plain;
    ResidualScratch<Chunk> chunk;
    Matrix d_w;
    Vector w_step, w_change;
    Eigen::PartialPivLU<Matrix> w_factors;
    Matrix output_jacobian;  // of ExactOutputs
  };
  static Own& own(Workspace& ws) { return static_cast<Own&>(ws); }
  const Model& model() const { return static_cast<const Model&>(*this); }
  Functions<Model> functions() const { return {model(), sizes_}; }

  static void take(const Scratch<double>& at, Vector& to) {
    std::copy(at.out.begin(), at.out.begin() + to.size(), to.begin());
  }

  template <class T>
  ResidualScratch<T>& load(const Context& context, const State& x, ResidualScratch<T>& k) const {
    Scratch<T>& at = k.at;
    const auto copy = [](const Vector& from, std::vector<T>& to) {
      for (int i = 0; i < from.size(); ++i) to[i] = T(from[i]);
    };
    at.t = T(x.t);
    copy(x.p, at.p);
    copy(x.v, at.v);
    copy(x.r, at.r);
    copy(x.w, at.w);
    copy(x.a, at.a);
    copy(x.lambda, at.lambda);
    for (int i = 0; i < sizes_.u; ++i) {
      const Inputs::Jet u = context.inputs.jet(i, x.t);
      at.u[i] = T(u.value);
      at.u1[i] = T(u.first);
      at.u2[i] = T(u.second);
    }
    at.parameters = {context.parameters.values.data(), static_cast<std::size_t>(sizes_.parameters)};
    return k;
  }

  // Direction k is that of entry first + k.
  static void seed(std::vector<Chunk>& block, int first) {
    for (int k = 0; k < chunk; ++k)
      if (first + k >= 0 && first + k < static_cast<int>(block.size())) block[first + k].d[k] = 1.0;
  }

  void fill_d_w(const Context& context, const State& x, Own& ws) const {
    const Functions<Model> of = functions();
    if constexpr (exact()) {
      for (int first = 0; first < sizes_.w; first += chunk) {
        load(context, x, ws.chunk);
        seed(ws.chunk.at.w, first);
        of.d(ws.chunk.at);
        for (int j = first; j < std::min(first + chunk, sizes_.w); ++j)
          for (int i = 0; i < sizes_.w; ++i) ws.d_w(i, j) = ws.chunk.at.out[i].d[j - first];
      }
    } else {
      Scratch<double>& at = ws.plain.moved;
      at = ws.plain.at;
      for (int j = 0; j < sizes_.w; ++j) {
        const double h = 6e-6 * (1.0 + std::abs(x.w[j]));
        at.w[j] = x.w[j] + h;
        of.d(at);
        for (int i = 0; i < sizes_.w; ++i) ws.d_w(i, j) = at.out[i];
        at.w[j] = x.w[j] - h;
        of.d(at);
        for (int i = 0; i < sizes_.w; ++i) ws.d_w(i, j) = (ws.d_w(i, j) - at.out[i]) / (2.0 * h);
        at.w[j] = x.w[j];
      }
    }
  }
};

}  // namespace mbs
