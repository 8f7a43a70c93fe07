// The state beyond the common part that later steps and the interpolation in the last one depend
// on.

#include "engine/integrators/extrapolation/integrator.hpp"

namespace mbs::extrapolation {

void Integrator::save_method(ByteWriter& out) const {
  control_.save(out);
  out.put(endpoints_.margin());
  out.put(jumps_crossed_);
  out.put(now_.p_dot);
  out.put(now_.f);
  out.put(now_.r_dot);
  dense_.save(x_.t - t_begin_, out);
  rule_->save(out);
  solver_->save(out);
  stiffness_.save(out);
}

void Integrator::restore_method(ByteReader& in) {
  control_.restore(in);
  double margin = 1.0;
  in.get(margin);
  endpoints_.set_margin(margin);
  in.get(jumps_crossed_);
  now_.x = x_;
  in.get(now_.p_dot);
  in.get(now_.f);
  in.get(now_.r_dot);
  dense_.restore(in, now_);
  rule_->restore(in);
  solver_->restore(in);
  stiffness_.restore(in);
}

}  // namespace mbs::extrapolation
