#pragma once

// The equations of motion as F(t, y, y') = 0, (8) of report 002, in one of two forms with two
// formalisms.
//
//   ggl                y = (p, v, r, w, s, lambda, eta)               (7), (9)
//     0 = p' - Z (v - G^T eta) + n_p^T eta_n
//     0 = M v' - f + G^T lambda
//     0 = r' - b
//     0 = d,  0 = c
//     0 = G v + gI - D lambda
//     0 = g - D eta,  0 = n
//   lambda_derivative  y = (p, v, r, w, s, Lambda)                    (2.24) of report 003
//     the same with lambda = Lambda' and without eta, g and n: of index 1, and positions drift
//
// Z (v - G^T eta) instead of Z v - g_p^T eta needs no derivative of g by p, and is the same set of
// solutions. The norms n of Euler parameters are constraints with a multiplier of their own. D is 0
// but for constraints that do not act (equations.hpp).
//
// The explicit formalism (10) evaluates v' - M^-1 (f - G^T lambda). That row is multiplied by M0,
// the mass matrix where the iteration matrix was made: Newton's corrections are the same, and the
// matrix has the sparsity of the residual formalism.
//
// The iteration matrix is alpha E + B with E = dF/dy' and B = dF/dy, kept apart for the partitioned
// update (23): E = diag(I, M, I, 0, ...), with the columns dF/dlambda in the second form. The terms
// with eta in dF/dp are left out: eta is 0 but for errors.

#include <memory>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs::bdf {

enum class Form { ggl, lambda_derivative };
enum class Formalism { residual, explicit_ };

class System {
 public:
  System(const Equations& equations, Context context, Form form, Formalism formalism);

  // Where the parts of y begin; rows of F are in the same order (kinematics, dynamics, r, w, s,
  // velocity, position and norm).
  struct Layout {
    int p, v, r, w, s, lambda, eta, size;
  };
  const Layout& at() const { return at_; }
  int size() const { return at_.size; }
  int differential() const { return at_.w; }  // p, v, r come first
  Form form() const { return form_; }
  const Sizes& sizes() const { return n_; }
  const Equations& equations() const { return equations_; }

  void pack(const State& x, Vector& y, Vector& y_dot) const;  // y' of r is left
  void unpack(double t, const Vector& y, const Vector& y_dot, State& x) const;

  // t of the discrete numbers and modes, which stay over a step.
  void begin(const State& x);
  void residual(double t, const Vector& y, const Vector& y_dot, Vector& F);
  // The rows of the constraints, 0 = d and 0 = c; zeros elsewhere. What a projection takes.
  void constraints(double t, const Vector& y, const Vector& y_dot, Vector& F);
  Workspace& workspace() { return *ws_; }

  // Pattern of alpha E + B; values of B and of E at a point, in the order of this pattern.
  const ColumnSparse& pattern() const { return pattern_; }
  void use_pattern(const ColumnSparse& B);  // other places for B (square, as estimated)
  const ColumnSparse& model_pattern() const { return model_pattern_; }
  bool knows_pattern() const { return knows_pattern_; }
  // What follows sees input i moved by `change` until inputs_back().
  void move_input(int i, double change);
  void inputs_back();
  void exact(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E);
  // After B (but for the columns of eta) and the columns of lambda in E came from differences: the
  // rest of both.
  void complete(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E);
  // E at another point.
  void update_mass(double t, const Vector& y, const Vector& y_dot, Vector& E);
  // M0 := M of the residual's point, which F is multiplied by anew.
  void keep_mass(Vector& F);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void set(double t, const Vector& y, const Vector& y_dot);
  void make_model_pattern();
  void index_pattern();
  void fill_E(Vector& E) const;
  void fill_eta(Vector& B, Vector& E) const;

  const Equations& equations_;
  Context here() const { return {moved_ ? moved_inputs_ : context_.inputs, context_.parameters}; }

  Context context_;
  Inputs moved_inputs_;
  bool moved_ = false;
  Form form_;
  Formalism formalism_;
  Sizes n_;
  JacobianLayout rows_;
  Layout at_;
  State x_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> mass_solver_;  // M alone, of the explicit formalism
  ColumnSparse M0_;
  Vector eta_force_, eta_rate_, rest_;
  RowSparse no_G_;
  Vector none_;
  bool knows_pattern_ = false;

  ColumnSparse model_pattern_, pattern_;
  struct Place {
    int from, to;
    double sign;
  };
  std::vector<Place> jacobian_to_B_, jacobian_to_E_;  // of ws.jacobian's entries
  std::vector<Place> mass_to_E_;                      // of ws.M's
  std::vector<int> ones_in_E_;
  struct Product {  // columns of eta: Z G^T
    int G, minus_Z, to;
  };
  std::vector<Product> eta_to_B_;
  std::vector<Place> norm_to_B_;  // Euler parameters into the columns of eta_n
  std::vector<Place> D_to_;
};

}  // namespace mbs::bdf
