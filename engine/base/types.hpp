#pragma once

// The vector and matrix types of the whole engine.

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace mbs {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ColumnSparse = Eigen::SparseMatrix<double, Eigen::ColMajor>;
using RowSparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

}  // namespace mbs
