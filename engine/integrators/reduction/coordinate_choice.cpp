#include "engine/integrators/reduction/coordinate_choice.hpp"

#include <algorithm>

#include "engine/base/snapshot.hpp"
#include "engine/base/text.hpp"

namespace mbs::reduction {
namespace {

// Dependent coordinates may move this many times as far as independent ones, or this many times as
// far as they did when they were chosen.
constexpr double most_amplification = 2.0, over_first = 1.5;
// Kinetic energy in dependent coordinates that asks for new ones (5.3.12).
constexpr double most_energy = 0.1;
// With many constraints the amplification costs as much as an evaluation; far from its bound it is
// computed only every few steps.
constexpr int steps_between = 4, many = 8;
constexpr double far = 0.75;
// The position is near a singular one when the ratio of the pivots falls below the first bound, and
// no longer when it is above the second. Mechanisms far from one have 0.1 (a carriage of 213
// constraints) to 1; a four-bar of 1 m that comes to lie in line but for 1 mm has 0.04.
constexpr double singular_below = 0.07, regular_above = 0.095;

}  // namespace

CoordinateChoice::CoordinateChoice(const Equations& equations, Context context,
                                   const Tolerances& tolerances, Method method)
    : equations_(equations),
      context_(context),
      method_(method),
      constraints_(equations.sizes().lambda),
      coordinates_(equations, context, tolerances),
      v_D_(Vector::Zero(equations.sizes().v)),
      Mv_(v_D_) {}

bool CoordinateChoice::choose(const State& x, Workspace& ws, Statistics& statistics) {
  using Choice = Coordinates::Choice;
  if (constraints_ == 0 || method_ == Method::stabilized) return true;
  const Choice choice = method_ == Method::svd         ? Choice::svd
                        : method_ == Method::nullspace ? Choice::gram_schmidt
                                                       : Choice::pivots;
  if (!coordinates_.choose(choice, ws)) return false;
  ++statistics.selectors;
  first_amplification_ = coordinates_.amplification(ws);
  steps_to_check_ = 1;
  if (method_ == Method::svd) first_energy_ = energy_in_dependent(x, ws);
  return true;
}

bool CoordinateChoice::renew(const State& x, Workspace& ws, Statistics& statistics,
                             std::vector<std::string>& warnings) {
  if (constraints_ == 0 || method_ == Method::stabilized) return true;
  if (method_ == Method::nullspace ||
      (method_ == Method::svd && energy_in_dependent(x, ws) > first_energy_ + most_energy)) {
    return choose(x, ws, statistics);
  }
  if (--steps_to_check_ > 0) return true;
  const double amplification = coordinates_.amplification(ws);
  const double bound = std::max(most_amplification, over_first * first_amplification_);
  steps_to_check_ = constraints_ > many && amplification < far * bound ? steps_between : 1;
  check_singularity(ws, warnings);
  return amplification <= bound || choose(x, ws, statistics);
}

// Near a singular position the saddle matrix is ill-conditioned, and a small drift asks for large
// accelerations.
void CoordinateChoice::check_singularity(const Workspace& ws, std::vector<std::string>& warnings) {
  if (constraints_ == 0 || method_ != Method::hybrid) return;
  const double ratio = coordinates_.regularity(ws);
  if (ratio < 2.0 * regular_above) steps_to_check_ = 1;
  const bool near = !(ratio >= (near_singular_ ? regular_above : singular_below));
  if (near == near_singular_) return;
  near_singular_ = near;
  if (near) ++passages_;
  if (passages_ > 1) return;
  warnings.push_back(near ? "near a singular position (smallest pivot of the constraints " +
                                short_number(ratio) +
                                " of the largest) hybrid integrates independent coordinates alone"
                          : "away from the singular position hybrid integrates all coordinates "
                            "again; further passages are counted alone");
}

// The share of the kinetic energy in v's part along D: for M = I the rest is |z_I'|^2 of (5.3.11).
double CoordinateChoice::energy_in_dependent(const State& x, Workspace& ws) {
  coordinates_.dependent_part(x.v, v_D_);
  equations_.apply_M(context_, x, v_D_, Mv_, ws);
  const double dependent = v_D_.dot(Mv_);
  equations_.apply_M(context_, x, x.v, Mv_, ws);
  const double all = x.v.dot(Mv_);
  return all > 0.0 ? dependent / all : 0.0;
}

void CoordinateChoice::save(ByteWriter& out) const {
  coordinates_.save(out);
  out.put(near_singular_);
  out.put(passages_);
  out.put(first_amplification_);
  out.put(first_energy_);
  out.put(steps_to_check_);
}

void CoordinateChoice::restore(ByteReader& in) {
  coordinates_.restore(in);
  near_singular_ = get_bool(in);
  in.get(passages_);
  in.get(first_amplification_);
  in.get(first_energy_);
  in.get(steps_to_check_);
}

}  // namespace mbs::reduction
