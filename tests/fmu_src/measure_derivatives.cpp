// What a Jacobian costs through FMI 3: all outputs and rates by all inputs and states, column by
// column with GetDirectionalDerivative, against differences, each of which sets states and inputs
// and asks for rates and outputs. Processor time, the least of several rounds that alternate. It is
// no test, because time depends on the machine: measure_derivatives RUNTIME MODEL...

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

double seconds(const auto& what) {
  const std::clock_t begin = std::clock();
  int rounds = 0;
  do what();
  while (++rounds < 3 || std::clock() - begin < CLOCKS_PER_SEC / 100);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / rounds;
}

void measure(const std::string& path) {
  std::ifstream file(path);
  const Fmu fmu(std::string(std::istreambuf_iterator<char>(file), {}));
  const VariableTable& table = fmu.description.table;
  const Functions3& f = runtime().fmi3;
  void* handle = f.InstantiateModelExchange("m", fmu.description.token.c_str(),
                                            (fmu.resources.path() + "/").c_str(), false, false,
                                            nullptr, nullptr);
  if (handle == nullptr || f.EnterInitializationMode(handle, false, 0, 0, false, 0) != fmi3OK ||
      f.ExitInitializationMode(handle) != fmi3OK) {
    std::printf("%s does not start\n", path.c_str());
    return;
  }
  bool flags[5];
  double next = 0.0;
  f.UpdateDiscreteStates(handle, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4], &next);
  f.EnterContinuousTimeMode(handle);
  std::vector<std::uint32_t> outputs, knowns = table.states, unknowns = table.derivatives;
  std::vector<std::uint32_t> inputs;
  for (const Variable& v : table.variables) {
    if (v.source == Source::output && v.type == ValueType::real && v.follows_states)
      outputs.push_back(v.reference);
    if (v.source == Source::input) inputs.push_back(v.reference);
  }
  knowns.insert(knowns.end(), inputs.begin(), inputs.end());
  unknowns.insert(unknowns.end(), outputs.begin(), outputs.end());
  std::vector<double> x(table.states.size()), dx(x.size()), y(outputs.size()), u(inputs.size()),
      column(unknowns.size());
  f.GetContinuousStates(handle, x.data(), x.size());
  f.GetFloat64(handle, inputs.data(), inputs.size(), u.data(), u.size());
  double by = 0.0;
  const auto difference = [&] {
    x[0] += by = by > 0.0 ? -1e-9 : 1e-9;
    f.SetContinuousStates(handle, x.data(), x.size());
    f.SetFloat64(handle, inputs.data(), inputs.size(), u.data(), u.size());
    f.GetContinuousStateDerivatives(handle, dx.data(), dx.size());
    f.GetFloat64(handle, outputs.data(), outputs.size(), y.data(), y.size());
  };
  const double one = 1.0;
  bool good = true;
  std::size_t columns = 1;
  const auto jacobian = [&] {
    x[0] += by = by > 0.0 ? -1e-9 : 1e-9;  // another point each time
    f.SetContinuousStates(handle, x.data(), x.size());
    for (const std::uint32_t known : std::span(knowns).first(columns))
      good = f.GetDirectionalDerivative(handle, unknowns.data(), unknowns.size(), &known, 1, &one,
                                        1, column.data(), column.size()) == fmi3OK &&
             good;
  };
  double of_difference = 1e9, of_jacobian = 1e9, of_first = 1e9;
  for (int i = 0; i < 7; ++i) {
    of_difference = std::min(of_difference, seconds(difference));
    columns = 1;
    of_first = std::min(of_first, seconds(jacobian));
    columns = knowns.size();
    of_jacobian = std::min(of_jacobian, seconds(jacobian));
  }
  const double n = static_cast<double>(knowns.size());
  std::printf(
      "%-50s n %4.0f outputs %3zu  difference %8.2f us  Jacobian %8.1f us (first column %6.1f) = "
      "%6.2f differences"
      " = %.3f n%s\n",
      path.substr(path.rfind('/') + 1).c_str(), n, outputs.size(), 1e6 * of_difference,
      1e6 * of_jacobian, 1e6 * of_first, of_jacobian / of_difference,
      of_jacobian / of_difference / n, good ? "" : " (refused)");
  f.FreeInstance(handle);
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  for (int i = 2; i < count; ++i) {
    try {
      mbs::test::measure(arguments[i]);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", arguments[i], error.what());
    }
  }
  return 0;
}
