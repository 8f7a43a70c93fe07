#include "tests/bench/peers/solver.hpp"

#include <time.h>

#include <map>
#include <stdexcept>

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/integrator.hpp"

namespace mbs::test {
namespace {

double error(const Vector& x, const Vector& reference) {
  return ((x - reference).array().abs() / (1.0 + reference.array().abs())).maxCoeff();
}

class Ours final : public PeerSolver {
 public:
  Ours(const PeerProblem& problem, const std::string& method, std::vector<MethodOption> options)
      : problem_(problem), method_(method), method_options_(std::move(options)) {}
  std::string name() const override { return method_; }

  // The integrator of a tolerance is kept: later rounds find its memory warm, as SUNDIALS' is.
  PeerRun run(double tolerance) override {
    auto& integrator = integrators_[tolerance];
    if (!integrator) {
      IntegratorOptions options;
      options.rtol = options.atol = tolerance;
      options.dense = method_ != "midpoint";
      options.method_options = method_options_;
      integrator = make_integrator(method_, problem_.equations(), problem_.context(), options);
    }
    PeerRun result;
    result.tolerance = tolerance;
    const Statistics before = integrator->statistics();
    const double end = problem_.problem.t_end;
    const Stopwatch watch;
    try {
      integrator->start(problem_.start);
      while (integrator->state().t < end) integrator->step(end);
    } catch (const SolverFailure&) {
      return result;
    }
    result.milliseconds = watch.milliseconds();
    const Statistics& after = integrator->statistics();
    const State& x = integrator->state();
    judge(problem_, x.p, x.v, x.lambda, result);
    result.ok = true;
    result.evaluations = after.force_evaluations - before.force_evaluations;
    result.factorisations = after.factorisations - before.factorisations;
    result.jacobians = after.jacobians - before.jacobians;
    result.steps = after.steps - before.steps;
    result.rejected = after.rejected + after.failed - before.rejected - before.failed;
    return result;
  }

 private:
  const PeerProblem& problem_;
  std::string method_;
  std::vector<MethodOption> method_options_;
  std::map<double, std::unique_ptr<Integrator>> integrators_;
};

}  // namespace

PeerProblem::PeerProblem(const std::string& name) : PeerProblem(make_problem(name)) {}

PeerProblem::PeerProblem(Problem made)
    : problem(std::move(made)),
      parameters(equations().default_parameters()),
      inputs(equations().default_inputs(parameters)),
      start(problem.initial) {
  if (!problem.reference || problem.reference->t != problem.t_end) {
    throw std::runtime_error(problem.name + " has no reference at its end");
  }
  const InitialReport report = make_consistent(equations(), context(), start);
  if (!report.ok) throw std::runtime_error(problem.name + ": " + report.message);
}

std::unique_ptr<PeerSolver> make_our_solver(const PeerProblem& problem, const std::string& method,
                                            std::vector<MethodOption> options) {
  return std::make_unique<Ours>(problem, method, std::move(options));
}

double Stopwatch::now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

void judge(const PeerProblem& problem, const Vector& p, const Vector& v, const Vector& lambda,
           PeerRun& run) {
  const Reference& reference = *problem.problem.reference;
  run.err_p = error(p, reference.p);
  run.err_v = error(v, reference.v);
  run.err_lambda = error(lambda, reference.lambda);
}

}  // namespace mbs::test
