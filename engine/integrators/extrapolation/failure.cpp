// What becomes of a refused step, and what a failed one tells a person.

#include "engine/integrators/extrapolation/integrator.hpp"

namespace mbs::extrapolation {

bool Integrator::check(const ProjectionResult& result, bool positions) {
  const int solved = result.iterations;
  statistics_.solves += solved;
  if (result.factored) ++statistics_.factorisations;
  if (positions) {
    statistics_.projections += solved;
  } else {
    ++statistics_.matrix_evaluations;
  }
  if (result.ok) return true;
  trouble_ = result.singular ? Trouble::singular : Trouble::projection;
  trouble_size_ = result.residual;
  trouble_at_ = result.row;
  return false;
}

Integrator::Attempt Integrator::refuse(Attempt why, double size, int worst) {
  trouble_ = Trouble::error;
  trouble_size_ = size;
  trouble_at_ = worst;
  return why;
}

// A step that was refused for its error and cannot be made shorter, since doubles lie no closer,
// goes over the jump that is there. What that leaves, no method can know. More such steps one after
// the other are no jump.
bool Integrator::passes_over(double least) const {
  constexpr int most = 3;
  return control_.step() < least && options_.min_step < least && trouble_ == Trouble::error &&
         passed_over_ < most;
}

void Integrator::give_up(double H, const std::string& reason) const {
  auto [last, advice] = explain(trouble_, trouble_size_, trouble_at_, equations_, *ws_);
  if (trouble_ == Trouble::error) {
    advice =
        "Loosen the tolerances, look for a jump or a stiff element acting on it, or choose an "
        "implicit integrator";
  }
  // Whatever it dies of in the end.
  if (equations_.structure().f_depends_on_lambda && options_.scheme == "standard" &&
      method_ == Method::euler) {
    advice =
        "Forces depend on constraint forces (dry friction), and the standard scheme works only "
        "while F = df/dlambda is small: choose scheme=\"modified\"";
  }
  const std::string order =
      rows_ > 0 ? " (order " + std::to_string(control_.row()) + ")" : std::string();
  throw SolverFailure(x_.t, H, reason + order + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs::extrapolation
