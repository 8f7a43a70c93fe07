#pragma once

// Derivatives of outputs and rates with respect to inputs and states, in FMI 3.0 to real parameters
// and time as well, with the states held; in initialization mode also those of start values, with
// the whole consistent initialization that follows (start_derivatives.hpp).
//
// Columns by inputs and states are exact and kept by the simulation until something changes, so
// that more directions and adjoints at the same point are products alone; columns by parameters and
// time are differences.

#include <vector>

#include "engine/simulation/derivatives.hpp"
#include "fmu_src/instance_core.hpp"
#include "fmu_src/start_derivatives.hpp"

namespace mbs {

class Derivatives {
 public:
  explicit Derivatives(InstanceCore& core) : core_(core) {}

  // Has to be called after a change of the model's sizes.
  void reset();

  // References are those of scalars. Both throw Refusal.
  void directional(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                   std::span<const double> seed, std::span<double> sensitivity);
  void adjoint(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
               std::span<const double> seed, std::span<double> sensitivity);
  // d/dt (order 1) or d^2/dt^2 of the outputs along the motion. Throws SolverFailure.
  const Vector& of_outputs(int order);

 private:
  // Importers ask for the same unknowns column after column.
  struct Unknowns {
    std::vector<std::uint32_t> references;
    std::vector<int> rows;      // in (p', v', r', y); -1: a start value that is none of these
    bool at_start = false;      // found in initialization mode
    bool start_values = false;  // some are neither outputs nor rates
  };
  struct Known {
    const Variable* variable;
    int place;             // in (p, v, r, u); -1: something else
    bool by_initializing;  // found by initializations
  };
  void prepare(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns);
  Unknowns find_unknowns(std::span<const std::uint32_t> references) const;
  const Variable& find_known(std::uint32_t reference) const;
  bool found_by_initializing(const Variable& known) const;
  EvaluationPoint point() const;
  void exact_direction(std::span<const double> seed, std::span<double> sensitivity);
  ExactDerivatives& exact();
  DifferenceDerivatives& differences();
  template <class Use>
  void use_column(const Known& known, const Use& use);
  void sum_columns(std::span<const double> seed, std::span<double> sensitivity);

  InstanceCore& core_;
  Unknowns unknowns_;
  std::vector<Known> knowns_;
  bool exact_ = true;                  // the knowns are inputs and states alone
  std::vector<double> column_, sums_;  // buffers
  std::unique_ptr<ExactDerivatives> exact_derivatives_;
  std::unique_ptr<DifferenceDerivatives> differences_;
  StartDerivatives starts_;
};

}  // namespace mbs
