#include "engine/integrators/radau/collocation.hpp"

#include <Eigen/LU>
#include <cmath>

namespace mbs::radau {
namespace {

// gamma and alpha + i beta are the eigenvalues of A^-1, the zeros of x^3 - 9 x^2 + 36 x - 60; the
// columns of T are the real eigenvector and the real and imaginary part of a complex one, scaled so
// that the last row is (t, 1, 0).
Tableau make_tableau() {
  Tableau r;
  const double q = std::sqrt(6.0);
  r.c = {0.0, (4.0 - q) / 10.0, (4.0 + q) / 10.0, 1.0};
  r.A << (88.0 - 7.0 * q) / 360.0, (296.0 - 169.0 * q) / 1800.0, (-2.0 + 3.0 * q) / 225.0,
      (296.0 + 169.0 * q) / 1800.0, (88.0 + 7.0 * q) / 360.0, (-2.0 - 3.0 * q) / 225.0,
      (16.0 - q) / 36.0, (16.0 + q) / 36.0, 1.0 / 9.0;
  r.inverse = r.A.inverse();
  const double u = std::cbrt(9.0);  // 81^(1/3) = u^2
  const double real = (6.0 + u * u - u) / 30.0, re = (12.0 - u * u + u) / 60.0;
  const double im = (u * u + u) * std::sqrt(3.0) / 60.0, size = re * re + im * im;
  r.gamma = 1.0 / real;
  r.alpha = re / size;
  r.beta = im / size;
  r.T << 9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02,
      0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779,
      0.96604818261509293619, 1.0, 0.0;
  r.T_inverse = r.T.inverse();
  r.e << -(13.0 + 7.0 * q) / 3.0, (-13.0 + 7.0 * q) / 3.0, -1.0 / 3.0;
  return r;
}

}  // namespace

const Tableau& tableau() {
  static const Tableau once = make_tableau();
  return once;
}

void Polynomial::set(const Vector& begin, const Columns& stages, const Vector& end) {
  const auto& c = tableau().c;
  differences_.col(0) = begin;
  differences_.middleCols<2>(1) = stages.leftCols<2>();
  differences_.col(3) = end;
  for (int order = 1; order <= 3; ++order) {
    for (int i = 3; i >= order; --i) {
      const double span = c[static_cast<std::size_t>(i)] - c[static_cast<std::size_t>(i - order)];
      differences_.col(i) = (differences_.col(i) - differences_.col(i - 1)) / span;
    }
  }
}

void Polynomial::evaluate(double theta, Eigen::Ref<Vector> x) const {
  const auto& c = tableau().c;
  const double w1 = theta, w2 = w1 * (theta - c[1]), w3 = w2 * (theta - c[2]);
  x = differences_.col(0) + w1 * differences_.col(1) + w2 * differences_.col(2) +
      w3 * differences_.col(3);
}

void Polynomial::save(ByteWriter& out) const {
  out.raw(differences_.data(), sizeof(double) * static_cast<std::size_t>(differences_.size()));
}

void Polynomial::restore(ByteReader& in) {
  in.raw(differences_.data(), sizeof(double) * static_cast<std::size_t>(differences_.size()));
}

}  // namespace mbs::radau
