// Nijhuis (2013), eq. (5.5): the iteration matrix with and without its kinematic rows, factored in
// turn.

#include <algorithm>
#include <cstdio>
#include <limits>

#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "engine/integrators/bdf/threshold_lu.hpp"
#include "tests/bench/bdf/tables.hpp"
#include "tests/bench/peers/solver.hpp"

namespace mbs::test {
namespace {

struct Cost {
  int size = 0;
  long entries = 0, factor = 0, solve = 0;
  double microseconds = std::numeric_limits<double>::infinity();
};

void print_one(const Problem& problem) {
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  bdf::System system(equations, {inputs, parameters}, bdf::Form::ggl, bdf::Formalism::residual);
  Vector y = Vector::Zero(system.size()), y_dot = y;
  system.begin(problem.initial);
  system.pack(problem.initial, y, y_dot);
  Vector B = Vector::Zero(system.pattern().nonZeros()), E = B;
  system.exact(0.0, y, y_dot, B, E);
  bdf::IterationMatrix matrices[2];
  Cost costs[2];
  for (int k = 0; k < 2; ++k) {
    matrices[k].analyse(system.pattern(), k == 0 ? 0 : system.at().v, system.at().eta);
  }
  constexpr int rounds = 15, repeats = 200;
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 2; ++k) {
      const Stopwatch watch;
      for (int i = 0; i < repeats; ++i) {
        const double alpha = 800.0 * (1.0 + 0.001 * i);
        if (!matrices[k].factor(alpha * E + B)) std::printf("singular\n");
      }
      costs[k].microseconds = std::min(costs[k].microseconds, 1e3 * watch.milliseconds() / repeats);
    }
  }
  for (int k = 0; k < 2; ++k) {
    bdf::ThresholdLu operations;
    operations.make(matrices[k].lu(), 0.0);
    costs[k].size = matrices[k].reduced_size();
    costs[k].entries = matrices[k].reduced().nonZeros();
    costs[k].factor = operations.factorisation() + matrices[k].form_operations();
    costs[k].solve = operations.all() + matrices[k].solve_operations();
  }
  std::printf(
      "| %s | %d, %d | %ld, %ld | %ld, %ld | %.2f | %ld, %ld | %.2f | %.1f, %.1f | %.2f |\n",
      problem.name.c_str(), costs[0].size, costs[1].size, costs[0].entries, costs[1].entries,
      costs[0].factor, costs[1].factor,
      static_cast<double>(costs[1].factor) / static_cast<double>(costs[0].factor), costs[0].solve,
      costs[1].solve, static_cast<double>(costs[1].solve) / static_cast<double>(costs[0].solve),
      costs[0].microseconds, costs[1].microseconds, costs[1].microseconds / costs[0].microseconds);
  std::fflush(stdout);
}

// Least microseconds of a call.
template <class Function>
double least_time(const Function& function) {
  constexpr int rounds = 15, repeats = 50;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    for (int i = 0; i < repeats; ++i) function();
    least = std::min(least, 1e3 * watch.milliseconds() / repeats);
  }
  return least;
}

void print_weights_of(const Problem& problem) {
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  bdf::System system(equations, {inputs, parameters}, bdf::Form::ggl, bdf::Formalism::residual);
  Vector y = Vector::Zero(system.size()), y_dot = y, F = y;
  system.begin(problem.initial);
  system.pack(problem.initial, y, y_dot);
  Vector B = Vector::Zero(system.pattern().nonZeros()), E = B;
  bdf::IterationMatrix matrix;
  matrix.analyse(system.pattern(), system.at().v, system.at().eta);
  system.exact(0.0, y, y_dot, B, E);
  const Vector A = 800.0 * E + B;
  if (!matrix.factor(A)) std::printf("singular\n");
  bdf::ThresholdLu operations;
  operations.make(matrix.lu(), 0.0);
  Vector x = F;
  const double factor = least_time([&] { matrix.factor(A); }), solve = least_time([&] {
                                                                 x = y;
                                                                 matrix.solve(x);
                                                               }),
               residual = least_time([&] { system.residual(0.0, y, y_dot, F); }),
               jacobian = least_time([&] { system.exact(0.0, y, y_dot, B, E); });
  const auto of_factor = static_cast<double>(operations.factorisation() + matrix.form_operations()),
             of_solve = static_cast<double>(operations.all() + matrix.solve_operations());
  // a cycle has about ten solutions
  const double one = (factor + 10.0 * solve) / (of_factor + 10.0 * of_solve);
  const auto entries = static_cast<double>(system.pattern().nonZeros());
  std::printf("| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f |\n", problem.name.c_str(),
              entries, 1e3 * factor / of_factor, 1e3 * solve / of_solve, residual, jacobian,
              residual / one / entries, jacobian / one / entries);
  std::fflush(stdout);
}

}  // namespace

void print_weights() {
  std::printf(
      "| | entries | ns per multiplication of a factorisation | of a solution | microseconds of a "
      "residual | of a Jacobian | residual: multiplications per entry | Jacobian |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const char* name : {"insul64", "chain30", "truckC"}) print_weights_of(make_problem(name));
  for (const char* name :
       {"gimbal", "all_terrain_vehicle", "truck", "railway_carriage", "excited_chain"}) {
    print_weights_of(template_problem(name, 1.0));
  }
}

void print_elimination() {
  std::printf(
      "| with all rows, without kinematic ones | size | entries | multiplications of a "
      "factorisation | ratio | of a solution | ratio | microseconds of a factorisation | ratio |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const char* name : {"insul64", "insul256", "chain30", "andrews"})
    print_one(make_problem(name));
  for (const char* name : {"gimbal", "all_terrain_vehicle", "truck", "railway_carriage"}) {
    print_one(template_problem(name, 1.0));
  }
}

}  // namespace mbs::test
