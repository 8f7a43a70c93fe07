#pragma once

// Scaled norms of Lubich et al. (1992),
//
//   |d|_TOL = sqrt(|dp|^2 + |dv|^2 + |dr|^2)                 (2.7)
//   |dp|^2  = 1/n_p sum (dp_i / w_i)^2, likewise dv, dr      (2.8a)
//   w_i     = rtol_i max(|y_i| at both ends) + atol_i        (2.8b)
//
// The report has |p_i| in (2.8b); the larger of both ends, as in ODEX, keeps a component that
// passes through zero from asking for its absolute tolerance alone.

#include <cmath>

#include "engine/base/tolerances.hpp"

namespace mbs {

class ErrorNorm {
 public:
  // The numbers of position coordinates, velocity coordinates and first-order states.
  ErrorNorm(const Tolerances& options, int p, int v, int r) : p_(p), v_(v), r_(r) {
    const int n = p_ + v_ + r_;
    rtol_ = options.rtol_each.size() > 0 ? options.rtol_each : Vector::Constant(n, options.rtol);
    atol_ = options.atol_each.size() > 0 ? options.atol_each : Vector::Constant(n, options.atol);
    weight_ = atol_;
  }

  // y at both ends of a step; twice the same for a point.
  void set_scale(const Eigen::Ref<const Vector>& y0, const Eigen::Ref<const Vector>& y1) {
    weight_ = rtol_.array() * y0.array().abs().max(y1.array().abs()) + atol_.array();
  }
  void set_scale_p(const Vector& p) {
    weight_.head(p_) = rtol_.head(p_).array() * p.array().abs() + atol_.head(p_).array();
  }

  void set_scale_v(const Vector& v) {
    weight_.segment(p_, v_) =
        rtol_.segment(p_, v_).array() * v.array().abs() + atol_.segment(p_, v_).array();
  }

  double operator()(const Eigen::Ref<const Vector>& dy) const {
    return std::sqrt(mean_square(dy, 0, p_) + mean_square(dy, p_, v_) +
                     mean_square(dy, p_ + v_, r_));
  }
  double of_p(const Vector& dp) const { return std::sqrt(mean_square(dp, 0, p_)); }
  double of_v(const Vector& dv) const {
    const auto weight = weight_.segment(p_, v_).array();
    return v_ > 0 ? std::sqrt((dv.array() / weight).square().sum() / v_) : 0.0;
  }

  // Where |dy_i / w_i| is largest, a number that is no number first; -1 when there is nothing.
  int largest(const Eigen::Ref<const Vector>& dy) const {
    int worst = -1;
    double most = -1.0;
    for (int i = 0; i < dy.size(); ++i) {
      const double size = std::abs(dy[i] / weight_[i]);
      if (std::isnan(size)) return i;
      if (size > most) {
        most = size;
        worst = i;
      }
    }
    return worst;
  }

  double smallest_rtol() const { return rtol_.size() > 0 ? rtol_.minCoeff() : 1e-6; }

 private:
  double mean_square(const Eigen::Ref<const Vector>& d, int begin, int n) const {
    if (n == 0) return 0.0;
    return (d.segment(begin, n).array() / weight_.segment(begin, n).array()).square().sum() / n;
  }
  int p_, v_, r_;
  Vector rtol_, atol_, weight_;
};

}  // namespace mbs
