// The state beyond the common part that later steps and the interpolation in the last one depend
// on.

#include <stdexcept>

#include "engine/base/snapshot.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

void Integrator::save_method(ByteWriter& out) const {
  out.put(redundant_);
  out.put(at_singular_point_);
  control_.save(out);
  out.put(now_.slope);
  out.put(has_polynomial_);
  polynomial_.save(out);
  stage_solver_.save(out);
  solver_->save(out);
}

void Integrator::restore_method(ByteReader& in) {
  int redundant = 0;
  in.get(redundant);
  expect_within(redundant, 0, equations_.sizes().lambda);
  if (redundant != redundant_) {
    redundant_ = redundant;
    make_solvers();
  }
  at_singular_point_ = get_bool(in);
  control_.restore(in);
  in.get(now_.slope);
  layout_.pack(x_, now_.unknowns);
  has_polynomial_ = get_bool(in);
  polynomial_.restore(in);
  stage_solver_.restore(in, *ws_);
  solver_->restore(in);
}

}  // namespace mbs::radau
