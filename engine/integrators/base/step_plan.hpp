#pragma once

// Chooses the end of the next attempt at a step and decides when no further attempt may be made.

#include <string>

#include "engine/integrators/base/options.hpp"

namespace mbs {

// The run of steps since start().
struct Run {
  bool started = false;
  bool chooses_first_step = false;  // its size is not known yet
  long attempts = 0;
  double first_step = 0.0;  // what "tiny" is measured by at t = 0

  void check(double t, double t_stop) const;  // throws where step(t_stop) cannot be asked for
  double least_step(const IntegratorOptions& options, double t) const;
  // Why no further attempt may be made with step size h; empty where it may.
  std::string exhausted(const IntegratorOptions& options, double h, double least) const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);
};

struct StepPlan {
  double size, end;
  bool cut;  // clearly shorter than the optimal step size
};
// An attempt from t with about the optimal size: it ends at t_stop when that is not much farther,
// and halves the way when one more step would leave a small rest.
StepPlan plan_step(const IntegratorOptions& options, double t, double t_stop, double optimal);

}  // namespace mbs
