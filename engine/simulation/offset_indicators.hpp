#pragma once

// Event indicators for an importer who integrates and looks for changes of their signs.
//
// Sides are those of IndicatorSides: the sign that an indicator last had outside of its dead band.
// An indicator without a side after events (the gap of a contact that has just bounced) does not
// count until it has one. The importer sees it with an offset, of little more than rounding, so
// that it is not zero when event mode is left, and positive when it guards a mode: the next change
// of its sign is then seen whatever the importer's steps are, and counts.
//
// Between two evaluations of the same point last digits may differ: an indicator that was negative
// when the importer looked counts in event mode though it is zero, or on the other side, by
// rounding. An indicator that was beyond that when it was looked at before at the same time has
// jumped: there comparisons are exact, and jumps onto zero or from zero are as in RootFinder.

#include <limits>
#include <span>
#include <vector>

#include "engine/events/indicator_sides.hpp"
#include "engine/events/root_finder.hpp"
#include "engine/simulation/evaluation_point.hpp"

namespace mbs {

class OffsetIndicators {
 public:
  OffsetIndicators(const Equations& equations, const IntegratorOptions& options);

  void start(const EvaluationPoint& point);
  const Vector& offsets() const { return offset_; }

  // Whether one of them has left its side and counts. Throws SolverFailure.
  bool any_left_its_side(const EvaluationPoint& point);
  // Sides follow, and there is an event where an indicator counts; valid until the next call.
  std::span<const Root> follow_sides(const EvaluationPoint& point);
  // The functions of time events that happen at t, with x next to it.
  std::vector<int> time_events(const Context& context, State& x, double t);
  // Events have changed modes: guards are evaluated from the start.
  void forget_sides_of_guards();
  void offset_guards(const EvaluationPoint& point);
  // Per contact, how far below zero its gap has to be for the importer to see that it closes.
  Vector detectable_gaps() const;

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  const Vector& evaluate(const EvaluationPoint& point);
  bool has_left_its_side(int i, double phi, bool looked_at_before, bool keep);
  void look(const EvaluationPoint& point, bool keep);

  const Equations& equations_;
  IndicatorSides sides_;
  std::unique_ptr<Workspace> ws_;
  std::vector<int> side_;  // per indicator
  Vector offset_;
  Vector seen_;  // when it was looked at last; not a number: it counts, and is left to event mode
  double seen_at_;
  Vector largest_;  // max |phi| so far
  std::vector<Root> events_;
};

}  // namespace mbs
