// Bookkeeping of projections, and the message when no step succeeds.

#include "engine/base/text.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {

bool Integrator::count(const ProjectionResult& result) {
  statistics_.projections += result.iterations;
  return succeeded(result);
}

void Integrator::give_up(double H, const std::string& event) const {
  using Reason = StepFailure::Reason;
  Explanation why = explain(failure_, equations_, *ws_);
  if (failure_.reason == Reason::error_test) why.advice = advice_for_error_test;
  if (failure_.reason == Reason::projection) {
    why.reason = "the dependent coordinates cannot be solved for, residual " +
                 short_number(failure_.size) + " in " +
                 name_of(equations_.structure().lambda_names, failure_.at, "constraint");
  }
  if (method_.method == Method::stabilized) {
    why.advice += "; near singular positions stabilized diverges: method=\"hybrid\" goes on there";
  }
  stop(H, event, order_ > 0 ? control_.order() : 0, why);
}

}  // namespace mbs::reduction
