#include "engine/contact/solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/contact/newton/sliding.hpp"
#include "engine/contact/newton/smoothing_path.hpp"

namespace mbs {
namespace {

// The first, and what is tried where it cannot be taken out of the result.
constexpr double compliances[] = {1e-8, 1e-10, 1e-12};
constexpr double rounding = 1e-13;
constexpr double begin_of_end = 0.03;   // eta from which the path may be left
constexpr double between_trials = 0.2;  // of the end, in eta
constexpr double end_of_path = 1e-10;
constexpr int max_steps = 500;
constexpr int max_proximal = 20;
constexpr double acceptable = 1e-10;        // relative certificate where rounding is not reached
constexpr double with_great_forces = 1e-6;  // the same where rounding of great forces is reached
constexpr double great_force = 1e-3;        // part of the largest

// One search with one compliance. Its x lies in the cones to the last digit.
class Search {
 public:
  Search(const ScaledProblem& problem, NewtonSystem& system, double compliance, double accuracy)
      : problem_(problem),
        path_(problem, system, compliance),
        compliance_(compliance),
        accuracy_(accuracy),
        none_(Vector::Zero(problem_.size())) {}

  void run() {
    x_ = none_;
    if (path_.start()) follow();
  }
  const Vector& x() const { return x_; }
  double residual() const { return residual_; }
  int factorisations() const { return path_.factorisations(); }

 private:
  double scale(const Vector& x) const { return x.cwiseAbs().maxCoeff() + problem_.bias(); }

  void follow() {
    double next_trial = begin_of_end;
    for (int k = 0; k < max_steps && path_.eta() > end_of_path; ++k) {
      if (path_.eta() <= next_trial) {
        if (finish(path_.x(), true)) return;
        next_trial = between_trials * path_.eta();
      }
      if (!path_.advance()) break;
    }
    if (!finish(none_, false) && !finish(path_.x(), false)) take(path_.x());
  }

  bool finish(const Vector& from, bool as_the_path) {
    std::optional<Vector> x = path_.solve_at_end(from, none_, compliance_, rounding);
    if (!x || (as_the_path && !path_.oriented())) return false;
    take(*x);
    for (int k = 0; k < max_proximal && residual_ > accuracy_; ++k) {
      std::optional<Vector> next = path_.solve_at_end(*x, *x, compliance_, rounding);
      if (!next) break;
      x = std::move(next);
      take(*x);
    }
    return true;
  }

  // Keeps x with its residual without compliance.
  void take(const Vector& x) { residual_ = path_.residual(x, x, 0.0, x_) / scale(x); }

  const ScaledProblem& problem_;
  SmoothingPath path_;
  double compliance_, accuracy_;
  Vector none_, x_;
  double residual_ = 1.0;
};

std::vector<std::string> greatest_forces(const ContactProblem& problem, const Vector& x) {
  std::vector<std::string> names;
  const double largest = x.cwiseAbs().maxCoeff();
  for (const FrictionCone& cone : problem.cones) {
    const bool great = (cone.normal >= 0 && x[cone.normal] > great_force * largest) ||
                       (cone.tangents > 0 &&
                        x.segment(cone.tangent, cone.tangents).norm() > great_force * largest);
    if (great) names.push_back(cone.name);
  }
  return names;
}

ContactSolution solve_in_cones(const ContactProblem& problem, double accuracy) {
  ContactSolution best;
  const ScaledProblem scaled(problem);
  const std::unique_ptr<NewtonSystem> system = make_newton_system(scaled);
  int factorisations = 0;
  for (const double compliance : compliances) {
    Search search(scaled, *system, compliance, accuracy);
    search.run();
    factorisations += search.factorisations();
    ContactSolution solution;
    solution.x = scaled.unscaled(search.x());
    if (!solution.x.allFinite()) continue;
    solution.residual = search.residual();
    solution.certificate = certify(problem, solution.x);
    const double relative = solution.certificate.relative();
    solution.found = solution.residual <= accuracy && relative <= with_great_forces;
    if (best.x.size() == 0 || relative < best.certificate.relative()) best = std::move(solution);
    if (best.found || best.certificate.relative() <= acceptable) break;
  }
  if (best.x.size() == 0)
    best.x = Vector::Zero(scaled.size());
  else
    best.found = best.found || best.certificate.relative() <= std::max(accuracy, acceptable);
  best.factorisations = factorisations;
  return best;
}

}  // namespace

ContactSolution solve(const ContactProblem& problem, const ContactSolverOptions& options) {
  ContactSolution solution;
  const Eigen::Index n = problem.b.size();
  solution.x = Vector::Zero(n);
  solution.found = n == 0 || problem.b.isZero(0.0);
  if (solution.found || !problem.b.allFinite() || !problem.W.allFinite()) return solution;
  const double accuracy = std::max(options.accuracy, rounding);
  if (slides(problem)) {
    const SlidingEliminated rest = eliminate_sliding(problem);
    solution = solve(rest.problem, options);
    solution.x = rest.expand(solution.x);
    solution.certificate = certify(problem, solution.x);
  } else {
    solution = solve_in_cones(problem, accuracy);
  }
  if (!solution.found) solution.contradicting = greatest_forces(problem, solution.x);
  return solution;
}

}  // namespace mbs
