#include "engine/integrators/base/singular.hpp"

#include <Eigen/LU>

#include "engine/base/text.hpp"

namespace mbs {

std::string describe_singular(const Structure& structure, const Workspace& ws) {
  constexpr int largest = 1500;  // a dense elimination beyond this would keep a person waiting
  const int n = static_cast<int>(ws.M.rows());
  const int m = static_cast<int>(ws.G.rows());
  const std::string what = "the matrix [M G'; G 0] is singular";
  if (n == 0 || n + m > largest) return what;

  Matrix A = Matrix::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = ws.M;
  A.bottomLeftCorner(m, n) = ws.G;
  A.topRightCorner(n, m) = Matrix(ws.G).transpose();
  A.diagonal().tail(m) = -ws.D;
  if (!A.allFinite()) return "the matrix [M G'; G 0] holds a value that is not a number";
  for (int i = 0; i < n + m; ++i) {  // rows to size 1: units must not decide
    const double size = A.row(i).cwiseAbs().maxCoeff();
    if (size > 0.0) A.row(i) /= size;
  }
  const Eigen::FullPivLU<Matrix> lu(A);
  Eigen::Index last = 0;
  lu.matrixLU().diagonal().cwiseAbs().minCoeff(&last);
  const auto& moved_to = lu.permutationP().indices();
  int row = 0;
  while (moved_to[row] != last) ++row;
  const double pivot = lu.matrixLU()(last, last);
  return what + ", smallest pivot " + short_number(pivot) + " at " +
         (row < n ? name_of(structure.v_names, row, "velocity coordinate")
                  : name_of(structure.lambda_names, row - n, "constraint"));
}

}  // namespace mbs
