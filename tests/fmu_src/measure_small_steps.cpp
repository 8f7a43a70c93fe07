// What communication steps cost that are a hundred times smaller than the integrator's own, against
// one big step: inputs left alone, set to what they are, and smooth with their derivatives
// (FMI 2.0). Processor time, the least of several rounds that alternate. It is no test, because
// time depends on the machine (tests/simulation/small_steps_test.cpp counts): measure_small_steps
// RUNTIME

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

struct Run {
  double seconds;
  int steps;  // the integrator's
};

Run run(const Fmu& fmu, int count, Input input) {
  Instance instance(fmu, 2, false);
  const Functions2& f = runtime().fmi2;
  const std::uint32_t M = fmu.description["M"];
  instance.start();
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
  const Fmu fmu(rig_text);
  const int small = 100 * run(fmu, 1, alone).steps;
  std::array<Run, 4> least;
  least.fill({1e9, 0});
  for (int round = 0; round < 15; ++round) {
    const Run now[] = {run(fmu, 1, alone), run(fmu, small, alone), run(fmu, small, same),
                       run(fmu, small, smooth)};
    for (std::size_t k = 0; k < least.size(); ++k)
      if (now[k].seconds < least[k].seconds) least[k] = now[k];
  }
  const char* names[] = {"one big step", "inputs left alone", "inputs set as they are",
                         "inputs smooth, with derivatives"};
  for (std::size_t k = 0; k < least.size(); ++k)
    std::printf("%-34s %6d communication steps, %5d of the integrator %8.3f ms  %.2f\n", names[k],
                k == 0 ? 1 : small, least[k].steps, 1e3 * least[k].seconds,
                least[k].seconds / least[0].seconds);
  return 0;
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  return mbs::test::measure();
}
