// What communication steps cost that are a hundred times smaller than the integrator's own, against
// one big step: inputs left alone, set to what they are, and smooth with their derivatives
// (FMI 2.0), those against a model that has the same function of time within. Processor time, the
// least of several rounds that alternate. It is no test, because time depends on the machine
// (tests/simulation/small_steps_test.cpp counts): measure_small_steps RUNTIME

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

constexpr double stop = 10.0;
enum Input { alone, same, smooth };
constexpr double tolerances[] = {1e-5, 1e-6, 1e-7, 1e-8};

std::string driven_text() {
  std::string text = rig_text;
  const std::string inside = "(M - lag)";
  return text.replace(text.find(inside), inside.size(),
                      "(0.3 N.m + 0.1 N.m*sin(time/(1 s)) - lag)");
}

struct Run {
  double seconds;
  int steps;  // the integrator's
};

Run run(const Fmu& fmu, double tolerance, int count, Input input) {
  Instance instance(fmu, 2, false);
  const Functions2& f = runtime().fmi2;
  const std::uint32_t M = fmu.description["M"];
  instance.set_up_and_enter(0.0, -1.0, tolerance);
  instance.exit();
  const int orders[] = {1, 2};
  const std::uint32_t both[] = {M, M};
  const std::clock_t begin = std::clock();
  for (int i = 0; i < count; ++i) {
    const double t = stop * i / count;
    const double value = input == smooth ? 0.3 + 0.1 * std::sin(t) : 0.3;
    if (input != alone) f.SetReal(instance.handle, &M, 1, &value);
    if (input == smooth) {
      const double derivatives[] = {0.1 * std::cos(t), -0.1 * std::sin(t)};
      f.SetRealInputDerivatives(instance.handle, both, 2, orders, derivatives);
    }
    f.DoStep(instance.handle, t, stop * (i + 1) / count - t, fmi2True);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::int32_t steps = 0;
  instance.get_integer("steps", steps);
  return {seconds, steps};
}

int measure() {
  const Fmu fmu(rig_text), driven(driven_text());
  std::printf("%-6s %-34s %8s %8s %9s %6s\n", "rtol", "", "calls", "steps", "ms", "ratio");
  for (const double tolerance : tolerances) {
    const int small = 100 * run(fmu, tolerance, 1, alone).steps;
    const int often = 100 * run(driven, tolerance, 1, alone).steps;
    struct {
      const char* name;
      const Fmu& fmu;
      int count;
      Input input;
      int against;
      Run least = {1e9, 0};
    } rows[] = {{"one big step", fmu, 1, alone, 0},
                {"inputs left alone", fmu, small, alone, 0},
                {"inputs set as they are", fmu, small, same, 0},
                {"one big step, the input inside", driven, 1, alone, 3},
                {"inputs smooth, with derivatives", fmu, often, smooth, 3}};
    for (int round = 0; round < 15; ++round)
      for (auto& row : rows) {
        const Run now = run(row.fmu, tolerance, row.count, row.input);
        if (now.seconds < row.least.seconds) row.least = now;
      }
    for (const auto& row : rows)
      std::printf("%.0e  %-34s %8d %8d %9.3f %6.2f\n", tolerance, row.name, row.count,
                  row.least.steps, 1e3 * row.least.seconds,
                  row.least.seconds / rows[row.against].least.seconds);
  }
  return 0;
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  return mbs::test::measure();
}
