#pragma once

// One integrator on one problem, with all that has to outlive it.

#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {

inline IntegratorOptions with_tolerance(double tolerance) {
  IntegratorOptions options;
  options.rtol = options.atol = tolerance;
  return options;
}

// max |x - reference| / (1 + |reference|)
inline double error_of(const Vector& x, const Vector& reference) {
  return ((x - reference).array().abs() / (1.0 + reference.array().abs())).maxCoeff();
}

inline bool same_bits(const Vector& x, const Vector& y) {
  return x.size() == y.size() &&
         (x.size() == 0 || std::memcmp(x.data(), y.data(),
                                       sizeof(double) * static_cast<std::size_t>(x.size())) == 0);
}

inline bool same_bits(const State& x, const State& y) {
  return std::memcmp(&x.t, &y.t, sizeof x.t) == 0 && same_bits(x.p, y.p) && same_bits(x.v, y.v) &&
         same_bits(x.r, y.r) && same_bits(x.w, y.w) && same_bits(x.s, y.s) && same_bits(x.z, y.z) &&
         same_bits(x.a, y.a) && same_bits(x.lambda, y.lambda) && x.modes == y.modes;
}

// make_integrator with options of the method after its keyword, "reduction method=svd alpha=1".
inline std::unique_ptr<Integrator> make_variant(const std::string& text, const Equations& equations,
                                                Context context, IntegratorOptions options) {
  std::istringstream keywords(text);
  std::string keyword;
  keywords >> keyword;
  for (std::string option; keywords >> option;) {
    const std::size_t equals = option.find('=');
    options.method_options.push_back(
        {keyword, option.substr(0, equals), option.substr(equals + 1)});
  }
  return make_integrator(keyword, equations, context, options);
}

class ProblemRun {
 public:
  explicit ProblemRun(std::shared_ptr<const Equations> model, State begin, double to)
      : equations(std::move(model)),
        parameters(equations->default_parameters()),
        inputs(equations->default_inputs(parameters)),
        x0(std::move(begin)),
        t_end(to),
        ws(equations->make_workspace()),
        solver(equations->make_solver("auto")) {}

  explicit ProblemRun(const std::string& name) : ProblemRun(make_problem(name)) {}

  Context context() const { return {inputs, parameters}; }

  // A started integrator at x0 with consistent a and lambda; keyword: see make_variant.
  std::unique_ptr<Integrator> start(const std::string& keyword, const IntegratorOptions& options) {
    std::unique_ptr<Integrator> integrator = make_variant(keyword, *equations, context(), options);
    integrator->start(consistent(x0));
    return integrator;
  }
  State consistent(State x) {
    if (!solve_accelerations(*equations, context(), x, *ws, *solver)) {
      throw std::runtime_error("no consistent accelerations");
    }
    return x;
  }

  static void advance(Integrator& integrator, double t) {
    while (integrator.state().t < t) integrator.step(t);
  }

  double position_residual(const State& x) {
    equations->position(context(), x, want_G | want_g, *ws);
    return ws->g.size() > 0 ? ws->g.cwiseAbs().maxCoeff() : 0.0;
  }
  double velocity_residual(const State& x) {
    equations->position(context(), x, want_G | want_g, *ws);
    const Vector residual = ws->G * x.v + ws->gI;
    return residual.size() > 0 ? residual.cwiseAbs().maxCoeff() : 0.0;
  }

  std::shared_ptr<const Equations> equations;
  Parameters parameters;
  Inputs inputs;
  State x0;
  double t_end;
  std::optional<Reference> reference;
  std::unique_ptr<Workspace> ws;
  std::unique_ptr<SaddleSolver> solver;

 private:
  explicit ProblemRun(Problem problem)
      : ProblemRun(std::move(problem.equations), problem.initial, problem.t_end) {
    reference = std::move(problem.reference);
  }
};

}  // namespace mbs::test
