// The end of a step: onto the constraints, accelerations and multipliers, the polynomial.

#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

// From the third stage to the next point.
bool Integrator::finish(double t_end) {
  stack_.unpack(stages_.x.col(2), trial_);
  trial_.t = t_end;
  trial_.z = x_.z;
  trial_.modes = x_.modes;
  const bool regular = arrive(trial_);
  if (!regular && !pass_singular_point(t_end)) return false;
  if (regular && equations_.sizes().e > 0 && !restore_invariants(trial_, t_end - x_.t)) {
    return false;
  }
  if (regular && redundant_ > 0 && rank_has_risen(trial_)) return false;
  at_singular_point_ = !regular;
  stack_.pack(trial_, end_);
  polynomial_.set(x0_, stages_.x, end_);
  has_polynomial_ = true;
  begin_ = x0_;
  t_begin_ = x_.t;
  accept(trial_);
  return true;
}

// Where constraints are redundant: whether a motion that those of the start's rank allow, a
// projected random one, is none for the others. After arrive(); that the rank falls is seen there,
// and at Newton's matrices.
bool Integrator::rank_has_risen(const State& x) {
  constexpr double none = 1e-3;
  equations_.apply_M(context_, x, random_, watched_, *ws_);
  reactions_.setZero();
  solver_->solve(watched_, reactions_);
  ++statistics_.solves;
  for (int i = 0; i < stack_.lambda; ++i) {
    double left = 0.0, size = 0.0;
    for (RowSparse::InnerIterator g(ws_->G, i); g; ++g) {
      left += g.value() * watched_[g.col()];
      size += std::abs(g.value() * random_[g.col()]);
    }
    if (!(std::abs(left) > none * size)) continue;
    const auto rank = static_cast<int>((ws_->D.array() == 0.0).count()) - redundant_;
    trouble_ = Trouble::rank;
    rank_trouble_ = {RankTrouble::changed, rank, rank + 1, i};
    trouble_at_ = i;
    return true;
  }
  return false;
}

// Brings x onto the constraints, with w, a, lambda; leaves factors of the saddle matrix there in
// solver_ and the slopes of (p, v, r) in slope_.
bool Integrator::arrive(State& x) {
  if (!check(projection_.positions(x, *ws_, *solver_), true) ||
      !check(projection_.velocities(x, *ws_, *solver_), false)) {
    return false;
  }
  if (stack_.w > 0 && !equations_.solve_auxiliary(context_, x, *ws_)) {
    trouble_ = Trouble::auxiliary;
    return false;
  }
  if (!solve_accelerations(equations_, context_, x, *ws_, *solver_)) {
    trouble_ = ws_->f.allFinite() ? Trouble::singular : Trouble::not_finite;
    return false;
  }
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
  ++statistics_.factorisations;
  ++statistics_.solves;
  if (stack_.r > 0) equations_.force(context_, x, want_b, *ws_);
  slope_.head(stack_.p) = ws_->p_dot;
  slope_.segment(stack_.p, stack_.v) = x.a;
  slope_.tail(stack_.r) = ws_->b;
  if (!slope_.allFinite()) {
    trouble_ = Trouble::not_finite;
    return false;
  }
  return true;
}

// The third stage as it is, where the saddle matrix is singular at its end: a and lambda are the
// collocation's, as is all else.
bool Integrator::pass_singular_point(double t_end) {
  if (trouble_ != Trouble::singular || at_singular_point_ || choice_.form == Form::index1) {
    return false;
  }
  stack_.unpack(stages_.x.col(2), trial_);
  trial_.t = t_end;
  equations_.position(context_, trial_, want_M | want_G, *ws_);
  equations_.velocity(context_, trial_, *ws_);
  if (stack_.r > 0) equations_.force(context_, trial_, want_b, *ws_);
  slope_.head(stack_.p) = ws_->p_dot;
  slope_.segment(stack_.p, stack_.v) = trial_.a;
  slope_.tail(stack_.r) = ws_->b;
  if (!slope_.allFinite()) return false;
  note_lost_rank(t_end);
  return true;
}

void Integrator::accept(State& x) {
  x_ = x;
  stack_.pack(x_, x0_);
  y0_ = x0_.head(stack_.ny());
  slope0_ = slope_;
}

// A step far below the natural one: p, v, r by Taylor's formula.
void Integrator::shift(double t_end) {
  const double h = t_end - x_.t;
  trial_ = x_;
  trial_.t = t_end;
  d_ = y0_ + h * slope0_;
  stack_.unpack_y(d_, trial_);
  if (!arrive(trial_)) give_up(h, "a last short step fails");
  stack_.pack(trial_, end_);
  const auto& c = tableau().c;
  for (int k = 0; k < 2; ++k) {
    stages_.x.col(k) = x0_ + c[static_cast<std::size_t>(k + 1)] * (end_ - x0_);
  }
  polynomial_.set(x0_, stages_.x, end_);
  has_polynomial_ = false;  // too short to be prolonged
  has_jacobian_ = jacobian_here_ = false;
  begin_ = x0_;
  t_begin_ = x_.t;
  accept(trial_);
  ++statistics_.steps;
  statistics_.last_step = h;
  statistics_.last_order = 1;
}

}  // namespace mbs::radau
