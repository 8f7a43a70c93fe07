// 1. Damped Gauss-Newton: steps of least size in the metric of M at the guess,
//
//      min delta^T M delta / 2,   C delta = -c,     p <- p + alpha Z delta
//
//    with alpha by bisection until sum (c_i/s_i)^2 falls, and |delta| at most one typical change.
//    If no alpha helps, C is nearly singular, and the steps are damped (metric_step.hpp).
// 2. From there, by eqs. (2.9)-(2.11) of Lubich et al. (1992), to the point next to the guess,
//    where M nu + C^T mu = 0. It converges linearly where constraints are curved; the best point so
//    far is kept.
// 3. Steps of 1. once more, to rounding.
//
// When 1. gets stuck where no direction helps (a singular position, a local minimum), it is tried
// again from some points around the guess, always the same ones.

#include "engine/equations/position_projection.hpp"

#include <cmath>

#include "engine/base/scatter.hpp"
#include "engine/equations/metric_step.hpp"

namespace mbs {

namespace {

constexpr int bisections = 5;
constexpr double most_damping = 1e4;
constexpr int approach_iterations = 30;
constexpr int refinements = 3;
constexpr int attempts = 6;
constexpr double flat = 1e-3;  // relative gradient below which a point is stationary

class Projection {
 public:
  Projection(const Equations& equations, const Context& context, Workspace& ws, const Vector& q,
             const ColumnSparse& M, const InitialOptions& options, Conditions conditions)
      : equations_(equations),
        context_(context),
        ws_(ws),
        q_(q),
        metric_(M, q),
        options_(options),
        conditions_(conditions) {}

  // Projects x, which differs from the guess by nu.
  PositionResult from(const State& x, const Vector& nu) const {
    PositionResult result;
    result.x = x;
    Vector moved = nu;
    descend(result, moved);
    if (result.found) {
      approach(result, moved);
      refine(result);
    }
    return result;
  }

  State moved(const State& x, const Vector& delta) const {
    State to = x;
    Vector z = Vector::Zero(x.p.size());
    equations_.apply_Z(context_, x, delta, z);
    to.p += z;
    equations_.normalise(to);
    if (to.s.size() > 0) equations_.solve_auxiliary(context_, to, ws_);
    return to;
  }

 private:
  Rows rows(const State& x) const {
    return position_rows(equations_, context_, x, ws_, q_, conditions_);
  }
  double size(const Vector& delta) const {
    return delta.size() > 0 ? delta.cwiseQuotient(q_).cwiseAbs().maxCoeff() : 0.0;
  }

  // One step down from x, where the rows are `at`, with more damping until there is one.
  bool advance(State& x, Vector& nu, Rows& at, double& damping) const {
    const Vector none = Vector::Zero(nu.size());
    const double merit = at.scaled().squaredNorm();
    Vector delta;
    for (; damping <= most_damping; damping *= 100.0) {
      if (!metric_.solve(at.C, at.scale, none, at.residual, delta, damping)) return false;
      delta /= std::max(1.0, size(delta));
      const Vector change = at.C * delta;
      const double slope = 2.0 * at.scaled().dot(change.cwiseQuotient(at.scale));
      double alpha = 1.0;
      for (int k = 0; k < bisections; ++k, alpha *= 0.5) {
        const State trial = moved(x, alpha * delta);
        Rows there = rows(trial);
        if (!(there.scaled().squaredNorm() <= merit + 1e-4 * alpha * slope)) continue;
        x = trial;
        nu += alpha * delta;
        at = std::move(there);
        if (k == 0) damping = std::max(MetricStep::least_damping, damping / 100.0);
        return true;
      }
    }
    return false;
  }

  void descend(PositionResult& result, Vector& nu) const {
    double damping = MetricStep::least_damping;
    Rows at = rows(result.x);
    for (;; ++result.iterations) {
      result.residual = at.largest();
      result.found = result.residual <= options_.tolerance;
      if (result.found || !std::isfinite(result.residual)) return;
      if (result.iterations >= options_.max_iterations) break;
      if (!advance(result.x, nu, at, damping)) break;
    }
    result.stationary = is_stationary(at);
  }

  // The pull towards the guess leaves c = Delta mu: without it, to rounding.
  void refine(PositionResult& result) const {
    const Vector none = Vector::Zero(q_.size());
    for (int k = 0; k < refinements; ++k) {
      const Rows at = rows(result.x);
      Vector delta;
      if (!metric_.solve(at.C, at.scale, none, at.residual, delta)) return;
      const State x = moved(result.x, delta);
      const double residual = rows(x).largest();
      if (!(residual < 0.5 * result.residual)) return;
      result.x = x;
      result.residual = residual;
    }
  }

  void approach(PositionResult& result, Vector& nu) const {
    State x = result.x;
    double least = metric_.norm(nu), last = 0.0;
    for (int k = 0; k < approach_iterations; ++k) {
      const Rows at = rows(x);
      Vector delta;
      if (!metric_.solve(at.C, at.scale, nu, at.residual, delta)) return;
      const double step = size(delta);
      if (step <= 1e-13 || step > 1.0 || (k > 2 && step > 0.9 * last)) return;
      last = step;
      x = moved(x, delta);
      nu += delta;
      ++result.iterations;
      const double residual = rows(x).largest(), distance = metric_.norm(nu);
      if (!std::isfinite(residual)) return;
      if (residual <= options_.tolerance && distance <= least * (1.0 + 1e-8) + 1e-12) {
        result.x = x;
        result.residual = residual;
        least = distance;
      }
    }
  }

  // Relative size of the gradient of the merit function.
  bool is_stationary(const Rows& at) const {
    const Vector c = at.scaled();
    Vector gradient = Vector::Zero(q_.size()), terms = Vector::Zero(q_.size());
    for (Eigen::Index i = 0; i < at.C.rows(); ++i) {
      for (RowSparse::InnerIterator entry(at.C, i); entry; ++entry) {
        const double term = entry.value() * q_[entry.col()] / at.scale[i] * c[i];
        gradient[entry.col()] += term;
        terms[entry.col()] += std::abs(term);
      }
    }
    return gradient.cwiseAbs().maxCoeff() <= flat * terms.maxCoeff();
  }

  const Equations& equations_;
  const Context& context_;
  Workspace& ws_;
  const Vector& q_;
  MetricStep metric_;
  const InitialOptions& options_;
  Conditions conditions_;
};

}  // namespace

PositionResult project_position(const Equations& equations, const Context& context, const State& x,
                                Workspace& ws, const Vector& q, const InitialOptions& options,
                                Conditions conditions) {
  equations.position(context, x, want_M, ws);
  const Projection projection(equations, context, ws, q, ColumnSparse(ws.M), options, conditions);
  Vector nu = Vector::Zero(q.size());
  PositionResult best = projection.from(x, nu);
  int iterations = best.iterations;
  Scatter scatter;
  const int most = conditions == Conditions::all || conditions == Conditions::soft ? 1 : attempts;
  for (int k = 1; k < most && !best.found && std::isfinite(best.residual); ++k) {
    for (Eigen::Index j = 0; j < q.size(); ++j) nu[j] = 0.1 * k * q[j] * scatter.next();
    PositionResult other = projection.from(projection.moved(x, nu), nu);
    iterations += other.iterations;
    if (other.found || other.residual < best.residual) best = std::move(other);
  }
  best.iterations = iterations;
  return best;
}

}  // namespace mbs
