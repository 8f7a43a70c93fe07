// Bookkeeping of what a projection has cost, the warning of a lost rank, and the message when no
// step succeeds.

#include <array>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

bool Integrator::count(const ProjectionResult& result, bool positions) {
  if (positions) ++statistics_.matrix_evaluations;
  return IntegratorBase::count(result, positions);
}

void Integrator::warn_of_lost_rank(double t) {
  const int row = stage_solver_.rank_defect().row;
  warnings_.push_back(
      "the constraints lose rank near t = " + short_number(t) +
      (row >= 0 ? ", " + name_of(equations_.structure().lambda_names, row, "constraint") +
                      " depends on others there"
                : std::string()) +
      " (a dead point, or links in line); the motion goes on with the coordinates it has, on the "
      "branch it came on");
}

void Integrator::give_up(double h, const std::string& event) {
  using Reason = StepFailure::Reason;
  if (failure_.reason == Reason::newton && std::isfinite(failure_.size)) {
    // Newton's method cannot converge where the constraints are singular: look ahead.
    trial_ = x_;
    trial_.t = x_.t + h;
    equations_.position(context_, trial_, want_M | want_G, *ws_);
    if (!solver_->factor(ws_->saddle())) failure_.reason = Reason::singular;
  }
  if (failure_.reason == Reason::singular) {
    const std::array<const State*, 2> points{&x_, &trial_};
    if (stage_solver_.finds_rank_defect(points, *ws_)) {
      failure_ = {Reason::rank, failure_.size, stage_solver_.rank_defect().row};
    }
  }
  Explanation why = explain(failure_, equations_, *ws_);
  if (failure_.reason == Reason::newton) {
    why.advice += "; try newton_updates=\"1\" or start_values=\"constant\"";
  }
  if (failure_.reason == Reason::singular) {
    why.advice += "; algebraic=\"svd\" treats redundant constraints";
  }
  if (failure_.reason == Reason::rank) {
    const auto [code, expected, found, row] = stage_solver_.rank_defect();
    const std::string ranks = std::to_string(expected) + " and " + std::to_string(found);
    if (code == RankDefect::accelerations) {
      why.reason =
          "the constraints are not uniformly redundant: accelerations and constraint forces are "
          "not determined although velocities are";
      why.advice =
          "Look for friction or auxiliary unknowns that make the constraint forces ambiguous "
          "there, as with self-locking";
    } else if (code == RankDefect::positions) {
      why.reason =
          "the constraints are not uniformly redundant: the ranks of velocities and positions "
          "are " +
          ranks;
      why.advice =
          "Look for coordinates whose velocities cannot all be reached there, and for constraints "
          "that agree in their velocities alone";
    } else {
      why.reason += ", its values before and now are " + ranks;
    }
    why.reason += " (" + std::to_string(code) + " of GEOMS)";
  }
  stop(h, event, 0, why);
}

}  // namespace mbs::radau
