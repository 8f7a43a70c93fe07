#pragma once

// What contact needs of the equations of motion: the rows of contacts with their Delassus matrix,
// laws, projections and accelerations for given modes.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/contact/candidates.hpp"
#include "engine/contact/law.hpp"
#include "engine/equations/projection.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

// The rows of the contacts that are present, at a state. S is the inverse of M on the bilateral
// constraints, a0 the accelerations without contact forces.
struct DelassusSystem {
  struct Entries {
    int normal = -1, tangent = -1;  // in u, b, x: the normal, the first tangent; -1: none
  };
  std::vector<Entries> of;  // per contact
  Vector u;                 // relative velocities G_c v + gI
  Vector b;                 // relative accelerations G_c a0 + gamma_c, where they are asked for
  Vector lambda;            // the multipliers that belong to a0
  Matrix W;                 // G_c S G_c^T
  Matrix Y;                 // S G_c^T
};

class ContactMechanics {
 public:
  ContactMechanics(const Equations& equations, Context context, const Tolerances& tolerances,
                   const std::string& linear);

  const std::vector<Structure::Contact>& contacts() const { return contacts_; }
  // Contacts enter a contact problem by name. Velocities after an impact by Newton's law are
  // unique; impulses need not be where more contacts meet than there are freedoms, and with them
  // what Poisson's law gives back. The order of the model file shall not decide that.
  const std::vector<std::size_t>& order() const { return order_; }
  const Equations& equations() const { return equations_; }

  // Empty where the equations of motion are singular.
  std::optional<DelassusSystem> assemble(const State& x, const ModeCandidates& candidates,
                                         bool with_accelerations);
  // All rows of G, with the rows of the contacts that are present.
  Vector gaps(const State& x, const ModeCandidates& candidates);
  Vector velocities(const State& x, const ModeCandidates& candidates);
  // How far changes of all positions in their last digits move the gap of each contact.
  Vector rounding_of_gaps(const State& x, const ModeCandidates& candidates);
  std::vector<ContactLaw> laws(const State& x);
  Vector indicators(const State& x);

  // Moves positions until what is present just touches: the least change in the metric of M, where
  // gaps that depend on each other are closed in the sense of least squares. Returns the error, or
  // an empty text.
  std::string close_gaps(State& x, const ModeCandidates& candidates);
  // With the modes of x. False: there is no such state.
  bool project_velocities(State& x);
  bool solve_accelerations(State& x);

  // Contacts that touch at a start are present and stick. Returns the error, or an empty text.
  std::string close_touching(const State& x, ModeCandidates& candidates);
  bool penetrates(int row, double gap) const { return gap < -gap_tolerance(row); }
  // |gap| up to which a contact touches.
  double gap_tolerance(int row) const;

 private:
  bool restore_joints(State& x);

  const Equations& equations_;
  Context context_;
  const std::vector<Structure::Contact>& contacts_;
  std::vector<std::size_t> order_;
  Projection projection_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
};

}  // namespace mbs
