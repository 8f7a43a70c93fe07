// What a failed step tells a person.

#include "engine/integrators/common/singular.hpp"
#include "engine/integrators/common/text.hpp"
#include "engine/integrators/radau/radau.hpp"

namespace mbs {

bool Radau::check(const ProjectionResult& result, bool positions) {
  statistics_.solves += result.iterations;
  if (result.iterations > 0 || result.singular) ++statistics_.factorisations;
  if (positions) statistics_.projections += result.iterations;
  ++statistics_.matrix_evaluations;
  if (result.ok) return true;
  trouble_ = result.singular ? Trouble::singular : Trouble::projection;
  trouble_size_ = result.residual;
  trouble_at_ = result.row;
  return false;
}

void Radau::give_up(double h, const std::string& reason) {
  const Structure& names = equations_.structure();
  const auto unknown = [&](int i) {
    return i < stack_.p              ? name_of(names.p_names, i, "position")
           : i < stack_.p + stack_.v ? name_of(names.v_names, i - stack_.p, "velocity")
                                     : name_of(names.r_names, i - stack_.p - stack_.v, "state");
  };
  std::string last, advice;
  if (trouble_ == Trouble::newton && std::isfinite(trouble_size_)) {
    // Where the constraints are singular Newton's method cannot converge: look ahead.
    trial_ = x_;
    trial_.t = x_.t + h;
    equations_.position(given_, trial_, want_M | want_G, *ws_);
    if (!solver_->factor(ws_->saddle())) trouble_ = Trouble::singular;
  }
  switch (trouble_) {
    case Trouble::none:
      advice = "Loosen the tolerances or the limits of the solver";
      break;
    case Trouble::error:
      last = "the error estimate is " + short_number(trouble_size_) +
             " times the tolerance, largest in " + unknown(trouble_at_);
      advice = "Loosen the tolerances, or look for a jump that acts on it";
      break;
    case Trouble::newton:
      last = "Newton's method does not converge, its last change is " +
             short_number(trouble_size_) + " times the tolerance, largest in " +
             unknown(trouble_at_);
      advice =
          "Look for a jump or a very steep force acting on it; try newton_updates=\"1\" or "
          "start_values=\"constant\"";
      break;
    case Trouble::singular:
      last = describe_singular(names, *ws_);
      advice =
          "Look for redundant joints, a singular position, or a coordinate without mass there; "
          "algebraic=\"svd\" treats redundant constraints";
      break;
    case Trouble::rank:
      last = "the rank of the constraints changes" +
             (trouble_at_ >= 0
                  ? ", now dependent: " + name_of(names.lambda_names, trouble_at_, "constraint")
                  : std::string());
      advice =
          "Look for a singular position of the mechanism (a dead point, links in line), or joints "
          "that become redundant there";
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
  throw SolverFailure(x_.t, h, reason + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs
