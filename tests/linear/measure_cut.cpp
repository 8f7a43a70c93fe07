// Compares saddle solvers: microseconds of one factorisation with two solutions, over
// the size of chains, trees and closed loops with M of 3 x 3 blocks, over the number of loops, and
// of full matrices. Prints a table; `auto` of make_saddle_solver has its bounds from it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/linear/random_saddle.hpp"

namespace mbs::test {
namespace {

constexpr const char* keywords[] = {"dense", "symmetric", "range_space", "block", "sparse", "tree"};

// Microseconds of one factorisation with two solutions.
double measure(SaddleSolver& solver, const SaddleMatrix& matrix, int repetitions) {
  Vector x(matrix.M.cols()), y(matrix.G.rows());
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < repetitions; ++k) {
      solver.factor(matrix);
      for (int right = 0; right < 2; ++right) {
        x.setOnes();
        y.setOnes();
        solver.solve(x, y);
      }
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / repetitions);
  }
  return best;
}

void compare(const std::string& title, const SaddleStructure& structure,
             const SaddleMatrix& matrix) {
  const int size = static_cast<int>(matrix.M.cols() + matrix.G.rows());
  const double entries = static_cast<double>(matrix.M.nonZeros() + 2 * matrix.G.nonZeros());
  std::printf("%-16s %6d %8.2f", title.c_str(), size, entries / (static_cast<double>(size) * size));
  for (const char* keyword : keywords) {
    if (size > 400 && std::string(keyword) != "sparse" && std::string(keyword) != "tree") {
      std::printf(" %11s", "");
      continue;
    }
    std::printf(" %11.2f", measure(*make_saddle_solver(keyword, structure), matrix,
                                   std::max(1, 20000 / size)));
  }
  std::printf("\n");
}

}  // namespace
}  // namespace mbs::test

int main() {
  using namespace mbs;
  using namespace mbs::test;
  std::printf("%-16s %6s %8s", "system", "size", "density");
  for (const char* keyword : keywords) std::printf(" %11s", keyword);
  std::printf("\n");
  std::mt19937 random(5);
  for (const auto topology : {SaddleKind::chain, SaddleKind::tree, SaddleKind::loop}) {
    for (const int bodies : {1, 2, 4, 6, 8, 10, 12, 16, 20, 30, 40}) {
      const SaddleKind kind{topology, bodies};
      const RandomSaddle system = make_random_saddle(kind, random);
      compare(name(kind), system.structure, system.matrix());
    }
  }
  for (const int bodies : {20, 100, 400}) {
    for (const int loops : {1, 2, 3, 4, 6, 8}) {
      const SaddleKind kind{.topology = SaddleKind::loop, .bodies = bodies, .loops = loops};
      const RandomSaddle system = make_random_saddle(kind, random);
      compare(name(kind), system.structure, system.matrix());
    }
  }
  for (const int bodies : {4, 20, 100}) {
    const SaddleKind kind{.bodies = bodies, .with_F = true};
    const RandomSaddle system = make_random_saddle(kind, random);
    compare(name(kind), system.structure, system.matrix());
  }
  // Minimal coordinates: M full, few constraints or none.
  for (const int n : {2, 5, 10, 20, 40, 80, 160}) {
    SaddleStructure structure;
    structure.M = (Matrix::Random(n, n) + n * Matrix::Identity(n, n)).sparseView();
    structure.G.resize(0, n);
    compare("full" + std::to_string(n), structure, {structure.M, structure.G, Vector()});
  }
}
