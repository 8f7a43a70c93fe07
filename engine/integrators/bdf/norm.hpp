#pragma once

// The norm of errors and corrections. Multipliers, eta, w and s carry no memory and are left out:
// their errors count as far as they move p, v and r.
//
//   modern   |d|^2 = sum of the mean squares of d_i / w_i over p, v and r each, as |.|_TOL of
//            common/norms.hpp
//   dassl    |d|^2 = mean square over all unknowns, those left out counted as zeros
//
// with weights w_i = rtol_i |y_i| + atol_i at the beginning of the step.

#include <cmath>

#include "engine/integrators/bdf/options.hpp"

namespace mbs::bdf {

class Norm {
 public:
  Norm(const IntegratorOptions& options, const System& system, CorrectorKind kind)
      : share_(Vector::Ones(system.differential())) {
    const Sizes& n = system.sizes();
    const auto ny = share_.size();
    rtol_ = options.rtol_each.size() > 0 ? options.rtol_each : Vector::Constant(ny, options.rtol);
    atol_ = options.atol_each.size() > 0 ? options.atol_each : Vector::Constant(ny, options.atol);
    if (kind == CorrectorKind::dassl) {
      share_ /= std::sqrt(std::max(1, system.size()));
    } else {
      share_.head(n.p) /= std::sqrt(std::max(1, n.p));
      share_.segment(n.p, n.v) /= std::sqrt(std::max(1, n.v));
      share_.tail(n.r) /= std::sqrt(std::max(1, n.r));
    }
    scale_ = share_.cwiseQuotient(atol_);
  }

  void set(const Eigen::Ref<const Vector>& y) {
    scale_ = share_.array() / (rtol_.array() * y.head(scale_.size()).array().abs() + atol_.array());
  }
  double operator()(const Eigen::Ref<const Vector>& d) const {
    return d.head(scale_.size()).cwiseProduct(scale_).norm();
  }
  // Where |d_i / w_i| is largest, a number that is no number first; -1 when there is nothing.
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
  Vector rtol_, atol_, share_, scale_;
};

}  // namespace mbs::bdf
