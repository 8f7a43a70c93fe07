// Save and restore: everything that influences the steps to come and the interpolation in the last
// one. The slopes of the last step are not stored, the interpolant made of them is.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/extrapolation/integrator.hpp"

namespace mbs::extrapolation {
void Integrator::save(ByteWriter& out) const {
  x_.save(out);
  out.put(t_begin_);
  statistics_.save(out);
  control_.save(out);
  out.put(ends_.caution());
  out.put(started_);
  out.put(choose_);
  out.put(attempts_);
  out.put(passed_over_);
  out.put(scale_of_steps_);
  out.put(now_.p_dot);
  out.put(now_.f);
  out.put(now_.r_dot);
  out.put(begin_.value);
  out.put(begin_.slope);
  out.put(rows_);
  if (rows_ > 0 && has_interpolant()) {
    build_interpolant();
    interpolant_->save(out);
  }
  rule_->save(out);
  solver_->save(out);
  view_solver_->save(out);
  stiffness_.save(out);
}

void Integrator::restore(ByteReader& in) {
  x_.restore(in);
  in.get(t_begin_);
  statistics_.restore(in);
  control_.restore(in);
  double caution = 1.0;
  in.get(caution);
  ends_.set_caution(caution);
  started_ = get_bool(in);
  choose_ = get_bool(in);
  in.get(attempts_);
  in.get(passed_over_);
  in.get(scale_of_steps_);
  now_.x = x_;
  in.get(now_.p_dot);
  in.get(now_.f);
  in.get(now_.r_dot);
  end_point(now_, end_);
  in.get(begin_.value);
  in.get(begin_.slope);
  in.get(rows_);
  if (rows_ < 0 || rows_ > max_rows_) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  interpolant_ready_ = rows_ > 0 && has_interpolant();
  if (interpolant_ready_) interpolant_->restore(in);
  rule_->restore(in);
  solver_->restore(in);
  view_solver_->restore(in);
  stiffness_.restore(in);
  trouble_ = Trouble::none;
}

}  // namespace mbs::extrapolation
