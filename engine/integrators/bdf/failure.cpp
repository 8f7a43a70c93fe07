// What a failed step tells a person.

#include "engine/base/text.hpp"
#include "engine/integrators/base/trouble.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

bool Integrator::check(const ProjectionResult& result, bool positions) {
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

void Integrator::failed_corrector(Corrector::Result result) {
  using Result = Corrector::Result;
  trouble_ = result == Result::singular     ? Trouble::singular
             : result == Result::not_finite ? Trouble::not_finite
                                            : Trouble::corrector;
  if (trouble_ != Trouble::corrector) return;
  trouble_size_ = norm_(corrector_.last_correction());
  trouble_at_ = norm_.largest(corrector_.last_correction());
}

void Integrator::give_up(double h, const std::string& reason) const {
  const Workspace& ws = const_cast<Integrator*>(this)->system_.workspace();
  const auto common = [&] {
    switch (trouble_) {
      case Trouble::error:
        return mbs::Trouble::error;
      case Trouble::corrector:
        return mbs::Trouble::newton;
      case Trouble::singular:
      case Trouble::start_singular:
        return mbs::Trouble::singular;
      case Trouble::not_finite:
        return mbs::Trouble::not_finite;
      case Trouble::auxiliary:
        return mbs::Trouble::auxiliary;
      case Trouble::projection:
        return mbs::Trouble::projection;
      case Trouble::none:
        break;
    }
    return mbs::Trouble::none;
  };
  auto [last, advice] = explain(common(), trouble_size_, trouble_at_, equations_, ws);
  if (trouble_ == Trouble::corrector) {
    last = "the corrector does not converge, its last correction is " +
           short_number(trouble_size_) + " times the tolerance, largest in " +
           unknown_name(equations_, trouble_at_);
    advice =
        "Look for a jump or a kink acting on it, or joints that cannot be satisfied together; "
        "smaller tolerances keep the steps where the equations are nearly linear";
  }
  if (trouble_ == Trouble::singular) last = "the iteration matrix is singular; " + last;
  const std::string order = steps_ > 0 ? " (order " + std::to_string(k_) + ")" : std::string();
  throw SolverFailure(x_.t, h, reason + order + (last.empty() ? "" : "; " + last), advice);
}

std::string Integrator::describe() const {
  const auto keyword = [](bool first, const char* a, const char* b) { return first ? a : b; };
  std::string jacobian = bdf_.jacobians == JacobianKind::exact         ? "of the model"
                         : bdf_.jacobians == JacobianKind::differences ? "by differences"
                                                                       : "by groups of columns";
  return std::string("bdf, ") +
         keyword(bdf_.form == Form::ggl, "Gear-Gupta-Leimkuhler form", "lambda-derivative form") +
         ", " + keyword(bdf_.formalism == Formalism::residual, "residual", "explicit") +
         " formalism; Jacobian " + jacobian +
         keyword(bdf_.update == MatrixUpdate::none, "", ", updated for other step sizes") +
         "; linear solver: " + corrector_.matrix().lu().name() + ", " +
         std::to_string(corrector_.matrix().reduced_size()) + " unknowns" +
         keyword(corrector_.matrix().eliminates(), " without the kinematic rows", "");
}

}  // namespace mbs::bdf
