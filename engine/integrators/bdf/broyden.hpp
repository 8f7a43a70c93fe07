#pragma once

// Damped Broyden updates of an old matrix by its corrections: with z = y^(i+1) - y^i, A z = -f_i
// and f_(i+1) the residual after it,
//
//   A+    = A + beta f_(i+1) z^T / (z^T z)
//   A+^-1 = A^-1 - u z^T A^-1,   u = beta q / (z^T z + beta z^T q),  q = A^-1 f_(i+1)
//
// Nijhuis (2013), eq. (5.14); his (5.26) is printed without z^T z and with a damping that does not
// give Broyden's method for any beta. The inner product is that of the error norm, since units
// differ. A few updates are kept, and all are dropped together with their matrix.

#include <stdexcept>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs::bdf {

class Broyden {
 public:
  Broyden(int size, double beta) : beta_(beta) {
    if (beta > 0.0) u_ = z_ = Matrix::Zero(size, most);
  }

  bool works() const { return beta_ > 0.0; }
  void clear() { count_ = 0; }
  // d := A+^-1 A d
  void apply(Vector& d) const {
    for (int k = 0; k < count_; ++k) d -= z_.col(k).dot(d) * u_.col(k);
  }
  // Takes q = A^-1 f_(i+1) with all updates so far and z = y^(i+1) - y^i, |z| = |scale . z|; q
  // becomes that of the updated matrix. True when an update was made.
  bool update(const Vector& z, const Vector& scale, Vector& q) {
    if (count_ == most) return false;
    auto weighted = z_.col(count_);
    weighted.setZero();
    const auto n = scale.size();
    weighted.head(n) = scale.cwiseAbs2().cwiseProduct(z.head(n));
    const double zz = weighted.dot(z), below = zz + beta_ * weighted.dot(q);
    if (!(zz > 0.0) || !(below > 0.1 * zz) || !(below < 10.0 * zz)) return false;
    u_.col(count_) = (beta_ / below) * q;
    q -= weighted.dot(q) * u_.col(count_);
    ++count_;
    return true;
  }

  void save(ByteWriter& out) const {
    out.put(count_);
    for (int k = 0; k < count_; ++k) {
      out.put(Vector(u_.col(k)));
      out.put(Vector(z_.col(k)));
    }
  }
  void restore(ByteReader& in) {
    in.get(count_);
    if (count_ < 0 || count_ > (works() ? most : 0)) {
      throw std::runtime_error("the stored state belongs to other options of the integrator");
    }
    Vector x(u_.rows());
    for (int k = 0; k < count_; ++k) {
      in.get(x);
      u_.col(k) = x;
      in.get(x);
      z_.col(k) = x;
    }
  }

 private:
  static constexpr int most = 8;
  double beta_;
  Matrix u_, z_;
  int count_ = 0;
};

}  // namespace mbs::bdf
