// Bookkeeping of why an attempt failed, and the message when no step succeeds.

#include "engine/integrators/extrapolation/integrator.hpp"

namespace mbs::extrapolation {

bool Integrator::done(StepResult result) {
  switch (result) {
    case StepResult::done:
      return true;
    case StepResult::singular:
      return fail(StepFailure::Reason::singular);
    case StepResult::not_finite:
      return fail(StepFailure::Reason::not_finite);
    case StepResult::auxiliary:
      return fail(StepFailure::Reason::auxiliary);
  }
  return false;
}

void Integrator::give_up(double H, const std::string& event) const {
  Explanation why = explain(failure_, equations_, *ws_);
  if (failure_.reason == StepFailure::Reason::error_test) why.advice = advice_for_error_test;
  // The scheme may be the cause of any failure.
  if (equations_.structure().f_depends_on_lambda && method_.scheme == Scheme::standard &&
      method_.method == Method::euler) {
    why.advice =
        "Forces depend on constraint forces (dry friction), and the standard scheme works only "
        "while F = df/dlambda is small: choose scheme=\"modified\"";
  }
  stop(H, event, run_.started && dense_.rows() > 0 ? control_.row() : 0, why);
}

}  // namespace mbs::extrapolation
