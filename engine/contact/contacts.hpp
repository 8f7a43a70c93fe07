#pragma once

// Modes of contacts and dry friction (Structure::contacts), found for all of them together.
//
//   impact        v+ = v- + sum_k y_k x_k,  y_k = S G_k^T, S the inverse of M on the bilateral
//                 constraints; x and u = G_c v+ (+ e u_N- for Newton's law) as in
//                 cone_complementarity.hpp with W = G_c S G_c^T. Poisson's law: compression with
//                 e = 0, then x_N >= e x_N of the compression, with friction by Coulomb's law
//                 again.
//   acceleration  the same with forces, b = G_c a0 + gamma_c, a0 the accelerations without
//                 contact. A contact that slides has x_T = -mu x_N d, which enters W.
//
// Modes follow: x_N = 0 is open, x_T within the cone sticks, else it slides along -x_T. Sticking
// rows that follow from the rows of what is closed, or sticks as well, would make the equations
// singular:
//
//   held  no rows, but x_T as it was found, a part z of the static limit, |z| <= 1; 0 where what is
//         closed can bear it all: a joint on its stop needs no friction. Of two tangents one may
//         still act: the second foot of a body keeps it from turning about the first
//   idle  closed without rows and forces, where others bear what it would: a table's fourth leg, a
//         stop on which a joint rests that its friction holds
//
// Whether contacts that stick together hold is judged for all of them (friction_share.hpp), and
// they begin to slide together: at the limit along the motion that has no bound there, with
// accelerations along these (turn_to_accelerations). Their velocities have directions of their own
// only from slow_contacts.hpp's speed on; one that stops may stop those beside it.
//
// What slides through an event of others goes on: its friction is the same after it, and so is z
// of slow_contacts.hpp and the speed below which that counts. A z taken anew from a slow velocity
// would hold on to what is wrong with that, until the next event: friction as stiff as limit/|v|,
// sampled now and then, makes of an error a greater one the other way.
//
// A contact that leaves an impact more slowly than its rest speed, or so slowly that its flight is
// lower than positions can tell, is left no speed at all: that is how bouncing ends.

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/contact/cone_complementarity.hpp"
#include "engine/equations/equations.hpp"
#include "engine/equations/projection.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

// Rows of G that act only while contacts are closed: they take no degree of freedom for good.
int contact_rows(const Structure& structure);

class Contacts {
 public:
  Contacts(const Equations& equations, Context context, const Tolerances& tolerances,
           const std::string& linear);

  bool any() const { return !contacts_.empty(); }

  // At a start: a contact is closed where its gap is zero. Then as after an event. What is wrong,
  // for a person; empty: x is consistent, with its accelerations and modes.
  std::string start(State& x);
  // After an event at x: functions that fired close what they guard; impacts, then modes, and
  // accelerations that go with them.
  std::string settle(std::span<const int> fired, State& x);
  // For those who integrate elsewhere and see the end of a flight by that below zero, per contact.
  void flights_are_seen_to(Vector gaps) { unseen_ = std::move(gaps); }
  // Whether there was anything to settle: not where open contacts graze, without an impact, and
  // stay open.
  bool settled() const { return settled_; }

  // For a search of rest at x: velocities zero, closed where the gap is zero; friction holds, or
  // acts against what slides under it (a belt). What is wrong, or empty.
  std::string rest(State& x);
  // Whether a state x that was found at rest is one, with forces of all contacts together. True: it
  // contradicts modes, `start` has others and is to be searched from; `wrong`: friction does not
  // hold it.
  bool revise_rest(State& x, State& start, std::string& wrong);

  // A step to begin with: what begins to slide finds its direction within it.
  double longest_step() const { return longest_step_; }

  // What happened in the last call, for the log: "ball: impact at 4.43 m/s", "ball: at rest".
  std::span<const std::string> notices() const { return notices_; }

 private:
  // What a contact does at a point.
  struct Role {
    // released: watched, no force; idle: the same, and it cannot open alone
    enum { absent, released, idle, stick, slide, held } part = absent;
    Vector d;  // the direction of sliding; of what is held, its part z
    Eigen::Vector3d slow = Eigen::Vector3d::Zero();  // slow_contacts.hpp
    bool goes_on = false;           // it slides as before the event: z and slow stay
    Vector z;                       // then
    int acting = -1;                // of what is held: the tangent whose row acts all the same
    int normal = -1, tangent = -1;  // its entries
    bool present() const { return part != absent; }
    bool holds() const { return part == stick || part == slide || part == held; }
    bool rubs() const { return part == slide || part == held; }
  };

  std::string touch(State& x);
  void set_modes(State& x, bool all) const;
  void set_slow_speeds(double t);
  bool gather(State& x, bool with_accelerations);
  bool solve_forces(State& x, bool turning);
  bool share_friction(double most);
  bool let_slip();
  bool turn_to_accelerations(State& x);
  double static_limit(std::size_t contact) const;
  bool at_its_beginning(std::size_t contact) const;
  bool change_roles(std::vector<char>& asked, double t);
  Vector parts_of_limits() const;
  struct Repeated {
    std::size_t contact;
    int acting;  // the tangent whose row says something new, or -1
  };
  std::vector<Repeated> repeated(const Vector* parts) const;
  bool relieve(const std::vector<Role>& roles, State& x);
  std::vector<std::size_t> spare_normals(bool of_released) const;
  void share_normals(State& x);
  void hold_back(State& x, bool to_the_end);
  bool friction_holds(const State& x);
  void drop_repeated();
  std::string keep_rows(State& x);
  void take_roles(const State& x);
  bool rests_together(State& x);
  std::string impacts(State& x, std::span<const int> fired);
  Vector ends_of_low_flights(State& x, const std::vector<char>& flies, const Vector& after);
  Vector noise_of_gaps(const State& x);
  void bear(std::size_t contact, double t);
  void begin_roles(const State& x, std::span<const int> fired);
  bool find_roles(State& x);
  std::string forces(State& x, std::span<const int> fired);
  std::string names() const;

  const Equations& equations_;
  Context context_;
  Sizes sizes_;
  const std::vector<Structure::Contact>& contacts_;
  double speed_;              // a relative speed that cannot be told from 0
  double least_slow_, slow_;  // one without a direction, of what moves and of what begins to
  Projection projection_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  std::vector<Equations::ContactLaw> laws_;
  std::vector<std::string> notices_;

  std::vector<Role> roles_;  // per contact
  // In which they enter the complementarity problem: by name. Velocities after an impact by
  // Newton's law are unique; impulses need not be where more contacts meet than there are freedoms,
  // and with them what Poisson's law gives back. The model file's order shall not decide that.
  std::vector<std::size_t> order_;
  std::vector<int> before_;  // modes before the event
  Vector z_before_;
  std::vector<char> struck_;   // per contact: the impact has changed its sliding velocity
  std::vector<char> goes_on_;  // per contact: it slid, and nothing has happened to it
  Vector lambda_before_;
  Vector unseen_;  // per contact, or empty: below what gap a flight's end is seen
  std::vector<std::pair<std::size_t, Vector>> slip_;  // of what begins to slide: w
  Vector end_;                 // per entry: x_ where what sticks begins to slide
  std::vector<char> yielded_;  // per contact: it slides as it could not hold more with others
  std::vector<char> has_to_be_idle_;  // per contact
  bool met_ = false;                  // there was an impact
  bool settled_ = false;
  double longest_step_ = std::numeric_limits<double>::infinity();
  std::vector<int> rows_;      // of G, one for each entry
  std::vector<Vector> G_, Y_;  // rows of G, S G^T
  Vector u_, gamma_, x_, b_;   // per entry: G v + gI, gamma, force; G a0 + gamma
  Matrix W_;
};

}  // namespace mbs
