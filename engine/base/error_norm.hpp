#pragma once

// The norm of errors and corrections, the same class for all methods. With the weights
//
//   w_i = rtol_i max(|y_i| at both ends of a step) + atol_i,      y = (p, v, r)
//
// the components are averaged in one of two ways:
//
//   |d|^2 = sum over p, v and r of the mean of (d_i / w_i)^2 in each       Lubich et al. (1992),
//                                                                          eqs. (2.7), (2.8)
//   |d|^2 = sum of (d_i / w_i)^2 / count                                   Steinbrecher (2007),
//                                                                          eq. (19), and DASSL
//
// Lubich et al. take |p_i| in (2.8b); the larger of both ends, as in ODEX, keeps a component that
// passes through zero from asking for its absolute tolerance alone. Vectors may be longer than
// (p, v, r): multipliers and auxiliary unknowns come after these and are not tested, since they
// carry no memory and their errors count as far as they move p, v and r.

#include <algorithm>
#include <cmath>

#include "engine/base/tolerances.hpp"

namespace mbs {

class ErrorNorm {
 public:
  // The numbers of position coordinates, velocity coordinates and first-order states. count > 0:
  // one mean over so many components; 0: a mean for each of p, v and r.
  ErrorNorm(const Tolerances& options, int p, int v, int r, int count = 0)
      : p_(p), v_(v), share_(Vector::Ones(p + v + r)) {
    const int n = p + v + r;
    rtol_ = options.rtol_each.size() > 0 ? options.rtol_each : Vector::Constant(n, options.rtol);
    atol_ = options.atol_each.size() > 0 ? options.atol_each : Vector::Constant(n, options.atol);
    const auto mean = [count](int block) {
      return std::sqrt(std::max(1, count > 0 ? count : block));
    };
    share_.head(p) /= mean(p);
    share_.segment(p, v) /= mean(v);
    share_.tail(r) /= mean(r);
    scale_ = share_.cwiseQuotient(atol_);
  }

  // y at both ends of a step, or at one point.
  void set_scale(const Eigen::Ref<const Vector>& y0, const Eigen::Ref<const Vector>& y1) {
    scale_ =
        share_.array() / (rtol_.array() * y0.array().abs().max(y1.array().abs()) + atol_.array());
  }
  void set_scale(const Eigen::Ref<const Vector>& y) { set_block(0, y.head(scale_.size())); }
  void set_scale_p(const Vector& p) { set_block(0, p); }
  void set_scale_v(const Vector& v) { set_block(p_, v); }

  double operator()(const Eigen::Ref<const Vector>& d) const {
    return d.head(scale_.size()).cwiseProduct(scale_).norm();
  }
  double of_p(const Vector& dp) const { return dp.cwiseProduct(scale_.head(p_)).norm(); }
  double of_v(const Vector& dv) const { return dv.cwiseProduct(scale_.segment(p_, v_)).norm(); }

  // The component with the largest |d_i / w_i|, or the first that is not a number; -1 when there is
  // none.
  int largest(const Eigen::Ref<const Vector>& d) const {
    int worst = -1;
    double most = -1.0;
    for (int i = 0; i < scale_.size(); ++i) {
      const double size = std::abs(d[i] * scale_[i] / share_[i]);
      if (std::isnan(size)) return i;
      if (size > most) {
        most = size;
        worst = i;
      }
    }
    return worst;
  }

  const Vector& scale() const { return scale_; }  // |d| = |scale . d|
  double smallest_rtol() const { return rtol_.size() > 0 ? rtol_.minCoeff() : 1e-6; }

 private:
  void set_block(int begin, const Eigen::Ref<const Vector>& y) {
    const auto n = y.size();
    scale_.segment(begin, n) =
        share_.segment(begin, n).array() /
        (rtol_.segment(begin, n).array() * y.array().abs() + atol_.segment(begin, n).array());
  }

  int p_, v_;
  Vector rtol_, atol_, share_, scale_;
};

}  // namespace mbs
