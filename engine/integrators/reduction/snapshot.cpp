// The state beyond the common part that later steps and the interpolation in the last one depend
// on. Factors of G D are made in each evaluation and not stored.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {

void Integrator::save_method(ByteWriter& out) const {
  adams_.save(out);
  control_.save(out);
  choice_.save(out);
  out.put(largest_drift_);
  out.put(order_);
  out.put(alpha_);
  out.put(beta_);
  solver_->save(out);
  stiffness_.save(out);
}

void Integrator::restore_method(ByteReader& in) {
  adams_.restore(in);
  control_.restore(in);
  choice_.restore(in);
  in.get(largest_drift_);
  in.get(order_);
  expect_within(order_, 0, Adams::most_order);
  in.get(alpha_);
  in.get(beta_);
  solver_->restore(in);
  stiffness_.restore(in);
  layout_.pack_y(x_, y_);
}

}  // namespace mbs::reduction
