#pragma once

// Zeros of the switching functions phi_i(t, p, v, a, lambda, r, w, s) along a trajectory, (2.16) of
// Lubich et al. (1992) and its section 4.2, for any integrator: what is needed is its dense output.
//
// After each step every phi_i is taken at n_c points of the dense output, the last of them the end
// of the step. A change of sign between two points is a root, if the projected output has it too;
// it is located on the dense output, then on the projected one (locate.hpp). Steps are never
// changed by this.
//
// A function may change its sign twice between two points (hidden_crossing.hpp): a point beyond
// zero that is found between them becomes a point of its own.
//
// Dead band. A function that is zero to rounding for a while must not give roots. The report asks
// for |phi| >= phi_res at both ends of an interval (4.1b), which loses a root that lies close to an
// end. Here each function has a side, the sign it last had outside of its band:
//
//   a root is where phi leaves its side (phi side <= 0), however small it is there;
//   then, and at the start, the side is 0, and there is no root until |phi| is beyond the band
//
// so each root is found once: also at the end of a step, at a communication point, and after a
// start at the root itself. The band is the function's own, or rtol max|phi so far| + atol, what
// the integrator does not resolve; none for a function that changes at events alone.
//
// Within the band and without a side a comparison a > b is still false or true: as it is there at
// the start and after a jump, where equality is false for > and < and true for >= and <=; true
// after its root. A comparison that jumps from false to beyond the band has a root. One that jumps
// from its false side onto zero, and is false there, has its root when it moves on. Otherwise there
// is no root without a jump, as above.
//
// A function that guards a mode (of a contact) is positive as long as the mode holds. Its side is
// known, +, also where it begins at zero; it has one root, and then none until a restart. The force
// of a closed contact counts from where it has risen beyond its slack, or falls below.
//
// A step ahead may be given up, and a state may jump: restart. A function that changes its sign in
// the jump has a root there; leave, before it, says where functions stand that have gone over zero
// unnoticed since the last point. Projection may move a root from one side of a point to the other:
// the sides that hold at the new beginning follow from the roots that were before it.
//
// A function that cannot be evaluated (no finite number, no projection) is an error only when that
// part of the step counts: the examination ends at the point before, and extend goes on as far as
// is needed, or up to the failure.

#include <limits>
#include <span>
#include <vector>

#include "engine/events/hidden_crossing.hpp"
#include "engine/events/indicator_sides.hpp"
#include "engine/integrators/base/integrator.hpp"

namespace mbs {

struct Root {
  double t;
  int function;
  int direction;  // +1 rising, -1 falling
  int column;     // the finder's own: of its points, the first one behind the change of sign
};

class RootFinder {
 public:
  // points: n_c of a step; 0: half the order of the step, at least 2.
  RootFinder(const Equations& equations, Context context, const IntegratorOptions& options,
             int points = 0);

  // Forget everything, begin at x.
  void start(const State& x);
  // Finds the roots of the step that the integrator has just made, in order of time, without those
  // in unwanted directions. They are known up to examined(), which is the step's end or the point
  // before a failure.
  std::span<const Root> examine(Integrator& integrator);
  double examined() const;
  // Goes on in that step, up to t when it can. Throws what is in the way when that is close.
  std::span<const Root> extend(Integrator& integrator, double t);
  // x, before a jump of the state, of inputs or of parameters.
  void leave(const State& x);
  // Roots at x have changed nothing: those of the rest of the step. Guards among the functions
  // (open contacts that have grazed) count again from there on.
  std::span<const Root> watch_again(std::span<const int> functions, Integrator& integrator,
                                    const State& x);
  // Integration restarts at x, within the last step: what was found after x.t does not count.
  // Roots at x.t, of functions that have jumped over zero.
  std::span<const Root> restart(const State& x);

  std::span<const Root> roots() const { return roots_; }  // of the last call

  void save(ByteWriter&) const;
  void restore(ByteReader&);

  static constexpr int most_points = 32;

 private:
  void evaluate(const State& x);
  void rewind(double t);
  void begin_at(const State& x);
  void look_to_the_end(Integrator& integrator);
  void look(Integrator& integrator, double t_end);
  void look_at(Integrator& integrator, double t, double begin);
  void find_roots(Integrator& integrator, double t, double begin);
  void forget_first_column();
  struct Interval {
    double a, b, phi_a, phi_b;
  };
  double locate(Integrator& integrator, int function, const Interval& interval, double begin);
  double vanishes(Integrator& integrator, int function, const Interval& interval);
  double last_at_zero(Integrator& integrator, int function, const Interval& interval);
  double projected(Integrator& integrator, int function, double t);
  bool left_side(int function, signed char side) const;
  signed char side_after(int function, signed char side, bool root) const;
  signed char fresh_side(int function) const;
  double band(int function) const { return rules_.band(function, largest_[function]); }
  double slack(int function, const State& x) const {
    return rules_.slack(function, x, largest_[function]);
  }

  const Equations& equations_;
  Context context_;
  IndicatorSides rules_;
  double rtol_;
  int points_;
  std::unique_ptr<Workspace> ws_;
  State x_;
  Vector phi_, before_;          // at the present point and the one before it
  Vector largest_, largest_at_;  // max |phi| so far; at the beginning of the step
  Vector largest_before_;        // at the point before
  HiddenCrossing hidden_;
  // Sides after each point of the last step, column 0 at its beginning; times of these columns.
  Eigen::Matrix<signed char, Eigen::Dynamic, Eigen::Dynamic> sides_;
  std::vector<double> times_;
  int last_ = 0;                   // the column that holds now
  std::vector<signed char> left_;  // signs before a jump; 0: within the band
  double left_at_ = std::numeric_limits<double>::quiet_NaN();  // when that was
  std::vector<Root> roots_;
};

}  // namespace mbs
