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

}  // namespace mbs::radau
