#pragma once

// A point between two points of a step where a function is beyond zero that is not so at these two.
// An interval is halved until each function is as Hermite's cubic of values and slopes at its ends
// says, and where it falls at the first and rises at the second end until its tangents there meet
// before zero. Where the dense output of forces is not that of the projected motion (bodies that
// are driven leave the integrator nothing to control) the latter is sampled.

#include <array>

#include "engine/events/indicator_sides.hpp"
#include "engine/integrators/base/integrator.hpp"

namespace mbs {

class HiddenCrossing {
 public:
  // What these refer to must outlive it.
  HiddenCrossing(const Equations& equations, Context context, const IndicatorSides& rules,
                 double rtol);

  // What holds at the first point. A function without a side is not watched.
  struct Known {
    Eigen::Ref<const Eigen::Matrix<signed char, Eigen::Dynamic, 1>> sides;
    const Vector& largest;  // max |phi| so far
  };
  // Between a, where the functions are phi, and t; or t.
  double find(Integrator& integrator, double a, double t, const Vector& phi, const Known& known);
  // Samples of the last interval were of the projected output.
  bool projects() const { return projects_; }

 private:
  struct Sample {
    double t = 0.0;
    Vector phi, slope;
  };
  double find(Integrator& integrator, const Known& known, const Sample& low, const Sample& high,
              std::size_t next);
  bool watches(const Known& known, int function) const;
  bool is_resolved(const Known& known, int function, double value, double estimate,
                   double least) const;
  bool dense_output_misses_forces(Integrator& integrator, const Known& known, const Sample& low,
                                  const Sample& high);
  void sample(Integrator& integrator, Sample& at);
  void sample_slope(Integrator& integrator, Sample& at, double delta);

  const Equations& equations_;
  Context context_;
  const IndicatorSides& rules_;
  double rtol_;
  std::unique_ptr<Workspace> ws_;
  State x_;
  bool projects_ = false;
  std::array<Sample, 11> samples_;  // two ends, and one between for each time of halving
};

}  // namespace mbs
