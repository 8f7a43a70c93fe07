#pragma once

// The start with its report: consistent initial values, how far they are from the values given, and
// what fails, in the same terms for all coordinates.

#include "engine/equations/initial.hpp"

namespace mbs {

// Equations whose initial() closes loops in other coordinates, where all joints are constraints.
class ClosedStart {
 public:
  virtual ~ClosedStart() = default;
  // x: what is given, `guess`, with loops closed when the report is ok.
  virtual InitialReport close(const Context&, double t0, const InitialOptions&, State& guess,
                              State& x) const = 0;
};

// x from initial(), made consistent as there; the report counts movements from the values given.
InitialReport make_start(const Equations& equations, const Context& context, double t0, State& x,
                         const InitialOptions& options = {});

}  // namespace mbs
