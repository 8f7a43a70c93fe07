#pragma once

// A small model for tests of CoSimulationDriver: a point on a rod in a plane, with a horizontal
// force that follows its command with a lag.
//
//   m x'' = F - d x' - x lambda,  m y'' = -m g - d y' - y lambda,  0 = (x^2 + y^2 - L^2)/2
//   F' = (u - F)/tau
//
// Events: x = 0, both ways; u > 5.

#include "engine/equations/equations.hpp"

namespace mbs::test {

class Swing : public Equations {
 public:
  enum Parameter { mass, gravity, length, damping, lag, weight, parameter_count };  // weight = m g
  enum Output {
    at_x,
    at_y,
    acceleration,
    tension,
    drive,
    command,
    steps,
    passes,
    last_pass,
    output_count
  };
  enum Event { pass, high, event_count };

  // The output `steps` shows the statistic; `terminate`: the first pass is the end.
  explicit Swing(const char* statistic = "steps", bool terminate = false);
  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;
  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
};

}  // namespace mbs::test
