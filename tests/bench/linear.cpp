// Tables 5.5 and 5.6 of Lubich et al. (1992) for our solvers: time of analysis, factorisation and
// solution of the insulator chain's saddle system, N = 16 ... 1024, and how it grows with N.
//
// The configurations are bent as in the motion; factorisations go round several of them.

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
  const Context context{inputs, parameters};
  for (int k = 0; k < configurations; ++k) {
    State x = chain.equations->initial(context, 0.0);
    for (int body = 0; body <= N; ++body) {
      x.p[4 + 3 * body] = 0.3 * std::sin(0.7 * body + 0.1 * k) - 0.05 * k;
    }
    chain.at.push_back(chain.equations->make_workspace());
    chain.equations->position(context, x, want_M | want_G, *chain.at.back());
  }
  return chain;
}

double microseconds_of(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

// Least times of one analysis, the first factorisation after it, a later one, and a solution.
struct Times {
  double analyse = 1e9, first = 1e9, factor = 1e9, solve = 1e9;
  double both() const { return factor + solve; }
};

// Solvers take turns, and each turn is short: others on the machine disturb few of them, and all
// solvers alike.
constexpr int first_rounds = 15, rounds = 400;
constexpr double turn = 400.0;  // microseconds

std::map<std::string, Times> measure(const std::vector<std::string>& keywords, const Chain& chain) {
  const SaddleStructure& structure = chain.equations->structure().saddle;
  const auto matrix = [&](int k) {
    return chain.at[static_cast<std::size_t>(k % configurations)]->saddle();
  };
  std::map<std::string, Times> times;
  std::map<std::string, std::unique_ptr<SaddleSolver>> solvers;
  bool regular = true;
  for (int round = 0; round < first_rounds; ++round) {
    for (const std::string& keyword : keywords) {
      Times& t = times[keyword];
      std::unique_ptr<SaddleSolver>& solver = solvers[keyword];
      const double analyse =
          microseconds_of([&] { solver = make_saddle_solver(keyword, structure); });
      const double first =
          microseconds_of([&] { regular = solver->factor(matrix(round)) && regular; });
      t.analyse = std::min(t.analyse, analyse);
      t.first = std::min(t.first, first);
    }
  }
  Vector x(structure.M.cols()), y(structure.G.rows());
  for (int round = 0; round < rounds; ++round) {
    for (const std::string& keyword : keywords) {
      Times& t = times[keyword];
      if (t.first > 10.0 * turn && round >= first_rounds) continue;
      SaddleSolver& solver = *solvers[keyword];
      const int calls = std::clamp(static_cast<int>(turn / t.first), 1, 200);
      const double factor = microseconds_of([&] {
        for (int k = 0; k < calls; ++k) regular = solver.factor(matrix(k)) && regular;
      });
      const double solve = microseconds_of([&] {
        for (int k = 0; k < calls; ++k) {
          x.setConstant(1.0 + k);
          y.setConstant(1.0);
          solver.solve(x, y);
        }
      });
      t.factor = std::min(t.factor, factor / calls);
      t.solve = std::min(t.solve, solve / calls);
    }
  }
  for (const auto& [keyword, solver] : solvers) {
    if (!regular || solver->statistics().fallbacks > 0) {
      std::printf("%s left its way\n", keyword.c_str());
    }
  }
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
      "Microseconds:\n\n| solver | N | unknowns | analyse | first factor | factor | solve | both "
      "|\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  std::map<std::string, std::map<int, double>> both;
  std::map<int, double> refactor_gain, tree_gain;
  for (const int N : {16, 32, 64, 128, 256, 512, 1024}) {
    const Chain chain = make_chain(N);
    std::vector<std::string> keywords{"sparse", "tree"};
    if (N <= 128) keywords.insert(keywords.begin(), {"dense", "symmetric", "block"});
    auto times = measure(keywords, chain);
    for (const std::string& keyword : keywords) {
      const Times& t = times[keyword];
      std::printf("| %s | %d | %d | %.1f | %.1f | %.2f | %.2f | %.2f |\n", keyword.c_str(), N,
                  5 * N + 9, t.analyse, t.first, t.factor, t.solve, t.both());
      both[keyword][N] = t.both();
    }
    std::fflush(stdout);
    const Times& sparse = times["sparse"];
    refactor_gain[N] = (sparse.analyse + sparse.first) / sparse.factor;
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
  for (const auto& [keyword, times] : both)
    std::printf(" %s %.3f;", keyword.c_str(), exponent(times));
  std::printf("\n");
}
