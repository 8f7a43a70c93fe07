#pragma once

// Modes of a linear system: eigenvalues of A with what of them engineers read, and shapes over all
// coordinates of the model.

#include <complex>
#include <vector>

#include "engine/analysis/linearise.hpp"

namespace mbs {

struct Mode {
  std::complex<double> eigenvalue;  // with Im >= 0: its conjugate is not listed
  double frequency = 0.0;           // |eigenvalue| / 2 pi, in Hz; 0 for a real eigenvalue
  double damping = 0.0;             // - Re / |eigenvalue|, -1 ... 1
  Eigen::VectorXcd shape;           // dq of LinearSystem::coordinates, the largest (scaled) is 1
  Eigen::VectorXcd states;          // xi, in the same scale
};

// Eigenmodes, sorted by |eigenvalue|. Throws std::runtime_error when the iteration fails.
std::vector<Mode> find_modes(const LinearSystem& system);

}  // namespace mbs
