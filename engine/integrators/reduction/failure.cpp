// What a failed step tells a person.

#include "engine/base/text.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {

bool Integrator::note(const ProjectionResult& result) {
  statistics_.projections += result.iterations;
  if (result.ok) return true;
  trouble_ = result.singular ? Trouble::singular : Trouble::projection;
  trouble_size_ = result.residual;
  trouble_at_ = result.row;
  return false;
}

void Integrator::give_up(double H, const std::string& reason) const {
  auto [last, advice] = explain(trouble_, trouble_size_, trouble_at_, equations_, *ws_);
  if (trouble_ == Trouble::error) {
    advice =
        "Loosen the tolerances, look for a jump or a stiff element acting on it, or choose an "
        "implicit integrator";
  }
  if (trouble_ == Trouble::projection) {
    last = "the dependent coordinates cannot be solved for, residual " +
           short_number(trouble_size_) + " in " +
           name_of(equations_.structure().lambda_names, trouble_at_, "constraint");
  }
  if (method_.method == Method::stabilized) {
    advice += "; near singular positions stabilized diverges: method=\"hybrid\" goes on there";
  }
  const std::string order =
      order_ > 0 ? " (order " + std::to_string(control_.order()) + ")" : std::string();
  throw SolverFailure(x_.t, H, reason + order + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs::reduction
