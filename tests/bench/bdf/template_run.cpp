#include "tests/bench/bdf/template_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "engine/equations/initial.hpp"
#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "tests/bench/peers/solver.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {

Problem template_problem(const std::string& name, double t_end,
                         const std::vector<std::pair<std::string, std::string>>& structure,
                         const std::string& coordinates) {
  std::vector<Override> overrides;
  for (const auto& [parameter, value] : structure) overrides.push_back({parameter, value});
  Diagnostics diagnostics;
  Model model = read_model(std::string(MBS_TEMPLATES) + "/" + name + "/" + name + ".mbs.xml",
                           diagnostics, overrides);
  if (!coordinates.empty()) model.solver.coordinates = coordinates;
  Problem problem;
  problem.name = name;
  if (diagnostics.ok()) problem.equations = assemble(model, diagnostics);
  if (!problem.equations) throw std::runtime_error(diagnostics.text());
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const Given given{inputs, parameters};
  problem.initial = equations.initial(given, 0.0);
  const InitialReport report = make_consistent(equations, given, problem.initial);
  if (!report.ok) throw std::runtime_error(name + ": " + report.message);
  problem.t_end = t_end > 0.0 ? t_end : model.solver.stop_time;
  return problem;
}

BdfRun run_bdf(const Problem& problem, double rtol, double atol, const Words& words) {
  ProblemRun setting(problem.equations, problem.initial, problem.t_end);
  IntegratorOptions options;
  options.rtol = rtol;
  options.atol = atol;
  for (const auto& [name, value] : words) options.method_options.push_back({"bdf", name, value});
  Bdf bdf(*problem.equations, setting.given(), options);
  const State begin = setting.consistent(problem.initial);
  const Stopwatch watch;
  bdf.start(begin);
  ProblemRun::advance(bdf, problem.t_end);
  BdfRun run;
  run.milliseconds = watch.milliseconds();
  run.statistics = bdf.statistics();
  run.counts = bdf.counts();
  run.difference_residuals = bdf.difference_residuals();
  run.unknowns = bdf.system().size();
  if (problem.reference) run.error = error_of(bdf.state().p, problem.reference->p);
  return run;
}

BdfRun sum_of_runs(const Problem& problem, const Words& words) {
  BdfRun sum;
  for (int i = 8; i <= 12; ++i) {
    const double rtol = std::pow(10.0, -0.5 * i);
    const BdfRun run = run_bdf(problem, rtol, 0.1 * rtol, words);
    sum.unknowns = run.unknowns;
    sum.statistics.steps += run.statistics.steps;
    sum.statistics.factorisations += run.statistics.factorisations;
    sum.statistics.operations += run.statistics.operations;
    sum.milliseconds += run.milliseconds;
  }
  return sum;
}

std::vector<std::string> template_names() {
  constexpr std::string_view ending = ".mbs.xml";
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(MBS_TEMPLATES)) {
    const std::string name = folder.path().filename().string();
    if (std::filesystem::exists(folder.path() / (name + std::string(ending)))) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void find_reference(Problem& problem) {
  if (problem.reference) return;
  ProblemRun setting(problem.equations, problem.initial, problem.t_end);
  const auto integrator = setting.start("radau", with_tolerance(1e-10));
  ProblemRun::advance(*integrator, problem.t_end);
  const State& x = integrator->state();
  Reference reference;
  reference.t = problem.t_end;
  reference.p = x.p;
  reference.v = x.v;
  reference.a = x.a;
  reference.lambda = x.lambda;
  problem.reference = std::move(reference);
}

}  // namespace mbs::test
