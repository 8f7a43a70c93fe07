// The rank of the constraints in the saddle system.

#include <algorithm>
#include <span>

#include "engine/integrators/radau/saddle_system.hpp"
#include "engine/linear/dependencies.hpp"

namespace mbs::radau {

// Finds whether a factorisation has failed by a rank or for another reason.
NewtonSystem::Prepared SaddleSystem::no_factors(const Workspace& ws) {
  const bool redundant = least_norm_ != nullptr;
  const std::span<const int> known = redundant ? least_norm_->redundant() : std::span<const int>();
  const std::vector<int> rows =
      redundant_rows(ws.M, ws.G, ws.D, redundant ? off_constraints_tolerance : singular_tolerance);
  const auto active = static_cast<int>((ws.D.array() == 0.0).count());
  const int before = active - static_cast<int>(known.size());
  const int now = active - static_cast<int>(rows.size());
  if (now < before) {
    const auto other = std::ranges::find_if(
        rows, [&](int row) { return !std::ranges::binary_search(known, row); });
    rank_defect_ = {RankDefect::changed, before, now, other != rows.end() ? *other : -1};
    return Prepared::rank;
  }
  // without F and w the matrix is singular by M alone
  if (n_.w == 0 && !context_.equations.structure().f_depends_on_lambda) return Prepared::singular;
  rank_defect_ = {RankDefect::accelerations, before, before - 1, -1};
  return Prepared::rank;
}

// Removes from E the rows of G and the multipliers that the solver leaves out.
void SaddleSystem::leave_out() {
  std::ranges::fill(out_, 0);
  for (const int i : least_norm_->redundant()) out_[static_cast<std::size_t>(n_.v + i)] = 1;
  for (int j = 0; j < size_; ++j) {
    const bool column = out_[static_cast<std::size_t>(j)] != 0;
    for (int k = E_.outerIndexPtr()[j]; k < E_.outerIndexPtr()[j + 1]; ++k) {
      const int i = E_.innerIndexPtr()[k];
      if (!column && out_[static_cast<std::size_t>(i)] == 0) continue;
      of_one_[k] = of_second_[k] = 0.0;
      of_first_[k] = i == j ? 1.0 : 0.0;  // as large as other pivots of constraints
    }
  }
}

}  // namespace mbs::radau
