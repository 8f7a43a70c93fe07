#pragma once

// The equations of motion as F(t, y, y') = 0, Arnold et al. (2006), eq. (8), in one of two forms
// with two formalisms.
//
//   ggl                y = (p, v, r, w, s, lambda, eta)               Gear et al. (1985), (7), (9)
//     0 = p' - Z (v - G^T eta) + n_p^T eta_n
//     0 = M v' - f + G^T lambda
//     0 = r' - b
//     0 = d,  0 = c
//     0 = G v + gI - D lambda
//     0 = g - D eta,  0 = n
//   lambda_derivative  y = (p, v, r, w, s, Lambda)                    Nijhuis (2013), eq. (2.24)
//     the same with lambda = Lambda' and without eta, g and n: of index 1, and positions drift
//
// Z (v - G^T eta) instead of Z v - g_p^T eta needs no derivative of g by p, and has the same set of
// solutions. The norms n of Euler parameters are constraints with a multiplier of their own. D is 0
// but for inactive constraints (equations.hpp).
//
// The explicit formalism (10) evaluates v' - M^-1 (f - G^T lambda). That row is multiplied by M0,
// the mass matrix at the point of the iteration matrix: Newton's corrections are the same, and the
// matrix has the sparsity of the residual formalism.
//
// The iteration matrix is alpha E + B with E = dF/dy' and B = dF/dy, kept apart for the partitioned
// update (23): E = diag(I, M, I, 0, ...), with the columns dF/dlambda in the second form. The terms
// with eta in dF/dp are left out: eta is 0 but for errors.

#include <memory>

#include "engine/integrators/bdf/system_pattern.hpp"

namespace mbs::bdf {

enum class Formalism { residual, explicit_ };

class System {
 public:
  System(const Equations& equations, Context context, Form form, Formalism formalism);

  using Layout = SystemLayout;
  const Layout& at() const { return at_; }
  int size() const { return at_.size; }
  int differential() const { return at_.w; }  // p, v, r come first
  Form form() const { return form_; }
  const Sizes& sizes() const { return n_; }
  const Equations& equations() const { return equations_; }

  void pack(const State& x, Vector& y, Vector& y_dot) const;  // y' of r is left
  void unpack(double t, const Vector& y, const Vector& y_dot, State& x) const;

  // Takes the discrete numbers and modes of x, which stay over a step.
  void begin(const State& x);
  void residual(double t, const Vector& y, const Vector& y_dot, Vector& F);
  // The rows of the constraints, 0 = d and 0 = c, for a projection; zeros elsewhere.
  void constraints(double t, const Vector& y, const Vector& y_dot, Vector& F);
  Workspace& workspace() { return *ws_; }

  // The pattern of alpha E + B; values of B and E are in its order.
  const ColumnSparse& pattern() const { return pattern_.matrix(); }
  void use_pattern(const ColumnSparse& B) { pattern_.use(B, *ws_); }
  // Evaluations see input i moved by `change` until restore_inputs().
  void move_input(int i, double change);
  void restore_inputs();
  void exact(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E);
  // Completes B and E after differences have given B without the columns of eta and, in E, the
  // columns of lambda.
  void complete(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E);
  // Moves E to another point.
  void update_mass(double t, const Vector& y, const Vector& y_dot, Vector& E);
  // Sets M0 to M at the residual's point and multiplies F by it.
  void keep_mass(Vector& F);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void set(double t, const Vector& y, const Vector& y_dot);

  Context here() const { return {moved_ ? moved_inputs_ : context_.inputs, context_.parameters}; }

  const Equations& equations_;
  Context context_;
  Inputs moved_inputs_;
  bool moved_ = false;
  Form form_;
  Formalism formalism_;
  Sizes n_;
  State x_;
  std::unique_ptr<Workspace> ws_;
  SystemPattern pattern_;
  const Layout& at_;
  std::unique_ptr<SaddleSolver> mass_solver_;  // M alone, for the explicit formalism
  ColumnSparse M0_;
  Vector eta_force_, eta_rate_, rest_;
  RowSparse no_G_;
  Vector none_;
};

}  // namespace mbs::bdf
