// make_saddle_solver: by keyword, or by structure and size.

#include <stdexcept>

#include "engine/base/linear_solver_names.hpp"
#include "engine/linear/cg_saddle.hpp"
#include "engine/linear/dense_saddle.hpp"
#include "engine/linear/least_norm_saddle.hpp"
#include "engine/linear/range_space_saddle.hpp"
#include "engine/linear/sparse_least_norm_saddle.hpp"
#include "engine/linear/sparse_saddle.hpp"
#include "engine/linear/symmetric_saddle.hpp"
#include "engine/linear/tree_saddle.hpp"

namespace mbs {

namespace {

// Bounds that tests/linear/measure_cut.cpp has measured.
constexpr int few_unknowns = 16;    // dense is as fast as sparse, and pivots every time
constexpr double dense_from = 0.4;  // of the entries: dense is faster than sparse
constexpr int largest_body = 16;    // unknowns of a node; larger ones have no loops of fixed size
constexpr int most_cut_rows = 10;   // each costs a solution in every factorisation
constexpr int dense_least_norm = 100;  // unknowns up to which it is as fast as sparse

std::unique_ptr<SaddleSolver> make(std::string_view keyword, const SaddleStructure& structure) {
  if (keyword == "dense") return std::make_unique<DenseSaddle>();
  if (keyword == "symmetric") return std::make_unique<SymmetricSaddle>();
  if (keyword == "range_space") return std::make_unique<RangeSpaceSaddle>();
  if (keyword == "block") return std::make_unique<TreeSaddle>(TreeSaddle::Nodes::one);
  if (keyword == "sparse") return std::make_unique<SparseSaddle>(make_sparse_lu());
  if (keyword == "tree") return std::make_unique<TreeSaddle>();
  if (keyword == "cg") return std::make_unique<CgSaddle>();
  if (keyword == least_norm_keyword) {
    const auto size = structure.M.cols() + structure.G.rows();
    if (size > dense_least_norm && structure.F.nonZeros() == 0) {
      return std::make_unique<SparseLeastNormSaddle>();
    }
    return std::make_unique<LeastNormSaddle>();
  }
  std::string known;
  for (const char letter : saddle_keywords) known += letter == '|' ? ", " : std::string(1, letter);
  throw std::invalid_argument("'" + std::string(keyword) + "' is no linear solver: known are " +
                              known);
}

struct Choice {
  const char* keyword;
  const char* reason;
};

Choice choose(const SaddleStructure& structure) {
  const double size = static_cast<double>(structure.M.cols() + structure.G.rows());
  const double entries =
      static_cast<double>(structure.M.nonZeros() + 2 * structure.G.nonZeros() + structure.G.rows());
  const BodyTree tree = find_body_tree(structure);
  if (tree.nodes.size() > 1 && tree.largest_node() <= largest_body &&
      static_cast<int>(tree.cut.size()) <= most_cut_rows) {
    return {"tree", tree.cut.empty() ? "no loops" : "few loops"};
  }
  if (size <= few_unknowns) return {"dense", "few unknowns"};
  if (entries >= dense_from * size * size) return {"dense", "most entries are there"};
  return {"sparse", "no tree of small bodies"};
}

}  // namespace

std::string_view saddle_keyword_for(const SaddleStructure& structure) {
  return choose(structure).keyword;
}

std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& keyword,
                                                 const SaddleStructure& structure) {
  std::unique_ptr<SaddleSolver> solver;
  if (keyword == "auto") {
    const Choice choice = choose(structure);
    solver = make(choice.keyword, structure);
    solver->set_reason(choice.reason);
  } else {
    solver = make(keyword, structure);
  }
  solver->analyse(structure);
  return solver;
}

}  // namespace mbs
