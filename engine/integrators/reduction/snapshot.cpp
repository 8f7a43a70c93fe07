// Save and restore: everything that influences the steps to come and the interpolation in the last
// one. Factors of G D are made in each evaluation and not stored.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {
void Integrator::save(ByteWriter& out) const {
  x_.save(out);
  out.put(t_begin_);
  statistics_.save(out);
  begin_.save(out);
  adams_.save(out);
  control_.save(out);
  coordinates_.save(out);
  out.put(started_);
  out.put(choose_);
  out.put(near_singular_);
  out.put(passages_);
  out.put(largest_drift_);
  out.put(attempts_);
  out.put(scale_of_steps_);
  out.put(order_);
  out.put(alpha_);
  out.put(beta_);
  out.put(fresh_influence_);
  out.put(fresh_energy_);
  out.put(steps_to_look_);
  solver_->save(out);
  view_solver_->save(out);
  stiffness_.save(out);
}

void Integrator::restore(ByteReader& in) {
  x_.restore(in);
  in.get(t_begin_);
  statistics_.restore(in);
  begin_.restore(in);
  adams_.restore(in);
  control_.restore(in);
  coordinates_.restore(in);
  started_ = get_bool(in);
  choose_ = get_bool(in);
  near_singular_ = get_bool(in);
  in.get(passages_);
  in.get(largest_drift_);
  in.get(attempts_);
  in.get(scale_of_steps_);
  in.get(order_);
  if (order_ < 0 || order_ > Adams::most_order) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  in.get(alpha_);
  in.get(beta_);
  in.get(fresh_influence_);
  in.get(fresh_energy_);
  in.get(steps_to_look_);
  solver_->restore(in);
  view_solver_->restore(in);
  stiffness_.restore(in);
  stack_.pack_y(x_, y_);
  trouble_ = Trouble::none;
}

}  // namespace mbs::reduction
