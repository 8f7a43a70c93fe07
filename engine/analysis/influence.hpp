#pragma once

// Which states, inputs and parameters act on which rates and outputs at the same instant, and
// whether time does: what an importer reads as dependencies. Computed from derivatives at points
// beside a given state (influence_sample.hpp): exact ones with respect to states and inputs, and
// what finite changes of time and of each parameter do to the residuals. What is zero at all of
// them is taken to be zero everywhere; laws must have no pieces of which one may have been at none
// of the points (engine/model/without_pieces.hpp makes such equations). Points lie off the
// constraints, but Euler parameters have norm 1.
//
// In event mode positions follow at once the inputs and parameters that are set
// (simulation/preview.cpp): drives and lengths change the constraints, and positions and velocities
// are projected onto them. What acts in this way alone counts as well.

#include <span>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

struct Influence {
  enum Kind : unsigned char { none, varying, constant };
  // Rows: p', v', r'; y; switching functions; two residuals; contacts.
  int rates = 0, outputs = 0, events = 0, contacts = 0;
  int columns = 0, time = 0;  // p, v, r, u; time; the parameters; contacts
  std::vector<Kind> kinds;    // row by row
  int row_of_event(int i) const { return rates + outputs + i; }
  int residual() const { return row_of_event(events); }  // the constraints g, n
  int velocity_residual() const { return residual() + 1; }
  // A contact's rows: how far it is from closing; its law of friction; its law of impacts. Its
  // column: what it does when closed.
  int row_of_contact(int k) const { return residual() + 2 + k; }
  int row_of_friction(int k) const { return row_of_contact(contacts) + k; }
  int row_of_impacts(int k) const { return row_of_friction(contacts) + k; }
  int column_of_contact(int k) const { return columns - contacts + k; }
  int rows() const { return row_of_impacts(contacts); }
  Kind of(int row, int column) const { return kinds[place(row, column)]; }
  Kind& of(int row, int column) { return kinds[place(row, column)]; }
  bool acts(int row, int column) const { return of(row, column) != none; }

 private:
  std::size_t place(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

struct KnownParameter {
  int index = 0;         // of Parameters::values
  bool tunable = false;  // can be set in event mode
};

// Empty when it cannot be told: the derivatives are not known, there are no accelerations at any
// such point, there are contacts beside constraints that share reactions by least norms, or it
// would take too long (many contacts). blurred: the same equations with all numbers that are not
// whole a little different. stays: only at this state, in all modes of contacts.
Influence find_influence(const Equations& equations, const Equations& blurred,
                         const Context& context, const State& x,
                         std::span<const KnownParameter> parameters, bool stays = false);

}  // namespace mbs
