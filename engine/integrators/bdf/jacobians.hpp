#pragma once

// Sources of B = dF/dy and E = dF/dy'; equation numbers are those of Arnold et al. (2006).
//
//   exact         the model's own Jacobian (beyond the paper)
//   differences   (16): one residual per column, delta_r after (17) but not below the change of y_r
//                 in a step and the tolerance
//   groups        (20): columns that share no row together, on an estimated pattern Omega, which
//                 starts with the full differences at t0 and grows by others on request (3.1)
//
// The columns of eta are known from G and are never differenced. y' is held fixed while y moves,
// and alpha E added afterwards, so that no digits are lost to a large alpha.

#include "engine/integrators/bdf/options.hpp"

namespace mbs::bdf {

class JacobianSource {
 public:
  JacobianSource(System& system, JacobianKind kind);

  // Evaluates B and E in the system's pattern; F is the residual there, h the step size, for
  // increments. True when the system has got another pattern (and B, E another size).
  bool evaluate(double t, double h, const Vector& y, const Vector& y_dot, const Vector& F,
                Vector& B, Vector& E);
  // Makes the next evaluation look for entries outside of Omega.
  void ask_to_grow() { grow_ = kind_ == JacobianKind::groups; }
  bool can_grow() const { return kind_ == JacobianKind::groups && !grown_; }

  int groups() const { return static_cast<int>(group_begin_.size()) - 1; }
  long residuals() const { return residuals_; }  // spent on differences

  void save(ByteWriter&) const;
  bool restore(ByteReader&);  // true: the system has got another pattern

 private:
  void set_increments(double h, const Vector& y, const Vector& y_dot);
  void find_pattern(double t, const Vector& y, const Vector& y_dot, const Vector& F);
  void move(int column, double sign);
  void make_groups();

  System& system_;
  JacobianKind kind_;
  bool grow_ = false, grown_ = false;  // grown_: the last evaluation looked everywhere
  ColumnSparse omega_;
  std::vector<Eigen::Triplet<double>> full_;  // the last full differences
  std::vector<int> group_columns_, group_begin_;
  Vector y_, y_dot_, F_, increment_;
  long residuals_ = 0;
};

}  // namespace mbs::bdf
