// Eigenvalues of A by QR iteration after balancing: rows and columns scaled by powers of 2 until
// their norms agree (Parlett and Reinsch), since stiffness over mass and 1 stand side by side in A.

#include "engine/analysis/modes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace mbs {
namespace {

// T in T^-1 A T, which A becomes.
Vector balance(Matrix& A) {
  const Eigen::Index n = A.rows();
  Vector T = Vector::Ones(n);
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double column = A.col(i).lpNorm<1>() - std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - std::abs(A(i, i));
      if (column == 0.0 || row == 0.0) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (column * factor + row / factor >= 0.95 * (column + row)) continue;
      T[i] *= factor;
      A.col(i) *= factor;
      A.row(i) /= factor;
      changed = true;
    }
  }
  return T;
}

}  // namespace

std::vector<Mode> find_modes(const LinearSystem& system) {
  Matrix A = system.A;
  if (A.rows() == 0) return {};
  const Vector T = balance(A);
  const Eigen::EigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success)
    throw std::runtime_error("the eigenvalues of the linear system could not be computed");
  std::vector<Mode> modes;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    Mode mode;
    mode.eigenvalue = solver.eigenvalues()[k];
    if (mode.eigenvalue.imag() < 0.0) continue;
    const double size = std::abs(mode.eigenvalue);
    if (mode.eigenvalue.imag() > 0.0) mode.frequency = size / (2.0 * std::numbers::pi);
    mode.damping = size > 0.0 ? -mode.eigenvalue.real() / size : 0.0;
    mode.states = T.asDiagonal() * solver.eigenvectors().col(k);
    mode.shape = system.dq * mode.states;
    Eigen::Index at = 0;
    const Vector scaled = mode.shape.cwiseAbs().cwiseQuotient(system.coordinate_scale);
    std::complex<double> unit = 0.0;
    if (scaled.size() > 0 && scaled.maxCoeff(&at) > 0.0) unit = mode.shape[at];
    if (unit == 0.0) {  // nothing moves: a state alone
      mode.states.cwiseAbs().maxCoeff(&at);
      unit = mode.states[at];
    }
    mode.states /= unit;
    mode.shape /= unit;
    modes.push_back(mode);
  }
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  return modes;
}

}  // namespace mbs
