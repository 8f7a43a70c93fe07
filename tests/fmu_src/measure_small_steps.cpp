// Measures the cost of communication steps that are a hundred times smaller than the integrator's
// own, against one big step: inputs left alone, set to what they are, and smooth with their
// derivatives (FMI 2.0), those against a model that has the same function of time within. Processor
// time, the least of several rounds that alternate. It is no test, because time depends on the
// machine (tests/simulation/small_steps_test.cpp counts): measure_small_steps RUNTIME

#include <algorithm>
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

const char* const methods[] = {"extrapolation", "midpoint", "radau", "bdf", "reduction"};

std::string text_of(const char* method, bool driven) {
  std::string text = rig_text;
  const auto replace = [&](const std::string& part, const std::string& by) {
    text.replace(text.find(part), part.size(), by);
  };
  replace("method=\"extrapolation\"", std::string("method=\"") + method + "\"");
  if (driven) replace("(M - lag)", "(0.3 N.m + 0.1 N.m*sin(time/(1 s)) - lag)");
  return text;
}

struct Run {
  double seconds;
  int steps;  // the integrator's
};

// The values that the importer sets, computed before the clock runs; a type of their own, so that
// little memory has to be fetched.
struct Course {
  std::vector<double> times;  // one more than steps
  struct Sine {
    double value, derivatives[2];
  };
  std::vector<Sine> sine;

  Course(int count, Input input) {
    for (int i = 0; i <= count; ++i) times.push_back(stop * i / count);
    if (input != smooth) return;
    for (const double t : times)
      sine.push_back({0.3 + 0.1 * std::sin(t), {0.1 * std::cos(t), -0.1 * std::sin(t)}});
  }
};

Run run(const Fmu& fmu, double tolerance, int count, Input input) {
  const Course course(count, input);
  Instance instance(fmu, 2, false);
  const Functions2& f = runtime().fmi2;
  const std::uint32_t M = fmu.description["M"];
  instance.set_up_and_enter(0.0, -1.0, tolerance);
  instance.exit();
  const int orders[] = {1, 2};
  const std::uint32_t both[] = {M, M};
  const double still = 0.3;
  const std::clock_t begin = std::clock();
  for (std::size_t i = 0; i + 1 < course.times.size(); ++i) {
    if (input == same) f.SetReal(instance.handle, &M, 1, &still);
    if (input == smooth) {
      f.SetReal(instance.handle, &M, 1, &course.sine[i].value);
      f.SetRealInputDerivatives(instance.handle, both, 2, orders, course.sine[i].derivatives);
    }
    const double t = course.times[i];
    f.DoStep(instance.handle, t, course.times[i + 1] - t, fmi2True);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::int32_t steps = 0;
  instance.get_integer("steps", steps);
  return {seconds, steps};
}

void measure(const char* method) {
  const Fmu fmu(text_of(method, false)), driven(text_of(method, true));
  for (const double tolerance : tolerances) {
    const int small = 100 * run(fmu, tolerance, 1, alone).steps;
    const int often = 100 * run(driven, tolerance, 1, alone).steps;
    struct {
      const Fmu& fmu;
      int count;
      Input input;
      Run least = {1e9, 0};
    } rows[] = {{fmu, 1, alone},
                {fmu, small, alone},
                {fmu, small, same},
                {driven, 1, alone},
                {fmu, often, smooth}};
    for (int round = 0; round < 15; ++round)
      for (auto& row : rows) {
        const Run now = run(row.fmu, tolerance, row.count, row.input);
        if (now.seconds < row.least.seconds) row.least = now;
      }
    const Run &big = rows[0].least, &still = rows[1].least, &same_value = rows[2].least,
              &inside = rows[3].least, &given = rows[4].least;
    std::printf("| %s | %.0e | %d | %.2f | %.2f | %.2f | %d | %d | %.2f |\n", method, tolerance,
                big.steps, 1e6 * big.seconds / big.steps, still.seconds / big.seconds,
                same_value.seconds / big.seconds, given.steps, inside.steps,
                given.seconds / inside.seconds);
  }
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  std::printf(
      "| method | rtol | steps | us a step | alone | set as it is | steps, smooth | steps, the "
      "function inside | smooth |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const char* method : mbs::test::methods) mbs::test::measure(method);
  return 0;
}
