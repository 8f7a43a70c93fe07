// What a failed step tells a person.

#include "engine/integrators/bdf/bdf.hpp"
#include "engine/integrators/common/singular.hpp"
#include "engine/integrators/common/text.hpp"

namespace mbs {

bool Bdf::check(const ProjectionResult& result, bool positions) {
  const int solved = result.iterations;
  statistics_.solves += solved;
  if (solved > 0 || result.singular) ++statistics_.factorisations;
  if (positions) {
    statistics_.projections += solved;
  } else {
    ++statistics_.matrix_evaluations;
  }
  if (result.ok) return true;
  trouble_ = result.singular ? Trouble::start_singular : Trouble::projection;
  trouble_size_ = result.residual;
  trouble_at_ = result.row;
  return false;
}

void Bdf::failed_corrector(BdfCorrectorLoop::Result result) {
  using Result = BdfCorrectorLoop::Result;
  trouble_ = result == Result::singular     ? Trouble::singular
             : result == Result::not_finite ? Trouble::not_finite
                                            : Trouble::corrector;
  if (trouble_ != Trouble::corrector) return;
  trouble_size_ = norm_(corrector_.last_correction());
  trouble_at_ = norm_.largest(corrector_.last_correction());
}

void Bdf::give_up(double h, const std::string& reason) const {
  const Structure& names = equations_.structure();
  const Sizes& n = system_.sizes();
  const auto who = [&] {
    const int i = trouble_at_;
    return i < n.p         ? name_of(names.p_names, i, "position")
           : i < n.p + n.v ? name_of(names.v_names, i - n.p, "velocity")
                           : name_of(names.r_names, i - n.p - n.v, "state");
  };
  std::string last, advice;
  switch (trouble_) {
    case Trouble::none:
      advice = "Loosen the tolerances or the limits of the solver";
      break;
    case Trouble::error:
      last = "the error estimate is " + short_number(trouble_size_) +
             " times the tolerance, largest in " + who();
      advice = "Loosen the tolerances, or look for a jump acting on it";
      break;
    case Trouble::corrector:
      last = "the corrector does not converge, its last correction is " +
             short_number(trouble_size_) + " times the tolerance, largest in " + who();
      advice =
          "Look for a jump or a kink acting on it, or joints that cannot be satisfied together; "
          "smaller tolerances keep the steps where the equations are nearly linear";
      break;
    case Trouble::singular:
    case Trouble::start_singular:
      last = trouble_ == Trouble::singular
                 ? "the iteration matrix is singular; " +
                       describe_singular(names, const_cast<Bdf*>(this)->system_.workspace())
                 : describe_singular(names, const_cast<Bdf*>(this)->system_.workspace());
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
  const std::string order = steps_ > 0 ? " (order " + std::to_string(k_) + ")" : std::string();
  throw SolverFailure(x_.t, h, reason + order + (last.empty() ? "" : "; " + last), advice);
}

std::string Bdf::describe() const {
  const auto word = [](bool first, const char* a, const char* b) { return first ? a : b; };
  std::string jacobian = bdf_.jacobians == BdfJacobians::exact         ? "of the model"
                         : bdf_.jacobians == BdfJacobians::differences ? "by differences"
                                                                       : "by groups of columns";
  return std::string("bdf, ") +
         word(bdf_.form == BdfForm::ggl, "Gear-Gupta-Leimkuhler form", "lambda-derivative form") +
         ", " + word(bdf_.formalism == Formalism::residual, "residual", "explicit") +
         " formalism; Jacobian " + jacobian +
         word(bdf_.update == BdfUpdate::none, "", ", updated for other step sizes") +
         "; linear solver: " + corrector_.matrix().lu().name() + ", " +
         std::to_string(corrector_.matrix().reduced_size()) + " unknowns" +
         word(corrector_.matrix().eliminates(), " without the kinematic rows", "");
}

}  // namespace mbs
