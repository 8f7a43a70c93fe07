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

Problem template_problem(const std::string& name, double t_end, const Structure& structure,
                         const std::string& coordinates) {
  Problem problem =
      problem_of_file(std::string(MBS_TEMPLATES) + "/" + name + "/" + name + ".mbs.xml", t_end,
                      structure, coordinates);
  problem.name = name;
  return problem;
}

Problem problem_of_file(const std::string& path, double t_end, const Structure& structure,
                        const std::string& coordinates) {
  std::vector<Override> overrides;
  for (const auto& [parameter, value] : structure) overrides.push_back({parameter, value});
  Diagnostics diagnostics;
  Model model = read_model(path, diagnostics, overrides);
  if (!coordinates.empty()) model.solver.coordinates = coordinates;
  Problem problem;
  problem.name = model.name;
  if (diagnostics.ok()) problem.equations = assemble(model, diagnostics);
  if (!problem.equations) throw std::runtime_error(diagnostics.text());
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const Context context{inputs, parameters};
  problem.initial = equations.initial(context, 0.0);
  const InitialReport report = make_consistent(equations, context, problem.initial);
  if (!report.ok) throw std::runtime_error(path + ": " + report.message);
  problem.t_end = t_end > 0.0 ? t_end : model.solver.stop_time;
  return problem;
}

namespace {

double track_time(const Problem& problem, std::size_t k, std::size_t points) {
  const double part = static_cast<double>(k + 1) / static_cast<double>(points);
  return problem.t0 + part * (problem.t_end - problem.t0);
}

}  // namespace

Track find_track(const Problem& problem, int points) {
  ProblemRun setting(problem.equations, problem.initial, problem.t_end);
  const auto integrator = setting.start("radau", with_tolerance(1e-10));
  Track track(static_cast<std::size_t>(points));
  for (std::size_t k = 0; k < track.size(); ++k) {
    ProblemRun::advance(*integrator, track_time(problem, k, track.size()));
    track[k] = integrator->state().p;
  }
  return track;
}

BdfRun run_bdf(const Problem& problem, double rtol, double atol, const Keywords& keywords,
               const Track& track) {
  ProblemRun setting(problem.equations, problem.initial, problem.t_end);
  IntegratorOptions options;
  options.rtol = rtol;
  options.atol = atol;
  for (const auto& [name, value] : keywords) options.method_options.push_back({"bdf", name, value});
  bdf::Integrator bdf(*problem.equations, setting.context(), options);
  const State begin = setting.consistent(problem.initial);
  BdfRun run;
  State x = begin;
  std::size_t k = 0;
  const Stopwatch watch;
  bdf.start(begin);
  while (bdf.state().t < problem.t_end) {
    bdf.step(problem.t_end);
    for (; k < track.size() && track_time(problem, k, track.size()) <= bdf.state().t; ++k) {
      bdf.interpolate(track_time(problem, k, track.size()), false, x);
      run.track_error = std::max(run.track_error, error_of(x.p, track[k]));
    }
  }
  run.milliseconds = watch.milliseconds();
  run.statistics = bdf.statistics();
  run.counts = bdf.counts();
  run.difference_residuals = bdf.difference_residuals();
  run.unknowns = bdf.system().size();
  if (problem.reference) run.error = error_of(bdf.state().p, problem.reference->p);
  return run;
}

void WorkPrecision::run(const Problem& problem, double first, double last, const Keywords& keywords,
                        const Track& track) {
  constexpr double distance = 0.5;
  std::size_t i = 0;
  for (double k = first; k <= last; k += distance, ++i) {
    const double rtol = std::pow(10.0, -k);
    BdfRun next = run_bdf(problem, rtol, 0.1 * rtol, keywords, track);
    if (i == runs.size()) {
      runs.push_back(std::move(next));
    } else {
      runs[i].milliseconds = std::min(runs[i].milliseconds, next.milliseconds);
    }
  }
}

Curve WorkPrecision::curve(double (*cost)(const BdfRun&)) const {
  Curve curve;
  for (const BdfRun& run : runs) curve.push_back({run.track_error, cost(run)});
  return curve;
}

double WorkPrecision::mean_error() const {
  double sum = 0.0;
  for (const BdfRun& run : runs) sum += std::log(run.track_error);
  return std::exp(sum / static_cast<double>(runs.size()));
}

BdfRun sum_of_runs(const Problem& problem, const Keywords& keywords) {
  BdfRun sum;
  for (int i = 8; i <= 12; ++i) {
    const double rtol = std::pow(10.0, -0.5 * i);
    const BdfRun run = run_bdf(problem, rtol, 0.1 * rtol, keywords);
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
