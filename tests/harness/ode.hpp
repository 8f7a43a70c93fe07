// External integrators for model exchange, as importers have them: CVODE where SUNDIALS is there,
// and always the Runge-Kutta method with constant steps.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mbs::test {

// x' = f(t, x)
using OdeFunction = std::function<void(double t, std::span<const double> x, std::span<double> dx)>;

class Ode {
 public:
  Ode() = default;
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;
  virtual ~Ode() = default;

  virtual void start(double t, std::span<const double> x) = 0;
  // One step, not beyond the limit; the time at its end.
  virtual double step(double limit) = 0;
  // The solution within the last step.
  virtual void at(double t, std::span<double> x) = 0;
};

struct OdeOptions {
  double tolerance = 1e-12;    // of those that choose their steps
  double largest_step = 1e-3;  // which the others take
};

struct OdeSolver {
  std::string name;
  std::unique_ptr<Ode> (*make)(OdeFunction function, std::size_t size, const OdeOptions& options);
};
std::vector<OdeSolver> ode_solvers();

}  // namespace mbs::test
