// Runs any integrator on any test problem: errors, counts and constraint residuals.
//
//   run_problem andrews --method extrapolation --tol 1e-7
//   run_problem all --tol 1e-5 --points 300

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

constexpr const char* usage =
    "usage: run_problem <problem>... | all [--method <integrator>] [--tol <rtol and atol>]\n"
    "       [--rtol <x>] [--atol <x>] [--end <t>] [--step <first step>] [--linear <solver>]\n"
    "       [--scheme auto|standard|modified] [--order <most>]\n"
    "       [--points <interpolated points to check>]\n";

struct Request {
  std::vector<std::string> problems;
  std::string method = "auto";
  IntegratorOptions options;
  double end = 0.0;  // 0: the problem's
  int points = 0;
};

Request read_arguments(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string keyword = arguments[i];
    if (!keyword.starts_with("--")) {
      request.problems.push_back(keyword);
      continue;
    }
    if (i + 1 == count) throw std::invalid_argument(keyword + " needs a value");
    const std::string value = arguments[++i];
    const auto number = [&] {
      std::size_t used = 0;
      double x = 0.0;
      try {
        x = std::stod(value, &used);
      } catch (const std::exception&) {
      }
      if (used != value.size() || used == 0) {
        throw std::invalid_argument(keyword + ": '" + value + "' is no number");
      }
      return x;
    };
    if (keyword == "--method") {
      request.method = value;
    } else if (keyword == "--linear") {
      request.options.linear = value;
    } else if (keyword == "--scheme") {
      request.options.scheme = value;
    } else if (keyword == "--order") {
      request.options.max_order = static_cast<int>(number());
    } else if (keyword == "--tol") {
      request.options.rtol = request.options.atol = number();
    } else if (keyword == "--rtol") {
      request.options.rtol = number();
    } else if (keyword == "--atol") {
      request.options.atol = number();
    } else if (keyword == "--end") {
      request.end = number();
    } else if (keyword == "--step") {
      request.options.initial_step = number();
    } else if (keyword == "--points") {
      request.points = static_cast<int>(number());
    } else {
      throw std::invalid_argument("unknown option " + keyword);
    }
  }
  if (request.problems == std::vector<std::string>{"all"}) request.problems = problem_names();
  if (request.problems.empty()) throw std::invalid_argument("which problem?");
  return request;
}

// max |x - ref| / (1 + |ref|), as in the benchmarks' tables.
double error(const Vector& x, const Vector& reference) {
  if (reference.size() == 0) return std::nan("");
  return ((x - reference).array().abs() / (1.0 + reference.array().abs())).maxCoeff();
}

double norm(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

struct Residuals {
  double position = 0.0, velocity = 0.0;
  void add(const Equations& equations, const Context& context, const State& x, Workspace& ws) {
    equations.position(context, x, want_G | want_g, ws);
    equations.velocity(context, x, ws);
    position = std::max(position, norm(ws.g));
    velocity = std::max(velocity, norm(ws.G_v));
  }
};

void run(const std::string& name, const Request& request) {
  const Problem problem = make_problem(name);
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const Context context{inputs, parameters};
  const auto ws = equations.make_workspace();
  State x = problem.initial;
  const InitialReport report = make_consistent(equations, context, x);
  if (!report.ok) throw std::runtime_error(report.message);
  const auto integrator = make_integrator(request.method, equations, context, request.options);
  const double end = request.end > 0.0 ? request.end : problem.t_end;
  Residuals at_steps, between;
  State y = x;
  int next = 1;
  const auto begin = std::chrono::steady_clock::now();
  integrator->start(x);
  while (integrator->state().t < end) {
    integrator->step(end);
    at_steps.add(equations, context, integrator->state(), *ws);
    for (; next <= request.points; ++next) {
      const double t = problem.t0 + (end - problem.t0) * next / (request.points + 1);
      if (t > integrator->state().t) break;
      integrator->interpolate(t, true, y);
      between.add(equations, context, y, *ws);
    }
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  const State& last = integrator->state();
  const Statistics& count = integrator->statistics();
  double errors[4] = {std::nan(""), std::nan(""), std::nan(""), std::nan("")};
  if (problem.reference && problem.reference->t == end) {
    const Reference& reference = *problem.reference;
    errors[0] = error(last.p, reference.p);
    errors[1] = error(last.v, reference.v);
    errors[2] = error(last.a, reference.a);
    errors[3] = error(last.lambda, reference.lambda);
  }
  std::printf("%-17s %8.1e %8.1e %8.1e %8.1e | %6ld %5ld %5ld %8ld %8ld %8ld | %8.1e %8.1e",
              name.c_str(), errors[0], errors[1], errors[2], errors[3], count.steps, count.rejected,
              count.failed, count.matrix_evaluations, count.force_evaluations, count.solves,
              at_steps.position, at_steps.velocity);
  if (request.points > 0) std::printf(" | %8.1e %8.1e", between.position, between.velocity);
  std::printf(" | %9.2f\n", time.count());
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  using namespace mbs::test;
  Request request;
  try {
    request = read_arguments(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "run_problem: %s\n%s", error.what(), usage);
    return 2;
  }
  std::printf("%-17s %8s %8s %8s %8s | %6s %5s %5s %8s %8s %8s | %8s %8s%s | %9s\n", "problem", "p",
              "v", "a", "lambda", "steps", "rej.", "fail.", "matrices", "forces", "solves", "g",
              "G v + gI", request.points > 0 ? " |  g and G v between" : "", "ms");
  int failures = 0;
  for (const std::string& name : request.problems) {
    try {
      run(name, request);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      ++failures;
    }
  }
  return failures > 0 ? 1 : 0;
}
