// Save and restore: everything that influences the steps to come and the interpolation in the last
// one. Newton's matrix is not stored but its point and step size: making it again gives the same
// bits.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {
void Integrator::save(ByteWriter& out) const {
  x_.save(out);
  out.put(redundant_);
  out.put(at_singular_point_);
  out.put(t_begin_);
  statistics_.save(out);
  control_.save(out);
  out.put(started_);
  out.put(choose_);
  out.put(attempts_);
  out.put(scale_of_steps_);
  out.put(eta_);
  out.put(slope0_);
  out.put(begin_);
  out.put(has_polynomial_);
  polynomial_.save(out);
  for (const bool flag : {has_jacobian_, jacobian_here_, renew_}) out.put(flag);
  out.put(h_factored_);
  system_->save(out);
  if (has_jacobian_) point_.save(out);
  system_->save_factors(out);
  solver_->save(out);
  view_solver_->save(out);
}

void Integrator::restore_redundancy(ByteReader& in) {
  int redundant = 0;
  in.get(redundant);
  if (redundant < 0 || redundant > equations_.sizes().lambda) {
    throw std::runtime_error("the stored state belongs to another model");
  }
  if (redundant == redundant_) return;
  redundant_ = redundant;
  make_solvers();
}

void Integrator::restore(ByteReader& in) {
  x_.restore(in);
  restore_redundancy(in);
  at_singular_point_ = get_bool(in);
  in.get(t_begin_);
  Statistics counts;
  counts.restore(in);
  control_.restore(in);
  started_ = get_bool(in);
  choose_ = get_bool(in);
  in.get(attempts_);
  in.get(scale_of_steps_);
  if (started_ && !choose_ && !(scale_of_steps_ > 0.0)) {  // steps would have no least size
    throw std::runtime_error("the stored state belongs to another model");
  }
  in.get(eta_);
  in.get(slope0_);
  in.get(begin_);
  has_polynomial_ = get_bool(in);
  polynomial_.restore(in);
  for (bool* flag : {&has_jacobian_, &jacobian_here_, &renew_}) *flag = get_bool(in);
  in.get(h_factored_);
  system_->restore(in);
  if (has_jacobian_) {
    point_.restore(in);
    if (system_->prepare(point_, *ws_, false) != NewtonSystem::Prepared::done) {
      throw std::runtime_error("the stored Newton matrix cannot be made again");
    }
  }
  system_->restore_factors(in, has_jacobian_ ? h_factored_ : 0.0);
  solver_->restore(in);
  view_solver_->restore(in);
  stack_.pack(x_, x0_);
  y0_ = x0_.head(stack_.ny());
  statistics_ = counts;
  trouble_ = Trouble::none;
}

}  // namespace mbs::radau
