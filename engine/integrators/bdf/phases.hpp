#pragma once

// The three phases of a refresh cycle, chapter 4 of report 003, and who decides on them:
//
//   1  simplified Newton with small entries of L and U dropped           dropped_lu.hpp
//   2  simplified Newton
//   3  a few GMRES steps on the present matrix, preconditioned by the old factors
//
// Each phase gives way to the next when it converges too slowly; after the last there is a refresh.
// The report takes drop tolerance and third phase from the simulation rate (2.35), simulated time
// by effort. Step sizes follow the error and not the corrector, so here the effort per step is
// compared, in counted operations, between cycles with different choices: mostly the best choice so
// far works, now and then another one is tried, ever more rarely as long as none is better. The
// plain cycle is among the choices and comes first.

#include <array>

#include "engine/linear/bytes.hpp"

namespace mbs {

struct PhaseChoice {
  double drop_tolerance;  // 0: no first phase
  bool krylov;            // with the third phase
};

class PhasePolicy {
 public:
  enum class Kind { plain, fixed, automatic };
  PhasePolicy(Kind kind, PhaseChoice fixed) : kind_(kind), fixed_(fixed) {}

  PhaseChoice choice() const;
  bool learns() const { return kind_ == Kind::automatic; }
  // The end of a cycle of that many steps and operations, with those of linear algebra among them;
  // the next one may have another choice. Nothing is tried where linear algebra is a small part.
  void cycle(long steps, double operations, double linear);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  static constexpr std::array<PhaseChoice, 7> choices{{{0.0, false},
                                                       {1e-1, false},
                                                       {1e-2, false},
                                                       {1e-3, false},
                                                       {1e-5, false},
                                                       {0.0, true},
                                                       {1e-2, true}}};
  Kind kind_;
  PhaseChoice fixed_;
  std::array<double, choices.size()> effort_{};  // per step; 0: never tried
  int best_ = 0, now_ = 0, next_trial_ = 1;
  int cycles_ = 0, pause_ = 4;  // cycles since a trial, cycles between two
};

}  // namespace mbs
