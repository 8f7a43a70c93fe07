#pragma once

// Decides on the three phases of a refresh cycle, Nijhuis (2013), chapter 4:
//
//   1  simplified Newton with small entries of L and U dropped           threshold_lu.hpp
//   2  simplified Newton
//   3  a few GMRES steps on the present matrix, preconditioned by the old factors
//
// Each phase gives way to the next when it converges too slowly; after the last there is a refresh.
// Effort is counted in operations. Step sizes follow the error and not the corrector, so steps by
// effort are compared and not the simulation rate (2.35), simulated time by effort:
//
//   drop tolerance   the one with the greatest rate in the first two phases, (4.8): mostly the best
//                    so far, now and then a trial of another, ever more rarely as long as none is
//                    better. The plain cycle, which drops nothing, is one of them and comes first.
//   third phase      begun and continued where a step in it costs less than the mean of all steps,
//                    factorisations included: only that raises the overall rate.

#include <array>

#include "engine/base/bytes.hpp"

namespace mbs::bdf {

class CyclePolicy {
 public:
  enum class Kind { plain, fixed, automatic };
  CyclePolicy(Kind kind, double drop_tolerance, bool krylov)
      : kind_(kind), drop_tolerance_(drop_tolerance), krylov_(krylov) {}

  double drop_tolerance() const;  // of the next cycle; 0: no first phase
  // True when a step of the third phase is worth that many operations.
  bool krylov(double operations) const;
  // A cycle that has ended: its steps and operations, those of the first two phases alone (without
  // Jacobian and factors), and those of triangular solves in these.
  struct Cycle {
    long steps = 0, early_steps = 0;
    double operations = 0.0, early = 0.0, triangular = 0.0;
  };
  void end(const Cycle& cycle);
  void forget() { *this = CyclePolicy(kind_, drop_tolerance_, krylov_); }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  static constexpr std::array<double, 5> tolerances{0.0, 1e-4, 1e-3, 1e-2, 1e-6};
  Kind kind_;
  double drop_tolerance_;
  bool krylov_;
  double steps_ = 0.0, operations_ = 0.0, triangular_ = 0.0;  // sums that forget the past
  std::array<double, tolerances.size()> efforts_{};           // early, by tolerance; 0: never tried
  int best_ = 0, now_ = 0, next_trial_ = 1;
  int cycles_ = 0, pause_ = 4;  // cycles since a trial, cycles between two
};

}  // namespace mbs::bdf
