// The state beyond the common part that later steps and the interpolation in the last one depend
// on.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

void Integrator::save_method(ByteWriter& out) const {
  for (const bool flag : {restart_, stepped_}) out.put(flag);
  for (const double x : {t_history_, hint_}) out.put(x);
  control_.save(out);
  history_.save(out);
  corrector_.save(out);
  solver_->save(out);
}

void Integrator::restore_method(ByteReader& in) {
  for (bool* flag : {&restart_, &stepped_}) *flag = get_bool(in);
  for (double* x : {&t_history_, &hint_}) in.get(*x);
  control_.restore(in);
  history_.restore(in);
  corrector_.restore(in);
  solver_->restore(in);
  system_.begin(x_);
}

}  // namespace mbs::bdf
