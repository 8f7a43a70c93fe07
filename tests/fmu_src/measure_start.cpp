// How long an FMU takes until its first step: opening the library, instantiating, initialising,
// each the median of several. Prints a table; it is no test, because time depends on the machine.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

int measure() {
  const Fmu fmu(rig_text);
  std::vector<double> opened, made, started;
  for (int i = 0; i < 51; ++i) {
    const auto begin = Clock::now();
    { const Runtime alone; }  // opened and closed: nothing of it is kept for the next round
    opened.push_back(milliseconds(begin, Clock::now()));
  }
  for (int i = 0; i < 51; ++i) {
    const auto begin = Clock::now();
    Instance instance(fmu, 3);
    const auto done = Clock::now();
    if (instance.start() != ok) return 1;
    made.push_back(milliseconds(begin, done));
    started.push_back(milliseconds(done, Clock::now()));
  }
  std::printf("open the library %.2f ms, instantiate %.2f ms, initialise %.2f ms\n", median(opened),
              median(made), median(started));
  return 0;
}

}  // namespace
}  // namespace mbs::test

// The runtime to measure is the first argument.
int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  return mbs::test::measure();
}
