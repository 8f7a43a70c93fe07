#pragma once

// Changes of a state at one time: at events, and when inputs or parameters change.
//
//   handle_events                                 restore_consistency
//     events that act change states                 positions and velocities onto the constraints
//     with contacts: impacts and modes of all,      accelerations
//       and accelerations that go with them         with contacts: modes and accelerations
//     without: positions and velocities onto
//       the constraints, accelerations
//
// Laws of force may jump at time events, whether these act or not: that is a change, too, after
// which integration starts anew.

#include <memory>
#include <span>
#include <string>

#include "engine/contact/contacts.hpp"
#include "engine/equations/equations.hpp"
#include "engine/equations/projection.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/simulation/event_record.hpp"

namespace mbs {

class DiscreteChanges {
 public:
  // The inputs and parameters that `context` refers to must outlive this object.
  DiscreteChanges(const Equations& equations, Context context, const IntegratorOptions& options);

  Contacts& contacts() { return *contacts_; }

  struct Outcome {
    bool changed = false;   // integration starts anew from the state
    bool grazed = false;    // contacts were looked at, and nothing has changed
    double first_step = 0;  // to go on with: the limit of its size
  };
  // last_step: the size of the integrator's last one, 0 without. laws_may_jump: somebody
  // integrates who does not start anew at each time event. Throws SolverFailure.
  Outcome handle_events(std::span<const int> functions, double last_step, bool laws_may_jump,
                        State& x, EventRecord& record);
  // Throws SolverFailure and leaves the state as it was.
  void restore_consistency(double last_step, State& x, EventRecord& record);
  // Inputs or parameters are about to change to `after`: what drives remember of their inputs goes
  // up to the time of x. Throws SolverFailure when a drive cannot follow.
  void update_input_filters(const Context& after, State& x);
  // Conditions in laws are those of x and of what is in force. False: laws have none.
  bool freeze_conditions(State& x);
  // Positions and velocities alone. Throws SolverFailure.
  void project(State& x);
  // By more than the tolerance.
  bool violates_constraints(const State& x);
  // a, lambda and what belongs to them; false: they are not determined.
  bool solve_for_accelerations(State& x);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  bool positions_and_velocities(State& x);
  void resolve_contacts(std::span<const int> functions, State& x, EventRecord& record);
  bool laws_jump(State& x);
  double count_repetition(int function, double t, double last_step);

  const Equations& equations_;
  Context context_;
  double rtol_, atol_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  std::unique_ptr<Projection> projection_;
  std::unique_ptr<Contacts> contacts_;
  State buffer_;
  Vector left_, right_;  // a and b before and after a time event
  // Handled events that have changed something, or might have.
  struct {
    int here = 0;     // since time moved on
    double at = 0.0;  // when the last was
    std::int64_t all = 0;
  } handled_;
};

}  // namespace mbs
