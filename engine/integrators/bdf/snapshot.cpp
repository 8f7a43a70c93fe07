// Save and restore: everything that influences the steps to come and the interpolation in the last
// one.

#include "engine/base/snapshot.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {
void Integrator::save(ByteWriter& out) const {
  x_.save(out);
  begin_.save(out);
  out.put(t_begin_);
  statistics_.save(out);
  for (const bool flag : {started_, choose_, raising_, restart_}) out.put<std::uint8_t>(flag);
  out.put(attempts_);
  for (const double x : {t_history_, h_, scale_of_steps_, hint_}) out.put(x);
  for (const int i : {k_, order_change_, steps_, fixed_order_}) out.put(i);
  history_.save(out);
  corrector_.save(out);
  solver_->save(out);
  view_solver_->save(out);
}

void Integrator::restore(ByteReader& in) {
  x_.restore(in);
  begin_.restore(in);
  in.get(t_begin_);
  statistics_.restore(in);
  for (bool* flag : {&started_, &choose_, &raising_, &restart_}) *flag = get_bool(in);
  in.get(attempts_);
  for (double* x : {&t_history_, &h_, &scale_of_steps_, &hint_}) in.get(*x);
  for (int* i : {&k_, &order_change_, &steps_, &fixed_order_}) in.get(*i);
  if (k_ < 1 || k_ > max_order_) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  history_.restore(in);
  corrector_.restore(in);
  solver_->restore(in);
  view_solver_->restore(in);
  system_.begin(x_);
  trouble_ = Trouble::none;
}

}  // namespace mbs::bdf
