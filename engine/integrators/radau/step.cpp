// The nonlinear part of a step: starting values, Newton's method on the three stages, the error
// estimate.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// Starting values of the stages: the last polynomial, prolonged; Taylor's first terms when there is
// none.
void Integrator::predict(double h) {
  const auto& c = tableau().c;
  const double h_old = x_.t - t_begin_;
  for (int k = 0; k < 3; ++k) {
    const double at = c[static_cast<std::size_t>(k + 1)] * h;
    if (!choice_.extrapolate) {
      stages_.x.col(k) = x0_;
    } else if (has_polynomial_) {
      polynomial_.evaluate(1.0 + at / h_old, stages_.x.col(k));
    } else {
      stages_.x.col(k) = x0_;
      stages_.x.col(k).head(stack_.ny()) += at * slope0_;
    }
  }
}

bool Integrator::linearise(double h) {
  using Prepared = NewtonSystem::Prepared;
  if (!has_jacobian_) {
    if (!jacobian_here_) {
      point_ = x_;
      const int stage = choice_.newton_stage;
      if (stage > 0 && has_polynomial_) {
        stack_.unpack(stages_.x.col(stage - 1), point_);
        point_.t = x_.t + tableau().c[static_cast<std::size_t>(stage)] * h;
      }
    }
    Prepared prepared =
        system_->prepare(point_, *ws_, renew_ || choice_.selectors == Selectors::every_step);
    renew_ = false;
    if (prepared == Prepared::rank) {
      rank_trouble_ = system_->rank_trouble();
      prepared = prepare_beside(h);
    }
    if (prepared != Prepared::done) {
      trouble_ = prepared == Prepared::not_finite ? Trouble::not_finite
                 : prepared == Prepared::rank     ? Trouble::rank
                                                  : Trouble::singular;
      trouble_at_ = rank_trouble_.row;
      return false;
    }
    has_jacobian_ = jacobian_here_ = true;
    h_factored_ = 0.0;
  }
  if (h != h_factored_) {
    h_factored_ = 0.0;
    if (!system_->factor(h)) {
      trouble_ = Trouble::singular;
      return false;
    }
    h_factored_ = h;
  }
  return true;
}

// Where Newton's point has not the rank of the start: at another point of the step, with the
// selectors as they are. When the rank is lost at all of them it is lost for good.
NewtonSystem::Prepared Integrator::prepare_beside(double h) {
  using Prepared = NewtonSystem::Prepared;
  const auto& c = tableau().c;
  for (int stage = 3; stage >= 0; --stage) {
    point_ = x_;
    if (stage > 0) {
      stack_.unpack(stages_.x.col(stage - 1), point_);
      point_.t = x_.t + c[static_cast<std::size_t>(stage)] * h;
    }
    const Prepared prepared = system_->prepare(point_, *ws_, false);
    if (prepared == Prepared::rank) continue;
    if (prepared == Prepared::done) note_lost_rank(x_.t + 0.5 * h);
    return prepared;
  }
  return Prepared::rank;
}

bool Integrator::evaluate_stages(double h) {
  const auto& c = tableau().c;
  // y' = (Y - y0) A^-T / h
  const int ny = stack_.ny();
  const auto& a = tableau().inverse;
  for (int k = 0; k < 3; ++k) {
    stages_.slopes.col(k) =
        (a(k, 0) * (stages_.x.col(0).head(ny) - y0_) + a(k, 1) * (stages_.x.col(1).head(ny) - y0_) +
         a(k, 2) * (stages_.x.col(2).head(ny) - y0_)) /
        h;
    if (choice_.form == Form::index1) {  // a is v'
      stages_.x.col(k).segment(ny, stack_.v) = stages_.slopes.col(k).segment(stack_.p, stack_.v);
    }
  }
  for (int k = 0; k < 3; ++k) {
    stack_.unpack(stages_.x.col(k), trial_);
    trial_.t = x_.t + c[static_cast<std::size_t>(k + 1)] * h;
    trial_.z = x_.z;
    trial_.modes = x_.modes;
    equations_.residual(context_, trial_, *ws_);
    stages_.residual.col(k) = ws_->residual;
  }
  statistics_.force_evaluations += 3;
  statistics_.matrix_evaluations += 3;
  return stages_.residual.allFinite();
}

// Simplified Newton with RADAU5's rules; sets theta_, iterations_, and shrink_ when it diverges.
Integrator::Newton Integrator::iterate(double h) {
  const int ny = stack_.ny(), most = choice_.iterations;
  double before = 0.0, rate_before = 0.0;
  eta_ = std::pow(std::max(eta_, epsilon), 0.8);
  theta_ = std::abs(choice_.thet);
  shrink_ = 0.5;
  for (iterations_ = 1;; ++iterations_) {
    if (!evaluate_stages(h)) {
      trouble_ = Trouble::not_finite;
      return Newton::failed;
    }
    system_->solve(stages_);
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double part = norm_(stages_.change.col(k).head(ny));
      size += part * part;
    }
    size = std::sqrt(size / 3.0);
    if (!std::isfinite(size)) {
      trouble_ = Trouble::not_finite;
      return Newton::failed;
    }
    if (iterations_ > 1) {
      const double rate = before > 0.0 ? size / before : 0.0;
      theta_ = iterations_ == 2 ? rate : std::sqrt(rate * rate_before);
      rate_before = rate;
      trouble_ = Trouble::newton;
      trouble_size_ = size;
      trouble_at_ = norm_.largest(stages_.change.col(2).head(ny));
      if (!(theta_ < 0.99)) return Newton::diverged;
      eta_ = theta_ / (1.0 - theta_);
      const int left = most - iterations_;
      const double expected = eta_ * size * std::pow(theta_, left) / kappa_;
      if (expected >= 1.0) {
        shrink_ = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4.0 + left));
        return Newton::diverged;
      }
    }
    before = std::max(size, epsilon);
    stages_.x += stages_.change;
    if (eta_ * size <= kappa_) return Newton::converged;
    if (iterations_ >= most) {
      trouble_ = Trouble::newton;
      trouble_size_ = size;
      trouble_at_ = norm_.largest(stages_.change.col(2).head(ny));
      return Newton::diverged;
    }
  }
}

// The norm of the error estimate; d_ is the estimate.
double Integrator::estimate(double h) {
  const int ny = stack_.ny();
  const auto& e = tableau().e;
  F_ = slope0_;
  for (int k = 0; k < 3; ++k) F_ += e[k] / h * (stages_.x.col(k).head(ny) - y0_);
  system_->filter(F_, d_);
  const double error = norm_(d_);
  if (error < 1.0 || at_singular_point_ || !control_.first_or_rejected()) return error;
  // f(x0 + d) instead of f(x0): stiff parts of the estimate are damped once more
  trial_ = x_;
  d_ += y0_;
  stack_.unpack_y(d_, trial_);
  equations_.residual(context_, trial_, *ws_);
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
  stages_.residual.col(0) = ws_->residual;
  const JacobianLayout at(equations_.sizes());
  // the change of a, by the factors at x0
  trial_.a = ws_->residual.segment(at.dynamics, stack_.v);
  trial_.lambda = -ws_->residual.segment(at.acceleration, stack_.lambda);
  solver_->solve(trial_.a, trial_.lambda);
  F_.head(stack_.p) += ws_->residual.segment(at.kinematics, stack_.p) - slope0_.head(stack_.p);
  F_.segment(stack_.p, stack_.v) += trial_.a;
  F_.tail(stack_.r) += ws_->residual.segment(at.r, stack_.r) - slope0_.tail(stack_.r);
  system_->filter(F_, d_);
  return norm_(d_);
}

}  // namespace mbs::radau
