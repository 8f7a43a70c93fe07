// Bookkeeping of failed correctors, the description of the method, and the message when no step
// succeeds.

#include "engine/base/text.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

Integrator::Attempt Integrator::corrector_failed(Corrector::Result result, double h) {
  using Reason = StepFailure::Reason;
  using Result = Corrector::Result;
  if (result == Result::diverged) {
    const Vector& correction = corrector_.last_correction();
    failure_ = {Reason::newton, norm_(correction), norm_.largest(correction)};
  } else {
    fail(result == Result::singular ? Reason::iteration_matrix : Reason::not_finite);
  }
  history_.undo();
  control_.failed(h);
  return Attempt::failed;
}

void Integrator::give_up(double h, const std::string& event) {
  Explanation why = explain(failure_, equations_, system_.workspace());
  if (failure_.reason == StepFailure::Reason::newton) {
    why.reason = "the corrector does not converge, its last correction is " +
                 short_number(failure_.size) + " times the tolerance, largest in " +
                 unknown_name(equations_, failure_.at);
    why.advice =
        "Look for a jump or a kink acting on it, or joints that cannot be satisfied together; "
        "smaller tolerances keep the steps where the equations are nearly linear";
  }
  stop(h, event, stepped_ ? control_.order() : 0, why);
}

std::string Integrator::describe() const {
  const auto either = [](bool first, const char* a, const char* b) { return first ? a : b; };
  const std::string jacobian = method_.jacobians == JacobianKind::exact ? "of the model"
                               : method_.jacobians == JacobianKind::differences
                                   ? "by differences"
                                   : "by groups of columns";
  const IterationMatrix& matrix = corrector_.matrix();
  return std::string("bdf, ") +
         either(method_.form == Form::ggl, "Gear-Gupta-Leimkuhler form", "lambda-derivative form") +
         ", " + either(method_.formalism == Formalism::residual, "residual", "explicit") +
         " formalism; Jacobian " + jacobian +
         either(method_.update == MatrixUpdate::none, "", ", updated for other step sizes") +
         "; linear solver: " + matrix.lu().name() + ", " + std::to_string(matrix.reduced_size()) +
         " unknowns" + either(matrix.eliminates(), " without the kinematic rows", "");
}

}  // namespace mbs::bdf
