#include "engine/linear/saddle_solver.hpp"

#include <stdexcept>

#include "engine/linear/dense_saddle.hpp"
#include "engine/linear/sparse_saddle.hpp"

namespace mbs {

namespace {

// By tests/linear/measure_cut.cpp: the dense solver is the faster one where most entries are there,
// and about as fast where there are few unknowns; then it is taken because it pivots every time.
constexpr Eigen::Index dense_up_to = 16;
constexpr double dense_from = 0.4;

bool dense_is_better(const SaddleStructure& structure) {
  const Eigen::Index size = structure.M.cols() + structure.G.rows();
  const double entries =
      static_cast<double>(structure.M.nonZeros() + 2 * structure.G.nonZeros() + structure.G.rows());
  return size <= dense_up_to || entries >= dense_from * static_cast<double>(size * size);
}

}  // namespace

std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& word,
                                                 const SaddleStructure& structure) {
  std::unique_ptr<SaddleSolver> solver;
  if (word == "dense" || (word == "auto" && dense_is_better(structure))) {
    solver = std::make_unique<DenseSaddle>();
  } else if (word == "sparse" || word == "auto") {
    solver = std::make_unique<SparseSaddle>(make_sparse_lu());
  } else {
    throw std::invalid_argument("'" + word +
                                "' is no linear solver: known are auto, dense, sparse");
  }
  solver->analyse(structure);
  return solver;
}

}  // namespace mbs
