#pragma once

#include <span>
#include <string_view>

#include "engine/base/bytes.hpp"

namespace mbs {

// Counters of an integrator. Costs are counted in operations and never in time, so that a repeated
// run takes the same decisions.
struct Statistics {
  long steps = 0;
  long rejected = 0;            // by the error estimate
  long failed = 0;              // by the corrector, the projection or a singular matrix
  long matrix_evaluations = 0;  // of (M, G, gI): nfcn in Lubich et al. (1992)
  long force_evaluations = 0;   // of f
  long jacobians = 0;
  long factorisations = 0;
  long solves = 0;
  long projections = 0;  // Newton iterations of the projection
  long selectors = 0;    // choices of independent coordinates
  long starts = 0;
  double last_step = 0.0;
  int last_order = 0;

  // Counters of `bdf`. A refresh cycle is the steps from one iteration matrix to the next; the
  // three counters give the reason for its end: the iteration failed, it was slow, the step size
  // had changed.
  long updates = 0;  // iteration matrices without a new Jacobian
  long refreshes_failed = 0, refreshes_slow = 0, refreshes_step = 0;
  long cycle_steps = 0;      // in cycles that have ended
  double contraction = 0.0;  // of the last step's iteration, Nijhuis (2013), eq. (3.16)
  double operations = 0.0;   // multiplications; evaluations are counted as so many of them
  double simulated = 0.0;    // time

  long cycles() const { return refreshes_failed + refreshes_slow + refreshes_step; }
  double simulation_rate() const { return operations > 0.0 ? simulated / operations : 0.0; }

  // Value by the keyword used in the model file's <output quantity="statistic" component="steps"/>.
  static std::span<const std::string_view> keywords();
  double by_keyword(std::string_view keyword) const;  // throws std::out_of_range

  void save(ByteWriter&) const;
  void restore(ByteReader&);
};

}  // namespace mbs
