// Time of the solver of contact problems over the number of contacts, with W by its factors and as
// a matrix: pyramids of spheres and walls of bricks by formula.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "engine/contact/solver.hpp"
#include "tests/contact/generated_problems.hpp"

namespace {

constexpr int turns = 3;

struct Point {
  double contacts, ms;
};

// Processor time: others may use the machine, too.
double processor_ms() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double milliseconds(const mbs::ContactProblem& problem, mbs::ContactSolution& solution) {
  double least = 1e300;
  for (int turn = 0; turn < turns; ++turn) {
    const double begin = processor_ms();
    solution = mbs::solve(problem);
    least = std::min(least, processor_ms() - begin);
  }
  return least;
}

// Least squares on logarithms.
double exponent(const std::vector<Point>& points) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(points.size());
  for (const Point& p : points) {
    const double a = std::log(p.contacts), b = std::log(p.ms);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void table(const char* name, const std::vector<int>& sizes,
           const std::function<mbs::ContactProblem(int)>& make) {
  std::vector<Point> points;
  std::printf("| %s | contacts | factorisations | relative | factors ms | matrix ms |\n", name);
  std::printf("|---|---|---|---|---|---|\n");
  for (const int size : sizes) {
    const mbs::ContactProblem by_factors = make(size);
    mbs::ContactProblem by_matrix = by_factors;
    by_matrix.W = by_factors.factors->matrix();
    by_matrix.factors.reset();
    mbs::ContactSolution solution, other;
    const double ms = milliseconds(by_factors, solution);
    points.push_back({static_cast<double>(by_factors.cones.size()), ms});
    std::printf("| | %zu | %d | %.1e%s | %.2f | %.2f |\n", by_factors.cones.size(),
                solution.factorisations, solution.certificate.relative(),
                solution.found ? "" : " (none)", ms, milliseconds(by_matrix, other));
    std::fflush(stdout);
  }
  std::printf("exponent with factors: %.2f\n\n", exponent(points));
}

}  // namespace

int main() {
  table("spheres", {2, 3, 4, 5, 6, 7, 8}, mbs::test::pyramid_of_spheres);
  table("bricks", {2, 3, 4, 5, 7, 9, 11}, mbs::test::wall_of_bricks);
}
