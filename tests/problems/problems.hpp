#pragma once

// The benchmark problems, hand-written as Equations in their printed coordinates. Most forces and
// constraints are written out by hand from the problem's definition; the head of each file has it.
//
//   pendulum            period 2 with the published g         andrews   seven angles
//   pendulum-period2    period 2 with g = 4 K^2               A01       IFToMM's pendulum
//   pendulum-2.8, -2.9  from below with this velocity         fourbar<N>   IFToMM's A02
//   drum, drum<mu>      cable drum, mu = 0.25 or as given     insul<N>     insulator chain
//   truckC, truckCp     hinged truck, springs or pneumatic    chain<N>     N rods in series
//   truckU              the same as an ODE                    exchA<N>, exchB<N>  excited chain
//
//   slider_crank        through its dead points, 100 turns
//
// Nonholonomic:
//
//   knife_edge          on a slope                            rolling_disc         on a circle

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/equations/equations.hpp"
#include "tests/support/reference.hpp"

namespace mbs::test {

struct Problem {
  std::string name;
  std::shared_ptr<const Equations> equations;
  double t0 = 0.0, t_end = 0.0;
  State initial;                       // consistent p and v at t0
  std::optional<Reference> reference;  // at its own time, mostly t_end
};

// Throws std::invalid_argument, with the list of names, when there is no such problem.
Problem make_problem(const std::string& name);

// One of each kind of holonomic ones, with the sizes that have references.
std::vector<std::string> problem_names();
std::vector<std::string> nonholonomic_names();

}  // namespace mbs::test
