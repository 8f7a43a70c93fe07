// What a failed step tells a person.

#include "engine/base/text.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

bool Integrator::check(const ProjectionResult& result, bool positions) {
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

void Integrator::note_lost_rank(double t) {
  notices_.push_back(
      "the constraints lose rank near t = " + short_number(t) +
      (rank_trouble_.row >= 0
           ? ", " + name_of(equations_.structure().lambda_names, rank_trouble_.row, "constraint") +
                 " depends on others there"
           : std::string()) +
      " (a dead point, or links in line); the motion goes on with the coordinates it has, on the "
      "branch it came on");
}

void Integrator::give_up(double h, const std::string& reason) {
  if (trouble_ == Trouble::newton && std::isfinite(trouble_size_)) {
    // Where the constraints are singular Newton's method cannot converge: look ahead.
    trial_ = x_;
    trial_.t = x_.t + h;
    equations_.position(context_, trial_, want_M | want_G, *ws_);
    if (!solver_->factor(ws_->saddle())) trouble_ = Trouble::singular;
  }
  if (trouble_ == Trouble::singular) {  // by ranks?
    has_jacobian_ = false;
    for (const State* at : {&x_, &trial_}) {  // ws_ is left as of trial_
      if (system_->prepare(*at, *ws_, false) != NewtonSystem::Prepared::rank) continue;
      trouble_ = Trouble::rank;
      rank_trouble_ = system_->rank_trouble();
      trouble_at_ = rank_trouble_.row;
    }
  }
  auto [last, advice] = explain(trouble_, trouble_size_, trouble_at_, equations_, *ws_);
  if (trouble_ == Trouble::newton) {
    advice += "; try newton_updates=\"1\" or start_values=\"constant\"";
  }
  if (trouble_ == Trouble::singular) advice += "; algebraic=\"svd\" treats redundant constraints";
  if (trouble_ == Trouble::rank) {
    const auto [code, expected, found, row] = rank_trouble_;
    const std::string ranks = std::to_string(expected) + " and " + std::to_string(found);
    if (code == RankTrouble::accelerations) {
      last =
          "the constraints are not uniformly redundant: accelerations and constraint forces are "
          "not determined although velocities are";
      advice =
          "Look for friction or auxiliary unknowns that make the constraint forces ambiguous "
          "there, as with self-locking";
    } else if (code == RankTrouble::positions) {
      last =
          "the constraints are not uniformly redundant: the ranks of velocities and positions "
          "are " +
          ranks;
      advice =
          "Look for coordinates whose velocities cannot all be reached there, and for constraints "
          "that agree in their velocities alone";
    } else {
      last += ", its values before and now are " + ranks;
    }
    last += " (" + std::to_string(code) + " of report 001)";
  }
  throw SolverFailure(x_.t, h, reason + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs::radau
