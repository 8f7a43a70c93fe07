// Forward dynamics: microseconds per right-hand side, for chains, trees and a humanoid-like tree,
// next to other codes in the same run; how it grows with N; what derivatives and loops cost.
//
//   tests/bench/run dynamics [largest N] [compare|grow|differentiate|close]

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "tests/bench/dynamics/bodies.hpp"

namespace mbs::bench {
namespace {

// States go round, so that no code can keep anything.
constexpr int states = 4;

struct States {
  std::vector<std::vector<double>> q, qd;

  explicit States(int n) {
    std::mt19937 random(1);
    const auto number = [&] { return -1.0 + 2.0 * (static_cast<double>(random()) / 4294967296.0); };
    for (int k = 0; k < states; ++k) {
      q.emplace_back(n);
      qd.emplace_back(n);
      for (double& x : q.back()) x = 0.5 * number();
      for (double& x : qd.back()) x = number();
    }
  }
};

double microseconds(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Entrant {
  Entrant(std::string who, std::unique_ptr<Code> what)
      : name(std::move(who)), code(std::move(what)) {}
  std::string name;
  std::unique_ptr<Code> code;
  double least = 1e300;
  std::vector<double> qdd;
};

// The codes take turns, so that others on the machine disturb all alike.
void measure(std::vector<Entrant>& entrants, int n) {
  const States at(n);
  for (Entrant& one : entrants) {
    one.qdd.assign(static_cast<std::size_t>(n), 0.0);
    one.code->evaluate(at.q[0].data(), at.qd[0].data(), one.qdd.data());
  }
  const int rounds = std::max(60, n / 20);  // large ones are disturbed in each of a few
  const int repeat = std::max(1, 2000 / n);
  std::vector<double> qdd(static_cast<std::size_t>(n));
  for (int round = 0; round < rounds; ++round) {
    for (Entrant& one : entrants) {
      const double time = microseconds([&] {
        for (int k = 0; k < repeat; ++k) {
          const auto s = static_cast<std::size_t>(k % states);
          one.code->evaluate(at.q[s].data(), at.qd[s].data(), qdd.data());
        }
      });
      one.least = std::min(one.least, time / repeat);
    }
  }
}

double deviation(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return largest / size;
}

void compare(int largest) {
  for (const auto make : {make_chain, make_tree, make_humanoid}) {
    std::printf("%-10s %5s %10s", make(10).name.c_str(), "N", "joint");
    for (const char* name : {"simbody", "mujoco", "bullet"}) std::printf(" %10s", name);
    std::printf("   joint/best  joint/simbody   deviation\n");
    for (const int n : {10, 30, 100, 300, 1000}) {
      if (n > largest) continue;
      const Bodies all = make(n);
      std::vector<Entrant> entrants;
      entrants.emplace_back("joint", make_ours(all, "joint"));
      entrants.emplace_back("simbody", make_simbody(all));
      entrants.emplace_back("mujoco", make_mujoco(all));
      entrants.emplace_back("bullet", make_bullet(all));
      std::vector<Entrant> there;
      for (Entrant& one : entrants) {
        if (one.code) there.push_back(std::move(one));
      }
      measure(there, all.hinges());
      double best = 1e300, simbody = NAN, apart = 0.0;
      std::printf("%-10s %5d", "", n);
      for (const char* name : {"joint", "simbody", "mujoco", "bullet"}) {
        const auto found = std::find_if(there.begin(), there.end(),
                                        [&](const Entrant& one) { return one.name == name; });
        if (found == there.end()) {
          std::printf(" %10s", "-");
          continue;
        }
        std::printf(" %10.2f", found->least);
        if (found == there.begin()) continue;
        best = std::min(best, found->least);
        apart = std::max(apart, deviation(found->qdd, there.front().qdd));
        if (found->name == "simbody") simbody = found->least;
      }
      std::printf("   %10.2f  %13.2f   %9.1e\n", there.front().least / best,
                  there.front().least / simbody, apart);
    }
  }
}

// The memory that has been allocated and not given back.
double megabytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1e6;
}

void grow(int largest) {
  std::printf(
      "\nchain, one right-hand side in microseconds; exponent from the N before; memory of "
      "equations,\n"
      "workspace and solver\n%6s",
      "N");
  const std::vector<std::string> keywords = {"joint", "mixed"};
  for (const std::string& keyword : keywords) {
    std::printf(" %12s %8s %8s", keyword.c_str(), "exponent", "MB");
  }
  std::printf("\n");
  std::vector<double> previous(keywords.size(), 0.0);
  int last = 0;
  for (const int n : {10, 30, 100, 300, 1000, 3000, 10000}) {
    if (n > largest) break;
    std::printf("%6d", n);
    for (std::size_t k = 0; k < keywords.size(); ++k) {
      std::vector<Entrant> one;
      const double before = megabytes();
      one.emplace_back(keywords[k], make_ours(make_chain(n), keywords[k]));
      measure(one, n);
      const double memory = megabytes() - before;
      std::printf(" %12.2f", one[0].least);
      if (last > 0) {
        std::printf(" %8.3f",
                    std::log(one[0].least / previous[k]) / std::log(static_cast<double>(n) / last));
      } else {
        std::printf(" %8s", "");
      }
      std::printf(" %8.1f", memory);
      previous[k] = one[0].least;
    }
    std::printf("\n");
    std::fflush(stdout);
    last = n;
  }
}

// An evaluation and its derivatives.
class Differentiated final : public Code {
 public:
  explicit Differentiated(std::unique_ptr<Code> code) : code_(std::move(code)) {}
  void evaluate(const double* q, const double* qd, double* qdd) override {
    code_->evaluate(q, qd, qdd);
    code_->differentiate();
  }

 private:
  std::unique_ptr<Code> code_;
};

void differentiate(int largest) {
  std::printf(
      "\nall derivatives of the accelerations with respect to angles, rates and torques (3 N "
      "columns),"
      "\nfrom a state with its accelerations and the factors of M that these were solved with: "
      "time,"
      "\nby that of one right-hand side, of both together by it\n"
      "%-10s %5s %12s %12s %12s %22s\n",
      "", "N", "microseconds", "alone", "with it", "microseconds/column/N");
  for (const auto make : {make_chain, make_tree, make_humanoid}) {
    for (const int n : {10, 30, 100, 300}) {
      if (n > largest) continue;
      const Bodies all = make(n);
      std::vector<Entrant> both;
      both.emplace_back("evaluation", make_ours(all, "joint"));
      both.emplace_back("derivatives", std::make_unique<Differentiated>(make_ours(all, "joint")));
      measure(both, all.hinges());
      const double once = both[0].least, time = both[1].least - once;
      std::printf("%-10s %5d %12.2f %12.2f %12.2f %22.4f\n", all.name.c_str(), n, time, time / once,
                  both[1].least / once, time / 3 / n / n);
    }
  }
}

void close_loops() {
  std::printf(
      "\nchain of 100 closed to a loop, in joint coordinates: cost by that of the open one\n");
  std::vector<Entrant> all;
  all.emplace_back("open", make_ours(make_chain(100), "joint"));
  for (const char* joint : {"spherical", "revolute"}) {
    all.emplace_back(joint, make_ours(make_chain(100), "joint", joint));
  }
  measure(all, 100);
  for (const Entrant& one : all) {
    std::printf("%12s %10.2f %8.2f\n", one.name.c_str(), one.least, one.least / all[0].least);
  }
}

}  // namespace
}  // namespace mbs::bench

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 10000;
  const std::string part = argc > 2 ? argv[2] : "";
  if (part.empty() || part == "compare") mbs::bench::compare(largest);
  if (part.empty() || part == "grow") mbs::bench::grow(largest);
  if (part.empty() || part == "differentiate") mbs::bench::differentiate(largest);
  if (part.empty() || part == "close") mbs::bench::close_loops();
}
