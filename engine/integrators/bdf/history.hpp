#pragma once

// The history of a fixed-leading-coefficient BDF method as modified divided differences (Brenan et
// al. (1996), section 5.2, the form of DASSL and of eq. (12) in Arnold et al. (2006)). With h the
// step to t_{n+1} and k its order, i = 1, 2, ...
//
//   psi_i   = t_{n+1} - t_{n+1-i}
//   alpha_i = h / psi_i,   beta_1 = 1, beta_i = psi_1(n+1) ... psi_{i-1}(n+1) / (psi_1(n) ...)
//   phi_i   = psi_1 ... psi_{i-1} [y_n, ..., y_{n-i+1}],   phi*_i = beta_i phi_i
//   predictor  y0 = sum_{i=1}^{k+1} phi*_i,   y0' = sum gamma_i phi*_i
//   corrector  y' = y0' + alpha (y - y0),   alpha = (1 + 1/2 + ... + 1/k) / h
//
// (alpha of Arnold et al., c_j of DASSL). After a step phi_i of the new point is the sum of phi*_j,
// j >= i, and e = y - y0.

#include <array>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs::bdf {

constexpr int highest_order = 5;

class History {
 public:
  explicit History(int size);

  // Starts at order 1 from y and y'.
  void start(const Vector& y, const Vector& y_dot, double h);
  // Starts at order 2 from y, y', y'' at points that lie h apart.
  void start(const Vector& y, const Vector& y_dot, const Vector& y_dot2, double h);
  // Starts from points that lie h apart, the newest first, at an order of their number less one.
  void start(const Matrix& points, double h);

  // Sets up the step of size h and order k and moves the differences to it; `undo` moves them back.
  void prepare(double h, int k);
  void undo();
  void predict(Vector& y, Vector& y_dot) const;
  // Predicts a range of components by the polynomial of at most this order.
  void predict(int begin, int count, int order, Vector& y) const;
  // Sets e = y - y0 in a range that had another predictor.
  void find_error(int begin, int count, const Vector& y, Vector& e) const;
  // Takes y = y0 + e as the next point; keep_next: a step of order k + 1 may follow.
  void accept(const Vector& e, bool keep_next);

  double alpha() const { return cj_; }
  int order() const { return k_; }  // of the step prepared or accepted last
  double error_constant() const { return ck_; }
  double sigma(int i) const { return at(sigma_, i); }  // i from 1, as in the formulas
  int constant_steps() const { return ns_; }           // with this h and k
  // phi*_i between prepare and accept.
  auto difference(int i) const { return phi_.col(i - 1); }

  // The polynomial of the last step, at distance dt from its end, and its derivative.
  void interpolate(double dt, Vector& y, Vector* y_dot) const;
  // Adds d to a range of components at all points of the history: moves the polynomial.
  void shift(int begin, const Eigen::Ref<const Vector>& d) {
    phi_.col(0).segment(begin, d.size()) += d;
  }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  using Coefficients = std::array<double, highest_order + 2>;  // index i - 1
  static double at(const Coefficients& c, int i) { return c[static_cast<std::size_t>(i - 1)]; }
  static double& at(Coefficients& c, int i) { return c[static_cast<std::size_t>(i - 1)]; }

  Matrix phi_;  // column i - 1
  Coefficients psi_{}, alpha_{}, beta_{}, sigma_{}, gamma_{};
  Coefficients psi_before_{};
  double h_ = 0.0, h_before_ = 0.0, cj_ = 0.0, ck_ = 0.0;
  int k_ = 1, k_before_ = 0, ns_ = 0;
  int scaled_from_ = 1;  // beta was applied to phi_i from here on
};

}  // namespace mbs::bdf
