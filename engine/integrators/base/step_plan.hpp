#pragma once

// What step() of one-step methods has in common: where the next attempt ends, and when there is
// none.

#include <string>

#include "engine/integrators/base/integrator.hpp"

namespace mbs {

// Throws where step(t_stop) cannot be asked for.
void check_step(bool started, double t, double t_stop);

// The least step size at t; `scale`: the size that steps began with.
double least_step(const IntegratorOptions& options, double t, double scale);

struct StepPlan {
  double size, end;
  bool cut;  // clearly shorter than wished for
};
// An attempt from t with about the size wished for: it lands on t_stop when that is not much
// farther, and halves the way when one more step would leave a small rest.
StepPlan plan_step(const IntegratorOptions& options, double t, double t_stop, double wished);

// Why no further attempt may be made; empty where it may.
std::string why_not(const IntegratorOptions& options, double wished, double least, long attempts);

}  // namespace mbs
