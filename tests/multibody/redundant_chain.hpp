#pragma once

// A chain of parallelograms in space, each hinged to the coupler above it by parallel revolutes:
// three redundant rows each; or the same chain in the plane, which has none.

#include <memory>
#include <string>

#include "engine/integrators/base/integrator.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {

std::string redundant_chain(int cells, bool in_space);

struct ChainRun {
  ChainRun(int cells, bool in_space, const std::string& method, double tolerance)
      : model(redundant_chain(cells, in_space)), start(model.start()) {
    IntegratorOptions options;
    options.rtol = options.atol = tolerance;
    integrator = make_integrator(method, *model, model.context(), options);
    integrator->start(start);
  }
  void advance(double t) {
    while (integrator->state().t < t) integrator->step(t);
  }
  Assembled model;
  State start;
  std::unique_ptr<Integrator> integrator;
};

}  // namespace mbs::test
