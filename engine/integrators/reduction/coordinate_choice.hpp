#pragma once

// Decides when dependent coordinates are chosen again (options.hpp), and where hybrid integrates
// independent coordinates alone because the constraints are close to losing rank.

#include <string>

#include "engine/integrators/base/statistics.hpp"
#include "engine/integrators/reduction/coordinates.hpp"
#include "engine/integrators/reduction/options.hpp"

namespace mbs::reduction {

class CoordinateChoice {
 public:
  CoordinateChoice(const Equations& equations, Context context, const Tolerances& tolerances,
                   Method method);

  Coordinates& coordinates() { return coordinates_; }
  const Coordinates& coordinates() const { return coordinates_; }

  void start() { near_singular_ = false; }
  // Both choose at x, whose position stage is in ws; false where the constraints depend on each
  // other. renew() follows an accepted step and chooses only where it is due.
  bool choose(const State& x, Workspace& ws, Statistics& statistics);
  bool renew(const State& x, Workspace& ws, Statistics& statistics,
             std::vector<std::string>& warnings);
  // hybrid: tests for a singular position.
  void check_singularity(const Workspace& ws, std::vector<std::string>& warnings);

  bool near_singular() const { return near_singular_; }
  long passages() const { return passages_; }  // how often it came near one

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  double energy_in_dependent(const State& x, Workspace& ws);

  const Equations& equations_;
  Context context_;
  Method method_;
  int constraints_;
  Coordinates coordinates_;
  double first_amplification_ = 0.0;  // when the coordinates were chosen
  double first_energy_ = 0.0;         // svd: in dependent coordinates then, which gI asks for
  int steps_to_check_ = 0;            // until the amplification is computed again
  bool near_singular_ = false;        // hybrid works as partition
  long passages_ = 0;
  Vector v_D_, Mv_;
};

}  // namespace mbs::reduction
