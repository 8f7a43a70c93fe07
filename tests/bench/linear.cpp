// Tables 5.5 and 5.6 of report 000 for our solvers: time of analysis, factorisation and solution of
// the insulator chain's saddle system, N = 16 ... 1024, and how it grows with N.
//
// The configurations are bent as in the motion; factorisations go round several of them. Each time
// is the least of several rounds.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/linear/saddle_solver.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {
namespace {

constexpr int configurations = 4;

struct Chain {
  std::unique_ptr<Equations> equations;
  std::vector<std::unique_ptr<Workspace>> at;  // one a configuration
};

Chain make_chain(int N) {
  Chain chain{make_insulator_chain(N), {}};
  const Parameters parameters = chain.equations->default_parameters();
  const Inputs inputs = chain.equations->default_inputs(parameters);
  const Given given{inputs, parameters};
  for (int k = 0; k < configurations; ++k) {
    State x = chain.equations->initial(given, 0.0);
    for (int body = 0; body <= N; ++body) {
      x.p[4 + 3 * body] = 0.3 * std::sin(0.7 * body + 0.1 * k) - 0.05 * k;
    }
    chain.at.push_back(chain.equations->make_workspace());
    chain.equations->position(given, x, want_M | want_G, *chain.at.back());
  }
  return chain;
}

// Microseconds of one call, the least of some rounds that take about a fiftieth of a second each.
double microseconds(const std::function<void(int)>& call) {
  const auto time_of = [&](int repetitions) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < repetitions; ++k) call(k);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    return time.count() / repetitions;
  };
  const double once = time_of(1);
  const int repetitions = std::clamp(static_cast<int>(2e4 / std::max(once, 0.01)), 1, 200000);
  double least = once;
  for (int round = 0; round < 7; ++round) least = std::min(least, time_of(repetitions));
  return least;
}

struct Times {
  double analyse, first, factor, solve;
  double both() const { return factor + solve; }
};

Times measure(const std::string& word, const Chain& chain) {
  const SaddleStructure& structure = chain.equations->structure().saddle;
  const auto matrix = [&](int k) {
    return chain.at[static_cast<std::size_t>(k % configurations)]->saddle();
  };
  Times times{};
  times.analyse = microseconds([&](int) { make_saddle_solver(word, structure); });
  times.first =
      microseconds([&](int k) { make_saddle_solver(word, structure)->factor(matrix(k)); }) -
      times.analyse;
  const auto solver = make_saddle_solver(word, structure);
  bool regular = true;
  times.factor = microseconds([&](int k) { regular = solver->factor(matrix(k)) && regular; });
  Vector x(structure.M.cols()), y(structure.G.rows());
  times.solve = microseconds([&](int k) {
    x.setConstant(1.0 + k);
    y.setConstant(1.0);
    solver->solve(x, y);
  });
  if (!regular || solver->statistics().fall_backs > 0)
    std::printf("%s left its way\n", word.c_str());
  return times;
}

// Exponent of least squares through (log N, log time).
double exponent(const std::map<int, double>& times) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [N, time] : times) {
    const double a = std::log(N), b = std::log(time);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace
}  // namespace mbs::test

int main() {
  using namespace mbs::test;
  std::printf(
      "| solver | N | unknowns | analyse | first factor | factor | solve | factor + solve |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  std::map<std::string, std::map<int, double>> both;
  std::map<int, double> refactor_gain, tree_gain;
  for (const int N : {16, 32, 64, 128, 256, 512, 1024}) {
    const Chain chain = make_chain(N);
    for (const char* word : {"dense", "symmetric", "block", "sparse", "tree"}) {
      const bool linear = std::string(word) == "sparse" || std::string(word) == "tree";
      if (!linear && N > 128) continue;
      const Times t = measure(word, chain);
      std::printf("| %s | %d | %d | %.1f | %.1f | %.2f | %.2f | %.2f |\n", word, N, 5 * N + 9,
                  t.analyse, t.first, t.factor, t.solve, t.both());
      std::fflush(stdout);
      both[word][N] = t.both();
      if (std::string(word) == "sparse") refactor_gain[N] = (t.analyse + t.first) / t.factor;
    }
    tree_gain[N] = both["sparse"][N] / both["tree"][N];
  }
  std::printf(
      "\n| | N = 16 | 32 | 64 | 128 | 256 | 512 | 1024 |\n|---|---|---|---|---|---|---|---|\n");
  const auto row = [](const char* title, const std::map<int, double>& values) {
    std::printf("| %s |", title);
    for (const auto& [N, value] : values) std::printf(" %.2f |", value);
    std::printf("\n");
  };
  row("sparse / tree, factor + solve", tree_gain);
  row("sparse: (analyse + first factor) / refactor", refactor_gain);
  std::printf("\nExponent of factor + solve over N:");
  for (const auto& [word, times] : both) std::printf(" %s %.3f;", word.c_str(), exponent(times));
  std::printf("\n");
}
