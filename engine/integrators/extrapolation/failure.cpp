// What a failed step tells a person.

#include "engine/integrators/common/singular.hpp"
#include "engine/integrators/common/text.hpp"
#include "engine/integrators/extrapolation/extrapolation.hpp"

namespace mbs {

bool Extrapolation::check(const ProjectionResult& result, bool positions) {
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

void Extrapolation::give_up(double H, const std::string& reason) const {
  const Structure& names = equations_.structure();
  std::string last, advice;
  switch (trouble_) {
    case Trouble::none:
      advice = "Loosen the tolerances or the limits of the solver";
      break;
    case Trouble::error: {
      const int i = trouble_at_;
      const std::string who = i < stack_.p ? name_of(names.p_names, i, "position")
                              : i < stack_.p + stack_.v
                                  ? name_of(names.v_names, i - stack_.p, "velocity")
                                  : name_of(names.r_names, i - stack_.p - stack_.v, "state");
      last = "the error estimate is " + short_number(trouble_size_) +
             " times the tolerance, largest in " + who;
      advice =
          "Loosen the tolerances, look for a jump or a stiff element acting on it, or "
          "choose an implicit integrator";
      break;
    }
    case Trouble::singular:
      last = describe_singular(names, *ws_);
      advice = "Look for redundant joints, a singular position, or a coordinate without mass there";
      break;
    case Trouble::not_finite:
      last = "the equations give a value that is not a finite number";
      advice =
          "Look for a division by zero or a root of a negative number in the model's "
          "expressions at this time";
      break;
    case Trouble::auxiliary:
      last = "the auxiliary unknowns cannot be solved for";
      advice = "Look at the algebraic equations of the model, and at the guess of their unknowns";
      break;
    case Trouble::projection:
      last = "the projection does not converge, residual " + short_number(trouble_size_) + " in " +
             name_of(names.lambda_names, trouble_at_, "constraint");
      advice =
          "Look for joints that cannot be satisfied together at this time, or tighten the "
          "tolerances";
      break;
  }
  // Whatever it dies of in the end.
  if (names.f_depends_on_lambda && options_.scheme == "standard" && method_ == Method::euler) {
    advice =
        "Forces depend on constraint forces (dry friction), and the standard scheme works only "
        "while F = df/dlambda is small: choose scheme=\"modified\"";
  }
  const std::string order =
      rows_ > 0 ? " (order " + std::to_string(control_.row()) + ")" : std::string();
  throw SolverFailure(x_.t, H, reason + order + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs
