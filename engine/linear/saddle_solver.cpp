#include "engine/linear/saddle_solver.hpp"

#include <stdexcept>

#include "engine/linear/dense_saddle.hpp"
#include "engine/linear/sparse_saddle.hpp"

namespace mbs {

namespace {

// Up to this many unknowns the dense solver is faster (tests/linear/measure_cut.cpp).
constexpr Eigen::Index dense_up_to = 40;

}  // namespace

std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& word,
                                                 const SaddleStructure& structure) {
  const Eigen::Index size = structure.M.cols() + structure.G.rows();
  std::unique_ptr<SaddleSolver> solver;
  if (word == "dense" || (word == "auto" && size <= dense_up_to)) {
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
