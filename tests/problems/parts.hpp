#pragma once

// The problems one by one; `make_problem` gives them their initial values, ends and references.

#include <memory>

#include "engine/equations/equations.hpp"
#include "tests/support/reference.hpp"

namespace mbs::test {

std::unique_ptr<Equations> make_andrews();
std::unique_ptr<Equations> make_pendulum(double g, const Eigen::Vector2d& p0,
                                         const Eigen::Vector2d& v0);
std::unique_ptr<Equations> make_drum(double mu);
std::unique_ptr<Equations> make_insulator_chain(int N);
std::unique_ptr<Equations> make_truck(bool joint, bool pneumatic);
std::unique_ptr<Equations> make_excited_chain(int N, double omega);
std::unique_ptr<Equations> make_rod_chain(int N);
std::unique_ptr<Equations> make_four_bars(int N);
std::unique_ptr<Equations> make_slider_crank();
std::unique_ptr<Equations> make_knife_edge();
std::unique_ptr<Equations> make_rolling_disc();

// Closed forms of the last two, of all unknowns.
Reference knife_edge_at(double t);
Reference rolling_disc_at(double t);

}  // namespace mbs::test
