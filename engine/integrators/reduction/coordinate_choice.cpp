// When coordinates are chosen anew.

#include <cmath>

#include "engine/base/text.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {
namespace {

// Dependent coordinates may move this many times as far as independent ones...
constexpr double most_influence = 2.0;
// ... or as those just chosen did times this.
constexpr double over_fresh = 1.5;
// Kinetic energy in dependent coordinates that asks for new ones (5.3.12).
constexpr double most_energy = 0.1;
// Steps from one look at the influence to the next where there are many constraints and it is far
// from its bound: it then costs as much as an evaluation.
constexpr int look_after = 4, many = 8;
constexpr double far = 0.75;
// Pivots further apart than this are near a singular position, and no more beyond that. Mechanisms
// far from one have 0.1 (a carriage of 213 constraints) to 1; a four-bar of 1 m that comes to lie
// in line but for 1 mm has 0.04.
constexpr double singular_below = 0.07, regular_above = 0.095;

}  // namespace

// At the point whose position stage is in ws_.
void Integrator::choose_coordinates() {
  using Choice = Coordinates::Choice;
  if (stack_.lambda == 0 || method_.method == Method::stabilized) return;
  const Choice choice = method_.method == Method::svd         ? Choice::svd
                        : method_.method == Method::nullspace ? Choice::gram_schmidt
                                                              : Choice::pivots;
  if (!coordinates_.choose(choice, *ws_)) {
    trouble_ = Trouble::singular;
    give_up(control_.step(), "no independent coordinates can be chosen");
  }
  ++statistics_.selectors;
  fresh_influence_ = coordinates_.influence(*ws_);
  steps_to_look_ = 1;
  if (method_.method == Method::svd) fresh_energy_ = energy_in_dependent();
}

// After an accepted step; ws_ has its position stage.
void Integrator::renew_coordinates() {
  if (stack_.lambda == 0) return;
  switch (method_.method) {
    case Method::stabilized:
      return;
    case Method::nullspace:
      choose_coordinates();
      return;
    case Method::svd:
      if (energy_in_dependent() > fresh_energy_ + most_energy) {
        choose_coordinates();
        return;
      }
      break;
    case Method::partition:
    case Method::hybrid:
      break;
  }
  if (--steps_to_look_ > 0) return;
  const double influence = coordinates_.influence(*ws_);
  const double bound = std::max(most_influence, over_fresh * fresh_influence_);
  steps_to_look_ = stack_.lambda > many && influence < far * bound ? look_after : 1;
  if (method_.method == Method::hybrid) look_for_singularity();
  if (!(influence <= bound)) choose_coordinates();
}

// hybrid: over to partitioning alone where the constraints come near to losing rank, and back.
// There the saddle matrix is badly conditioned, and a small drift asks for large accelerations.
void Integrator::look_for_singularity() {
  const double ratio = coordinates_.regularity(*ws_);
  if (ratio < 2.0 * regular_above) steps_to_look_ = 1;
  const bool near = !(ratio >= (near_singular_ ? regular_above : singular_below));
  if (near == near_singular_) return;
  near_singular_ = near;
  if (near) ++passages_;
  if (passages_ > 1) return;
  notices_.push_back(near ? "near a singular position (smallest pivot of the constraints " +
                                short_number(ratio) +
                                " of the largest) hybrid integrates independent coordinates alone"
                          : "away from the singular position hybrid integrates all coordinates "
                            "again; further passages are counted alone");
}

// The share of the kinetic energy that is in v's part along D: for M = I the rest is |z_I'|^2 of
// (5.3.11).
double Integrator::energy_in_dependent() {
  coordinates_.dependent_part(x_.v, v_D_);
  equations_.apply_M(context_, x_, v_D_, Mv_, *ws_);
  const double dependent = v_D_.dot(Mv_);
  equations_.apply_M(context_, x_, x_.v, Mv_, *ws_);
  const double all = x_.v.dot(Mv_);
  return all > 0.0 ? dependent / all : 0.0;
}

// hybrid: whether the way back onto the constraints is longer than the tolerance. Uses y_next_.
bool Integrator::off_constraints(State& x) {
  equations_.position(context_, x, want_G | want_g, *ws_);
  return coordinates_.distance(x, *ws_, norm_, y_next_) > 1.0;
}

}  // namespace mbs::reduction
