#pragma once

// The sides of event indicators phi_i, by which changes of their signs are distinguished from
// rounding.
//
// The side of an indicator is the sign that it last had outside of its dead band. The band is its
// own (<event deadband>), or rtol max|phi so far| + atol, what the integrator does not resolve; it
// is zero for an indicator that changes at events alone.
//
// Within the band and without a side a comparison a > b is still false or true. At zero it is false
// for > and <, true for >= and <=.
//
// An indicator that guards a mode (of a contact) is positive as long as the mode holds. It has no
// band but a slack: how far below zero it may begin without having risen.

#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

class IndicatorSides {
 public:
  IndicatorSides(const Equations& equations, double rtol, double atol);

  // Sides without a sign. The comparison is false: within the band; at zero, after a jump onto it.
  static constexpr signed char false_in_band = -2, jumped_to_zero = -3;
  // A guard whose event has changed nothing has to rise before it can fall within the same step.
  static constexpr signed char must_rise = 2;

  bool guards(int i) const;
  // A guard of a discrete number, which an event elsewhere can make wrong: no contact's.
  bool guards_number(int i) const;
  bool is_time_event(int i) const;
  // Whether it counts that indicator i leaves `side`.
  bool counts(int i, int side) const;

  // |phi| that cannot be distinguished from 0, where `largest` is max |phi| so far.
  double band(int i, double largest) const;
  // Rounding: of any indicator, and of i, which has none when it changes at events alone.
  double last_digits(double largest) const;
  double digits(int i, double largest) const;
  // |phi| of a guard that counts as zero: rounding at contacts that have just changed their mode;
  // for the force of a closed contact the accuracy of the integrator.
  double slack(int i, const State& x, double largest) const;
  // The normal force of a closed contact.
  bool is_contact_force(int i, const State& x) const;

  // The sign with which the comparison is false; 0: it has none, or holds at zero alone.
  signed char false_side(int i) const;
  // The sign that counts as that of zero; 0: none.
  signed char side_of_zero(int i) const;
  // The side of a value within the band, at the start or after a jump.
  signed char side_in_band(int i, double phi) const;
  // 0 within the band.
  signed char sign_beyond_band(int i, double phi, double largest) const;

  // phi_i is not a finite number at t: throws SolverFailure.
  [[noreturn]] void refuse(double t, int i) const;

 private:
  const Structure& structure_;
  double rtol_, atol_;
  std::vector<int> modes_;  // of the contact whose gap or normal force it is; -1: neither
};

}  // namespace mbs
