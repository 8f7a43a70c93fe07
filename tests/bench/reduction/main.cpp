// bench_reduction [adams] [energy] [crank]

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "tests/bench/peers/solver.hpp"
#include "tests/bench/reduction/tables.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {

namespace {

constexpr const char* methods[] = {
    "method=partition", "method=stabilized", "method=hybrid",
    "method=svd",       "method=nullspace",  "method=nullspace position_correction=false"};

}  // namespace

// 1000 periods of the pendulum that starts level: its energy is 0, its greatest kinetic one g.
void energy_table() {
  std::printf(
      "\n1000 periods of the pendulum: energy at the end, its largest size, largest residuals\n");
  for (const double tolerance : {1e-6, 1e-8}) {
    for (const char* method : methods) {
      ProblemRun run("pendulum-period2");
      const auto integrator =
          run.start(std::string("reduction ") + method, with_tolerance(tolerance));
      double end = 0.0, most = 0.0, g = 0.0, G_v = 0.0, first_half = 0.0;
      const Stopwatch watch;
      while (integrator->state().t < 2000.0) {
        integrator->step(2000.0);
        const auto E = run.equations->energy(run.context(), integrator->state(), *run.ws);
        end = E.kinetic + E.potential;
        most = std::max(most, std::abs(end));
        g = std::max(g, run.position_residual(integrator->state()));
        G_v = std::max(G_v, run.velocity_residual(integrator->state()));
        if (integrator->state().t < 1000.0) first_half = g;
      }
      std::printf(
          "%.0e  %-44s %10.2e %9.2e   g %.1e (first half %.1e)  G v %.1e  %7ld evaluations  %6.0f "
          "ms\n",
          tolerance, method, end, most, g, first_half, G_v,
          integrator->statistics().matrix_evaluations, watch.milliseconds());
    }
  }
}

// Prints the means about which single runs scatter: geometric means over 17 tolerances of the
// energy at the end, in tolerances.
void energy_means() {
  std::printf(
      "\nits energy after 1000 periods by the tolerance, geometric mean over 1e-5 ... 1e-9\n");
  for (const char* method : methods) {
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (double e = 5.0; e <= 9.01; e += 0.25, ++count) {
      const double tolerance = std::pow(10.0, -e);
      ProblemRun run("pendulum-period2");
      const auto integrator =
          run.start(std::string("reduction ") + method, with_tolerance(tolerance));
      ProblemRun::advance(*integrator, 2000.0);
      const auto E = run.equations->energy(run.context(), integrator->state(), *run.ws);
      const double size = std::log(std::abs(E.kinetic + E.potential) / tolerance);
      sum += size;
      squares += size * size;
    }
    const double mean = sum / count, spread = std::sqrt((squares / count - mean * mean) / count);
    std::printf("%-44s %8.0f  (between %.0f and %.0f by its standard error)\n", method,
                std::exp(mean), std::exp(mean - spread), std::exp(mean + spread));
  }
}

// The crank of tests/problems/slider_crank.cpp through 1000 turns. Between two dead points x is the
// better coordinate once and the crank again: four changes a turn.
void crank_table() {
  std::printf("\nslider crank, 1000 turns at 1e-7: changes of coordinates (four a turn: 4000)\n");
  for (const char* method : methods) {
    ProblemRun run("slider_crank");
    const auto integrator = run.start(std::string("reduction ") + method, with_tolerance(1e-7));
    const auto energy = [&] {
      return run.equations->energy(run.context(), integrator->state(), *run.ws).kinetic;
    };
    const double E0 = energy();
    const long begin = integrator->statistics().selectors;
    double g = 0.0;
    while (integrator->state().p[0] < 2000.0 * std::numbers::pi) {
      integrator->step(1e9);
      g = std::max(g, run.position_residual(integrator->state()));
    }
    const Statistics& s = integrator->statistics();
    std::printf("%-44s %6ld changes  energy %9.1e  g %.1e  %6ld steps  %ld failed\n", method,
                s.selectors - begin, energy() / E0 - 1.0, g, s.steps, s.failed);
  }
}

}  // namespace mbs::test

int main(int count, char** arguments) {
  const auto asked = [&](const char* keyword) {
    for (int i = 1; i < count; ++i) {
      if (std::string(arguments[i]) == keyword) return true;
    }
    return count == 1;
  };
  bool holds = true;
  if (asked("adams")) holds = mbs::test::adams_table();
  if (asked("energy")) {
    mbs::test::energy_table();
    mbs::test::energy_means();
  }
  if (asked("crank")) mbs::test::crank_table();
  return holds ? 0 : 1;
}
