#pragma once

// Dense output over one step: Hermite polynomials in theta for y = (p, v, r) and
// z = (a, lambda, w, s) through values and slopes at both ends and derivatives that the rows of the
// tableau give.
//
// Half-explicit Euler method, Lubich et al. (1992), section 2.4: from the slopes of the kappa rows
// of a step, with Delta and Nabla forward and backward differences,
//
//   l_j^(k) = Delta^k (y'_0, z_1) / h_j^k            k = 1 ... lambda, j = k ... kappa       (2.14)
//   r_j^(k) = Nabla^k (y'_{n_j-1}, z_{n_j}) / h_j^k  k = 1 ... rho,    j = k ... kappa       (2.15)
//
// ((2.14) is printed with y_0 for y'_0.) They have h-expansions too; extrapolated kappa - k times
// they approximate y^(k+1) and z^(k) at both ends to O(H^(kappa-k+1)). Hermite interpolation takes
// y, y', y^(k+1) and z, z^(k) at both ends, lambda + rho = kappa - 1, rho - 1 <= lambda <= rho:
//
//   y: degree kappa + 2, error O(H^(kappa+1)), that of T_{kappa,kappa}
//   z: degree kappa,     error O(H^kappa)
//
// (The report gives the degrees lambda + rho and lambda + rho - 1, which is fewer than the
// conditions it lists; the polynomial through all of them is taken.)
//
// Midpoint rule, after ODEX (Hairer et al. (1993), section II.9): in row j the midpoint of the step
// has the odd index m = n_j / 2, and the central differences
//
//   d_j^(0) = y_m,   d_j^(k+1) = delta^k y'_m / (2 h_j)^k,   e_j^(k) = delta^k z_m / (2 h_j)^k
//
// with delta q_i = q_{i+1} - q_{i-1} and k < m, have h^2 expansions since all indices in one of
// them are odd or all are even. They are extrapolated with the rows that have them. Hermite
// interpolation takes them at theta = 1/2, up to k = 2 kappa - 3, together with y, y', z at both
// ends. The degrees are then 2 kappa + 2 for y and 2 kappa - 1 for z; the error is that of the
// values in the middle, O(H^(2 kappa)) with kappa rows.

#include <array>
#include <memory>

#include "engine/integrators/base/state_layout.hpp"
#include "engine/integrators/extrapolation/discretisation.hpp"
#include "engine/integrators/extrapolation/hermite.hpp"
#include "engine/integrators/extrapolation/options.hpp"

namespace mbs::extrapolation {

// Values (y, z) and slopes (y', ...) at an end of a step, in the order of StateLayout.
struct StepEnd {
  Vector value, slope;
};

using Slopes = std::array<Matrix, most_rows>;  // of row j in [j - 1]

class Interpolant {
 public:
  Interpolant(const StateLayout& layout, const Expansion& expansion, int most_conditions)
      : layout_(layout),
        expansion_(expansion),
        y_(layout.ny(), most_conditions),
        z_(layout.nz(), most_conditions),
        x_(layout.size()) {}
  virtual ~Interpolant() = default;

  // H is the length of the step. rows = 1 takes no slopes of rows: y is the cubic and z the
  // straight line through both ends.
  void build(double H, int rows, const Slopes& slopes, const StepEnd& begin, const StepEnd& end);

  // Fills all unknowns of x with their values at t0 + theta H.
  void evaluate(double theta, State& x);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 protected:
  virtual void add_conditions(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                              const StepEnd& end) = 0;
  // Adds the conditions (y, H y') and z at an end.
  void add_end(double node, double H, const StepEnd& end);
  // Adds the conditions of order k + 1 of y and of order k of z from H^k times the k-th derivatives
  // of slopes; `scale` = 1 / k!.
  void add_derivative(double node, double H, int k, double scale,
                      const Eigen::Ref<const Vector>& d);

  StateLayout layout_;
  Expansion expansion_;
  HermiteForm y_, z_;

 private:
  Vector x_;
};

// The dense output of an integrator: the ends and slopes of its last step, those of the step under
// way, and the interpolant, which is built when it is first asked for.
class DenseOutput {
 public:
  DenseOutput(const StateLayout& layout, const Expansion& expansion, const Options& options);

  // Integration begins at a point.
  void start(const StepPoint& point);
  // The slopes of row j of the step under way; only two columns where there is no dense output.
  Matrix& slopes(int j) { return trial_[index(j)]; }
  // The step under way has become the last one and ends at a point.
  void accept(int rows, const StepPoint& point);

  int rows() const { return rows_; }  // of the last step; 0: there was none
  const StepEnd& end() const { return end_; }
  void evaluate(double H, double theta, State& x);

  void save(double H, ByteWriter&) const;
  void restore(ByteReader&, const StepPoint& end);

 private:
  std::size_t index(int j) const { return dense_ ? static_cast<std::size_t>(j - 1) : 0; }
  void pack(const StepPoint& point, StepEnd& end) const;
  void build(double H) const;

  StateLayout layout_;
  int max_rows_;
  bool dense_;
  StepEnd begin_, end_;
  int rows_ = 0;
  Slopes slopes_, trial_;  // of the last step, of the one under way
  std::unique_ptr<Interpolant> interpolant_;
  mutable bool built_ = false;
};

}  // namespace mbs::extrapolation
